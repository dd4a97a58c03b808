//! Iterators that programs write: `[Symbol.iterator]() { return { next() { ... } } }`.

use super::layout::NodeIndex;
use super::objects::ObjectIndex;
use super::solver::{Constraint, Solver};
use crate::program::Names;

/// Flow of the elements of an object: from a field of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Iteration {
    /// The node is an iterator of the library or of a generator: its elements are the elements.
    Elements(NodeIndex),
    /// The node is a result of `next`: its field `value` is an element.
    Value(NodeIndex),
    /// The node is an element.
    Element(NodeIndex),
}

impl Solver<'_> {
    /// Calls the method of an object that makes an iterator, if it has one. All iterations of an object are one call, because the
    /// elements are the same.
    pub(super) fn iterate(&mut self, object: ObjectIndex, target: NodeIndex) {
        if !self.has_iterators {
            return;
        }
        if let Some(&elements) = self.iteration_elements.get(&object) {
            self.inclusion(elements, target);
            return;
        }
        let elements = self.new_node();
        self.iteration_elements.insert(object, elements);
        self.inclusion(elements, target);
        let receiver = self.new_node();
        self.add(receiver, object);
        self.iterated.push(receiver);
        for name in [Names::ITERATOR, Names::ASYNC_ITERATOR] {
            let method = self.look_up(object, name);
            self.constrain(method, Constraint::Iterate(receiver, elements));
        }
    }

    /// A function arrives at the method that makes the iterator of a receiver.
    pub(super) fn make_iterator(&mut self, function: ObjectIndex, receiver: NodeIndex, elements: NodeIndex) {
        let iterator = self.new_node();
        self.invoke(function, Some(receiver), &[], Some(iterator));
        self.load_elements(iterator, elements);
        let next = self.new_node();
        if let Some(name) = self.program.names.get("next") {
            self.constrain(iterator, Constraint::Load(name, next));
            self.constrain(next, Constraint::Next(iterator, elements));
        }
        if let Some(name) = self.special.next {
            let method = self.new_node();
            self.constrain(iterator, Constraint::Load(name, method));
            self.constrain(method, Constraint::NextElement(iterator, elements));
        }
        for &object in &self.objects_of(receiver).to_vec() {
            self.iterations.entry(object).or_default().push(Iteration::Elements(iterator));
        }
        self.iterators.insert(iterator, receiver);
    }

    /// A function arrives at the method `__next__` of an iterator.
    pub(super) fn next_item(&mut self, function: ObjectIndex, iterator: NodeIndex, elements: NodeIndex) {
        let result = self.new_node();
        self.invoke(function, Some(iterator), &[], Some(result));
        self.edge(result, elements);
        let Some(&receiver) = self.iterators.get(&iterator) else { return };
        for &object in &self.objects_of(receiver).to_vec() {
            self.iterations.entry(object).or_default().push(Iteration::Element(result));
        }
    }

    /// A function arrives at the method `next` of an iterator.
    pub(super) fn next_element(&mut self, function: ObjectIndex, iterator: NodeIndex, elements: NodeIndex) {
        let result = self.new_node();
        self.invoke(function, Some(iterator), &[], Some(result));
        if let Some(name) = self.program.names.get("value") {
            self.constrain(result, Constraint::Load(name, elements));
        }
        let Some(&receiver) = self.iterators.get(&iterator) else { return };
        for &object in &self.objects_of(receiver).to_vec() {
            self.iterations.entry(object).or_default().push(Iteration::Value(result));
        }
    }
}
