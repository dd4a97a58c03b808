//! Control flow of SIMD groups: uniform branches, masks, and conditions of a whole group.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder};
use vyre_kernel::{BlockId, Key, Logic, Op, Statement, ValueId};

use super::Emitter;
use super::loops::{LoopBounds, LoopHeader};
use super::simd_access::Store;
use crate::bound_check::BoundCheck;
use crate::vectorize::{MAX_CONDITION_DEPTH, SIMD_LANES, Variance};

impl<'e> Emitter<'e, '_> {
    /// Emits statements of a SIMD group, or of its lanes in the mask. Returns true if the last one leaves the block. Blocks
    /// nest to a fixed depth.
    pub(super) fn simd_statements(&mut self, statements: &'e [Statement], mask: Option<ir::Value>) -> bool {
        let kernel = self.kernel;
        for &statement in statements {
            match statement {
                Statement::Let(value) => self.simd_compute(value, mask),
                Statement::Set { slot, value } => self.simd_set(slot, value, mask),
                Statement::Store { buffer, index, value, guard } => {
                    self.simd_store(Store { buffer, index, value, guard }, mask);
                }
                Statement::If { cond, then, otherwise } => match self.known_outcome(cond) {
                    Some(holds) => {
                        let taken = if holds { then } else { otherwise };
                        if self.simd_statements(&kernel.blocks[taken].statements, mask) {
                            return true;
                        }
                    }
                    None => self.simd_branch(cond, then, otherwise, mask),
                },
                Statement::Loop { variable, from, to, body } => {
                    let is_uniform = |emitter: &Self, value| emitter.variance(value) == Variance::Uniform;
                    let plan = self.plan_loop(LoopHeader { variable, from, to, body }, is_uniform);
                    let bounds = LoopBounds { from: self.operand(from)[0], to: self.operand(to)[0] };
                    self.counted_loop(variable, bounds, &plan, &mut |emitter| {
                        !emitter.simd_statements(&kernel.blocks[body].statements, mask)
                    });
                }
                Statement::Block { body } => {
                    self.breakable_block(|emitter| !emitter.simd_statements(&kernel.blocks[body].statements, mask));
                }
                Statement::Break => {
                    if let Some(&exit) = self.exits.last() {
                        self.jump(exit);
                    }
                    return true;
                }
                // All lanes of the group return together.
                Statement::Return => {
                    let end = self.invocation_end;
                    self.jump(end);
                    return true;
                }
                Statement::Barrier => {}
            }
        }
        false
    }

    /// Outcome of a condition that a scanline or loop test established.
    pub(super) fn known_outcome(&self, cond: ValueId) -> Option<bool> {
        if self.holds_in_loop(cond) {
            return Some(true);
        }
        self.simd_plan.and_then(|plan| plan.preconditions.outcome(cond))
    }

    /// Emits a branch: once for the group if the condition is uniform, under masks if the group diverges (if-conversion).
    fn simd_branch(&mut self, cond: ValueId, then: BlockId, otherwise: BlockId, mask: Option<ir::Value>) {
        let kernel = self.kernel;
        let (then, otherwise) = (&kernel.blocks[then].statements[..], &kernel.blocks[otherwise].statements[..]);
        let after = self.builder.create_block();
        if self.variance(cond) == Variance::Uniform {
            let cond = self.operand(cond)[0];
            let blocks = [(); 2].map(|()| self.builder.create_block());
            self.builder.ins().brif(cond, blocks[0], &[], blocks[1], &[]);
            for (block, statements) in blocks.into_iter().zip([then, otherwise]) {
                self.simd_block(block, statements, mask, after);
            }
        } else if let Some(mask) = mask {
            let holds = self.vector(cond)[0];
            let opposite = self.builder.ins().bnot(holds);
            for (chosen, statements) in [(holds, then), (opposite, otherwise)] {
                let chosen = self.builder.ins().band(mask, chosen);
                self.masked_block(chosen, statements);
            }
            self.jump(after);
        } else {
            let blocks = [(); 4].map(|()| self.builder.create_block());
            let [all, not_all, some, none] = blocks;
            self.builder.set_cold_block(some);
            let in_all = self.holds_in_all_lanes(cond, 0);
            self.builder.ins().brif(in_all, all, &[], not_all, &[]);
            self.builder.switch_to_block(not_all);
            self.builder.seal_block(not_all);
            let in_none = self.holds_in_no_lane(cond);
            self.builder.ins().brif(in_none, none, &[], some, &[]);
            self.simd_block(all, then, None, after);
            self.simd_block(none, otherwise, None, after);
            self.builder.switch_to_block(some);
            self.builder.seal_block(some);
            let holds = self.vector(cond)[0];
            let opposite = self.builder.ins().bnot(holds);
            for (chosen, statements) in [(holds, then), (opposite, otherwise)] {
                self.masked_block(chosen, statements);
            }
            self.jump(after);
        }
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
    }

    fn simd_block(&mut self, block: ir::Block, statements: &'e [Statement], mask: Option<ir::Value>, after: ir::Block) {
        self.builder.switch_to_block(block);
        self.builder.seal_block(block);
        if !self.simd_statements(statements, mask) {
            self.jump(after);
        }
    }

    /// Emits statements of the lanes in a mask. They are skipped if no lane is active, because operations on uniform values
    /// need at least one active lane.
    fn masked_block(&mut self, mask: ir::Value, statements: &'e [Statement]) {
        if statements.is_empty() {
            return;
        }
        let (body, after) = (self.builder.create_block(), self.builder.create_block());
        let any = self.builder.ins().vany_true(mask);
        self.builder.ins().brif(any, body, &[], after, &[]);
        self.simd_block(body, statements, Some(mask), after);
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
    }

    /// Tests that a condition holds in all lanes of the group. The test may fail where a consecutive value overflows.
    pub(super) fn holds_in_all_lanes(&mut self, cond: ValueId, depth: u32) -> ir::Value {
        if self.variance(cond) == Variance::Uniform {
            return self.operand(cond)[0];
        }
        let op = self.kernel.op(cond);
        // The operands of a condition from another region are not available.
        let is_computed_here = self.computed_in_group[cond.position()] == self.emitted_groups;
        if let Op::Logic(Logic::And, a, b) = op
            && depth < MAX_CONDITION_DEPTH
            && is_computed_here
        {
            let (a, b) = (self.holds_in_all_lanes(a, depth + 1), self.holds_in_all_lanes(b, depth + 1));
            return self.builder.ins().band(a, b);
        }
        if is_computed_here
            && let Some(all) = BoundCheck::of(op, true).and_then(|check| self.bound_holds_in_all_lanes(check))
        {
            return all;
        }
        let holds = self.vector(cond)[0];
        self.builder.ins().vall_true(holds)
    }

    /// Tests that a condition holds in no lane of the group. The test may fail where a consecutive value overflows.
    fn holds_in_no_lane(&mut self, cond: ValueId) -> ir::Value {
        let is_computed_here = self.computed_in_group[cond.position()] == self.emitted_groups;
        let check = BoundCheck::of(self.kernel.op(cond), false);
        if is_computed_here && let Some(all) = check.and_then(|check| self.bound_holds_in_all_lanes(check)) {
            return all;
        }
        let holds = self.vector(cond)[0];
        let any = self.builder.ins().vany_true(holds);
        self.builder.ins().bxor_imm_u(any, 1)
    }

    /// Tests that a bound check of a consecutive against a uniform value holds in all lanes.
    fn bound_holds_in_all_lanes(&mut self, BoundCheck { low, high, or_equal }: BoundCheck) -> Option<ir::Value> {
        match (self.variance(low), self.variance(high)) {
            (Variance::Consecutive, Variance::Uniform) => {
                let (low, high) = (self.first_of(low), self.operand(high)[0]);
                Some(self.all_below(low, SIMD_LANES, high, or_equal))
            }
            (Variance::Uniform, Variance::Consecutive) => {
                let never_overflows = matches!(self.kernel.op(high), Op::Id(..));
                let (low, high) = (self.operand(low)[0], self.first_of(high));
                let condition = if or_equal { IntCC::UnsignedLessThanOrEqual } else { IntCC::UnsignedLessThan };
                let first = self.builder.ins().icmp(condition, low, high);
                if never_overflows {
                    return Some(first);
                }
                let last_start = i64::from(u32::MAX - (SIMD_LANES - 1));
                let has_no_overflow = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, high, last_start);
                Some(self.builder.ins().band(first, has_no_overflow))
            }
            _ => None,
        }
    }
}
