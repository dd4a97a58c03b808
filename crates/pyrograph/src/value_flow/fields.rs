//! Loads and stores of fields, and the elements of collections.

use super::build::Builder;
use super::graph::{ALL, EdgeKind, IDENTITY};
use super::locations::plain;
use crate::flow::field;
use crate::knowledge::RuleMask;
use crate::points_to::{Iteration, NodeIndex, ObjectKind};
use crate::program::{FunctionIndex, Module, Name, Names, ValueIndex};

/// Largest number of iterators of the program that an element comes from.
const MAX_ITERATIONS: usize = 16;

impl Builder<'_> {
    /// Flows of an element of an iterable, which may have an iterator of its own.
    pub(super) fn add_element(&mut self, base: NodeIndex, value: ValueIndex) {
        let points_to = self.points_to;
        let objects = points_to.objects_of(base);
        let mask = ALL & !self.validated_mask(value);
        if objects.is_empty() || !objects.iter().all(|object| points_to.iterations.contains_key(object)) {
            self.load_mask(base, Names::ANY, value, mask);
        } else {
            self.intra(base, value, mask & !IDENTITY);
        }
        self.add_iterations(base, value);
        self.field_source(value, base, field::CHUNK, value);
    }

    /// Flows of the elements that iterators of the program yield.
    pub(super) fn add_iterations(&mut self, base: NodeIndex, value: ValueIndex) {
        let points_to = self.points_to;
        let objects = points_to.objects_of(base);
        let iterations = objects.iter().filter_map(|object| points_to.iterations.get(object)).flatten();
        for (count, iteration) in iterations.enumerate() {
            if count == MAX_ITERATIONS {
                self.limit("iterators of a value");
                break;
            }
            let (origin, name) = match *iteration {
                // An object with `__next__` is not the collection of its fields.
                Iteration::Elements(iterator) if self.has_next(iterator) => continue,
                Iteration::Elements(iterator) => (iterator, Names::ANY),
                Iteration::Element(result) => {
                    self.intra(result, value, ALL);
                    continue;
                }
                Iteration::Value(result) => match self.program.names.get("value") {
                    Some(name) => (result, name),
                    None => continue,
                },
            };
            for location in self.read_locations(origin, name) {
                self.flow(location.node, value, location.kind(), location.mask());
            }
        }
    }

    /// What a consumer sends to a generator, or throws into it, reaches the iterators that the generator delegates to.
    pub(super) fn delegate(&mut self, function: FunctionIndex, inner: NodeIndex) {
        let points_to = self.points_to;
        let Some(outer) = points_to.objects.get(ObjectKind::Iterator(function)) else { return };
        for &object in points_to.objects_of(inner) {
            if object != outer && matches!(points_to.objects.kind(object), ObjectKind::Iterator(_)) {
                for name in [Names::SENT, Names::THROWN] {
                    let passed = self.shared(outer, name);
                    self.store_shared(passed, object, name, EdgeKind::Heap, ALL);
                }
            }
        }
    }

    /// True if the fields of a value are attributes, which a computed key does not read.
    pub(super) fn has_attributes(&self, module: &Module, base: NodeIndex) -> bool {
        module.flow.calls_construct && self.is_instance(base)
    }

    /// True if a value is an object of the program with a method that yields its elements.
    fn has_next(&self, iterator: NodeIndex) -> bool {
        self.program.names.get("__next__").is_some() && self.is_instance(iterator)
    }

    /// True if calls of classes make objects.
    pub(super) fn calls_construct(&self) -> bool {
        self.program.modules.first().is_some_and(|module| module.flow.calls_construct)
    }

    /// True if a value is certainly an instance of a class of the program.
    fn is_instance(&self, node: NodeIndex) -> bool {
        let is_instance = |&object: &u32| {
            matches!(self.points_to.objects.kind(object), ObjectKind::Instance(..) | ObjectKind::DefaultInstance(_))
        };
        let objects = self.points_to.objects_of(node);
        !objects.is_empty() && objects.iter().all(is_instance)
    }

    /// Flows of a load.
    pub(super) fn load(&mut self, base: NodeIndex, name: Name, target: NodeIndex) {
        self.load_mask(base, name, target, ALL);
    }

    pub(super) fn load_mask(&mut self, base: NodeIndex, name: Name, target: NodeIndex, mask: RuleMask) {
        let mask = mask & !self.element_mask(base);
        let has_getter = self.has_accessor(base, self.getters.get(&name).copied());
        // What a property of an instance yields is the result of a method, not a part of the instance.
        let is_property = has_getter && self.calls_construct() && self.is_instance(base);
        if !is_property
            && !matches!(
                name,
                Names::LENGTH | Names::SIZE | Names::KEY | Names::ERROR | Names::RETURNED | Names::SENT | Names::THROWN
            )
        {
            self.intra(base, target, mask & !IDENTITY);
        }
        if self.graph.extra_node(target).is_some() {
            let objects = self.field_objects(base, name);
            self.temporary_objects.entry(target).or_default().extend(objects);
        } else {
            self.loads.push((base, name, target));
        }
        if has_getter {
            return;
        }
        for location in self.read_locations(base, name) {
            self.flow(location.node, target, location.kind(), mask & location.mask());
        }
        if name == Names::CONTENT {
            for location in self.inner_contents(base) {
                self.flow(location, target, EdgeKind::Heap, mask & !IDENTITY);
            }
        }
    }

    /// Objects in a field of a node.
    fn field_objects(&self, base: NodeIndex, name: Name) -> Vec<u32> {
        let name = plain(name);
        let points_to = self.points_to;
        let mut objects = Vec::new();
        for &object in self.objects_of(base) {
            for &(field, node) in points_to.fields_of(object) {
                if field == name || (name == Names::ANY && !Names::is_hidden(field)) {
                    objects.extend_from_slice(points_to.objects_of(node));
                }
            }
        }
        objects.sort_unstable();
        objects.dedup();
        objects
    }

    /// Objects that a node may be.
    pub(super) fn objects_of(&self, node: NodeIndex) -> &[u32] {
        match self.temporary_objects.get(&node) {
            Some(objects) => objects,
            None => self.points_to.objects_of(node),
        }
    }

    /// Functions that a node may be.
    pub(super) fn functions_of(&self, node: NodeIndex) -> Vec<FunctionIndex> {
        let function = |&object: &u32| match self.points_to.objects.kind(object) {
            ObjectKind::Function(function) => Some(function),
            _ => None,
        };
        self.objects_of(node).iter().filter_map(function).collect()
    }

    /// True if a getter or setter handles all accesses to a field.
    fn has_accessor(&self, base: NodeIndex, accessor: Option<Name>) -> bool {
        let Some(accessor) = accessor else { return false };
        let points_to = self.points_to;
        let objects = points_to.objects_of(base);
        let mut chain: Vec<u32> = objects.to_vec();
        for position in 0..64 {
            let Some(&object) = chain.get(position) else { break };
            if points_to.field(object, accessor).is_some_and(|field| !points_to.objects_of(field).is_empty()) {
                return true;
            }
            if let Some(parent) = points_to.field(object, Names::PARENT) {
                for &parent in points_to.objects_of(parent) {
                    if !chain.contains(&parent) {
                        chain.push(parent);
                    }
                }
            }
        }
        false
    }

    /// Flows of a store.
    pub(super) fn store(&mut self, base: NodeIndex, name: Name, origin: NodeIndex) {
        self.store_mask(base, name, origin, ALL);
    }

    pub(super) fn store_mask(&mut self, base: NodeIndex, name: Name, origin: NodeIndex, mask: RuleMask) {
        if self.has_accessor(base, self.setters.get(&name).copied()) {
            return;
        }
        for location in self.field_locations(base, name) {
            self.write_place(origin, location, location.kind(), mask);
        }
    }
}
