//! Tests of variables and places, and the guards that they make.

use crate::flow::{Constant, Op, Span, SymbolId, Test, TestId, ValueId};

use super::state::Key;
use super::{Note, Ssa};

/// Most tests of one condition.
pub(in crate::lang) const MAX_CHECKS: usize = 8;

/// What is tested: a variable or a place in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::lang) enum Tested {
    Variable(u32),
    Memory(Key),
}

/// Results of a condition for which a test is known.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Known {
    Both,
    True,
    False,
}

/// A test in a condition.
#[derive(Clone, Copy, Debug)]
pub(in crate::lang) struct Check {
    tested: Tested,
    /// Name that was tested.
    pub(in crate::lang) name: ValueId,
    pub(in crate::lang) test: TestId,
    /// Result of the test if the condition is true.
    holds: bool,
    known: Known,
}

impl Check {
    pub(in crate::lang) fn new(tested: Tested, name: ValueId, test: TestId, holds: bool) -> Check {
        Check { tested, name, test, holds, known: Known::Both }
    }

    pub(in crate::lang) fn negated(self) -> Check {
        let known = match self.known {
            Known::Both => Known::Both,
            Known::True => Known::False,
            Known::False => Known::True,
        };
        Check { holds: !self.holds, known, ..self }
    }

    /// Result of the test if the condition has a result.
    pub(in crate::lang) fn result(&self, condition: bool) -> Option<bool> {
        match (self.known, condition) {
            (Known::True, false) | (Known::False, true) => None,
            _ => Some(self.holds == condition),
        }
    }

    /// The same test, known only if the condition has a result.
    pub(in crate::lang) fn only_if(self, condition: bool) -> Option<Check> {
        if condition { self.if_true() } else { self.negated().if_true().map(Check::negated) }
    }

    /// The same test, known only if the condition is true.
    pub(in crate::lang) fn if_true(self) -> Option<Check> {
        (self.known != Known::False).then_some(Check { known: Known::True, ..self })
    }
}

impl Ssa<'_, '_> {
    /// Names the tested places on the side where a condition has a result. The value is the name of the condition's value.
    pub(in crate::lang) fn guard(&mut self, checks: &[Check], result: bool, value: ValueId, span: Span) -> ValueId {
        let mut renamed = value;
        self.apply_flag(value, result);
        for check in checks.iter().take(MAX_CHECKS) {
            let Some(holds) = check.result(result) else { continue };
            let current = match check.tested {
                Tested::Variable(variable) => self.name(variable),
                Tested::Memory(key) => Some(self.fact(key).unwrap_or(check.name)),
            };
            let Some(current) = current else { continue };
            // What is known of a captured variable may be about values of the function around.
            let is_own = self.builder.module().instructions[current.index()].function == self.frame.id;
            if !is_own || self.canon(current) != self.canon(check.name) || self.constant(current).is_some() {
                continue;
            }
            // A test that replaces its other result.
            let current = match self.op(current) {
                Op::Guard(inner, test, result) if test == check.test && result != holds => inner,
                _ => current,
            };
            let guarded = self.emit(Op::Guard(current, check.test, holds), span);
            match check.tested {
                Tested::Variable(variable) => self.rename_variable(variable, guarded),
                Tested::Memory(key) => {
                    self.state.set_fact(key, guarded);
                    self.frame.tested.push((key, guarded));
                }
            }
            if check.name == value {
                renamed = guarded;
            }
        }
        renamed
    }

    pub(in crate::lang) fn loaded(&self, span: Span) -> Option<(Tested, ValueId)> {
        let loads = self.frame.loads.iter().rev().take(64);
        loads.filter(|load| load.0 == span).map(|load| (Tested::Memory(load.1), load.2)).next()
    }

    pub(in crate::lang) fn is_collection(&self, value: ValueId) -> bool {
        matches!(self.notes.get(&self.canon(value)), Some(Note::Collection | Note::Members(_)))
    }

    /// True if a value is the function `hasOwnProperty`.
    pub(in crate::lang) fn is_own_property(&self, value: ValueId) -> bool {
        let value = self.canon(value);
        match self.op(value) {
            Op::LoadField(_, field) | Op::Global(field) => self.builder.text(field) == "hasOwnProperty",
            _ => matches!(self.notes.get(&value), Some(Note::OwnProperty)),
        }
    }

    pub(in crate::lang) fn regex(&self, value: ValueId) -> Option<(SymbolId, SymbolId)> {
        let value = self.canon(value);
        match self.op(value) {
            Op::Constant(Constant::Regex(pattern, flags)) => Some((pattern, flags)),
            _ => match self.notes.get(&value) {
                Some(&Note::Regex(pattern, flags)) => Some((pattern, flags)),
                _ => None,
            },
        }
    }

    pub(in crate::lang) fn own_test(&self, object: ValueId) -> Test {
        if self.is_collection(object) { Test::MemberOfConstants(object) } else { Test::OwnKeyOf(object) }
    }

    pub(in crate::lang) fn member_test(&self, collection: ValueId) -> Test {
        if self.is_collection(collection) { Test::MemberOfConstants(collection) } else { Test::MemberOf(collection) }
    }
}
