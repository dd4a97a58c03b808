//! Variables: SSA names, cells, receivers and globals.

use oxc_ast::ast::{BindingIdentifier, IdentifierReference};

use crate::flow::{CellId, Constant, Op, Span, ValueId};

use super::state::{Key, UNDEFINED, UNSET};
use super::{Lowerer, Note, at};

impl<'a> Lowerer<'a, '_> {
    pub(super) fn variable_of(identifier: &IdentifierReference<'a>) -> Option<u32> {
        identifier.reference_id.get().map(|reference| reference.index() as u32)
    }

    pub(super) fn declared(identifier: &BindingIdentifier<'a>) -> Option<u32> {
        identifier.symbol_id.get().map(|symbol| symbol.index() as u32)
    }

    /// Whether the variable is read by its SSA name here.
    fn is_named(&self, variable: u32) -> bool {
        let entry = &self.bindings.variables[variable as usize];
        entry.function == self.current.number && !entry.is_assigned_inside
    }

    pub(super) fn cell(&mut self, variable: u32) -> CellId {
        if let Some(cell) = self.cells[variable as usize] {
            return cell;
        }
        let entry = &self.bindings.variables[variable as usize];
        let is_constant = entry.assignments <= 1;
        let owner = self.function_ids[entry.function as usize].unwrap_or(self.current.id);
        let text = entry.name.trim_start_matches('%');
        let name = self.builder.symbol(text);
        let cell = self.builder.cell(name, owner);
        self.constant_cells.push(is_constant);
        // A cell that another function makes is one that it knows.
        self.shared_cells.push(owner != self.current.id || self.created.contains(&variable));
        self.cells[variable as usize] = Some(cell);
        cell
    }

    /// Cell from which this function reads a variable, if it has one.
    fn read_cell(&self, variable: u32) -> Option<CellId> {
        if self.tested_variables.contains(&variable) {
            let owner = self.bindings.variables[variable as usize].function;
            let mut function = self.current.number;
            while function != owner && function != 0 {
                if let Some(&cell) = self.tested_cells.get(&(function, variable)) {
                    return Some(cell);
                }
                function = self.bindings.functions[function as usize].parent;
            }
        }
        self.cells[variable as usize]
    }

    /// Gives the tested names of variables to a function that is created here. It reads them from cells of their own.
    pub(super) fn pass_tested(&mut self, number: u32, span: Span) {
        let captures = std::mem::take(&mut self.bindings.functions[number as usize].captures);
        for &variable in &captures {
            let name = self.passed_name(number, variable);
            self.created.insert(variable);
            if let Some(cell) = self.cells[variable as usize] {
                self.shared_cells[cell.index()] = true;
            }
            let Some(name) = name else { continue };
            let entry = &self.bindings.variables[variable as usize];
            let is_constant = !entry.is_assigned_inside;
            let text = self.builder.symbol(entry.name);
            let cell = self.builder.cell(text, self.current.id);
            self.constant_cells.push(is_constant);
            self.shared_cells.push(true);
            self.escape(name);
            self.emit(Op::StoreCell(cell, name), span);
            self.tested_cells.insert((number, variable), cell);
            self.tested_variables.insert(variable);
        }
    }

    /// Name that a captured variable has for a function that is created here, if that says more than all values of the variable.
    fn passed_name(&self, number: u32, variable: u32) -> Option<ValueId> {
        let entry = &self.bindings.variables[variable as usize];
        let own = entry.assignments - entry.inner_assignments.min(entry.assignments);
        let is_own = entry.function == self.current.number;
        let is_once = entry.assignments == 1 && entry.is_initialised;
        // Nothing but the new function and functions inside it assigns the variable from here on.
        let is_last = is_own && own == self.written[variable as usize] && {
            let mut assigner = entry.assigner;
            while assigner > number {
                assigner = self.bindings.functions[assigner as usize].parent;
            }
            entry.inner_assignments == 0 || assigner == number
        };
        if !is_once && !is_last {
            return None;
        }
        let name = self.name(variable)?;
        let is_tested = self.canon(name) != name;
        let is_known = is_tested || (is_last && own > 1);
        (is_known && self.constant(name).is_none()).then_some(name)
    }

    pub(super) fn read_identifier(&mut self, identifier: &IdentifierReference<'a>) -> ValueId {
        let span = at(identifier.span);
        match Self::variable_of(identifier) {
            Some(variable) => self.read(variable, span),
            None => self.global(identifier.name.as_str(), span),
        }
    }

    pub(super) fn read(&mut self, variable: u32, span: Span) -> ValueId {
        if self.is_named(variable) {
            let value = self.state.value(variable);
            if value != UNSET && value != UNDEFINED {
                return value;
            }
            let value = self.undefined(span);
            self.state.rename(variable, value);
            return value;
        }
        let is_outside = self.bindings.variables[variable as usize].function != self.current.number;
        let note = if is_outside { self.known.get(&variable).cloned() } else { None };
        if let Some(Note::Constant(constant)) = note {
            return self.constant_value(constant, span);
        }
        let cell = match self.read_cell(variable) {
            Some(cell) => cell,
            None => self.cell(variable),
        };
        let key = Key::cell(cell);
        if let Some(value) = self.fact(key) {
            return value;
        }
        let value = self.emit(Op::LoadCell(cell), span);
        if let Some(note) = note {
            self.notes.insert(value, note);
        }
        self.state.set_fact(key, value);
        value
    }

    /// Current name of a variable, if a read would be no new instruction.
    pub(super) fn name(&self, variable: u32) -> Option<ValueId> {
        if self.is_named(variable) {
            let value = self.state.value(variable);
            return (value != UNSET && value != UNDEFINED).then_some(value);
        }
        self.read_cell(variable).and_then(|cell| self.fact(Key::cell(cell)))
    }

    pub(super) fn rename_variable(&mut self, variable: u32, value: ValueId) {
        if self.is_named(variable) {
            self.state.rename(variable, value);
        } else if let Some(cell) = self.read_cell(variable) {
            self.state.set_fact(Key::cell(cell), value);
        }
    }

    /// Assigns a variable.
    pub(super) fn write(&mut self, variable: u32, value: ValueId, span: Span) {
        let entry = &self.bindings.variables[variable as usize];
        let (is_captured, is_once) = (entry.is_captured, entry.assignments == 1 && entry.is_initialised);
        let is_own = entry.function == self.current.number;
        if is_own {
            self.written[variable as usize] += 1;
        }
        if is_once && is_own && is_captured {
            self.remember(variable, value);
        }
        if self.is_named(variable) {
            self.state.set(variable, value);
            if is_captured {
                let cell = self.cell(variable);
                self.escape(value);
                self.emit(Op::StoreCell(cell, value), span);
            }
        } else {
            let cell = self.cell(variable);
            self.escape(value);
            self.emit(Op::StoreCell(cell, value), span);
            self.state.set_fact(Key::cell(cell), value);
            if let Some(passed) = self.read_cell(variable)
                && passed != cell
            {
                self.emit(Op::StoreCell(passed, value), span);
                self.state.set_fact(Key::cell(passed), value);
            }
        }
        if let Some(names) = self.bindings.exports.get(&variable).cloned() {
            for name in names {
                self.export(name, value, span);
            }
        }
    }

    /// Notes what inner functions may know of a variable that is assigned once.
    fn remember(&mut self, variable: u32, value: ValueId) {
        let canonical = self.canon(value);
        let note = match self.op(canonical) {
            Op::Constant(constant) => Some(Note::Constant(constant)),
            Op::LoadField(..) if self.is_own_property(canonical) => Some(Note::OwnProperty),
            _ => match self.notes.get(&canonical) {
                Some(Note::Tests(_) | Note::Derived(..)) | None => None,
                Some(note) => Some(note.clone()),
            },
        };
        if let Some(note) = note {
            self.known.insert(variable, note);
        }
    }

    pub(super) fn write_identifier(&mut self, identifier: &IdentifierReference<'a>, value: ValueId, span: Span) {
        match Self::variable_of(identifier) {
            Some(variable) => self.write(variable, value, span),
            None if identifier.name == "exports" => self.current.exports = Some(value),
            None => {
                let name = self.symbol(identifier.name.as_str());
                self.escape(value);
                self.emit(Op::StoreGlobal(name, value), span);
                self.state.set_fact(Key::global(name), value);
            }
        }
    }

    /// A variable that the file does not declare.
    pub(super) fn global(&mut self, name: &str, span: Span) -> ValueId {
        match name {
            "undefined" => return self.undefined(span),
            "NaN" => return self.constant_value(Constant::Number(f64::NAN), span),
            "exports" => return self.exports(span),
            "module" => return self.module_object(span),
            _ => {}
        }
        let symbol = self.symbol(name);
        let key = Key::global(symbol);
        if let Some(value) = self.fact(key) {
            return value;
        }
        let is_constant = !self.assigned_globals.contains(&symbol);
        if is_constant && let Some(&value) = self.current.globals.get(&symbol) {
            return value;
        }
        let value = self.emit(Op::Global(symbol), span);
        if is_constant {
            self.current.globals.insert(symbol, value);
        }
        self.state.set_fact(key, value);
        value
    }

    /// `this`.
    pub(super) fn this(&mut self, span: Span) -> ValueId {
        if let Some(value) = self.current.this_override {
            return value;
        }
        let mut function = self.current.number;
        while self.bindings.functions[function as usize].is_arrow {
            function = self.bindings.functions[function as usize].parent;
        }
        if function == self.current.number {
            return self.receiver(span);
        }
        match self.bindings.functions[function as usize].this {
            Some(variable) => self.read(variable, span),
            None => self.undefined(span),
        }
    }

    /// Receiver of the current function, which is no arrow function.
    pub(super) fn receiver(&mut self, span: Span) -> ValueId {
        if let Some(value) = self.current.receiver {
            return value;
        }
        let value = if self.current.number != 0 {
            self.emit(Op::Receiver, span)
        } else if self.bindings.is_module {
            self.undefined(span)
        } else {
            self.exports(span)
        };
        self.current.receiver = Some(value);
        value
    }
}
