//! Flows of calls: between callers and functions of the program, and through library functions.

use super::build::Builder;
use super::graph::{ALL, CallInstance, EdgeKind, ExtraNode, IDENTITY};
use crate::flow::Op;
use crate::knowledge::RuleMask;
use crate::points_to::{ActualArgument, Formal, LibraryCall, Link, NodeIndex, ObjectKind, position_of};
use crate::program::{FunctionIndex, Name, Names, ValueIndex};

impl Builder<'_> {
    /// New call instance.
    pub(super) fn instance(
        &mut self,
        call: ValueIndex,
        function: FunctionIndex,
        receiver: Option<NodeIndex>,
        arguments: Vec<ActualArgument>,
        result: Option<NodeIndex>,
        is_new: bool,
    ) -> u32 {
        let number = self.graph.instances.len() as u32;
        self.graph.instances.push(CallInstance { call, function });
        self.actuals.push((receiver, arguments, result));
        self.is_new.push(is_new);
        self.callers.entry(function).or_default().push(number);
        if let Some(result) = result {
            self.instances_of.entry(result).or_default().push(number);
        }
        number
    }

    /// Connects calls with their targets in the program.
    pub(super) fn add_links(&mut self) {
        let points_to = self.points_to;
        for link in &points_to.links {
            self.instance(link.call, link.function, link.receiver, link.arguments.clone(), link.result, link.is_new);
        }
        for (number, link) in points_to.links.iter().enumerate() {
            self.add_link(number as u32, link);
        }
        for &(from, to) in &points_to.settlements {
            self.flow(from, to, EdgeKind::Heap, ALL);
        }
    }

    fn add_link(&mut self, instance: u32, link: &Link) {
        let points_to = self.points_to;
        let layout = &points_to.layout;
        if let Some(receiver) = link.receiver.filter(|_| !link.is_new) {
            self.flow(receiver, layout.formal(link.function, Formal::Receiver), EdgeKind::Call(instance), ALL);
        }
        let mut after_spread = None;
        for (position, &argument) in link.arguments.iter().enumerate() {
            match argument {
                ActualArgument::One(node) if let Some(first) = after_spread => {
                    self.pass_from(instance, link.function, first, node);
                    after_spread = Some(first + 1);
                }
                ActualArgument::Spread(node) if let Some(first) = after_spread => {
                    let elements = self.temporary(link.call, position as u32);
                    self.load(node, Names::ANY, elements);
                    self.pass_from(instance, link.function, first, elements);
                }
                ActualArgument::One(node) => self.pass(instance, link.function, position as u32, node, ALL),
                ActualArgument::Named(node, name) => self.pass_named(instance, link.function, node, name),
                ActualArgument::Keywords(node) => self.pass_keywords(instance, link, node, position as u32),
                ActualArgument::Absent => {}
                ActualArgument::Spread(node) => {
                    let elements = self.temporary(link.call, position as u32);
                    self.load(node, Names::ANY, elements);
                    let only_spread = link.arguments.len() == 1;
                    for parameter in position as u32..layout.parameters(link.function) {
                        let Some(formal) = layout.parameter(link.function, parameter) else { continue };
                        if !layout.has_position(link.function, parameter) {
                            continue;
                        }
                        let name = self.program.names.get(&(parameter - position as u32).to_string());
                        match name {
                            Some(name) if only_spread => {
                                // Elements at constant positions stay apart.
                                self.flow(node, formal, EdgeKind::Call(instance), ALL & !IDENTITY);
                                for location in self.field_locations(node, name) {
                                    self.flow(location.node, formal, EdgeKind::Call(instance), location.mask());
                                }
                            }
                            _ => self.flow(elements, formal, EdgeKind::Call(instance), ALL),
                        }
                    }
                    self.pass_to_arrays(instance, link.function, None, elements, ALL);
                    after_spread = Some(position as u32);
                }
            }
        }
        if let Some(result) = link.result {
            self.flow(layout.formal(link.function, Formal::Return), result, EdgeKind::Return(instance), ALL);
        }
        if link.call < self.program.value_count {
            let module = self.program.module_of_value(link.call);
            if matches!(module.instruction(link.call).op, Op::Call(_)) {
                let caller = module.function(module.instruction(link.call).function);
                let thrown = layout.formal(link.function, Formal::Throw);
                let handler = match (link.error, self.catches.get(&link.call)) {
                    (Some(error), _) => error,
                    (None, Some(&handler)) => handler,
                    (None, None) => layout.formal(caller, Formal::Throw),
                };
                self.flow(thrown, handler, EdgeKind::Return(instance), ALL);
                if link.result == Some(link.call) && self.rejects(link.function) {
                    let error = self.child(link.call, Names::ERROR);
                    self.flow(thrown, error, EdgeKind::Return(instance), ALL);
                }
            }
        }
    }

    /// True for async functions that may throw.
    fn rejects(&self, function: FunctionIndex) -> bool {
        let (module, id) = self.program.function(function);
        module.flow.function(id).is_async
            && (self.throwing.contains(&function)
                || !self.points_to.objects_of(self.points_to.layout.formal(function, Formal::Throw)).is_empty())
    }

    /// Passes a value as an argument.
    pub(super) fn pass(
        &mut self,
        instance: u32,
        function: FunctionIndex,
        position: u32,
        node: NodeIndex,
        mask: RuleMask,
    ) {
        if let Some(formal) = self.points_to.layout.parameter(function, position)
            && self.points_to.layout.has_position(function, position)
        {
            self.flow(node, formal, EdgeKind::Call(instance), mask);
        }
        self.pass_to_arrays(instance, function, Some(position), node, mask);
    }

    /// Passes an argument behind a spread one: its position is at least `first`.
    fn pass_from(&mut self, instance: u32, function: FunctionIndex, first: u32, node: NodeIndex) {
        let layout = &self.points_to.layout;
        for position in first..layout.parameters(function) {
            if let Some(formal) = layout.parameter(function, position)
                && layout.has_position(function, position)
            {
                self.flow(node, formal, EdgeKind::Call(instance), ALL);
            }
        }
        self.pass_to_arrays(instance, function, None, node, ALL);
    }

    /// Passes a named argument.
    fn pass_named(&mut self, instance: u32, function: FunctionIndex, node: NodeIndex, name: Name) {
        let position = position_of(self.program, function, name);
        if let Some(formal) = position.and_then(|position| self.points_to.layout.parameter(function, position)) {
            self.flow(node, formal, EdgeKind::Call(instance), ALL);
        } else if let Some(&named) = self.keyword_values.get(&function) {
            let location = self.child(named, name);
            self.flow(node, location, EdgeKind::Call(instance), ALL);
        }
    }

    /// Passes all fields of a value as named arguments.
    fn pass_keywords(&mut self, instance: u32, link: &Link, node: NodeIndex, position: u32) {
        let (module, id) = self.program.function(link.function);
        for (position, name) in module.flow.function(id).parameters.iter().enumerate() {
            let Some(formal) = self.points_to.layout.parameter(link.function, position as u32) else { continue };
            let Some(name) = name else { continue };
            self.flow(node, formal, EdgeKind::Call(instance), ALL & !IDENTITY);
            for location in self.field_locations(node, module.name(*name)) {
                self.flow(location.node, formal, EdgeKind::Call(instance), ALL);
            }
        }
        if let Some(&named) = self.keyword_values.get(&link.function) {
            let all = self.temporary(link.call, position);
            self.load(node, Names::ANY, all);
            let location = self.child(named, Names::ELEMENT);
            self.flow(all, location, EdgeKind::Call(instance), ALL);
        }
    }

    /// Passes a value to `arguments` and the rest parameter.
    fn pass_to_arrays(
        &mut self,
        instance: u32,
        function: FunctionIndex,
        position: Option<u32>,
        node: NodeIndex,
        mask: RuleMask,
    ) {
        let name = |builder: &Self, position: Option<u32>| {
            position.and_then(|position| builder.program.names.get(&position.to_string())).unwrap_or(Names::ELEMENT)
        };
        let points_to = self.points_to;
        if points_to.objects.get(ObjectKind::Arguments(function)).is_some() {
            let all = points_to.layout.formal(function, Formal::Arguments);
            let field = name(self, position);
            let location = self.child(all, field);
            self.flow(node, location, EdgeKind::Call(instance), mask);
        }
        if let Some(&(rest, first)) = self.rest_values.get(&function) {
            let position = match position {
                Some(position) if position < first => return,
                Some(position) => Some(position - first),
                None => None,
            };
            let field = name(self, position);
            let location = self.child(rest, field);
            self.flow(node, location, EdgeKind::Call(instance), mask);
        }
    }

    /// Node for values that a call passes on.
    pub(super) fn temporary(&mut self, call: ValueIndex, number: u32) -> NodeIndex {
        let (node, _) = self.graph.node(ExtraNode::Temporary(call, number));
        self.depths.resize(self.graph.extra.len(), 0);
        node
    }

    /// Node for values that a library call passes on. Library functions that another one calls have nodes of their own.
    pub(super) fn library_temporary(&mut self, library: &LibraryCall, number: u32) -> NodeIndex {
        let salt = match library.result == library.call {
            true => 0,
            false => (library.result % 2039 + 1) << 20,
        };
        self.temporary(library.call, number ^ salt)
    }
}
