//! Variables: SSA names and cells.

use crate::flow::{CellId, Op, Span, ValueId};

use super::state::{Key, UNDEFINED, UNSET};
use super::{Note, Ssa};

impl Ssa<'_, '_> {
    /// True if the variable is read by its SSA name here.
    fn is_named(&self, variable: u32) -> bool {
        let entry = &self.scopes.variables[variable as usize];
        entry.function == self.frame.number && !entry.is_assigned_inside
    }

    pub(in crate::lang) fn cell(&mut self, variable: u32) -> CellId {
        if let Some(cell) = self.cells[variable as usize] {
            return cell;
        }
        let entry = &self.scopes.variables[variable as usize];
        let is_constant = entry.assignments <= 1;
        let owner = self.function_ids[entry.function as usize].unwrap_or(self.frame.id);
        let text = entry.name.trim_start_matches('%');
        let name = self.builder.symbol(text);
        let cell = self.builder.cell(name, owner);
        self.constant_cells.push(is_constant);
        // A cell that another function makes is one that it knows.
        self.shared_cells.push(owner != self.frame.id || self.created.contains(&variable));
        self.cells[variable as usize] = Some(cell);
        cell
    }

    /// New cell of this function with a value that nothing changes.
    pub(in crate::lang) fn constant_cell(&mut self, name: &str, value: ValueId, span: Span) -> CellId {
        let name = self.builder.symbol(name);
        let cell = self.builder.cell(name, self.frame.id);
        self.constant_cells.push(true);
        self.shared_cells.push(true);
        self.escape(value);
        self.emit(Op::StoreCell(cell, value), span);
        cell
    }

    /// Cell from which this function reads a variable, if it has one.
    pub(super) fn read_cell(&self, variable: u32) -> Option<CellId> {
        if self.tested_variables.contains(&variable) {
            let owner = self.scopes.variables[variable as usize].function;
            let mut function = self.frame.number;
            while function != owner && function != 0 {
                if let Some(&cell) = self.tested_cells.get(&(function, variable)) {
                    return Some(cell);
                }
                function = self.scopes.functions[function as usize].parent;
            }
        }
        self.cells[variable as usize]
    }

    /// Gives the tested names of variables to a function that is created here. It reads them from cells of their own.
    pub(in crate::lang) fn pass_tested(&mut self, number: u32, span: Span) {
        let captures = std::mem::take(&mut self.scopes.functions[number as usize].captures);
        for &variable in &captures {
            let name = self.passed_name(number, variable);
            self.created.insert(variable);
            if let Some(cell) = self.cells[variable as usize] {
                self.shared_cells[cell.index()] = true;
            }
            let Some(name) = name else { continue };
            let entry = &self.scopes.variables[variable as usize];
            let is_constant = !entry.is_assigned_inside;
            let text = self.builder.symbol(entry.name);
            let cell = self.builder.cell(text, self.frame.id);
            self.constant_cells.push(is_constant);
            self.shared_cells.push(true);
            self.escape(name);
            self.emit(Op::StoreCell(cell, name), span);
            self.tested_cells.insert((number, variable), cell);
            self.tested_variables.insert(variable);
        }
        self.pass_members(number, &captures, span);
    }

    /// Name that a captured variable has for a function that is created here, if that says more than all values of the variable.
    fn passed_name(&self, number: u32, variable: u32) -> Option<ValueId> {
        let entry = &self.scopes.variables[variable as usize];
        let own = entry.assignments - entry.inner_assignments.min(entry.assignments);
        let is_own = entry.function == self.frame.number;
        let is_once = entry.assignments == 1 && entry.is_initialised;
        // Nothing but the new function and functions inside it assigns the variable from here on.
        let is_last = is_own && own == self.written[variable as usize] && {
            let mut assigner = entry.assigner;
            while assigner > number {
                assigner = self.scopes.functions[assigner as usize].parent;
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

    pub(in crate::lang) fn read(&mut self, variable: u32, span: Span) -> ValueId {
        if self.is_named(variable) {
            let value = self.state.value(variable);
            if value != UNSET && value != UNDEFINED {
                return value;
            }
            let value = self.undefined(span);
            self.state.rename(variable, value);
            return value;
        }
        let is_outside = self.scopes.variables[variable as usize].function != self.frame.number;
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
    pub(in crate::lang) fn name(&self, variable: u32) -> Option<ValueId> {
        if self.is_named(variable) {
            let value = self.state.value(variable);
            return (value != UNSET && value != UNDEFINED).then_some(value);
        }
        self.read_cell(variable).and_then(|cell| self.fact(Key::cell(cell)))
    }

    pub(in crate::lang) fn rename_variable(&mut self, variable: u32, value: ValueId) {
        if self.is_named(variable) {
            self.state.rename(variable, value);
        } else if let Some(cell) = self.read_cell(variable) {
            self.state.set_fact(Key::cell(cell), value);
        }
    }

    /// Assigns a variable.
    pub(in crate::lang) fn write(&mut self, variable: u32, value: ValueId, span: Span) {
        let entry = &self.scopes.variables[variable as usize];
        let (is_captured, is_once) = (entry.is_captured, entry.assignments == 1 && entry.is_initialised);
        let is_own = entry.function == self.frame.number;
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
    }

    /// Notes what inner functions may know of a variable that is assigned once.
    fn remember(&mut self, variable: u32, value: ValueId) {
        let canonical = self.canon(value);
        let note = match self.op(canonical) {
            Op::Constant(constant) => Some(Note::Constant(constant)),
            Op::LoadField(..) if self.is_own_property(canonical) => Some(Note::OwnProperty),
            Op::Import(specifier) => Some(Note::Imported(specifier, None)),
            Op::LoadField(base, name) if matches!(self.op(self.canon(base)), Op::Import(_)) => {
                match self.op(self.canon(base)) {
                    Op::Import(specifier) => Some(Note::Imported(specifier, Some(name))),
                    _ => None,
                }
            }
            _ => match self.notes.get(&canonical) {
                Some(
                    Note::Tests(_)
                    | Note::Common(_)
                    | Note::Derived(..)
                    | Note::Resolved(..)
                    | Note::Segments(..)
                    | Note::Flag(_),
                )
                | None => None,
                Some(note) => Some(note.clone()),
            },
        };
        if let Some(note) = note {
            self.known.insert(variable, note);
        }
    }
}
