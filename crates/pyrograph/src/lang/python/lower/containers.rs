//! Lists, tuples, sets and dictionaries.
//!
//! The elements of a list that only the current function knows keep their positions: `append`, `insert` and `pop` with constant
//! positions store and load fields. The pseudo-field `%length` has the length then.

use std::collections::HashMap;
use std::rc::Rc;

use ruff_python_ast::{Expr, ExprDict};

use crate::flow::{AllocateKind, Constant, Op, Span, ValueId, field};
use crate::lang::ssa::{Key, MemberKey, Note};

use super::constants::number_text;
use super::{Lowerer, span_of};

/// Elements of a list that have fields of their own.
const MAX_ELEMENTS: usize = 256;

/// Longest list whose elements move.
const MAX_MOVED: usize = 64;

impl<'a> Lowerer<'a, '_> {
    /// List or tuple.
    pub(super) fn sequence(&mut self, elements: &'a [Expr], span: Span) -> ValueId {
        let object = self.allocate(AllocateKind::Array, span);
        let mut is_constant = !elements.is_empty();
        let mut length = Some(0);
        for element in elements {
            let span = span_of(element);
            if let Expr::Starred(starred) = element {
                let value = self.expression(&starred.value);
                is_constant &= self.is_collection(value);
                self.append_all(object, value, span);
                length = None;
                continue;
            }
            let value = self.expression(element);
            is_constant &= self.constant(value).is_some();
            match length {
                Some(position) if position < MAX_ELEMENTS => {
                    self.store_position(object, position, value, span);
                    length = Some(position + 1);
                }
                _ => {
                    self.store_element(object, value, span);
                    length = None;
                }
            }
        }
        if let Some(length) = length {
            self.set_length(object, length, span);
        }
        if is_constant {
            self.notes.insert(object, Note::Collection);
        }
        object
    }

    pub(super) fn set(&mut self, elements: &'a [Expr], span: Span) -> ValueId {
        let object = self.allocate(AllocateKind::Array, span);
        let mut is_constant = !elements.is_empty();
        for element in elements {
            let value = self.expression(element);
            if matches!(element, Expr::Starred(_)) {
                is_constant &= self.is_collection(value);
                self.append_all(object, value, span_of(element));
            } else {
                is_constant &= self.constant(value).is_some();
                self.store_element(object, value, span_of(element));
            }
        }
        if is_constant {
            self.notes.insert(object, Note::Collection);
        }
        object
    }

    pub(super) fn dictionary(&mut self, dictionary: &'a ExprDict) -> ValueId {
        let object = self.allocate(AllocateKind::Object, span_of(dictionary));
        let mut is_constant = !dictionary.items.is_empty();
        for item in &dictionary.items {
            let span = span_of(&item.value);
            let Some(key) = &item.key else {
                let value = self.expression(&item.value);
                self.copy_fields(object, value, span);
                is_constant = false;
                continue;
            };
            let key = self.expression(key);
            is_constant &= self.constant(key).is_some();
            let value = self.expression(&item.value);
            let key = self.key(object, key);
            self.store(object, key, value, span);
        }
        if is_constant {
            self.notes.insert(object, Note::Collection);
        }
        object
    }

    /// Notes the constant fields of a dictionary that a variable names which is assigned once and only read by key.
    pub(super) fn note_members(&mut self, literal: &'a ExprDict, object: ValueId) {
        let base = self.canon(object);
        if !matches!(self.op(base), Op::Allocate(_)) {
            return;
        }
        let mut members = HashMap::default();
        for item in &literal.items {
            let Some(Expr::StringLiteral(key)) = &item.key else { return };
            let name = self.symbol(key.value.to_str());
            let value = self.fact(Key::field(base, name));
            match value.and_then(|value| self.constant(value)) {
                Some(constant) => drop(members.insert(name, constant)),
                None => drop(members.remove(&name)),
            }
        }
        if members.len() == literal.items.len() {
            self.notes.insert(base, Note::Members(Rc::new(members)));
        }
    }

    pub(super) fn copy_fields(&mut self, object: ValueId, origin: ValueId, span: Span) {
        self.escape(origin);
        self.emit(Op::CopyFields(object, origin), span);
        self.note_store_all(object);
    }

    /// Stores an element at an unknown position.
    pub(super) fn store_element(&mut self, object: ValueId, value: ValueId, span: Span) {
        let name = self.symbol(field::ELEMENT);
        self.escape(value);
        self.emit(Op::StoreField(object, name, value), span);
    }

    /// Appends all elements of a value at unknown positions.
    fn append_all(&mut self, object: ValueId, origin: ValueId, span: Span) {
        let element = self.emit(Op::Element(origin), span);
        self.store_element(object, element, span);
    }

    fn store_position(&mut self, object: ValueId, position: usize, value: ValueId, span: Span) {
        let name = self.symbol(&position.to_string());
        self.store_field(object, name, value, span);
    }

    /// True if a value is a new list or tuple.
    pub(super) fn is_list(&self, value: ValueId) -> bool {
        matches!(self.op(self.canon(value)), Op::Allocate(AllocateKind::Array))
    }

    fn set_length(&mut self, list: ValueId, length: usize, span: Span) {
        let name = self.symbol("%length");
        let value = self.constant_value(Constant::Number(length as f64), span);
        let base = self.canon(list);
        self.state.set_fact(Key::field(base, name), value);
    }

    /// Length of a list that only the current function knows.
    pub(super) fn list_length(&mut self, list: ValueId) -> Option<usize> {
        let base = self.canon(list);
        if !self.is_list(base) || !self.state.is_local(base) {
            return None;
        }
        let name = self.symbol("%length");
        let value = self.fact(Key::field(base, name))?;
        match self.constant(value) {
            Some(Constant::Number(number)) => Some(number as usize),
            _ => None,
        }
    }

    fn positions(&mut self, list: ValueId, length: usize, span: Span) -> Vec<ValueId> {
        let mut values = Vec::with_capacity(length);
        for position in 0..length {
            let name = self.symbol(&position.to_string());
            values.push(self.load(list, MemberKey::Name(name), span));
        }
        values
    }

    /// Replaces the elements of a list from a position on.
    fn store_from(&mut self, list: ValueId, first: usize, values: &[ValueId], span: Span) {
        for (position, &value) in values.iter().enumerate().skip(first) {
            self.store_position(list, position, value, span);
        }
        self.set_length(list, values.len(), span);
    }

    /// Method of a list whose length is known. None: it is a method like any other.
    pub(super) fn list_method(
        &mut self,
        list: ValueId,
        method: &str,
        arguments: &[ValueId],
        span: Span,
    ) -> Option<ValueId> {
        if !is_list_method(method) {
            return None;
        }
        let length = self.list_length(list).filter(|&length| length < MAX_MOVED)?;
        let position = |lowerer: &Self, argument: ValueId| match lowerer.constant(argument) {
            Some(Constant::Number(number)) if number >= 0.0 => Some((number as usize).min(length)),
            Some(Constant::Number(number)) => Some((length as f64 + number).max(0.0) as usize),
            _ => None,
        };
        match (method, arguments) {
            ("append", &[value]) => {
                self.store_position(list, length, value, span);
                self.set_length(list, length + 1, span);
            }
            ("insert", &[at, value]) => {
                let at = position(self, at)?;
                let mut values = self.positions(list, length, span);
                values.insert(at, value);
                self.store_from(list, at, &values, span);
            }
            ("appendleft", &[value]) => {
                let mut values = self.positions(list, length, span);
                values.insert(0, value);
                self.store_from(list, 0, &values, span);
            }
            ("pop" | "popleft", rest) => {
                let at = match rest {
                    [] if method == "popleft" => 0,
                    [] => length.checked_sub(1)?,
                    [at] => position(self, *at)?,
                    _ => return None,
                };
                let mut values = self.positions(list, length, span);
                if at >= values.len() {
                    return None;
                }
                let removed = values.remove(at);
                self.store_from(list, at, &values, span);
                return Some(removed);
            }
            ("extend", &[other]) => {
                let more = self.list_length(other).filter(|&more| more < MAX_MOVED)?;
                let more = self.positions(other, more, span);
                let mut values = self.positions(list, length, span);
                values.extend(more);
                self.store_from(list, length, &values, span);
            }
            ("clear", []) => self.set_length(list, 0, span),
            ("copy", []) => {
                let values = self.positions(list, length, span);
                let copy = self.allocate(AllocateKind::Array, span);
                self.store_from(copy, 0, &values, span);
                return Some(copy);
            }
            _ => return None,
        }
        // A list that changes is no collection of constants any more.
        let base = self.canon(list);
        self.notes.remove(&base);
        Some(self.constant_value(Constant::Null, span))
    }

    /// Slice of a list whose length is known, with constant bounds.
    pub(super) fn list_slice(&mut self, list: ValueId, bounds: &[ValueId], span: Span) -> Option<ValueId> {
        let length = self.list_length(list).filter(|&length| length < MAX_MOVED)?;
        let mut limits = [0, length];
        for (limit, &bound) in limits.iter_mut().zip(bounds.get(..2)?) {
            match self.constant(bound)? {
                Constant::Null => {}
                Constant::Number(number) if number < 0.0 => *limit = (length as f64 + number).max(0.0) as usize,
                Constant::Number(number) => *limit = (number as usize).min(length),
                _ => return None,
            }
        }
        if !matches!(self.constant(*bounds.get(2)?), Some(Constant::Null)) {
            return None;
        }
        let values = self.positions(list, length, span);
        let part = self.allocate(AllocateKind::Array, span);
        self.store_from(part, 0, values.get(limits[0]..limits[1]).unwrap_or_default(), span);
        Some(part)
    }

    /// Concatenation of lists.
    pub(super) fn joined_lists(&mut self, left: ValueId, right: ValueId, span: Span) -> ValueId {
        let lengths = (self.list_length(left), self.list_length(right));
        let object = self.allocate(AllocateKind::Array, span);
        if let (Some(first), Some(second)) = lengths
            && first + second < MAX_ELEMENTS
        {
            let mut values = self.positions(left, first, span);
            values.extend(self.positions(right, second, span));
            self.store_from(object, 0, &values, span);
        } else {
            self.append_all(object, left, span);
            self.append_all(object, right, span);
        }
        if self.is_collection(left) && self.is_collection(right) {
            self.notes.insert(object, Note::Collection);
        }
        object
    }

    /// Text of the length of a constant, for `len`.
    pub(super) fn constant_length(&mut self, value: ValueId) -> Option<f64> {
        if let Some(Constant::String(text)) = self.constant(value) {
            return Some(self.builder.text(text).chars().count() as f64);
        }
        self.list_length(value).map(|length| length as f64)
    }

    /// Text of a constant value, for `str`.
    pub(super) fn text_of_constant(&self, value: ValueId) -> Option<String> {
        match self.constant(value)? {
            Constant::Number(number) => number_text(number),
            constant => self.constant_text(constant),
        }
    }
}

/// Methods of lists and queues whose effects on known elements are known.
pub(super) fn is_list_method(method: &str) -> bool {
    matches!(method, "append" | "appendleft" | "insert" | "pop" | "popleft" | "clear" | "extend" | "copy")
}
