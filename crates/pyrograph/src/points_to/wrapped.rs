//! Results of unknown functions of packages that get functions of the program: `exports.run = wrap(function (name) { ... })`.
//!
//! Such a function mostly returns another one that calls the first: decorators of asynchronous functions, caches, currying. Or it
//! makes a class of an object with methods: `Base.extend({ run: function () { ... } })`. Nothing says which functions do that, so
//! a result counts as such only where it matters: where the program exports it or calls it.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use super::calls::PendingCall;
use super::layout::NodeIndex;
use super::objects::{ObjectIndex, ObjectKind};
use super::solver::{Constraint, Solver};
use crate::flow::{CallKind, Op, ValueId};
use crate::knowledge::{Knowledge, LibraryKind};
use crate::program::{FunctionIndex, ImportTarget, Module, Names, Program, ValueIndex};

/// Longest way from a called function to the import that it comes from.
const MAX_STEPS: u32 = 8;

/// First parameters of functions that get the result of an operation.
const ERRORS: &[&str] = &["err", "error", "er", "e", "ex", "_err", "_error", "_e", "_"];

/// Arguments of a call that its result may wrap: the first one that is no constant, and objects behind it. The bool says
/// whether functions count, or only objects with functions.
#[must_use]
pub fn wrapped_arguments(program: &Program, call: ValueIndex) -> Vec<(NodeIndex, bool)> {
    let module = program.module_of_value(call);
    let Op::Call(call) = module.instruction(call).op else { return Vec::new() };
    let mut arguments = Vec::new();
    for argument in &module.flow.calls[call.index()].arguments {
        if argument.is_spread || argument.name.is_some() {
            break;
        }
        if !matches!(module.flow.instructions[argument.value.index()].op, Op::Constant(_)) {
            arguments.push((module.value(argument.value), arguments.is_empty()));
        }
    }
    arguments
}

/// True for a function that a library calls with the result of an operation: its first parameter is an error.
#[must_use]
pub fn is_callback(program: &Program, function: FunctionIndex) -> bool {
    let (module, id) = program.function(function);
    let first = module.flow.function(id).parameters.first().copied().flatten();
    first.is_some_and(|name| ERRORS.contains(&module.flow.text(name)))
}

impl Solver<'_> {
    /// Notes that the result of a call of an unknown function may wrap functions of the program.
    pub(super) fn note_wrapper(&mut self, pending: &PendingCall) {
        let module = self.program.module_of_value(pending.call);
        let Op::Call(call) = module.instruction(pending.call).op else { return };
        let callee = module.flow.calls[call.index()].callee;
        if pending.kind != CallKind::Call
            || pending.result != Some(pending.call)
            || self.has_text_results
            || !is_imported(self.knowledge, module, &self.imported_cells, callee, 0)
        {
            return;
        }
        for (node, has_functions) in wrapped_arguments(self.program, pending.call) {
            self.constrain(node, Constraint::Wrap(pending.call, has_functions));
        }
    }

    /// An object arrives at an argument that the result of a call may wrap.
    pub(super) fn wrap(&mut self, object: ObjectIndex, call: ValueIndex, has_functions: bool) {
        let kind = self.objects.kind(object);
        let is_wrapped = match kind {
            ObjectKind::Function(function) => has_functions && !is_callback(self.program, function),
            ObjectKind::Bound(..) | ObjectKind::Promisified(_) | ObjectKind::Wrapped(_) => has_functions,
            ObjectKind::Allocation(value) => {
                value < self.program.value_count
                    && matches!(self.program.module_of_value(value).instruction(value).op, Op::Allocate(_))
            }
            _ => false,
        };
        if !is_wrapped {
            return;
        }
        let wrapped = self.object(ObjectKind::Wrapped(call));
        self.add(call, wrapped);
        // Classes that are made of objects have their methods.
        if let ObjectKind::Allocation(_) = kind {
            let copied = self.field(wrapped, Names::COPIED);
            self.add(copied, object);
        }
    }

    /// A call of a wrapped function calls the function. Instances of a class are not told apart from it.
    pub(super) fn call_wrapped(&mut self, pending: &PendingCall, made: ValueIndex) {
        if pending.kind == CallKind::New {
            let wrapped = self.object(ObjectKind::Wrapped(made));
            self.add(pending.call, wrapped);
        }
        for (node, has_functions) in wrapped_arguments(self.program, made) {
            if has_functions {
                let number = self.method_calls.len() as u32;
                self.method_calls.push(pending.clone());
                self.constrain(node, Constraint::CallStep(number));
            }
        }
    }
}

/// True if a function comes from a package: an import, a member of it, or what such a function returns. `cells` are variables
/// with imports.
pub(super) fn is_imported(
    knowledge: &Knowledge,
    module: &Module,
    cells: &HashSet<u32, FixedState>,
    value: ValueId,
    steps: u32,
) -> bool {
    let is_imported = |value: ValueId| steps < MAX_STEPS && is_imported(knowledge, module, cells, value, steps + 1);
    match module.flow.instructions[value.index()].op {
        Op::Import(symbol) => match module.import(symbol) {
            Some(ImportTarget::Library(path)) => {
                !knowledge.library_of(path).is_some_and(|library| library.kind == LibraryKind::Builtin)
            }
            _ => false,
        },
        Op::LoadField(origin, _) | Op::Copy(origin) | Op::Guard(origin, ..) => is_imported(origin),
        Op::Call(call) => {
            // `interopRequireDefault(require("wrapper"))`
            let call = &module.flow.calls[call.index()];
            let only = call.arguments.first().filter(|_| call.arguments.len() == 1);
            is_imported(call.callee) || only.is_some_and(|argument| is_imported(argument.value))
        }
        Op::LoadCell(cell) => cells.contains(&(module.cells + cell.0)),
        _ => false,
    }
}
