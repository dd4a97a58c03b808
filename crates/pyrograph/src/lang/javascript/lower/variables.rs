//! Variables: SSA names, cells, receivers and globals.

use oxc_ast::ast::{BindingIdentifier, IdentifierReference};

use crate::flow::{Constant, Op, Span, ValueId};
use crate::lang::ssa::Key;

use super::{Lowerer, at};

impl<'a> Lowerer<'a, '_> {
    pub(super) fn variable_of(identifier: &IdentifierReference<'a>) -> Option<u32> {
        identifier.reference_id.get().map(|reference| reference.index() as u32)
    }

    pub(super) fn declared(identifier: &BindingIdentifier<'a>) -> Option<u32> {
        identifier.symbol_id.get().map(|symbol| symbol.index() as u32)
    }

    pub(super) fn read_identifier(&mut self, identifier: &IdentifierReference<'a>) -> ValueId {
        let span = at(identifier.span);
        match Self::variable_of(identifier) {
            Some(variable) => self.read(variable, span),
            None => self.global(identifier.name.as_str(), span),
        }
    }

    /// Assigns a variable.
    pub(super) fn write(&mut self, variable: u32, value: ValueId, span: Span) {
        self.ssa.write(variable, value, span);
        if let Some(names) = self.bindings.exports.get(&variable).cloned() {
            for name in names {
                self.export(name, value, span);
            }
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
        if is_constant && let Some(&value) = self.frame.globals.get(&symbol) {
            return value;
        }
        let value = self.emit(Op::Global(symbol), span);
        if is_constant {
            self.frame.globals.insert(symbol, value);
        }
        self.state.set_fact(key, value);
        value
    }

    /// `this`.
    pub(super) fn this(&mut self, span: Span) -> ValueId {
        if let Some(value) = self.current.this_override {
            return value;
        }
        let mut function = self.frame.number;
        while self.scopes.functions[function as usize].is_arrow {
            function = self.scopes.functions[function as usize].parent;
        }
        if function == self.frame.number {
            return self.receiver(span);
        }
        match self.scopes.functions[function as usize].this {
            Some(variable) => self.read(variable, span),
            None => self.undefined(span),
        }
    }

    /// Receiver of the current function, which is no arrow function.
    pub(super) fn receiver(&mut self, span: Span) -> ValueId {
        if let Some(value) = self.current.receiver {
            return value;
        }
        let value = if self.frame.number != 0 {
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
