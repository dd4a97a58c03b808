//! Named arguments, and calls that only some languages have: of classes without `new`, and of instances.

use super::calls::PendingCall;
use super::layout::NodeIndex;
use super::links::ActualArgument;
use super::objects::{ObjectIndex, ObjectKind};
use super::solver::{Constraint, Solver};
use crate::flow::{CallKind, FunctionKind};
use crate::program::{FunctionIndex, Name, Names, Program};

/// Name of the method that a call of an instance calls.
const CALL_METHOD: &str = "__call__";

/// Position of a parameter by its name.
pub(crate) fn position_of(program: &Program, function: FunctionIndex, name: Name) -> Option<u32> {
    let (module, id) = program.function(function);
    let parameters = &module.flow.function(id).parameters;
    let position = parameters.iter().position(|parameter| parameter.is_some_and(|each| module.name(each) == name));
    position.map(|position| position as u32)
}

impl Solver<'_> {
    /// True if a call of a function makes an object, because the function is a class.
    pub(super) fn constructs(&self, pending: &PendingCall, function: FunctionIndex) -> bool {
        let (module, id) = self.program.function(function);
        module.flow.calls_construct
            && pending.kind == CallKind::Call
            && module.flow.function(id).kind == FunctionKind::Constructor
    }

    /// Arguments by position. Named ones are at the positions of their parameters, as far as these have one.
    pub(super) fn arranged(&self, function: FunctionIndex, arguments: &[ActualArgument]) -> Vec<ActualArgument> {
        let is_named =
            |argument: &ActualArgument| matches!(argument, ActualArgument::Named(..) | ActualArgument::Keywords(_));
        if !arguments.iter().any(is_named) {
            return arguments.to_vec();
        }
        let mut arranged: Vec<ActualArgument> = arguments.iter().copied().filter(|each| !is_named(each)).collect();
        let has_spread = arranged.iter().any(|argument| matches!(argument, ActualArgument::Spread(_)));
        let mut others = Vec::new();
        for &argument in arguments.iter().filter(|argument| is_named(argument)) {
            let position = match argument {
                ActualArgument::Named(_, name) => position_of(self.program, function, name),
                _ => None,
            };
            match (argument, position) {
                (ActualArgument::Named(node, _), Some(position))
                    if !has_spread && self.layout.has_position(function, position) =>
                {
                    let position = position as usize;
                    if arranged.len() <= position {
                        arranged.resize(position + 1, ActualArgument::Absent);
                    }
                    arranged[position] = ActualArgument::One(node);
                }
                _ => others.push(argument),
            }
        }
        arranged.extend(others);
        arranged
    }

    /// Passes a named argument.
    pub(super) fn pass_named(&mut self, function: FunctionIndex, node: NodeIndex, name: Name) {
        let position = position_of(self.program, function, name);
        match position.and_then(|position| self.layout.parameter(function, position)) {
            Some(parameter) => self.edge(node, parameter),
            None if self.layout.has_keywords(function) => {
                let object = self.object(ObjectKind::Keywords(function));
                let field = self.field(object, name);
                self.edge(node, field);
            }
            None => {}
        }
    }

    /// Passes all fields of a value as named arguments.
    pub(super) fn pass_keywords(&mut self, function: FunctionIndex, node: NodeIndex) {
        let (module, id) = self.program.function(function);
        for (position, name) in module.flow.function(id).parameters.iter().enumerate() {
            if let (Some(name), Some(parameter)) = (name, self.layout.parameter(function, position as u32)) {
                self.constrain(node, Constraint::Load(module.name(*name), parameter));
            }
        }
        if self.layout.has_keywords(function) {
            let object = self.object(ObjectKind::Keywords(function));
            let copied = self.field(object, Names::COPIED);
            self.edge(node, copied);
        }
    }

    /// Calls an instance: its class may have a method for it.
    pub(super) fn call_instance(&mut self, pending: &PendingCall, object: ObjectIndex) {
        let Some(name) = self.program.names.get(CALL_METHOD) else { return };
        let receiver = match self.call_of(pending.call) {
            Some((call, base)) if pending.result == Some(pending.call) => base + call.callee.0,
            _ => {
                let receiver = self.new_node();
                self.add(receiver, object);
                receiver
            }
        };
        let method = self.look_up(object, name);
        let number = self.method_calls.len() as u32;
        self.method_calls.push(PendingCall { receiver: Some(receiver), kind: CallKind::Call, ..pending.clone() });
        self.constrain(method, Constraint::CallMethod(number));
    }

    /// A function arrives at the method that calls an instance.
    pub(super) fn call_method(&mut self, number: u32, object: ObjectIndex) {
        let Some(pending) = self.method_calls.get(number as usize).cloned() else { return };
        if let ObjectKind::Function(function) = self.objects.kind(object) {
            self.link(&pending, function);
        }
    }
}
