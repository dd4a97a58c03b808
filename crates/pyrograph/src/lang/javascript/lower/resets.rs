//! Fields that a callee stores: the caller reads what it stored, and not what was there before.

use crate::flow::{Argument, Op, ValueId};
use crate::lang::ssa::MemberKey;

use super::Lowerer;

/// Most calls that are remembered.
const MAX_CALLS: usize = 16;

impl Lowerer<'_, '_> {
    /// Notes a store to a field of a parameter that every call of the function executes.
    pub(super) fn note_certain_store(&mut self, object: ValueId, key: MemberKey) {
        let base = self.canon(object);
        self.frame.resets.retain(|&(known, ..)| known != base);
        let MemberKey::Name(field) = key else { return };
        let Op::Parameter(position) = self.op(base) else { return };
        let function = self.builder.module().function(self.frame.id);
        let is_late = function.is_async || function.is_generator;
        if self.state.is_straight() && !self.current.has_returned && !is_late && !self.accessors.contains(&field) {
            let function = self.frame.id;
            self.builder.module_mut().certain_stores.push((function, position, field));
        }
    }

    /// Notes the new objects that a call gets.
    pub(super) fn note_passed(&mut self, receiver: Option<ValueId>, arguments: &[Argument], call: ValueId) {
        let passed = arguments.iter().map(|argument| argument.value).chain(receiver);
        let bases: Vec<ValueId> = passed.map(|value| self.canon(value)).collect();
        self.frame.resets.retain(|(known, ..)| !bases.contains(known));
        let is_plain = arguments.iter().all(|argument| !argument.is_spread);
        for (position, &base) in bases.iter().take(arguments.len()).enumerate() {
            let is_once = bases.iter().filter(|&&other| other == base).count() == 1;
            let is_new = matches!(self.op(base), Op::Allocate(_));
            if is_plain && is_once && is_new && self.frame.resets.len() < MAX_CALLS {
                self.frame.resets.push((base, call, position as u32));
            }
        }
    }

    /// Notes a new load of a field behind a call that got the object.
    pub(super) fn note_reload(&mut self, object: ValueId, load: ValueId) {
        let base = self.canon(object);
        let found = self.frame.resets.iter().find(|&&(known, ..)| known == base).copied();
        if let Some((_, call, position)) = found {
            self.builder.module_mut().reloads.push((load, call, position));
        }
    }
}
