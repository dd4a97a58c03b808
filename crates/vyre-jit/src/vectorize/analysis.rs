//! Legality and cost analysis of one region.
//!
//! A region is legal for SIMD groups if its control flow keeps the invocations of a group together: conditions and loop bounds
//! are uniform within a group, or conditions compare ids with a uniform value, so that few groups diverge. The emitter runs
//! diverged groups under a mask (if-conversion). Branches that diverge on data are not vectorized, because skipping work is worth
//! more than vectors of four.

use std::collections::BTreeMap;

use vyre_kernel::{BlockId, BufferId, Kernel, Key, Op, Statement, ValueId, element_type};

use super::cost::{ASSUMED_ITERATIONS, OpCost, RegionCost, op_cost};
use super::decision::{ScalarReason, SimdPlan};
use super::preconditions::{MAX_CONDITION_DEPTH, Preconditions};
use super::variance::{Variance, VarianceTable, result_variance};
use crate::storage::StorageClass;

/// Maximum number of statements of a region that is compiled twice.
const MAX_STATEMENTS: usize = 2_000;

/// Facts about a kernel that carry over from region to region.
pub(super) struct KernelFacts<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) slots: &'k [StorageClass],
    pub(super) variance: VarianceTable<'k>,
    /// By slot: true if some invocations of a group may hold another value than others.
    pub(super) vector_slots: Vec<bool>,
}

/// Execution context of a statement.
#[derive(Clone, Copy)]
struct Execution {
    /// Some invocations of the group are inactive.
    masked: bool,
    /// Assumed number of executions.
    weight: u64,
}

/// One iteration of the analysis of a region.
pub(super) struct RegionAnalysis<'s, 'k> {
    facts: &'s mut KernelFacts<'k>,
    pub(super) plan: SimdPlan,
    pub(super) cost: RegionCost,
    /// Estimated number of instructions that the compiler gets for a group.
    pub(super) code_size: u64,
    statements: usize,
    /// True if the set of vector slots is a fixpoint.
    pub(super) slots_settled: bool,
}

impl<'s, 'k> RegionAnalysis<'s, 'k> {
    /// Analyses a region, given the outcomes of conditions that the previous iteration assumed.
    pub(super) fn run(
        facts: &'s mut KernelFacts<'k>,
        outcomes: BTreeMap<ValueId, bool>,
        statements: &[Statement],
    ) -> Result<RegionAnalysis<'s, 'k>, ScalarReason> {
        let plan = SimdPlan { preconditions: Preconditions::with_outcomes(outcomes), ..SimdPlan::default() };
        let cost = RegionCost::of_loop();
        let mut analysis = RegionAnalysis { facts, plan, cost, code_size: 0, statements: 0, slots_settled: true };
        analysis.statements(statements, Execution { masked: false, weight: 1 })?;
        Ok(analysis)
    }

