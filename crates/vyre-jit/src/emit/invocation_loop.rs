//! Invocation loops: the code of a region.
//!
//! An outer loop visits the scanlines of the workgroup, an inner one the SIMD groups or invocations of a scanline. A region with
//! preconditions has both versions of the inner loop (loop versioning).

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, InstBuilder, types};
use vyre_kernel::{Key, Logic, Op, SlotId, Statement, ValueId};

use super::{Emitter, Invocation};
use crate::bound_check::BoundCheck;
use crate::plan::Region;
use crate::storage::StorageClass;
use crate::vectorize::{Assumption, SIMD_LANES, SimdPlan, VectorizationPlan};
use crate::work_estimate;

/// Maximum number of constants of a SIMD region that are kept in registers.
const MAX_REGISTER_CONSTANTS: usize = 8;

/// Maximum work of an iteration of an invocation loop that does not poll the cancellation flag.
const MAX_UNPOLLED_WORK: u64 = 128;

/// A scanline: the invocations of a workgroup that share y and z.
#[derive(Clone, Copy)]
struct Scanline {
    /// Index of its first invocation.
    first: ir::Value,
    y: ir::Value,
    z: ir::Value,
}

impl<'e> Emitter<'e, '_> {
    /// Emits a region.
    pub(super) fn region(&mut self, region: &'e Region) {
        let outer = (self.invocation, self.invocation_end);
        let [width, height, depth] = self.kernel.workgroup_size;
        let zero = self.builder.ins().iconst(types::I32, 0);
        if height == 1 && depth == 1 {
            self.scanline(region, Scanline { first: zero, y: zero, z: zero });
            (self.invocation, self.invocation_end) = outer;
            return;
        }
        let (header, body, after) =
            (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        let params = [(); 3].map(|()| self.builder.append_block_param(header, types::I32));
        self.builder.ins().jump(header, &[zero.into(); 3]);
        self.builder.switch_to_block(header);
        let [first, y, z] = params;
        let more = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, first, i64::from(self.invocations));
        self.builder.ins().brif(more, body, &[], after, &[]);
        self.builder.switch_to_block(body);
        self.builder.seal_block(body);
        self.scanline(region, Scanline { first, y, z });
        let next_first = self.builder.ins().iadd_imm_u(first, i64::from(width));
        // Carry from the second axis to the third.
        let next_y = self.builder.ins().iadd_imm_u(y, 1);
        let plane_done = self.builder.ins().icmp_imm_u(IntCC::Equal, next_y, i64::from(height));
        let next_y = self.builder.ins().select(plane_done, zero, next_y);
        let carry = self.builder.ins().uextend(types::I32, plane_done);
        let next_z = self.builder.ins().iadd(z, carry);
        self.builder.ins().jump(header, &[next_first.into(), next_y.into(), next_z.into()]);
        self.builder.seal_block(header);
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
        (self.invocation, self.invocation_end) = outer;
    }

    fn scanline(&mut self, region: &'e Region, scanline: Scanline) {
        match &region.vectorization {
            VectorizationPlan::Scalar(_) => self.scalar_scanline(region, scanline),
            VectorizationPlan::Simd(plan) if plan.preconditions.assumptions.is_empty() => {
                self.simd_scanline(region, plan, scanline);
            }
            VectorizationPlan::Simd(plan) => {
                let holds = self.test_preconditions(plan, scanline);
                let blocks = [(); 3].map(|()| self.builder.create_block());
                let [simd, scalar, after] = blocks;
                self.builder.ins().brif(holds, simd, &[], scalar, &[]);
                self.builder.switch_to_block(simd);
                self.builder.seal_block(simd);
                self.simd_scanline(region, plan, scanline);
                self.jump(after);
                self.builder.switch_to_block(scalar);
                self.builder.seal_block(scalar);
                self.scalar_scanline(region, scanline);
                self.jump(after);
                self.builder.switch_to_block(after);
                self.builder.seal_block(after);
            }
        }
    }

    /// Emits a loop over a scanline in steps of `step` invocations, unrolled by `unroll_factor`.
    fn scanline_loop(
        &mut self,
        scanline: Scanline,
        step: u32,
        unroll_factor: u32,
        mut body: impl FnMut(&mut Self, Block) -> bool,
    ) {
        let width = self.kernel.workgroup_size[0];
        let (inner, after) = (self.builder.create_block(), self.builder.create_block());
        // A scanline has at least one invocation, so the test stands at the end of the loop.
        let start = self.builder.append_block_param(inner, types::I64);
        let zero = self.builder.ins().iconst(types::I64, 0);
        self.builder.ins().jump(inner, &[zero.into()]);
        self.builder.switch_to_block(inner);
        for number in 0..unroll_factor {
            let x64 = self.builder.ins().iadd_imm_u(start, i64::from(number * step));
            let x = self.builder.ins().ireduce(types::I32, x64);
            let index = self.builder.ins().iadd(scanline.first, x);
            let next = self.builder.create_block();
            self.invocation = Invocation { index, ids: [x, scanline.y, scanline.z], x64 };
            self.invocation_end = next;
            if body(self, next) {
                self.jump(next);
            }
            self.builder.switch_to_block(next);
            self.builder.seal_block(next);
        }
        let next_start = self.builder.ins().iadd_imm_u(start, i64::from(step * unroll_factor));
        let more = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, next_start, i64::from(width));
        self.builder.ins().brif(more, inner, &[next_start.into()], after, &[]);
        self.builder.seal_block(inner);
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
    }

    fn scalar_scanline(&mut self, region: &'e Region, scanline: Scanline) {
        let needs_poll = self.needs_poll(region);
        self.scanline_loop(scanline, 1, 1, |emitter, next| {
            if needs_poll {
                emitter.poll_cancellation();
            }
            if emitter.plan.tracks_returns {
                emitter.skip_returned(next);
            }
            emitter.clear_invocation_slots(region, None);
            for &input in &region.inputs {
                emitter.load_input(input);
            }
            !emitter.statements(&region.statements)
        });
    }

    fn simd_scanline(&mut self, region: &'e Region, plan: &'e SimdPlan, scanline: Scanline) {
        self.simd_plan = Some(plan);
        self.loads_constants = self.count_constants(&region.statements) > MAX_REGISTER_CONSTANTS;
        let needs_poll = self.needs_poll(region);
        self.scanline_loop(scanline, SIMD_LANES, plan.unroll_factor, |emitter, _| {
            if needs_poll {
                emitter.poll_cancellation();
            }
            emitter.emitted_groups += 1;
            emitter.clear_invocation_slots(region, Some(plan));
            for &input in &region.inputs {
                emitter.load_simd_input(input);
            }
            !emitter.simd_statements(&region.statements, None)
        });
        self.simd_plan = None;
        self.loads_constants = false;
    }

    /// Reports whether each iteration of the invocation loop must poll the cancellation flag.
    fn needs_poll(&self, region: &Region) -> bool {
        let each =
            region.statements.iter().map(|&statement| work_estimate::of_statement(self.kernel, statement, &self.work));
        each.fold(0_u64, u64::saturating_add) > MAX_UNPOLLED_WORK
    }

    /// Number of uses of constants in statements.
    fn count_constants(&self, statements: &[Statement]) -> usize {
        let mut count = 0;
        let mut note = |operand: ValueId| count += usize::from(self.kernel.as_word(operand).is_some());
        for &statement in statements {
            statement.for_each_operand(&mut note);
            if let Statement::Let(value) = statement {
                self.kernel.op(value).for_each_operand(&mut note);
            }
        }
        let blocks = statements.iter().flat_map(|statement| statement.blocks());
        let inner: usize = blocks.map(|block| self.count_constants(&self.kernel.blocks[block].statements)).sum();
        count + inner
    }

    /// Clears the slots of an invocation or SIMD group, whose registers hold values of the one before.
    fn clear_invocation_slots(&mut self, region: &Region, plan: Option<&SimdPlan>) {
        let mut slots = Vec::new();
        self.add_slots_set(&region.statements, &mut slots);
        slots.sort_unstable();
        slots.dedup();
        for slot in slots {
            let holds_vector = match (self.plan.slots[slot.position()], plan) {
                (StorageClass::InvocationRegister | StorageClass::Spilled { shared: false, .. }, None) => false,
                (StorageClass::InvocationRegister, Some(plan)) => plan.vector_slots.contains(&slot),
                (StorageClass::Spilled { shared: false, .. }, Some(_)) => true,
                _ => continue,
            };
            if holds_vector {
                self.clear_vector_slot(slot);
            } else {
                self.clear_slot(slot);
            }
        }
    }

    /// Adds the slots that statements set.
    fn add_slots_set(&self, statements: &[Statement], slots: &mut Vec<SlotId>) {
        for &statement in statements {
            if let Statement::Set { slot, value: _ } = statement {
                slots.push(slot);
            }
            for block in statement.blocks() {
                self.add_slots_set(&self.kernel.blocks[block].statements, slots);
            }
        }
    }

    /// Tests the preconditions of a scanline, from its first invocation and its length.
    fn test_preconditions(&mut self, plan: &SimdPlan, scanline: Scanline) -> ir::Value {
        let zero = self.builder.ins().iconst(types::I32, 0);
        let x64 = self.builder.ins().iconst(types::I64, 0);
        self.invocation = Invocation { index: scanline.first, ids: [zero, scanline.y, scanline.z], x64 };
        for &value in &plan.preconditions.test_values {
            let result = self.result(self.kernel.op(value));
            self.words[value.position()] = result;
        }
        let mut all = None;
        for &Assumption { cond, outcome } in &plan.preconditions.assumptions {
            let holds = self.test_condition(cond, outcome);
            all = Some(match all {
                None => holds,
                Some(others) => self.builder.ins().band(others, holds),
            });
        }
        all.unwrap_or_else(|| self.builder.ins().iconst(types::I8, 1))
    }

    /// Tests that a condition has an outcome in the whole scanline.
    fn test_condition(&mut self, cond: ValueId, outcome: bool) -> ir::Value {
        match self.kernel.op(cond) {
            Op::Logic(Logic::And | Logic::Or, a, b) => {
                let (a, b) = (self.test_condition(a, outcome), self.test_condition(b, outcome));
                self.builder.ins().band(a, b)
            }
            Op::Not(a) => self.test_condition(a, !outcome),
            op => match BoundCheck::of(op, outcome) {
                Some(BoundCheck { low, high, or_equal }) => {
                    let (low, high) = (self.operand(low)[0], self.operand(high)[0]);
                    self.all_below(low, self.kernel.workgroup_size[0], high, or_equal)
                }
                None => self.builder.ins().iconst(types::I8, 0),
            },
        }
    }

    /// Tests that `count` consecutive numbers from `first` are below a bound, without overflow of 32 bits.
    pub(super) fn all_below(&mut self, first: ir::Value, count: u32, bound: ir::Value, or_equal: bool) -> ir::Value {
        let first = self.builder.ins().uextend(types::I64, first);
        let last = self.builder.ins().iadd_imm_u(first, i64::from(count - 1));
        let bound = self.builder.ins().uextend(types::I64, bound);
        let condition = if or_equal { IntCC::UnsignedLessThanOrEqual } else { IntCC::UnsignedLessThan };
        self.builder.ins().icmp(condition, last, bound)
    }
}
