//! Calls: links from call instructions to functions of the program.

use super::layout::{Formal, NodeIndex};
use super::links::{ActualArgument, Link};
use super::objects::{ObjectIndex, ObjectKind};
use super::solver::{Constraint, Solver};
use crate::flow::{Call, CallKind, Op};
use crate::program::{FunctionIndex, Name, Names, ValueIndex};

/// Longest chain of bound and promisified functions.
const MAX_WRAPPERS: usize = 4;

/// A call that is being resolved: who is called with what.
#[derive(Clone, Debug)]
pub(super) struct PendingCall {
    pub(super) call: ValueIndex,
    pub(super) receiver: Option<NodeIndex>,
    pub(super) arguments: Vec<ActualArgument>,
    pub(super) result: Option<NodeIndex>,
    /// Node that gets the exception. None: the handler around the call, or the exception of the caller.
    pub(super) error: Option<NodeIndex>,
    pub(super) kind: CallKind,
}

impl Solver<'_> {
    /// Call instruction of a value.
    pub(super) fn call_of(&self, value: ValueIndex) -> Option<(&Call, u32)> {
        let module = self.program.module_of_value(value);
        match module.instruction(value).op {
            Op::Call(call) => Some((&module.flow.calls[call.index()], module.values)),
            _ => None,
        }
    }

    /// Call of an instruction as it is written.
    pub(super) fn pending(&self, value: ValueIndex) -> Option<PendingCall> {
        let (call, base) = self.call_of(value)?;
        let module = self.program.module_of_value(value);
        Some(PendingCall {
            call: value,
            receiver: call.receiver.map(|receiver| base + receiver.0),
            arguments: call.arguments.iter().map(|argument| ActualArgument::new(module, argument)).collect(),
            result: Some(value),
            error: None,
            kind: call.kind,
        })
    }

    /// An object arrives at the callee of a call.
    pub(super) fn call(&mut self, call: ValueIndex, object: ObjectIndex) {
        if let Some(pending) = self.pending(call) {
            self.call_object(&pending, object, 0);
        }
    }

    pub(super) fn call_object(&mut self, pending: &PendingCall, object: ObjectIndex, wrappers: usize) {
        if wrappers > MAX_WRAPPERS {
            self.limit("nested bound functions");
            return;
        }
        match self.objects.kind(object) {
            ObjectKind::Function(function) => self.link(pending, function),
            ObjectKind::External(path) => self.call_library(pending, path),
            ObjectKind::FunctionMethod(Names::BIND, target) => {
                let bound = self.object(ObjectKind::Bound(pending.call, target));
                if let Some(result) = pending.result {
                    self.add(result, bound);
                }
            }
            ObjectKind::FunctionMethod(method, target) => {
                let mut inner = pending.clone();
                inner.receiver = first_argument(&pending.arguments);
                inner.arguments = passed_on(method, &pending.arguments);
                self.call_object(&inner, target, wrappers + 1);
            }
            ObjectKind::Bound(bind, target) => {
                let Some(binding) = self.pending(bind) else { return };
                let mut inner = pending.clone();
                inner.receiver = first_argument(&binding.arguments);
                inner.arguments = binding.arguments.get(1..).unwrap_or_default().to_vec();
                inner.arguments.extend_from_slice(&pending.arguments);
                self.call_object(&inner, target, wrappers + 1);
            }
            ObjectKind::Resolver(settled, position) => {
                let argument = pending.arguments.get(position as usize).or(pending.arguments.last());
                if let Some(&(ActualArgument::One(argument) | ActualArgument::Spread(argument))) = argument
                    && (position as usize) < pending.arguments.len()
                {
                    self.edge(argument, settled);
                    self.settlements.push((argument, settled));
                }
            }
            ObjectKind::Promisified(target) => {
                let mut inner = pending.clone();
                let callback = self.object(ObjectKind::Resolver(pending.result.unwrap_or(pending.call), 1));
                let node = self.new_node();
                self.add(node, callback);
                inner.arguments.push(ActualArgument::One(node));
                if matches!(self.objects.kind(target), ObjectKind::Function(_)) {
                    inner.result = None;
                }
                self.call_object(&inner, target, wrappers + 1);
            }
            ObjectKind::Composed(made, is_reversed) => self.call_composed(pending, made, is_reversed),
            ObjectKind::Wrapped(made) => self.call_wrapped(pending, made),
            ObjectKind::Instance(..) | ObjectKind::DefaultInstance(_) => self.call_instance(pending, object),
            ObjectKind::Allocation(_)
            | ObjectKind::Array(_)
            | ObjectKind::Prototype(_)
            | ObjectKind::Module(_)
            | ObjectKind::Exports(_)
            | ObjectKind::Arguments(_)
            | ObjectKind::Rest(_)
            | ObjectKind::Keywords(_)
            | ObjectKind::Part(_)
            | ObjectKind::Iterator(_) => {}
        }
    }

    /// Connects a call with a function.
    pub(super) fn link(&mut self, pending: &PendingCall, function: FunctionIndex) {
        let is_new = pending.kind == CallKind::New || self.constructs(pending, function);
        let mut receiver = pending.receiver;
        if !self.link_set.insert((pending.call, function, receiver, pending.result)) || !self.count_target(pending.call)
        {
            return;
        }
        if is_new {
            let instance = self.instance(pending.call, function);
            let made = match pending.kind {
                CallKind::New => pending.call,
                _ => pending.result.unwrap_or(pending.call),
            };
            self.add(made, instance);
            self.add(self.layout.formal(function, Formal::Receiver), instance);
            receiver = Some(made);
        } else if let Some(receiver) = receiver
            && !self.is_dispatched(pending, function)
        {
            self.edge(receiver, self.layout.formal(function, Formal::Receiver));
        }
        let arguments = self.arranged(function, &pending.arguments);
        self.pass_arguments(function, &arguments);
        let (module, id) = self.program.function(function);
        let (is_generator, is_async) = (module.flow.function(id).is_generator, module.flow.function(id).is_async);
        if let Some(result) = pending.result {
            if is_generator {
                let iterator = self.object(ObjectKind::Iterator(function));
                self.add(result, iterator);
            } else {
                self.edge(self.layout.formal(function, Formal::Return), result);
            }
        }
        let caller = self.function_of_value(pending.call);
        let thrown = self.layout.formal(function, Formal::Throw);
        let handler = match (pending.error, self.catches.get(&pending.call)) {
            (Some(error), _) => error,
            (None, Some(&handler)) => handler,
            (None, None) => self.layout.formal(caller, Formal::Throw),
        };
        self.edge(thrown, handler);
        if is_async && pending.result == Some(pending.call) {
            self.constrain(thrown, Constraint::Reject(pending.call));
        }
        self.links.push(Link {
            call: pending.call,
            function,
            receiver,
            arguments,
            result: pending.result,
            error: pending.error,
            is_new,
        });
    }

    /// True if the look-up of a method passes the receivers: only objects that have the function under this name.
    fn is_dispatched(&self, pending: &PendingCall, function: FunctionIndex) -> bool {
        if pending.kind == CallKind::Super {
            return false;
        }
        let module = self.program.module_of_value(pending.call);
        let Op::Call(call) = module.instruction(pending.call).op else { return false };
        let callee = module.flow.calls[call.index()].callee;
        let Op::LoadField(base, _) = module.flow.instructions[callee.index()].op else { return false };
        let is_target = |&object: &ObjectIndex| self.objects.get(ObjectKind::Function(function)) == Some(object);
        Some(module.value(base)) == pending.receiver && self.objects_of(module.value(callee)).iter().any(is_target)
    }

    /// Function that contains a value.
    pub(super) fn function_of_value(&self, value: ValueIndex) -> FunctionIndex {
        let module = self.program.module_of_value(value);
        module.function(module.instruction(value).function)
    }

    fn pass_arguments(&mut self, function: FunctionIndex, arguments: &[ActualArgument]) {
        let parameters = self.layout.parameters(function);
        let mut after_spread = None;
        for (position, &argument) in arguments.iter().enumerate() {
            let position = position as u32;
            match argument {
                ActualArgument::One(node) if let Some(first) = after_spread => {
                    self.pass_from(function, first, node);
                    after_spread = Some(first + 1);
                }
                ActualArgument::Spread(node) if let Some(first) = after_spread => {
                    let elements = self.new_node();
                    self.load_elements(node, elements);
                    self.pass_from(function, first, elements);
                }
                ActualArgument::One(node) => {
                    if let Some(parameter) = self.layout.parameter(function, position)
                        && self.layout.has_position(function, position)
                    {
                        self.edge(node, parameter);
                    }
                    self.pass_to_arrays(function, position, node);
                }
                ActualArgument::Named(node, name) => self.pass_named(function, node, name),
                ActualArgument::Keywords(node) => self.pass_keywords(function, node),
                ActualArgument::Absent => {}
                ActualArgument::Spread(node) => {
                    let elements = self.new_node();
                    self.load_elements(node, elements);
                    for position in position..parameters {
                        if let Some(parameter) = self.layout.parameter(function, position)
                            && self.layout.has_position(function, position)
                        {
                            // Constant positions of the array stay apart.
                            let name = (position - (position.min(arguments.len() as u32 - 1))).to_string();
                            match self.program.names.get(&name) {
                                Some(name) if arguments.len() == 1 => {
                                    self.constrain(node, Constraint::Load(name, parameter));
                                }
                                _ => self.edge(elements, parameter),
                            }
                        }
                    }
                    self.pass_to_arrays(function, u32::MAX, elements);
                    after_spread = Some(position);
                }
            }
        }
    }

    /// Passes an argument behind a spread one: its position is at least `first`.
    fn pass_from(&mut self, function: FunctionIndex, first: u32, node: NodeIndex) {
        for position in first..self.layout.parameters(function) {
            if let Some(parameter) = self.layout.parameter(function, position)
                && self.layout.has_position(function, position)
            {
                self.edge(node, parameter);
            }
        }
        self.pass_to_arrays(function, u32::MAX, node);
    }

    fn pass_to_arrays(&mut self, function: FunctionIndex, position: u32, node: NodeIndex) {
        let pass = |solver: &mut Self, object: ObjectKind, position: Option<u32>| {
            let object = solver.object(object);
            let name = position.and_then(|position| solver.program.names.get(&position.to_string()));
            let field = solver.field(object, name.unwrap_or(Names::ELEMENT));
            solver.edge(node, field);
        };
        if self.layout.uses_arguments[function as usize] {
            pass(self, ObjectKind::Arguments(function), (position != u32::MAX).then_some(position));
        }
        if let Some(rest) = self.layout.rest[function as usize] {
            if position == u32::MAX {
                pass(self, ObjectKind::Rest(function), None);
            } else if position >= rest {
                pass(self, ObjectKind::Rest(function), Some(position - rest));
            }
        }
    }

    /// Calls an object without a call instruction: getters and setters.
    pub(super) fn invoke(
        &mut self,
        object: ObjectIndex,
        receiver: Option<NodeIndex>,
        arguments: &[NodeIndex],
        result: Option<NodeIndex>,
    ) {
        let ObjectKind::Function(function) = self.objects.kind(object) else { return };
        // The place of the call is an instruction, if any of its values is one.
        let mut places = result.into_iter().chain(receiver).chain(arguments.iter().copied());
        let place = places.find(|&node| node < self.program.value_count);
        let call = place.or(result).or(receiver).unwrap_or_default();
        let is_new = self.link_set.insert((call, function, receiver, result.or(arguments.first().copied())));
        // The key of a link has one argument at most.
        if !is_new && arguments.len() < 2 || is_new && !self.count_target(call) {
            return;
        }
        // The look-up of the method passes the receivers: only objects that have it.
        let arguments: Vec<ActualArgument> = arguments.iter().map(|&node| ActualArgument::One(node)).collect();
        self.pass_arguments(function, &arguments);
        if let Some(result) = result {
            let (module, id) = self.program.function(function);
            if module.flow.function(id).is_generator {
                let iterator = self.object(ObjectKind::Iterator(function));
                self.add(result, iterator);
            } else {
                self.edge(self.layout.formal(function, Formal::Return), result);
            }
        }
        if is_new {
            self.links.push(Link { call, function, receiver, arguments, result, error: None, is_new: false });
        }
    }
}

/// Arguments that `call` or `apply` of a function passes on.
pub(super) fn passed_on(method: Name, arguments: &[ActualArgument]) -> Vec<ActualArgument> {
    match (method, arguments.get(1)) {
        (Names::CALL, _) => arguments.get(1..).unwrap_or_default().to_vec(),
        (_, Some(&(ActualArgument::One(array) | ActualArgument::Spread(array)))) => {
            vec![ActualArgument::Spread(array)]
        }
        _ => Vec::new(),
    }
}

/// Node of the first argument.
pub(super) fn first_argument(arguments: &[ActualArgument]) -> Option<NodeIndex> {
    match arguments.first() {
        Some(&ActualArgument::One(node)) => Some(node),
        _ => None,
    }
}
