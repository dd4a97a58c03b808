//! Variables, and names that the file does not bind.

use ruff_python_ast::{ExprName, Identifier};

use crate::flow::{Op, Span, ValueId};
use crate::lang::python::bind::number;
use crate::lang::ssa::{Key, MemberKey};

use super::{Lowerer, span_of};

impl<'a> Lowerer<'a, '_> {
    pub(super) fn variable_of(name: &ExprName) -> Option<u32> {
        number(&name.node_index)
    }

    pub(super) fn read_name(&mut self, name: &'a ExprName) -> ValueId {
        let span = span_of(name);
        match Self::variable_of(name) {
            Some(variable) => match self.imported_value(variable, span) {
                Some(value) => value,
                None => self.read(variable, span),
            },
            None => self.global(name.id.as_str(), span),
        }
    }

    /// Value of a variable of another function that only one import binds: the import again.
    fn imported_value(&mut self, variable: u32, span: Span) -> Option<ValueId> {
        let entry = &self.scopes.variables[variable as usize];
        if entry.function == self.frame.number || entry.assignments != 1 {
            return None;
        }
        let (specifier, name) = *self.imported.get(&variable)?;
        let module = self.import_symbol(specifier, span);
        Some(match name {
            Some(name) => self.load(module, MemberKey::Name(name), span),
            None => module,
        })
    }

    pub(super) fn write_identifier(&mut self, identifier: &'a Identifier, value: ValueId) {
        if let Some(variable) = number(&identifier.node_index) {
            self.write(variable, value, span_of(identifier));
        }
    }

    /// A name that the file does not bind: a builtin, or a name of a module all of whose names are imported.
    pub(super) fn global(&mut self, name: &str, span: Span) -> ValueId {
        let symbol = self.symbol(name);
        let key = Key::global(symbol);
        if let Some(value) = self.fact(key) {
            return value;
        }
        if let Some(&value) = self.frame.globals.get(&symbol) {
            return value;
        }
        let mut value = self.emit(Op::Global(symbol), span);
        if !self.stars.is_empty() && !is_builtin(name) {
            let mut values = vec![value];
            for module in self.stars.clone() {
                let module = self.star(module, span);
                values.push(self.emit(Op::LoadField(module, symbol), span));
            }
            value = self.phi(&values, span);
        }
        self.frame.globals.insert(symbol, value);
        self.state.set_fact(key, value);
        value
    }

    /// The function of a builtin that a name is, if nothing binds the name.
    pub(super) fn builtin(name: &'a ExprName) -> Option<&'a str> {
        number(&name.node_index).is_none().then_some(name.id.as_str())
    }
}

/// True if a name is a builtin that modules rarely have a name for.
fn is_builtin(name: &str) -> bool {
    matches!(
        name,
        "print"
            | "len"
            | "str"
            | "int"
            | "float"
            | "bool"
            | "list"
            | "dict"
            | "set"
            | "tuple"
            | "range"
            | "isinstance"
            | "super"
            | "getattr"
            | "setattr"
            | "hasattr"
            | "open"
            | "eval"
            | "exec"
            | "sorted"
            | "enumerate"
            | "zip"
            | "map"
            | "filter"
            | "type"
            | "repr"
            | "ValueError"
            | "Exception"
            | "TypeError"
            | "KeyError"
            | "__name__"
            | "__file__"
    )
}
