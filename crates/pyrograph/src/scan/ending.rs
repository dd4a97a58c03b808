//! Calls that never return: the function throws always, or ends the program.
//!
//! Lowering finds the functions of a file that never return. Which calls reach them is known only when all files are lowered, so files
//! with such calls are lowered again: the code behind the call is then unreachable.

use std::collections::{BTreeMap, BTreeSet};

use crate::flow::{CallKind, FlowModule, FunctionId, Op, Span, SymbolId, ValueId};

/// Most names and captured variables between a call and its function.
const MAX_STEPS: usize = 8;

/// Function that a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    /// Function of the same file.
    Own(FunctionId),
    /// Member of another module: specifier, name. The empty name is the module itself.
    Imported(SymbolId, String),
}

/// Stores of a module, by what they store to.
pub(super) struct Stores<'m> {
    module: &'m FlowModule,
    cells: BTreeMap<u32, Vec<ValueId>>,
    fields: BTreeMap<ValueId, Vec<(SymbolId, ValueId)>>,
    /// Objects with fields by computed keys or copies.
    changed: BTreeSet<ValueId>,
}

impl<'m> Stores<'m> {
    pub(super) fn new(module: &'m FlowModule) -> Stores<'m> {
        let mut stores = Stores { module, cells: BTreeMap::new(), fields: BTreeMap::new(), changed: BTreeSet::new() };
        for instruction in &module.instructions {
            match instruction.op {
                Op::StoreCell(cell, value) => stores.cells.entry(cell.0).or_default().push(value),
                Op::StoreField(base, name, value) => stores.fields.entry(base).or_default().push((name, value)),
                Op::StoreKey(base, ..) | Op::CopyFields(base, _) => drop(stores.changed.insert(base)),
                _ => {}
            }
        }
        stores
    }

    fn op(&self, value: ValueId) -> Op {
        self.module.instructions[value.index()].op
    }

    /// Value without other names and captured variables with one value.
    fn origin(&self, mut value: ValueId) -> Option<ValueId> {
        for _ in 0..MAX_STEPS {
            value = match self.op(value) {
                Op::Copy(origin) | Op::Guard(origin, ..) => origin,
                Op::LoadCell(cell) => match self.cells.get(&cell.0).map(Vec::as_slice) {
                    Some(&[origin]) => origin,
                    _ => return None,
                },
                _ => return Some(value),
            };
        }
        None
    }

    /// Function that a value certainly is.
    fn target(&self, value: ValueId) -> Option<Target> {
        let value = self.origin(value)?;
        match self.op(value) {
            Op::Function(function) => Some(Target::Own(function)),
            Op::Import(specifier) => Some(Target::Imported(specifier, String::new())),
            Op::LoadField(base, name) => {
                let base = self.origin(base)?;
                let name_text = self.module.text(name);
                match self.op(base) {
                    Op::Import(specifier) => Some(Target::Imported(specifier, name_text.to_owned())),
                    // The default export of a module is an object.
                    Op::LoadField(outer, default) if self.module.text(default) == "default" => {
                        let Op::Import(specifier) = self.op(self.origin(outer)?) else { return None };
                        Some(Target::Imported(specifier, name_text.to_owned()))
                    }
                    Op::Allocate(_) if !self.changed.contains(&base) => {
                        let fields = self.fields.get(&base)?;
                        let mut values = fields.iter().filter(|field| field.0 == name).map(|field| field.1);
                        let (first, None) = (values.next()?, values.next()) else { return None };
                        match self.op(self.origin(first)?) {
                            Op::Function(function) => Some(Target::Own(function)),
                            _ => None,
                        }
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Functions that the module exports under names with one value.
    pub(super) fn exported(&self) -> BTreeMap<String, FunctionId> {
        let is_module_exports = |base: ValueId, name: SymbolId| {
            self.module.text(name) == "exports" && matches!(self.op(base), Op::ModuleObject)
        };
        let mut values: BTreeMap<String, Vec<ValueId>> = BTreeMap::new();
        let mut objects = Vec::new();
        for (&base, fields) in &self.fields {
            for &(name, value) in fields {
                if is_module_exports(base, name) {
                    objects.push(value);
                }
            }
        }
        if let [object] = objects.as_slice() {
            values.entry(String::new()).or_default().push(*object);
        }
        for (&base, fields) in &self.fields {
            let is_exports = match self.op(base) {
                Op::Exports => true,
                Op::LoadField(object, name) => is_module_exports(object, name),
                Op::Allocate(_) => objects.as_slice() == [base] && !self.changed.contains(&base),
                _ => false,
            };
            if is_exports {
                for &(name, value) in fields {
                    values.entry(self.module.text(name).to_owned()).or_default().push(value);
                }
            }
        }
        // `export default { fail }`
        if let Some(&[object]) = values.get("default").map(Vec::as_slice)
            && matches!(self.op(object), Op::Allocate(_))
            && !self.changed.contains(&object)
        {
            for &(name, value) in self.fields.get(&object).into_iter().flatten() {
                values.entry(self.module.text(name).to_owned()).or_default().push(value);
            }
        }
        let functions = values.into_iter().filter_map(|(name, values)| match values.as_slice() {
            &[value] => match self.target(value) {
                Some(Target::Own(function)) => Some((name, function)),
                _ => None,
            },
            _ => None,
        });
        functions.collect()
    }

    /// Calls of functions that never return. `ends` says whether a member of another module is such a function.
    pub(super) fn calls(&self, ends: &dyn Fn(&str, &str) -> bool) -> BTreeSet<Span> {
        let mut calls = BTreeSet::new();
        for instruction in &self.module.instructions {
            let Op::Call(call) = instruction.op else { continue };
            let call = &self.module.calls[call.index()];
            if call.kind != CallKind::Call {
                continue;
            }
            let is_ending = match self.target(call.callee) {
                Some(Target::Own(function)) => self.module.ending.contains(&function),
                Some(Target::Imported(specifier, name)) => ends(self.module.text(specifier), &name),
                None => false,
            };
            if is_ending {
                calls.insert(instruction.span);
            }
        }
        calls
    }
}
