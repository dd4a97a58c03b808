//! Functions that call others one after the other: `flow(trim, quote)(text)`.

use super::calls::PendingCall;
use super::layout::NodeIndex;
use super::links::ActualArgument;
use super::objects::{ObjectIndex, ObjectKind};
use super::solver::{Constraint, Solver};
use crate::flow::{CallKind, Op};
use crate::program::ValueIndex;

/// Most functions of a composition.
const MAX_STEPS: usize = 10;

impl Solver<'_> {
    /// The result of a call is the composition of its arguments. False: it has none.
    pub(super) fn compose(&mut self, pending: &PendingCall, is_reversed: bool) -> bool {
        let Some(result) = pending.result.filter(|&result| result == pending.call) else { return false };
        let composed = self.object(ObjectKind::Composed(pending.call, is_reversed));
        self.add(result, composed);
        true
    }

    /// Functions of a composition: the arguments of the call that made it, or the elements of an array literal.
    fn steps(&mut self, made: ValueIndex) -> Vec<NodeIndex> {
        let Some(making) = self.pending(made) else { return Vec::new() };
        let plain = |argument: &ActualArgument| match *argument {
            ActualArgument::One(node) => Some(node),
            _ => None,
        };
        let arguments: Vec<NodeIndex> = making.arguments.iter().map_while(plain).take(MAX_STEPS).collect();
        let &[list] = arguments.as_slice() else { return arguments };
        let module = self.program.module_of_value(list);
        if !matches!(module.instruction(list).op, Op::Allocate(_)) {
            return arguments;
        }
        let mut elements = Vec::new();
        for position in 0..MAX_STEPS {
            let text = position.to_string();
            let stored = module.flow.instructions.iter().find_map(|instruction| match instruction.op {
                Op::StoreField(base, name, value) if module.value(base) == list && module.flow.text(name) == text => {
                    Some(module.value(value))
                }
                _ => None,
            });
            let Some(stored) = stored else { break };
            elements.push(stored);
        }
        elements
    }

    /// A call of a composition: each function gets the result of the one before.
    pub(super) fn call_composed(&mut self, pending: &PendingCall, made: ValueIndex, is_reversed: bool) {
        let mut steps = self.steps(made);
        if is_reversed {
            steps.reverse();
        }
        let count = steps.len();
        let mut arguments = pending.arguments.clone();
        for (position, step) in steps.into_iter().enumerate() {
            let result = match position + 1 == count {
                true => pending.result,
                false => Some(self.new_node()),
            };
            let number = self.method_calls.len() as u32;
            let passed = std::mem::replace(&mut arguments, result.map(ActualArgument::One).into_iter().collect());
            self.method_calls.push(PendingCall {
                receiver: None,
                arguments: passed,
                result,
                kind: CallKind::Call,
                ..pending.clone()
            });
            self.constrain(step, Constraint::CallStep(number));
        }
    }

    /// An object arrives at one of the functions of a composition.
    pub(super) fn call_step(&mut self, number: u32, object: ObjectIndex) {
        // A composition of compositions is not followed, and neither is a wrapper of a wrapper.
        if let Some(pending) = self.method_calls.get(number as usize).cloned()
            && !matches!(self.objects.kind(object), ObjectKind::Composed(..) | ObjectKind::Wrapped(_))
        {
            self.call_object(&pending, object, 1);
        }
    }
}