    fn kernel(&self) -> &'k Kernel {
        self.facts.kernel
    }

    fn variance(&self, value: ValueId) -> Variance {
        self.plan.preconditions.variance(&self.facts.variance, value)
    }

    fn is_uniform(&self, value: ValueId) -> bool {
        self.variance(value) == Variance::Uniform
    }

    fn assume(&mut self, cond: ValueId, outcome: bool) -> bool {
        self.plan.preconditions.assume(&self.facts.variance, cond, outcome)
    }

    fn add_cost(&mut self, weight: u64, scalar: u64, simd: u64) {
        self.code_size += 2;
        self.cost.add(weight, OpCost { scalar, simd });
    }

    fn statements(&mut self, statements: &[Statement], at: Execution) -> Result<(), ScalarReason> {
        let kernel = self.kernel();
        self.statements += statements.len();
        if self.statements > MAX_STATEMENTS {
            return Err(ScalarReason::Size(self.statements));
        }
        for &statement in statements {
            match statement {
                Statement::Let(value) => self.value(value, at),
                Statement::Set { slot, value } => {
                    let is_uniform = !at.masked && self.is_uniform(value);
                    let is_vector = &mut self.facts.vector_slots[slot.position()];
                    if !*is_vector && !is_uniform {
                        *is_vector = true;
                        self.slots_settled = false;
                    }
                    if *is_vector && !self.plan.vector_slots.contains(&slot) {
                        self.plan.vector_slots.push(slot);
                    }
                    self.add_cost(at.weight, 1, if at.masked { 3 } else { 1 });
                }
                Statement::Store { buffer, index, value, guard } => {
                    let is_uniform = self.is_uniform(index) && self.is_uniform(value);
                    self.access(Access { buffer, index, guard, is_uniform }, at);
                }
                Statement::If { cond, then, otherwise } => self.branch(cond, [then, otherwise], at)?,
                Statement::Loop { variable, from, to, body } => {
                    if !self.is_uniform(from) || !self.is_uniform(to) {
                        return Err(ScalarReason::DivergentBounds(variable));
                    }
                    let inside = Execution { weight: at.weight.saturating_mul(ASSUMED_ITERATIONS), ..at };
                    self.add_cost(inside.weight, 4, 4);
                    self.statements(&kernel.blocks[body].statements, inside)?;
                }
                Statement::Block { body } => self.statements(&kernel.blocks[body].statements, at)?,
                Statement::Break | Statement::Return | Statement::Barrier => {}
            }
        }
        Ok(())
    }

    fn branch(&mut self, cond: ValueId, [then, otherwise]: [BlockId; 2], at: Execution) -> Result<(), ScalarReason> {
        let kernel = self.kernel();
        let (then, otherwise) = (&kernel.blocks[then].statements, &kernel.blocks[otherwise].statements);
        let leaves = |block: &[Statement]| block.last().is_some_and(|last| last.is_exit());
        let assumed = match self.facts.variance.variance(cond) {
            Variance::Uniform => None,
            _ if at.masked => None,
            _ if self.assume(cond, true) => Some(true),
            _ if leaves(then) && self.assume(cond, false) => Some(false),
            _ => None,
        };
        self.add_cost(at.weight, 2, 2);
        match assumed {
            Some(true) => return self.statements(then, at),
            Some(false) => return self.statements(otherwise, at),
            None => {}
        }
        if self.is_uniform(cond) {
            self.statements(then, at)?;
            return self.statements(otherwise, at);
        }
        if !self.compares_ids(cond, 0) {
            return Err(ScalarReason::DivergentBranch(cond));
        }
        if self.has_exit(then, false) || self.has_exit(otherwise, false) {
            return Err(ScalarReason::DivergentExit(cond));
        }
        self.plan.group_tests += 1;
        self.code_size += 20;
        self.add_cost(at.weight, 0, 4);
        let before = (self.cost, self.plan.group_tests, self.plan.scalarized);
        for block in [then, otherwise] {
            self.statements(block, Execution { masked: true, ..at })?;
        }
        if !at.masked {
            // Few groups diverge, so the cost is that of the version without a mask.
            (self.cost, self.plan.group_tests, self.plan.scalarized) = before;
            for block in [then, otherwise] {
                self.statements(block, at)?;
            }
        }
        Ok(())
    }

    /// Reports whether a block leaves a construct around it. A `Break` leaves the loop that it stands in.
    fn has_exit(&self, block: &[Statement], in_loop: bool) -> bool {
        block.iter().any(|&statement| match statement {
            Statement::Return => true,
            Statement::Break => !in_loop,
            Statement::Loop { body, .. } | Statement::Block { body } => {
                self.has_exit(&self.kernel().blocks[body].statements, true)
            }
            Statement::If { cond: _, then, otherwise } => {
                [then, otherwise].iter().any(|&inner| self.has_exit(&self.kernel().blocks[inner].statements, in_loop))
            }
            _ => false,
        })
    }

    /// Reports whether a condition compares ids with uniform values, so that few groups diverge at it.
    fn compares_ids(&self, cond: ValueId, depth: u32) -> bool {
        if depth > MAX_CONDITION_DEPTH {
            return false;
        }
        if self.is_uniform(cond) {
            return true;
        }
        match self.kernel().op(cond) {
            Op::Compare(_, a, b) => matches!(
                (self.variance(a), self.variance(b)),
                (Variance::Consecutive, Variance::Uniform) | (Variance::Uniform, Variance::Consecutive)
            ),
            Op::Not(a) => self.compares_ids(a, depth + 1),
            Op::Logic(_, a, b) => self.compares_ids(a, depth + 1) && self.compares_ids(b, depth + 1),
            _ => false,
        }
    }

    fn value(&mut self, value: ValueId, at: Execution) {
        let op = self.kernel().op(value);
        let variance = match op {
            Op::Get(slot) => {
                let class = self.facts.slots[slot.position()];
                let in_memory =
                    matches!(class, StorageClass::InvocationArray { .. } | StorageClass::Spilled { shared: false, .. });
                if in_memory || self.facts.vector_slots[slot.position()] {
                    Variance::Varying
                } else {
                    Variance::Uniform
                }
            }
            _ => result_variance(op, |operand| self.variance(operand)),
        };
        self.facts.variance.record(value, variance);
        if self.plan.preconditions.outcome(value).is_some() {
            return;
        }
        match op {
            Op::Load { buffer, index, guard } => {
                let is_uniform = variance == Variance::Uniform;
                self.access(Access { buffer, index, guard, is_uniform }, at);
            }
            Op::Atomic { .. } => {
                self.plan.scalarized += 1;
                self.code_size += 60;
                self.add_cost(at.weight, 8, 20);
            }
            _ if variance != Variance::Varying => self.add_cost(at.weight, 1, 1),
            _ => {
                let words = u64::from(self.kernel().ty(value).words().max(1));
                let cost = op_cost(op, |operand| self.variance(operand));
                self.code_size += cost.simd;
                if cost.simd > 4 * cost.scalar {
                    self.plan.scalarized += 1;
                }
                self.add_cost(at.weight, cost.scalar * words, cost.simd * words);
            }
        }
    }

    fn access(&mut self, Access { buffer, index, guard, is_uniform }: Access, at: Execution) {
        let words = u64::from(element_type(self.kernel().buffers[buffer].element).words());
        let guard = guard.filter(|&guard| !self.assume(guard, true));
        let scalar = words + if guard.is_some() { 3 } else { 0 };
        if is_uniform && guard.is_none_or(|guard| self.is_uniform(guard)) {
            self.add_cost(at.weight, scalar, scalar);
        } else if self.variance(index) == Variance::Consecutive && !at.masked {
            let transpose = if words > 1 { 2 * words } else { 1 };
            let test = if guard.is_some() { 4 } else { 0 };
            self.code_size += 4 * transpose + if guard.is_some() { 50 + 10 * words } else { 0 };
            self.plan.group_tests += u32::from(guard.is_some());
            self.add_cost(at.weight, scalar, transpose + test);
        } else {
            self.plan.scalarized += 1;
            self.code_size += 50 + 10 * words;
            self.add_cost(at.weight, scalar, 4 * (scalar + words + 1));
        }
    }
}

/// A load or store.
struct Access {
    buffer: BufferId,
    index: ValueId,
    guard: Option<ValueId>,
    /// All invocations of a group access the same element with the same value.
    is_uniform: bool,
}
