//! Statements that a group of lanes goes through together.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};
use vyre_kernel::{BlockId, BufferId, Key, Logic, Op, SlotId, Statement, ValueId, element_type};

use super::{Emitter, Lane, Words};
use crate::plan::{Place, words};
use crate::vector::{Edge, Kind, LANES, MOST_TEST_DEPTH, leaf_kind, result_kind};

/// A value of a group whose lanes do not have the same.
#[derive(Clone, Copy)]
pub(super) enum Wide {
    /// What the first lane has; each lane has one more than the one before.
    Stride(ir::Value),
    /// A vector for each word; lanes of truth values are all ones or zero.
    Lanes(Words),
}

impl<'e> Emitter<'e, '_> {
    /// Emits statements of a group, or of those of its lanes that are in the mask; tells whether the last one leaves the
    /// block. Blocks nest to a fixed depth.
    pub(super) fn wide_statements(&mut self, statements: &'e [Statement], mask: Option<ir::Value>) -> bool {
        let kernel = self.kernel;
        for &statement in statements {
            match statement {
                Statement::Let(value) => self.wide_compute(value, mask),
                Statement::Set { slot, value } => self.wide_set(slot, value, mask),
                Statement::Store { buffer, index, value, guard } => {
                    self.wide_store((buffer, index, value, guard), mask);
                }
                Statement::If { cond, then, otherwise } => match self.expected(cond) {
                    Some(holds) => {
                        let taken = if holds { then } else { otherwise };
                        if self.wide_statements(&kernel.blocks[taken].statements, mask) {
                            return true;
                        }
                    }
                    None => self.wide_branch(cond, then, otherwise, mask),
                },
                Statement::Loop { variable, from, to, body } => {
                    let is_word = |emitter: &Self, value| emitter.kind(value) == Kind::Uniform;
                    let rounds = self.rounds((variable, from, to), body, is_word);
                    let bounds = (self.operand(from)[0], self.operand(to)[0]);
                    self.counted_loop(variable, bounds, &rounds, &mut |emitter| {
                        !emitter.wide_statements(&kernel.blocks[body].statements, mask)
                    });
                }
                Statement::Block { body } => {
                    self.once(|emitter| !emitter.wide_statements(&kernel.blocks[body].statements, mask));
                }
                Statement::Break => {
                    if let Some(&exit) = self.exits.last() {
                        self.jump(exit);
                    }
                    return true;
                }
                // All lanes of the group return.
                Statement::Return => {
                    let end = self.lane_end;
                    self.jump(end);
                    return true;
                }
                Statement::Barrier => {}
            }
        }
        false
    }

    fn expected(&self, cond: ValueId) -> Option<bool> {
        if self.holds_in_loop(cond) {
            return Some(true);
        }
        self.groups.and_then(|groups| groups.expected.get(&cond).copied())
    }

    fn wide_branch(&mut self, cond: ValueId, then: BlockId, otherwise: BlockId, mask: Option<ir::Value>) {
        let kernel = self.kernel;
        let (then, otherwise) = (&kernel.blocks[then].statements[..], &kernel.blocks[otherwise].statements[..]);
        let after = self.builder.create_block();
        if self.kind(cond) == Kind::Uniform {
            let cond = self.operand(cond)[0];
            let blocks = [(); 2].map(|()| self.builder.create_block());
            self.builder.ins().brif(cond, blocks[0], &[], blocks[1], &[]);
            for (block, statements) in blocks.into_iter().zip([then, otherwise]) {
                self.wide_block(block, statements, mask, after);
            }
        } else if let Some(mask) = mask {
            let holds = self.vector(cond)[0];
            let opposite = self.builder.ins().bnot(holds);
            for (chosen, statements) in [(holds, then), (opposite, otherwise)] {
                let chosen = self.builder.ins().band(mask, chosen);
                self.wide_part(chosen, statements);
            }
            self.jump(after);
        } else {
            let blocks = [(); 4].map(|()| self.builder.create_block());
            let [all, not_all, some, none] = blocks;
            self.builder.set_cold_block(some);
            let in_all = self.holds_in_group(cond, 0);
            self.builder.ins().brif(in_all, all, &[], not_all, &[]);
            self.builder.switch_to_block(not_all);
            self.builder.seal_block(not_all);
            let in_none = self.fails_in_group(cond);
            self.builder.ins().brif(in_none, none, &[], some, &[]);
            self.wide_block(all, then, None, after);
            self.wide_block(none, otherwise, None, after);
            self.builder.switch_to_block(some);
            self.builder.seal_block(some);
            let holds = self.vector(cond)[0];
            let opposite = self.builder.ins().bnot(holds);
            for (chosen, statements) in [(holds, then), (opposite, otherwise)] {
                self.wide_part(chosen, statements);
            }
            self.jump(after);
        }
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
    }

    fn wide_block(&mut self, block: ir::Block, statements: &'e [Statement], mask: Option<ir::Value>, after: ir::Block) {
        self.builder.switch_to_block(block);
        self.builder.seal_block(block);
        if !self.wide_statements(statements, mask) {
            self.jump(after);
        }
    }

    /// Statements that some lanes run, if any does: what is done once for all of them must be done by one of them.
    fn wide_part(&mut self, mask: ir::Value, statements: &'e [Statement]) {
        if statements.is_empty() {
            return;
        }
        let (part, after) = (self.builder.create_block(), self.builder.create_block());
        let any = self.builder.ins().vany_true(mask);
        self.builder.ins().brif(any, part, &[], after, &[]);
        self.wide_block(part, statements, Some(mask), after);
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
    }

    pub(super) fn kind(&self, value: ValueId) -> Kind {
        let op = self.kernel.op(value);
        match self.wide[value.position()] {
            _ if op.is_leaf() => leaf_kind(op),
            None => Kind::Uniform,
            Some(Wide::Stride(_)) => Kind::Stride,
            Some(Wide::Lanes(_)) => Kind::Lanes,
        }
    }

    /// The vectors of a value.
    pub(super) fn vector(&mut self, value: ValueId) -> Words {
        match (self.kind(value), self.wide[value.position()]) {
            (Kind::Lanes, Some(Wide::Lanes(words))) => words,
            (Kind::Stride, wide) => {
                let first = match wide {
                    Some(Wide::Stride(first)) => first,
                    _ => self.operand(value)[0],
                };
                let first = self.builder.ins().splat(types::I32X4, first);
                let steps = self.constant_lanes([0, 1, 2, 3]);
                [self.builder.ins().iadd(first, steps); 4]
            }
            _ => {
                if let Some(word) = self.kernel.as_word(value) {
                    return [self.constant(word); 4];
                }
                let scalars = self.operand(value);
                self.spread(scalars, words(self.kernel.ty(value)) as usize)
            }
        }
    }

    /// The same words in all lanes.
    fn spread(&mut self, scalars: Words, count: usize) -> Words {
        let first = self.spread_word(scalars[0]);
        let mut vectors = [first; 4];
        for at in 1..count {
            vectors[at] = self.spread_word(scalars[at]);
        }
        vectors
    }

    fn spread_word(&mut self, scalar: ir::Value) -> ir::Value {
        if self.builder.func.dfg.value_type(scalar) == types::I8 {
            let word = self.builder.ins().uextend(types::I32, scalar);
            let ones = self.builder.ins().ineg(word);
            return self.builder.ins().splat(types::I32X4, ones);
        }
        self.builder.ins().splat(types::I32X4, scalar)
    }

    /// The words that one lane of the group has.
    fn words_of_lane(&mut self, value: ValueId, lane: u32) -> Words {
        match self.wide[value.position()] {
            None => self.operand(value),
            Some(Wide::Stride(first)) => [self.builder.ins().iadd_imm_u(first, i64::from(lane)); 4],
            Some(Wide::Lanes(vectors)) => {
                let ty = self.kernel.ty(value);
                let mut scalars = [self.word_of_vector(vectors[0], lane, super::word_type(ty) == types::I8); 4];
                for at in 1..words(ty) as usize {
                    scalars[at] = self.word_of_vector(vectors[at], lane, false);
                }
                scalars
            }
        }
    }

    fn word_of_vector(&mut self, vector: ir::Value, lane: u32, is_truth: bool) -> ir::Value {
        // Two halves are taken out of the vector rather than four words.
        let flags = ir::MemFlagsData::new().with_endianness(ir::Endianness::Little);
        let halves = self.builder.ins().bitcast(types::I64X2, flags, vector);
        let half = self.builder.ins().extractlane(halves, (lane / 2) as u8);
        let half = if lane.is_multiple_of(2) { half } else { self.builder.ins().ushr_imm_u(half, 32) };
        let word = self.builder.ins().ireduce(types::I32, half);
        if !is_truth {
            return word;
        }
        let bit = self.builder.ins().band_imm_u(word, 1);
        self.builder.ins().ireduce(types::I8, bit)
    }

    /// Does something for each lane of the group that is in the mask, one after the other.
    fn lane_by_lane(
        &mut self,
        operands: &[ValueId],
        mask: Option<ir::Value>,
        mut action: impl FnMut(&mut Self) -> Option<Words>,
    ) -> [Option<Words>; LANES as usize] {
        let group = self.lane;
        let mut results = [None; LANES as usize];
        for (number, result) in (0..LANES).zip(&mut results) {
            let index = self.builder.ins().iadd_imm_u(group.index, i64::from(number));
            let x = self.builder.ins().iadd_imm_u(group.ids[0], i64::from(number));
            let wide_x = self.builder.ins().iadd_imm_u(group.wide_x, i64::from(number));
            for &operand in operands {
                if !self.kernel.op(operand).is_leaf() {
                    let scalars = self.words_of_lane(operand, number);
                    self.words[operand.position()] = Some(scalars);
                }
            }
            self.lane_mask = mask.map(|mask| self.word_of_vector(mask, number, true));
            self.lane = Lane { index, ids: [x, group.ids[1], group.ids[2]], wide_x };
            *result = action(self);
            self.lane = group;
        }
        self.lane_mask = None;
        results
    }

    /// An operation that has to be done for one lane at a time.
    fn op_lane_by_lane(&mut self, op: Op, count: usize, mask: Option<ir::Value>) -> Words {
        let mut operands = Vec::new();
        op.for_each_operand(|operand| operands.push(operand));
        let results = self.lane_by_lane(&operands, mask, |emitter| emitter.result(op));
        let zero = self.builder.ins().iconst(types::I32, 0);
        let results = results.map(|words| words.unwrap_or([zero; 4]));
        let mut vectors = [zero; 4];
        for at in 0..4 {
            if at >= count {
                vectors[at] = vectors[0];
                continue;
            }
            let mut vector = self.builder.ins().splat(types::I32X4, results[0][at]);
            for (number, words) in results.iter().enumerate().skip(1) {
                vector = self.builder.ins().insertlane(vector, words[at], number as u8);
            }
            vectors[at] = vector;
        }
        vectors
    }

    fn wide_compute(&mut self, value: ValueId, mask: Option<ir::Value>) {
        let op = self.kernel.op(value);
        self.wide[value.position()] = None;
        self.computed_in[value.position()] = self.group_number;
        if let Some(holds) = self.expected(value) {
            self.words[value.position()] = Some([self.builder.ins().iconst(types::I8, i64::from(holds)); 4]);
        } else if let Op::Get(slot) = op {
            self.wide_get(slot, value);
        } else {
            match result_kind(op, |operand| self.kind(operand)) {
                // Some lane takes part, so this is done for one that does.
                Kind::Uniform => self.words[value.position()] = self.result(op),
                Kind::Stride => {
                    let (Op::Binary(binary, a, b), group) = (op, self.lane) else { return };
                    let (a, b) = (self.first_of(a), self.first_of(b));
                    let first = self.binary(binary, a, b);
                    self.lane = group;
                    self.wide[value.position()] = Some(Wide::Stride(first));
                }
                Kind::Lanes => {
                    let vectors = self.wide_result(op, mask);
                    self.wide[value.position()] = Some(Wide::Lanes(vectors));
                }
            }
        }
        if let Some(offset) = self.array_of(value) {
            let ty = self.kernel.ty(value);
            let vectors = self.vector(value);
            self.keep_vectors(offset, ty, vectors);
        }
    }

    /// What the first lane of the group has.
    fn first_of(&mut self, value: ValueId) -> ir::Value {
        match self.wide[value.position()] {
            Some(Wide::Stride(first)) => first,
            _ => self.operand(value)[0],
        }
    }

    fn wide_result(&mut self, op: Op, mask: Option<ir::Value>) -> Words {
        match op {
            Op::Load { buffer, index, guard } => self.wide_load((buffer, index, guard), mask),
            Op::Atomic { .. } => self.op_lane_by_lane(op, 1, mask),
            _ => match self.vector_result(op) {
                Some(vectors) => vectors,
                None => self.op_lane_by_lane(op, 1, mask),
            },
        }
    }

    /// The guard of an access, unless it is known to hold.
    fn open_guard(&self, guard: Option<ValueId>) -> Option<ValueId> {
        guard.filter(|&guard| self.expected(guard) != Some(true))
    }

    fn wide_load(
        &mut self,
        (buffer, index, guard): (BufferId, ValueId, Option<ValueId>),
        mask: Option<ir::Value>,
    ) -> Words {
        let guard = self.open_guard(guard);
        let op = Op::Load { buffer, index, guard };
        let count = words(element_type(self.kernel.buffers[buffer].element)) as usize;
        if mask.is_some() || self.kind(index) != Kind::Stride {
            return self.op_lane_by_lane(op, count, mask);
        }
        let Some(guard) = guard else { return self.load_neighbours(buffer, index) };
        let (together, single, after) =
            (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(single);
        // Words that the element does not have would cost registers.
        let first = self.builder.append_block_param(after, types::I32X4);
        let mut params = [first; 4];
        params[1..count].fill_with(|| self.builder.append_block_param(after, types::I32X4));
        let fits = self.holds_in_group(guard, 0);
        self.builder.ins().brif(fits, together, &[], single, &[]);
        for (block, is_together) in [(together, true), (single, false)] {
            self.builder.switch_to_block(block);
            self.builder.seal_block(block);
            let vectors =
                if is_together { self.load_neighbours(buffer, index) } else { self.op_lane_by_lane(op, count, None) };
            let arguments = vectors.map(ir::BlockArg::from);
            self.builder.ins().jump(after, &arguments[..count]);
        }
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
        params
    }

    fn wide_store(
        &mut self,
        (buffer, index, value, guard): (BufferId, ValueId, ValueId, Option<ValueId>),
        mask: Option<ir::Value>,
    ) {
        let guard = self.open_guard(guard);
        let is_uniform = |emitter: &Self, value: ValueId| emitter.kind(value) == Kind::Uniform;
        if is_uniform(self, index) && is_uniform(self, value) && guard.is_none_or(|guard| is_uniform(self, guard)) {
            self.store(buffer, index, value, guard);
        } else if mask.is_some() || self.kind(index) != Kind::Stride {
            self.store_lane_by_lane((buffer, index, value, guard), mask);
        } else if let Some(guard) = guard {
            let (together, single, after) =
                (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
            self.builder.set_cold_block(single);
            let fits = self.holds_in_group(guard, 0);
            self.builder.ins().brif(fits, together, &[], single, &[]);
            self.builder.switch_to_block(together);
            self.builder.seal_block(together);
            self.store_neighbours(buffer, index, value);
            self.jump(after);
            self.builder.switch_to_block(single);
            self.builder.seal_block(single);
            self.store_lane_by_lane((buffer, index, value, Some(guard)), None);
            self.jump(after);
            self.builder.switch_to_block(after);
            self.builder.seal_block(after);
        } else {
            self.store_neighbours(buffer, index, value);
        }
    }

    fn store_lane_by_lane(
        &mut self,
        (buffer, index, value, guard): (BufferId, ValueId, ValueId, Option<ValueId>),
        mask: Option<ir::Value>,
    ) {
        let operands: Vec<ValueId> = [index, value].into_iter().chain(guard).collect();
        self.lane_by_lane(&operands, mask, |emitter| {
            emitter.store(buffer, index, value, guard);
            None
        });
    }

    /// Whether a condition holds in all lanes of the group; it may be said not to where lanes wrap around.
    fn holds_in_group(&mut self, cond: ValueId, depth: u32) -> ir::Value {
        if self.kind(cond) == Kind::Uniform {
            return self.operand(cond)[0];
        }
        let op = self.kernel.op(cond);
        // Of a condition that another region has computed nothing but itself was kept.
        let is_known = self.computed_in[cond.position()] == self.group_number;
        if let Op::Logic(Logic::And, a, b) = op
            && depth < MOST_TEST_DEPTH
            && is_known
        {
            let (a, b) = (self.holds_in_group(a, depth + 1), self.holds_in_group(b, depth + 1));
            return self.builder.ins().band(a, b);
        }
        if is_known && let Some(all) = Edge::of(op, true).and_then(|edge| self.edge_in_group(edge)) {
            return all;
        }
        let holds = self.vector(cond)[0];
        self.builder.ins().vall_true(holds)
    }

    /// Whether a condition holds in no lane of the group; it may be said not to where lanes wrap around.
    fn fails_in_group(&mut self, cond: ValueId) -> ir::Value {
        let is_known = self.computed_in[cond.position()] == self.group_number;
        let edge = Edge::of(self.kernel.op(cond), false);
        if is_known && let Some(all) = edge.and_then(|edge| self.edge_in_group(edge)) {
            return all;
        }
        let holds = self.vector(cond)[0];
        let any = self.builder.ins().vany_true(holds);
        self.builder.ins().bxor_imm_u(any, 1)
    }

    /// Whether a comparison of ids with a word holds in all lanes of the group.
    fn edge_in_group(&mut self, Edge { low, high, or_equal }: Edge) -> Option<ir::Value> {
        match (self.kind(low), self.kind(high)) {
            (Kind::Stride, Kind::Uniform) => {
                let (low, high) = (self.first_of(low), self.operand(high)[0]);
                Some(self.all_below(low, LANES, high, or_equal))
            }
            (Kind::Uniform, Kind::Stride) => {
                let never_wraps = matches!(self.kernel.op(high), Op::Id(..));
                let (low, high) = (self.operand(low)[0], self.first_of(high));
                let condition = if or_equal { IntCC::UnsignedLessThanOrEqual } else { IntCC::UnsignedLessThan };
                let first = self.builder.ins().icmp(condition, low, high);
                if never_wraps {
                    return Some(first);
                }
                let last_start = i64::from(u32::MAX - (LANES - 1));
                let whole = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, high, last_start);
                Some(self.builder.ins().band(first, whole))
            }
            _ => None,
        }
    }

    fn wide_set(&mut self, slot: SlotId, value: ValueId, mask: Option<ir::Value>) {
        let ty = self.kernel.slots[slot].ty;
        let is_vector = self.groups.is_some_and(|groups| groups.vector_slots.contains(&slot));
        match self.plan.slots[slot.position()] {
            Place::Array { offset } => {
                let mut vectors = self.vector(value);
                if let Some(mask) = mask {
                    let lane = self.lane.index;
                    let before = self.load_vectors(offset, ty, lane);
                    vectors = self.choose(mask, vectors, before, words(ty) as usize);
                }
                self.keep_vectors(offset, ty, vectors);
            }
            Place::Memory { offset, shared: false } => {
                let mut vectors = self.vector(value);
                if let Some(mask) = mask {
                    let before = self.load_memory_slot(offset, ty);
                    vectors = self.choose(mask, vectors, before, words(ty) as usize);
                }
                self.store_memory_slot(offset, ty, vectors);
            }
            Place::Lane | Place::Workgroup if is_vector => {
                let variables = self.vector_slot(slot);
                let mut vectors = self.vector(value);
                if let Some(mask) = mask {
                    let before = variables.map(|variable| self.builder.use_var(variable));
                    vectors = self.choose(mask, vectors, before, words(ty) as usize);
                }
                for (&variable, &vector) in variables.iter().zip(&vectors).take(words(ty) as usize) {
                    self.builder.def_var(variable, vector);
                }
            }
            Place::Lane | Place::Workgroup | Place::Memory { .. } => self.set(slot, value),
        }
    }

    fn choose(&mut self, mask: ir::Value, a: Words, b: Words, count: usize) -> Words {
        let mut chosen = [self.builder.ins().bitselect(mask, a[0], b[0]); 4];
        for at in 1..count {
            chosen[at] = self.builder.ins().bitselect(mask, a[at], b[at]);
        }
        chosen
    }

    fn wide_get(&mut self, slot: SlotId, value: ValueId) {
        let ty = self.kernel.slots[slot].ty;
        let is_vector = self.groups.is_some_and(|groups| groups.vector_slots.contains(&slot));
        match self.plan.slots[slot.position()] {
            Place::Array { offset } => {
                let lane = self.lane.index;
                let vectors = self.load_vectors(offset, ty, lane);
                self.wide[value.position()] = Some(Wide::Lanes(vectors));
            }
            Place::Memory { offset, shared: false } => {
                let vectors = self.load_memory_slot(offset, ty);
                self.wide[value.position()] = Some(Wide::Lanes(vectors));
            }
            Place::Lane | Place::Workgroup if is_vector => {
                let variables = self.vector_slot(slot);
                let vectors = variables.map(|variable| self.builder.use_var(variable));
                self.wide[value.position()] = Some(Wide::Lanes(vectors));
            }
            Place::Lane | Place::Workgroup | Place::Memory { .. } => {
                self.words[value.position()] = Some(self.get(slot));
            }
        }
    }
}
