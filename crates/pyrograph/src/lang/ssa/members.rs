//! Loads and stores of members.

use crate::flow::{Op, Span, SymbolId, ValueId};

use super::state::Key;
use super::{Note, Ssa};

/// Key of a member: a name, or a value.
#[derive(Clone, Copy)]
pub(in crate::lang) enum MemberKey {
    Name(SymbolId),
    Value(ValueId),
}

impl Ssa<'_, '_> {
    /// Load of a member, or the value that is known to be there.
    pub(in crate::lang) fn load(&mut self, object: ValueId, key: MemberKey, span: Span) -> ValueId {
        let field = match key {
            MemberKey::Name(field) => field,
            MemberKey::Value(key) => return self.load_computed(object, key, span),
        };
        let base = self.canon(object);
        if let Some(Note::Members(members)) = self.notes.get(&base)
            && let Some(&constant) = members.get(&field)
        {
            return self.constant_value(constant, span);
        }
        let place = Key::field(base, field);
        let value = match self.fact(place) {
            Some(value) => value,
            None => {
                let value = self.emit(Op::LoadField(object, field), span);
                self.state.set_fact(place, value);
                value
            }
        };
        self.frame.loads.push((span, place, value));
        value
    }

    /// Load of a member by a computed key, or the value of the same load before.
    fn load_computed(&mut self, object: ValueId, key: ValueId, span: Span) -> ValueId {
        let place = Key::computed(self.canon(object), self.canon(key));
        let value = match self.fact(place) {
            // A test of the key since then gives the load another meaning.
            Some(value) if matches!(self.op(self.canon(value)), Op::LoadKey(_, known) if known == key) => value,
            _ => {
                let value = self.emit(Op::LoadKey(object, key), span);
                self.state.set_fact(place, value);
                value
            }
        };
        self.frame.loads.push((span, place, value));
        value
    }

    pub(in crate::lang) fn store(&mut self, object: ValueId, key: MemberKey, value: ValueId, span: Span) {
        match key {
            MemberKey::Name(field) => self.store_field(object, field, value, span),
            MemberKey::Value(key) => {
                self.escape(value);
                self.emit(Op::StoreKey(object, key, value), span);
                self.note_store_all(object);
            }
        }
    }

    pub(in crate::lang) fn store_field(&mut self, object: ValueId, field: SymbolId, value: ValueId, span: Span) {
        self.emit(Op::StoreField(object, field, value), span);
        self.note_store(object, field, value);
    }
}
