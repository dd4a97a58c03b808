//! Edges between locations of callers and callees, and of objects that share fields.

use super::build::Builder;
use super::graph::{ALL, EdgeKind, ExtraNode, IDENTITY};
use super::locations::MAX_SHARED;
use super::place::Place;
use crate::flow::Op;
use crate::points_to::{ActualArgument, Formal, NodeIndex, ObjectKind};
use crate::program::{Name, Names};

/// Largest number of flows between callers and fields of parameters of one function. Shallow fields come first.
const MAX_FORMAL_EDGES: u32 = 2000;

/// Largest number of targets of a call that fields of arguments are passed to. Calls with more are known too badly.
const MAX_FIELD_TARGETS: usize = 6;

impl Builder<'_> {
    /// Connects new locations with the locations that they are in callers and callees.
    pub(super) fn connect_locations(&mut self) {
        while let Some(location) = self.new_locations.pop_front() {
            if (self.is_cancelled)() {
                return;
            }
            if self.graph.edges.len().saturating_sub(self.other_edges) as u64 > self.max_edges {
                self.limit("edges of the value-flow graph");
                self.new_locations.clear();
                return;
            }
            if let Some(ExtraNode::Modified(field)) = self.graph.extra_node(location) {
                self.connect_modified(location, field);
                continue;
            }
            let (root, path) = self.path_of(location);
            let is_collector = path.iter().any(|&name| matches!(name, Names::ANY | Names::CONTENT));
            if !is_collector {
                self.fill_by_copies(root, &path);
            }
            if let Some((function, position)) = self.points_to.layout.formal_of(root) {
                if position == i64::from(Formal::Return as u32) - 5 {
                    self.connect_returns(function, location, &path);
                } else {
                    self.connect_formal(function, position, location, &path);
                }
            } else if root < self.program.value_count || self.instances_of.contains_key(&root) {
                self.connect_value(root, location, &path, is_collector);
            }
        }
    }

    fn connect_returns(&mut self, function: u32, location: NodeIndex, path: &[Name]) {
        for value in self.returns.get(&function).cloned().unwrap_or_default() {
            for origin in self.path_origins(value, path) {
                self.flow(origin.node, location, origin.kind(), origin.mask());
            }
        }
    }

    /// Connects a field of a formal with what it is in callers.
    fn connect_formal(&mut self, function: u32, position: i64, location: NodeIndex, path: &[Name]) {
        for (instance, actual) in self.actuals_of(function, position) {
            for outer in self.path_origins(actual, path) {
                self.flow(outer.node, location, EdgeKind::Call(instance), outer.mask());
            }
        }
        for (_, origin) in self.copies.get(&self.path_of(location).0).cloned().unwrap_or_default() {
            for origin in self.path_origins(origin, path) {
                self.modify(origin.node, location, origin.kind(), origin.mask());
            }
        }
    }

    /// Functions that copy all fields of an object to a parameter do not name the fields. So each field of what callers pass becomes
    /// a field of the parameter.
    fn fill_by_copies(&mut self, root: NodeIndex, path: &[Name]) {
        for formal in self.filled.get(&root).cloned().unwrap_or_default() {
            path.iter().fold(formal, |location, &name| self.child(location, name));
        }
    }

    /// Collects the parameters that functions copy fields to, by the objects that callers pass.
    pub(super) fn collect_filled(&mut self) {
        let layout = &self.points_to.layout;
        let mut open: Vec<NodeIndex> =
            self.copies.keys().copied().filter(|&root| layout.formal_of(root).is_some()).collect();
        open.sort_unstable();
        let mut seen: std::collections::BTreeSet<NodeIndex> = open.iter().copied().collect();
        while let Some(formal) = open.pop() {
            let Some((function, position)) = self.points_to.layout.formal_of(formal) else { continue };
            for (_, actual) in self.actuals_of(function, position) {
                for root in self.roots(actual) {
                    let formals = self.filled.entry(root).or_default();
                    if !formals.contains(&formal) {
                        formals.push(formal);
                    }
                    if self.points_to.layout.formal_of(root).is_some() && seen.insert(root) {
                        open.push(root);
                    }
                }
            }
        }
    }

    /// Connects what a function stores to a field of a formal with what the field is in callers.
    fn connect_modified(&mut self, modified: NodeIndex, location: NodeIndex) {
        let (formal, path) = self.path_of(location);
        let points_to = self.points_to;
        let Some((function, position)) = points_to.layout.formal_of(formal) else { return };
        for (instance, actual) in self.actuals_of(function, position) {
            for outer in self.path_locations(actual, &path) {
                self.write_place(modified, outer, EdgeKind::Return(instance), ALL);
            }
        }
        // Without callers, and for objects that stand for all instances, the shared form is the only connection.
        let &[name] = path.as_slice() else { return };
        for &object in points_to.objects_of(formal).iter().take(MAX_SHARED) {
            let kind = points_to.objects.kind(object);
            if !self.tells_apart(object, name) {
                continue;
            }
            if !self.has_callers(function, position) || matches!(kind, ObjectKind::DefaultInstance(_)) {
                self.store_shared(modified, object, name, EdgeKind::Heap, ALL & !IDENTITY);
            }
        }
    }

    /// Values that calls of a function pass as one of its formals, by call instance.
    fn actuals_of(&mut self, function: u32, position: i64) -> Vec<(u32, NodeIndex)> {
        let Some(instances) = self.callers.get(&function) else { return Vec::new() };
        let edges = self.formal_edges.entry(function).or_default();
        if *edges > MAX_FORMAL_EDGES {
            self.limit("fields of parameters of a function");
            return Vec::new();
        }
        *edges += instances.len() as u32;
        let is_receiver = position == i64::from(Formal::Receiver as u32) - 5;
        let mut actuals = Vec::with_capacity(instances.len());
        let mut left_out = 0;
        for &instance in instances {
            let call = self.graph.instances[instance as usize].call;
            if self.instances_of.get(&call).is_some_and(|targets| targets.len() > MAX_FIELD_TARGETS) {
                left_out += 1;
                continue;
            }
            let actual = match position {
                position if position >= 0 => match self.actuals[instance as usize].1.get(position as usize) {
                    Some(&ActualArgument::One(node)) => Some(node),
                    _ => None,
                },
                // Constructors that return an object lose their receiver.
                _ if is_receiver && self.is_new[instance as usize] && self.returns_object(function) => None,
                _ if is_receiver => self.actuals[instance as usize].0,
                _ => None,
            };
            actuals.extend(actual.map(|actual| (instance, actual)));
        }
        for _ in 0..left_out {
            self.limit("targets of a call whose arguments have fields");
        }
        actuals
    }

    /// Stores to the local form of a field are visible in the shared form. Loads read both; an edge back would make every
    /// store of the function visible to all of its callers.
    fn mirror(&mut self, object: u32, name: Name, location: NodeIndex, is_collector: bool) {
        if !is_collector && self.tells_apart(object, name) {
            let shared = self.shared(object, name);
            let mask = if self.is_tuple(object, name) { ALL } else { ALL & !IDENTITY };
            self.flow(location, shared, EdgeKind::Heap, mask);
        }
    }

    /// True for a position of an array literal, and for a field of an object literal that is an element of an array. Programs put
    /// objects together in them: `queue.push([target, source])`, `queue.push({ target, source })`.
    pub(super) fn is_tuple(&self, object: u32, name: Name) -> bool {
        let value = match self.points_to.objects.kind(object) {
            ObjectKind::Array(value) => value,
            ObjectKind::Allocation(value) => return name != Names::ELEMENT && self.queued.contains(&value),
            _ => return false,
        };
        value < self.program.value_count
            && self.program.names.is_position(name)
            && matches!(self.program.module_of_value(value).instruction(value).op, Op::Allocate(_))
    }

    fn connect_value(&mut self, root: NodeIndex, location: NodeIndex, path: &[Name], is_collector: bool) {
        let points_to = self.points_to;
        let is_call = root >= self.program.value_count || {
            let module = self.program.module_of_value(root);
            matches!(module.instruction(root).op, Op::Call(_))
        };
        if is_call {
            for instance in self.instances_of.get(&root).cloned().unwrap_or_default() {
                let function = self.graph.instances[instance as usize].function;
                if self.actuals[instance as usize].2 == Some(root) {
                    let formals: &[Formal] = match self.is_new[instance as usize] {
                        // Constructors that return an object yield it instead of the receiver.
                        true if !self.returns_object(function) => &[Formal::Receiver],
                        _ => &[Formal::Return],
                    };
                    for &formal in formals {
                        let mut inner = points_to.layout.formal(function, formal);
                        let mut mask = ALL;
                        for &name in path {
                            let child = Place::child(inner, self.child(inner, name));
                            inner = child.node;
                            mask &= child.mask();
                        }
                        // A new object has what its constructor stores.
                        let inner = match formal {
                            Formal::Receiver => self.modified(inner).unwrap_or(inner),
                            _ => inner,
                        };
                        self.flow(inner, location, EdgeKind::Return(instance), mask);
                    }
                }
            }
        }
        let copies = self.copies.get(&root).cloned().unwrap_or_default();
        for (position, &(_, origin)) in copies.iter().enumerate() {
            if is_collector || !self.is_overwritten(root, path[0], &copies, position) {
                for origin in self.path_origins(origin, path) {
                    self.flow(origin.node, location, origin.kind(), origin.mask());
                }
            }
        }
        let &[name] = path else { return };
        for &object in points_to.objects_of(root) {
            let is_own = self.is_own(root, points_to.objects.kind(object));
            let is_common = self.is_common(points_to.objects.kind(object), name);
            if is_common || self.escaping[object as usize] && (is_own || self.is_foreign_result(root)) {
                self.mirror(object, name, location, is_collector);
            }
        }
    }

    /// True if a function returns objects, other than those that it makes itself without `new`.
    fn returns_object(&self, function: u32) -> bool {
        let points_to = self.points_to;
        let is_other = |&object: &u32| match points_to.objects.kind(object) {
            ObjectKind::Instance(_, class) | ObjectKind::DefaultInstance(class) => class != function,
            _ => true,
        };
        points_to.objects_of(points_to.layout.formal(function, Formal::Return)).iter().any(is_other)
    }

    /// True for results of calls whose objects other functions may hold too.
    pub(super) fn is_foreign_result(&self, root: NodeIndex) -> bool {
        root < self.program.value_count
            && matches!(self.program.module_of_value(root).instruction(root).op, Op::Call(_))
    }
}
