//! Scanline preconditions: loop versioning by bound checks.
//!
//! A *scanline* is the invocations of a workgroup that share y and z. A program compares ids of the grid with lengths, and nearly
//! all scanlines satisfy the comparison as a whole. The vectorizer therefore assumes the outcome, and the emitted code tests it
//! once per scanline from the first id and the width. A scanline that fails the test runs the scalar version of the region.

use std::collections::BTreeMap;

use vyre_kernel::{Binary, Effect, Id, Logic, Op, ValueId};

use super::variance::{Variance, VarianceTable};
use crate::bound_check::BoundCheck;

/// Maximum number of conditions that are tested for a scanline.
const MAX_ASSUMPTIONS: usize = 32;

/// Maximum number of operations that the tests of a scanline are computed from.
const MAX_TEST_VALUES: usize = 64;

/// Maximum nesting of a tested condition. Each level doubles the tests.
pub(crate) const MAX_CONDITION_DEPTH: u32 = 3;

/// A condition and the outcome that it must have in all invocations of a scanline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Assumption {
    pub(crate) cond: ValueId,
    pub(crate) outcome: bool,
}

/// Conditions that must hold in a whole scanline for its SIMD version to run.
#[derive(Debug, Default)]
pub(crate) struct Preconditions {
    /// Assumptions, in the order in which they are tested.
    pub(crate) assumptions: Vec<Assumption>,
    /// Values that the tests are computed from; operands precede their uses.
    pub(crate) test_values: Vec<ValueId>,
    /// Assumed outcomes by condition, those of the previous iteration of the analysis included.
    outcomes: BTreeMap<ValueId, bool>,
}

impl Preconditions {
    /// Starts with the outcomes that the previous iteration of the analysis assumed.
    pub(super) fn with_outcomes(outcomes: BTreeMap<ValueId, bool>) -> Preconditions {
        Preconditions { outcomes, ..Preconditions::default() }
    }

    /// Assumed outcome of a condition.
    pub(crate) fn outcome(&self, cond: ValueId) -> Option<bool> {
        self.outcomes.get(&cond).copied()
    }

    /// Drops outcomes that are not tested, and returns the rest.
    pub(super) fn settle(&mut self) -> &BTreeMap<ValueId, bool> {
        self.outcomes = self.assumptions.iter().map(|it| (it.cond, it.outcome)).collect();
        &self.outcomes
    }

    /// Variance of a value. An assumed condition is uniform.
    pub(super) fn variance(&self, table: &VarianceTable<'_>, value: ValueId) -> Variance {
        if self.outcomes.contains_key(&value) { Variance::Uniform } else { table.variance(value) }
    }

    /// Assumes that a condition has an outcome, if a scanline can be tested for it. Reports whether it is assumed.
    pub(super) fn assume(&mut self, table: &VarianceTable<'_>, cond: ValueId, outcome: bool) -> bool {
        let assumption = Assumption { cond, outcome };
        if self.assumptions.contains(&assumption) {
            return true;
        }
        let values = self.test_values.len();
        let contradicts = self.outcome(cond) == Some(!outcome);
        if contradicts || self.assumptions.len() >= MAX_ASSUMPTIONS || !self.is_testable(table, cond, outcome, 0) {
            self.test_values.truncate(values);
            return false;
        }
        self.outcomes.insert(cond, outcome);
        self.assumptions.push(assumption);
        true
    }

    fn is_testable(&mut self, table: &VarianceTable<'_>, cond: ValueId, outcome: bool, depth: u32) -> bool {
        if depth > MAX_CONDITION_DEPTH {
            return false;
        }
        let op = table.kernel.op(cond);
        match (op, outcome) {
            (Op::Logic(Logic::And, a, b), true) | (Op::Logic(Logic::Or, a, b), false) => {
                self.is_testable(table, a, outcome, depth + 1) && self.is_testable(table, b, outcome, depth + 1)
            }
            (Op::Not(a), _) => self.is_testable(table, a, !outcome, depth + 1),
            _ => match BoundCheck::of(op, outcome) {
                Some(BoundCheck { low, high, or_equal: _ }) => {
                    self.variance(table, low) == Variance::Consecutive
                        && self.variance(table, high) == Variance::Uniform
                        && depends_on_grid(table, low)
                        && self.hoist(table, low)
                        && self.hoist(table, high)
                }
                None => false,
            },
        }
    }

    /// Schedules a value for the start of a scanline. Reports whether that is possible.
    fn hoist(&mut self, table: &VarianceTable<'_>, value: ValueId) -> bool {
        let kernel = table.kernel;
        let op = kernel.op(value);
        if table.is_workgroup_value(value) || self.test_values.contains(&value) {
            return true;
        }
        if op.is_leaf() {
            return op != Op::LoopVariable;
        }
        let may_be_zero = |divisor: ValueId| kernel.as_word(divisor).is_none_or(|word| word == 0);
        let is_speculatable = op.effect() == Effect::None
            && !matches!(op, Op::Binary(Binary::Div | Binary::Mod, _, divisor) if may_be_zero(divisor))
            && table.is_computed_here(value);
        if !is_speculatable || self.test_values.len() >= MAX_TEST_VALUES {
            return false;
        }
        // Expressions may nest deeply. The limit on the operations below bounds the recursion.
        if self.test_values.len() + count_operations(table, value) > MAX_TEST_VALUES {
            return false;
        }
        let mut all_hoisted = true;
        let mut operands = Vec::new();
        op.for_each_operand(|operand| operands.push(operand));
        for operand in operands {
            all_hoisted = all_hoisted && self.hoist(table, operand);
        }
        if all_hoisted {
            self.test_values.push(value);
        }
        all_hoisted
    }
}

/// Reports whether a value depends on the position of the workgroup in the grid.
fn depends_on_grid(table: &VarianceTable<'_>, value: ValueId) -> bool {
    let mut pending = vec![value];
    let mut seen = 0;
    while let Some(value) = pending.pop() {
        seen += 1;
        match table.kernel.op(value) {
            Op::Id(Id::Invocation | Id::Workgroup, _) => return true,
            _ if seen > MAX_TEST_VALUES => return false,
            op => op.for_each_operand(|operand| pending.push(operand)),
        }
    }
    false
}

/// Number of operations of an expression, up to one more than [`MAX_TEST_VALUES`].
fn count_operations(table: &VarianceTable<'_>, value: ValueId) -> usize {
    let mut pending = vec![value];
    let mut seen = 0;
    while let Some(value) = pending.pop() {
        if table.is_workgroup_value(value) || table.kernel.op(value).is_leaf() {
            continue;
        }
        seen += 1;
        if seen > MAX_TEST_VALUES {
            break;
        }
        table.kernel.op(value).for_each_operand(|operand| pending.push(operand));
    }
    seen
}
