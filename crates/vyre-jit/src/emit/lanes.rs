//! Rows and lanes: how a thread goes through a region.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, InstBuilder, types};
use vyre_kernel::{Key, Logic, Op, SlotId, Statement, ValueId};

use super::{Emitter, Lane};
use crate::plan::{Place, Region};
use crate::vector::{Edge, Groups, LANES, Manner};
use crate::work;

/// A row of lanes, along the first axis.
#[derive(Clone, Copy)]
struct Row {
    /// The number of its first lane.
    first: ir::Value,
    y: ir::Value,
    z: ir::Value,
}

impl<'e> Emitter<'e, '_> {
    /// What lanes do between two meetings.
    pub(super) fn region(&mut self, region: &'e Region) {
        let outer = (self.lane, self.lane_end);
        let [width, height, depth] = self.kernel.workgroup_size;
        let zero = self.builder.ins().iconst(types::I32, 0);
        if height == 1 && depth == 1 {
            self.row(region, Row { first: zero, y: zero, z: zero });
            (self.lane, self.lane_end) = outer;
            return;
        }
        let (header, body, after) =
            (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        let params = [(); 3].map(|()| self.builder.append_block_param(header, types::I32));
        self.builder.ins().jump(header, &[zero.into(); 3]);
        self.builder.switch_to_block(header);
        let [first, y, z] = params;
        let more = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, first, i64::from(self.lanes));
        self.builder.ins().brif(more, body, &[], after, &[]);
        self.builder.switch_to_block(body);
        self.builder.seal_block(body);
        self.row(region, Row { first, y, z });
        let next_first = self.builder.ins().iadd_imm_u(first, i64::from(width));
        // The last axis goes on where the second one is through.
        let next_y = self.builder.ins().iadd_imm_u(y, 1);
        let plane_done = self.builder.ins().icmp_imm_u(IntCC::Equal, next_y, i64::from(height));
        let next_y = self.builder.ins().select(plane_done, zero, next_y);
        let carry = self.builder.ins().uextend(types::I32, plane_done);
        let next_z = self.builder.ins().iadd(z, carry);
        self.builder.ins().jump(header, &[next_first.into(), next_y.into(), next_z.into()]);
        self.builder.seal_block(header);
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
        (self.lane, self.lane_end) = outer;
    }

    fn row(&mut self, region: &'e Region, row: Row) {
        match &region.manner {
            Manner::Single(_) => self.row_of_lanes(region, row),
            Manner::Groups(groups) if groups.tests.is_empty() => self.row_of_groups(region, groups, row),
            Manner::Groups(groups) => {
                let fits = self.test_row(groups, row);
                let blocks = [(); 3].map(|()| self.builder.create_block());
                let [in_groups, one_by_one, after] = blocks;
                self.builder.ins().brif(fits, in_groups, &[], one_by_one, &[]);
                self.builder.switch_to_block(in_groups);
                self.builder.seal_block(in_groups);
                self.row_of_groups(region, groups, row);
                self.jump(after);
                self.builder.switch_to_block(one_by_one);
                self.builder.seal_block(one_by_one);
                self.row_of_lanes(region, row);
                self.jump(after);
                self.builder.switch_to_block(after);
                self.builder.seal_block(after);
            }
        }
    }

    /// A loop over the lanes of a row, `step` at a time, with so many steps in a round.
    fn along(&mut self, row: Row, step: u32, steps: u32, mut body: impl FnMut(&mut Self, Block) -> bool) {
        let width = self.kernel.workgroup_size[0];
        let (inner, after) = (self.builder.create_block(), self.builder.create_block());
        // A row has a lane, so the loop ends where it is tested.
        let start = self.builder.append_block_param(inner, types::I64);
        let zero = self.builder.ins().iconst(types::I64, 0);
        self.builder.ins().jump(inner, &[zero.into()]);
        self.builder.switch_to_block(inner);
        for number in 0..steps {
            let wide_x = self.builder.ins().iadd_imm_u(start, i64::from(number * step));
            let x = self.builder.ins().ireduce(types::I32, wide_x);
            let index = self.builder.ins().iadd(row.first, x);
            let next = self.builder.create_block();
            self.lane = Lane { index, ids: [x, row.y, row.z], wide_x };
            self.lane_end = next;
            if body(self, next) {
                self.jump(next);
            }
            self.builder.switch_to_block(next);
            self.builder.seal_block(next);
        }
        let next_start = self.builder.ins().iadd_imm_u(start, i64::from(step * steps));
        let more = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, next_start, i64::from(width));
        self.builder.ins().brif(more, inner, &[next_start.into()], after, &[]);
        self.builder.seal_block(inner);
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
    }

    fn row_of_lanes(&mut self, region: &'e Region, row: Row) {
        let is_long = self.is_long(region);
        self.along(row, 1, 1, |emitter, next| {
            if is_long {
                emitter.check_cancelled();
            }
            if emitter.plan.tracks_returns {
                emitter.skip_returned(next);
            }
            emitter.clear_lane_slots(region, None);
            for &input in &region.inputs {
                emitter.load_input(input);
            }
            !emitter.statements(&region.statements)
        });
    }

    fn row_of_groups(&mut self, region: &'e Region, groups: &'e Groups, row: Row) {
        const MOST_CONSTANTS: usize = 8;
        self.groups = Some(groups);
        self.loads_constants = self.count_constants(&region.statements) > MOST_CONSTANTS;
        let is_long = self.is_long(region);
        self.along(row, LANES, groups.at_once, |emitter, _| {
            if is_long {
                emitter.check_cancelled();
            }
            emitter.group_number += 1;
            emitter.clear_lane_slots(region, Some(groups));
            for &input in &region.inputs {
                emitter.load_wide_input(input);
            }
            !emitter.wide_statements(&region.statements, None)
        });
        self.groups = None;
        self.loads_constants = false;
    }

    /// Whether a lane has so much to do that somebody looks at each whether the run is to end.
    fn is_long(&self, region: &Region) -> bool {
        const LONG: u64 = 128;
        let each = region.statements.iter().map(|&statement| work::of_statement(self.kernel, statement, &self.work));
        each.fold(0_u64, u64::saturating_add) > LONG
    }

    /// How many constants statements use, one that is used twice counted twice.
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

    /// Slots of a lane that are in registers start as zero, whatever the lane before has put into them.
    fn clear_lane_slots(&mut self, region: &Region, groups: Option<&Groups>) {
        let mut slots = Vec::new();
        self.slots_set(&region.statements, &mut slots);
        slots.sort_unstable();
        slots.dedup();
        for slot in slots {
            let holds_vector = match (self.plan.slots[slot.position()], groups) {
                (Place::Lane | Place::Memory { shared: false, .. }, None) => false,
                (Place::Lane, Some(groups)) => groups.vector_slots.contains(&slot),
                (Place::Memory { shared: false, .. }, Some(_)) => true,
                _ => continue,
            };
            if holds_vector {
                self.clear_vector_slot(slot);
            } else {
                self.clear_slot(slot);
            }
        }
    }

    fn slots_set(&self, statements: &[Statement], slots: &mut Vec<SlotId>) {
        for &statement in statements {
            if let Statement::Set { slot, value: _ } = statement {
                slots.push(slot);
            }
            for block in statement.blocks() {
                self.slots_set(&self.kernel.blocks[block].statements, slots);
            }
        }
    }

    /// Whether everything that is expected of a row holds, as its first lane and its length tell.
    fn test_row(&mut self, groups: &Groups, row: Row) -> ir::Value {
        let zero = self.builder.ins().iconst(types::I32, 0);
        let wide_x = self.builder.ins().iconst(types::I64, 0);
        self.lane = Lane { index: row.first, ids: [zero, row.y, row.z], wide_x };
        for &value in &groups.test_values {
            let result = self.result(self.kernel.op(value));
            self.words[value.position()] = result;
        }
        let mut all = None;
        for &(cond, expected) in &groups.tests {
            let holds = self.test_condition(cond, expected);
            all = Some(match all {
                None => holds,
                Some(others) => self.builder.ins().band(others, holds),
            });
        }
        all.unwrap_or_else(|| self.builder.ins().iconst(types::I8, 1))
    }

    fn test_condition(&mut self, cond: ValueId, expected: bool) -> ir::Value {
        match self.kernel.op(cond) {
            Op::Logic(Logic::And | Logic::Or, a, b) => {
                let (a, b) = (self.test_condition(a, expected), self.test_condition(b, expected));
                self.builder.ins().band(a, b)
            }
            Op::Not(a) => self.test_condition(a, !expected),
            op => match Edge::of(op, expected) {
                Some(Edge { low, high, or_equal }) => {
                    let (low, high) = (self.operand(low)[0], self.operand(high)[0]);
                    self.all_below(low, self.kernel.workgroup_size[0], high, or_equal)
                }
                None => self.builder.ins().iconst(types::I8, 0),
            },
        }
    }

    /// Whether `first` and the numbers after it, `count` in all, are below a bound, none of them beyond 32 bits.
    pub(super) fn all_below(&mut self, first: ir::Value, count: u32, bound: ir::Value, or_equal: bool) -> ir::Value {
        let first = self.builder.ins().uextend(types::I64, first);
        let last = self.builder.ins().iadd_imm_u(first, i64::from(count - 1));
        let bound = self.builder.ins().uextend(types::I64, bound);
        let condition = if or_equal { IntCC::UnsignedLessThanOrEqual } else { IntCC::UnsignedLessThan };
        self.builder.ins().icmp(condition, last, bound)
    }
}
