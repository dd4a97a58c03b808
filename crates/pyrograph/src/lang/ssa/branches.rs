//! Branches: where conditions lead, and where their sides meet.

use crate::flow::{Fact, Span, ValueId};

use super::Ssa;
use super::checks::Check;
use super::state::{Exit, Mark};

/// Parts of a condition that guard something.
pub(in crate::lang) const MAX_TESTED: usize = 256;

/// Where a condition leads: the exits for the other result, and their values.
#[derive(Default)]
pub(in crate::lang) struct Exits {
    pub(in crate::lang) states: Vec<Exit>,
    /// Values of the condition at the exits.
    pub(in crate::lang) values: Vec<ValueId>,
    /// The values are needed.
    pub(in crate::lang) wants_values: bool,
    /// Tests of the parts that were evaluated.
    pub(in crate::lang) checks: Vec<Check>,
    /// The facts are needed.
    pub(in crate::lang) wants_facts: bool,
    /// Facts about parameters at each of the exits.
    pub(in crate::lang) facts: Vec<Vec<Fact>>,
}

impl Ssa<'_, '_> {
    /// Leaves with the guards of one result, and continues with those of the other.
    pub(in crate::lang) fn split(
        &mut self,
        checks: &[Check],
        value: ValueId,
        sense: bool,
        mark: Mark,
        exits: &mut Exits,
        span: Span,
    ) -> Option<ValueId> {
        let inner = self.mark();
        let other = self.guard(checks, !sense, value, span);
        self.note_facts(exits);
        exits.states.extend(self.exit(mark));
        exits.values.push(other);
        self.state.rollback(inner);
        self.state.release(inner);
        Some(self.guard(checks, sense, value, span))
    }

    /// Notes the facts about parameters at an exit.
    pub(in crate::lang) fn note_facts(&self, exits: &mut Exits) {
        if exits.wants_facts && exits.facts.len() < MAX_TESTED {
            exits.facts.push(self.held());
        }
    }

    /// Joins the current point with exits. The result is one of the values.
    pub(in crate::lang) fn finish_branches(
        &mut self,
        mark: Mark,
        mut states: Vec<Exit>,
        values: Vec<ValueId>,
        span: Span,
    ) -> ValueId {
        states.extend(self.depart(mark));
        self.state.release(mark);
        self.join(states, span);
        if values.is_empty() { self.undefined(span) } else { self.phi(&values, span) }
    }

    /// Notes a branch that is never taken.
    pub(in crate::lang) fn prune(&mut self, span: Span) {
        self.builder.module_mut().pruned.push(span);
    }
}
