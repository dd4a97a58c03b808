//! Arrays whose positions are known: a function makes them, and straight-line code fills them.

use crate::flow::{AllocateKind, Argument, Constant, Op, Span, ValueId};
use crate::lang::ssa::{Key, MemberKey};

use super::Lowerer;

/// Most elements of an array whose positions are followed.
const MAX_POSITIONS: usize = 64;

impl Lowerer<'_, '_> {
    /// Notes the number of elements of an array that only this function knows.
    pub(super) fn note_length(&mut self, array: ValueId, length: usize, span: Span) {
        let base = self.canon(array);
        let is_local = matches!(self.op(base), Op::Allocate(AllocateKind::Array)) && self.state.is_local(base);
        if is_local && length <= MAX_POSITIONS {
            let field = self.symbol("length");
            let value = self.constant_value(Constant::Number(length as f64), span);
            self.state.set_fact(Key::field(base, field), value);
        }
    }

    /// Number of elements of an array that only this function knows.
    fn known_length(&mut self, array: ValueId) -> Option<usize> {
        let base = self.canon(array);
        if !matches!(self.op(base), Op::Allocate(AllocateKind::Array)) || !self.state.is_local(base) {
            return None;
        }
        let field = self.symbol("length");
        let length = self.fact(Key::field(base, field))?;
        match self.constant(length) {
            Some(Constant::Number(length)) if (0.0..=MAX_POSITIONS as f64).contains(&length) => Some(length as usize),
            _ => None,
        }
    }

    fn array_element(&mut self, array: ValueId, position: usize, span: Span) -> ValueId {
        let field = self.symbol(&position.to_string());
        self.ssa.load(array, MemberKey::Name(field), span)
    }

    fn store_element(&mut self, array: ValueId, position: usize, value: ValueId, span: Span) {
        let field = self.symbol(&position.to_string());
        self.store_field(array, field, value, span);
    }

    /// Takes the last element away.
    fn shorten(&mut self, array: ValueId, length: usize, span: Span) {
        let field = self.symbol(&(length - 1).to_string());
        let nothing = self.undefined(span);
        let key = Key::field(self.canon(array), field);
        self.state.set_fact(key, nothing);
        self.note_length(array, length - 1, span);
    }

    /// Result of `push`, `pop` or `shift` of an array with known positions. None: it is another call.
    pub(super) fn array_method(
        &mut self,
        callee: ValueId,
        receiver: Option<ValueId>,
        arguments: &[Argument],
        span: Span,
    ) -> Option<ValueId> {
        let array = receiver?;
        let Op::LoadField(_, method) = self.op(callee) else { return None };
        let is_push = match self.builder.text(method) {
            "push" => true,
            "pop" | "shift" => false,
            _ => return None,
        };
        let is_shift = self.builder.text(method) == "shift";
        let length = self.known_length(array)?;
        if is_push {
            let is_plain = arguments.iter().all(|argument| !argument.is_spread);
            if !is_plain || length + arguments.len() > MAX_POSITIONS {
                return None;
            }
            for (position, argument) in arguments.iter().enumerate() {
                self.store_element(array, length + position, argument.value, span);
            }
            let length = length + arguments.len();
            self.note_length(array, length, span);
            return Some(self.constant_value(Constant::Number(length as f64), span));
        }
        if length == 0 {
            return Some(self.undefined(span));
        }
        let removed = self.array_element(array, if is_shift { 0 } else { length - 1 }, span);
        if is_shift {
            for position in 1..length {
                let value = self.array_element(array, position, span);
                self.store_element(array, position - 1, value, span);
            }
        }
        self.shorten(array, length, span);
        Some(removed)
    }

    /// An assignment to a member of an array changes what is known of its positions.
    pub(super) fn note_element_store(&mut self, object: ValueId, key: MemberKey, span: Span) {
        let MemberKey::Name(field) = key else { return };
        if self.builder.text(field).parse::<usize>().is_ok() {
            self.forget_elements(object);
        }
        let base = self.canon(object);
        if !matches!(self.op(base), Op::Allocate(AllocateKind::Array)) {
            return;
        }
        match self.builder.text(field).parse::<usize>() {
            Ok(position) => match self.known_length(object) {
                Some(length) if position >= length => {
                    self.note_length(object, position.saturating_add(1).min(MAX_POSITIONS + 1), span);
                    if position >= MAX_POSITIONS {
                        self.note_store_all(object);
                    }
                }
                _ => {}
            },
            Err(_) if self.builder.text(field) == "length" => self.note_store_all(object),
            Err(_) => {}
        }
    }
}
