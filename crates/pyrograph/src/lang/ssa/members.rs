//! Loads and stores of members.

use crate::flow::{Op, Span, SymbolId, ValueId};

use super::state::Key;
use super::{Note, Ssa};

/// Most stores that are remembered.
const MAX_STORES: usize = 32;

/// Most instructions between two stores of which the second makes the first useless.
const MAX_BETWEEN: usize = 200;

/// Most names of a loaded value, each with a test.
const MAX_NAMES: usize = 16;

/// Most names of a loaded value that meet.
const MAX_CHOICES: u32 = 4;

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
                let value = match self.member_cell(base, field) {
                    Some(cell) => self.emit(Op::LoadCell(cell), span),
                    None => self.emit(Op::LoadField(object, field), span),
                };
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
        let known = self.fact(place);
        let value = match known {
            Some(value) if self.key_of(value) == Some(key) => value,
            _ => {
                // A test of the key since then gives the load another meaning. What tests showed of the loaded value holds still.
                let load = self.emit(Op::LoadKey(object, key), span);
                let value = match known {
                    Some(known) => self.tested_again(known, load, span),
                    None => load,
                };
                self.state.set_fact(place, value);
                value
            }
        };
        self.frame.loads.push((span, place, value));
        value
    }

    /// Name of the key in the load that a value names.
    fn key_of(&self, value: ValueId) -> Option<ValueId> {
        let mut value = value;
        for _ in 0..MAX_NAMES {
            match self.op(value) {
                Op::Guard(inner, ..) | Op::Copy(inner) => value = inner,
                Op::LoadKey(_, key) => return Some(key),
                _ => return None,
            }
        }
        None
    }

    /// Name of a new load of a place, with the tests that a name of the place has passed.
    fn tested_again(&mut self, known: ValueId, load: ValueId, span: Span) -> ValueId {
        let first = self.canon(known);
        if !matches!(self.op(first), Op::LoadKey(..)) {
            return load;
        }
        self.rename_load(load, first);
        self.renewed(known, load, span, 0)
    }

    fn renewed(&mut self, known: ValueId, load: ValueId, span: Span, depth: usize) -> ValueId {
        match self.op(known) {
            Op::Guard(inner, test, holds) if depth < MAX_NAMES => {
                let inner = self.renewed(inner, load, span, depth + 1);
                self.emit(Op::Guard(inner, test, holds), span)
            }
            Op::Copy(inner) if depth < MAX_NAMES => self.renewed(inner, load, span, depth + 1),
            Op::Phi(list) if list.len <= MAX_CHOICES && depth < MAX_NAMES && self.canon(known) != known => {
                let operands = self.builder.module().list(list).to_vec();
                let operands: Vec<ValueId> =
                    operands.into_iter().map(|operand| self.renewed(operand, load, span, depth + 4)).collect();
                self.phi(&operands, span)
            }
            _ => load,
        }
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
        let base = self.canon(object);
        if self.state.is_local(base) && !self.accessors.contains(&field) {
            self.drop_store(base, field);
            let store = self.emit(Op::StoreField(object, field, value), span);
            if self.frame.stores.len() == MAX_STORES {
                self.frame.stores.clear();
            }
            self.frame.stores.push((base, field, store));
        } else {
            self.emit(Op::StoreField(object, field, value), span);
        }
        self.note_store(object, field, value);
    }

    /// Drops a store to a field of a new object that another store follows before anybody can read the field.
    fn drop_store(&mut self, base: ValueId, field: SymbolId) {
        let stores = &mut self.frame.stores;
        let Some(position) = stores.iter().rposition(|&(known, name, _)| known == base && name == field) else {
            return;
        };
        let (_, _, store) = stores.remove(position);
        let instructions = &self.builder.module().instructions;
        if instructions.len() - store.index() > MAX_BETWEEN {
            return;
        }
        let is_protected = !self.frame.handlers.is_empty();
        let reads = |instruction: &crate::flow::Instruction| match instruction.op {
            Op::LoadKey(object, _) | Op::Element(object) | Op::EnumerateKey(object) | Op::RestOf(object, _) => {
                self.canon(object) == base
            }
            Op::CopyFields(target, origin) | Op::Inherit(target, origin) => {
                self.canon(origin) == base || self.canon(target) == base
            }
            Op::Call(_) => is_protected,
            _ => false,
        };
        if instructions[store.index()..].iter().any(reads) {
            return;
        }
        if let Op::StoreField(_, _, value) = self.op(store) {
            self.builder.module_mut().instructions[store.index()].op = Op::Copy(value);
        }
    }
}
