//! Collectives: lanes have put their operands into arrays, and one loop over lanes makes the results.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};
use vyre_ir::ReduceOp;
use vyre_kernel::{Collective, Key, Op, ValueId};

use super::{Emitter, plain, word_type};
use crate::plan::Place;

impl Emitter<'_, '_> {
    pub(super) fn collective(&mut self, value: ValueId) {
        let Op::Collective(collective) = self.kernel.op(value) else { return };
        match collective {
            Collective::Broadcast(operand, lane) => {
                let lane = self.workgroup_word(lane);
                let result = self.word_of_lane(operand, lane);
                self.words[value.position()] = Some([result; 4]);
            }
            Collective::Reduce(op, operand) if self.is_in_rows(operand) => {
                let result = self.reduce_vectors(op, operand);
                self.words[value.position()] = Some([result; 4]);
            }
            Collective::Reduce(op, operand) => {
                let result = self.fold(op.identity(), |emitter, lane, so_far| {
                    let word = emitter.lane_word(operand, lane);
                    emitter.combine(op, so_far, word)
                });
                self.words[value.position()] = Some([result; 4]);
            }
            Collective::Ballot(predicate) => {
                let result = self.fold(0, |emitter, lane, so_far| {
                    let holds = emitter.lane_word(predicate, lane);
                    let bit = emitter.builder.ins().uextend(types::I32, holds);
                    let bit = emitter.builder.ins().ishl(bit, lane);
                    emitter.builder.ins().bor(so_far, bit)
                });
                self.words[value.position()] = Some([result; 4]);
            }
            Collective::Shuffle(operand, chosen) => {
                self.fold(0, |emitter, lane, so_far| {
                    let chosen = emitter.lane_word(chosen, lane);
                    let result = emitter.word_of_lane(operand, chosen);
                    emitter.store_result(value, result, lane);
                    so_far
                });
            }
            Collective::ScanExclusive(op, operand) => {
                self.fold(op.identity(), |emitter, lane, so_far| {
                    let word = emitter.lane_word(operand, lane);
                    emitter.store_result(value, so_far, lane);
                    emitter.combine(op, so_far, word)
                });
            }
            Collective::ScanInclusive(op, operand) => {
                self.fold(op.identity(), |emitter, lane, so_far| {
                    let word = emitter.lane_word(operand, lane);
                    let sum = emitter.combine(op, so_far, word);
                    emitter.store_result(value, sum, lane);
                    sum
                });
            }
        }
    }

    /// Whether the words of few enough lanes lie side by side, four at a time.
    fn is_in_rows(&self, operand: ValueId) -> bool {
        let is_array = matches!(self.plan.values[operand.position()], Place::Array { .. });
        is_array && word_type(self.kernel.ty(operand)) == types::I32 && self.lanes.is_multiple_of(4) && self.lanes <= 64
    }

    /// The words of all lanes combined, four lanes at a time.
    fn reduce_vectors(&mut self, op: ReduceOp, operand: ValueId) -> ir::Value {
        let Place::Array { offset } = self.plan.values[operand.position()] else {
            unreachable!("the caller has looked")
        };
        let first = self.builder.ins().iconst(types::I32, 0);
        let address = self.array_address(offset, 0, first);
        let vectors = (0..self.lanes / 4)
            .map(|group| self.builder.ins().load(types::I32X4, plain(), address, (group * 16) as i32))
            .collect::<Vec<_>>();
        let combined = vectors.into_iter().reduce(|a, b| self.combine(op, a, b)).expect("a workgroup has lanes");
        let words = [0, 1, 2, 3].map(|lane| self.builder.ins().extractlane(combined, lane));
        let halves = [self.combine(op, words[0], words[1]), self.combine(op, words[2], words[3])];
        self.combine(op, halves[0], halves[1])
    }

    /// A loop over lanes that carries a word.
    fn fold(&mut self, start: u32, step: impl FnOnce(&mut Self, ir::Value, ir::Value) -> ir::Value) -> ir::Value {
        let (header, after) = (self.builder.create_block(), self.builder.create_block());
        let lane = self.builder.append_block_param(header, types::I32);
        let so_far = self.builder.append_block_param(header, types::I32);
        let result = self.builder.append_block_param(after, types::I32);
        let first = self.builder.ins().iconst(types::I32, 0);
        let start = self.builder.ins().iconst(types::I32, i64::from(start));
        self.builder.ins().jump(header, &[first.into(), start.into()]);
        self.builder.switch_to_block(header);
        let next_word = step(self, lane, so_far);
        let next = self.builder.ins().iadd_imm_u(lane, 1);
        let more = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, next, i64::from(self.lanes));
        self.builder.ins().brif(more, header, &[next.into(), next_word.into()], after, &[next_word.into()]);
        self.builder.seal_block(header);
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
        result
    }

    /// The word of a lane that exists.
    fn lane_word(&mut self, operand: ValueId, lane: ir::Value) -> ir::Value {
        match self.plan.values[operand.position()] {
            Place::Array { offset } => {
                let ty = word_type(self.kernel.ty(operand));
                self.load_array(offset, 0, ty, lane)
            }
            Place::Lane | Place::Workgroup | Place::Memory { .. } => match self.kernel.op(operand) {
                Op::Id(id, axis) => self.lane_id(id, usize::from(axis), lane),
                _ => self.operand(operand)[0],
            },
        }
    }

    /// An id of a lane that is not the one that runs.
    fn lane_id(&mut self, id: vyre_kernel::Id, axis: usize, lane: ir::Value) -> ir::Value {
        let [width, height, _] = self.kernel.workgroup_size;
        let outer = self.lane;
        let x = self.builder.ins().urem_imm_u(lane, i64::from(width));
        let row = self.builder.ins().udiv_imm_u(lane, i64::from(width));
        let y = self.builder.ins().urem_imm_u(row, i64::from(height));
        let z = self.builder.ins().udiv_imm_u(row, i64::from(height));
        self.lane.ids = [x, y, z];
        let word = self.id_word(id, axis);
        self.lane = outer;
        word
    }

    /// The word of any lane; 0 for one that does not exist.
    fn word_of_lane(&mut self, operand: ValueId, lane: ir::Value) -> ir::Value {
        let exists = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, lane, i64::from(self.lanes));
        let zero = self.builder.ins().iconst(types::I32, 0);
        let lane = self.builder.ins().select(exists, lane, zero);
        let word = self.lane_word(operand, lane);
        self.builder.ins().select(exists, word, zero)
    }

    fn store_result(&mut self, value: ValueId, result: ir::Value, lane: ir::Value) {
        if let Place::Array { offset } = self.plan.values[value.position()] {
            self.store_array(offset, 0, result, lane);
        }
    }

    fn combine(&mut self, op: ReduceOp, a: ir::Value, b: ir::Value) -> ir::Value {
        match op {
            ReduceOp::Add => self.builder.ins().iadd(a, b),
            ReduceOp::Min => self.builder.ins().umin(a, b),
            ReduceOp::Max => self.builder.ins().umax(a, b),
            ReduceOp::And => self.builder.ins().band(a, b),
            ReduceOp::Or => self.builder.ins().bor(a, b),
            ReduceOp::Xor => self.builder.ins().bxor(a, b),
        }
    }
}
