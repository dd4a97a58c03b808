//! Collectives: reductions, scans and exchanges among the invocations of a workgroup.
//!
//! The operands are in arrays. One sequential loop over the invocations computes the results. A reduction over at most 64
//! invocations is done with vectors.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};
use vyre_ir::ReduceOp;
use vyre_kernel::{Collective, Id, Key, Op, ValueId};

use super::{Emitter, aligned, word_type};
use crate::storage::StorageClass;

/// Maximum number of invocations of a reduction with vectors, whose code is unrolled.
const MAX_UNROLLED_INVOCATIONS: u32 = 64;

impl Emitter<'_, '_> {
    /// Emits a collective.
    pub(super) fn collective(&mut self, value: ValueId) {
        let Op::Collective(collective) = self.kernel.op(value) else { return };
        match collective {
            Collective::Broadcast(operand, source) => {
                let source = self.workgroup_word(source);
                let result = self.word_of_any(operand, source);
                self.words[value.position()] = Some([result; 4]);
            }
            Collective::Reduce(op, operand) if self.is_vectorizable(operand) => {
                let result = self.reduce_vectors(op, operand);
                self.words[value.position()] = Some([result; 4]);
            }
            Collective::Reduce(op, operand) => {
                let result = self.fold(op.identity(), |emitter, invocation, accumulator| {
                    let word = emitter.word_of(operand, invocation);
                    emitter.combine(op, accumulator, word)
                });
                self.words[value.position()] = Some([result; 4]);
            }
            Collective::Ballot(predicate) => {
                let result = self.fold(0, |emitter, invocation, accumulator| {
                    let holds = emitter.word_of(predicate, invocation);
                    let bit = emitter.builder.ins().uextend(types::I32, holds);
                    let bit = emitter.builder.ins().ishl(bit, invocation);
                    emitter.builder.ins().bor(accumulator, bit)
                });
                self.words[value.position()] = Some([result; 4]);
            }
            Collective::Shuffle(operand, source) => {
                self.fold(0, |emitter, invocation, accumulator| {
                    let source = emitter.word_of(source, invocation);
                    let result = emitter.word_of_any(operand, source);
                    emitter.store_result(value, result, invocation);
                    accumulator
                });
            }
            Collective::ScanExclusive(op, operand) => {
                self.fold(op.identity(), |emitter, invocation, accumulator| {
                    let word = emitter.word_of(operand, invocation);
                    emitter.store_result(value, accumulator, invocation);
                    emitter.combine(op, accumulator, word)
                });
            }
            Collective::ScanInclusive(op, operand) => {
                self.fold(op.identity(), |emitter, invocation, accumulator| {
                    let word = emitter.word_of(operand, invocation);
                    let sum = emitter.combine(op, accumulator, word);
                    emitter.store_result(value, sum, invocation);
                    sum
                });
            }
        }
    }

    /// Reports whether a reduction of an operand is done with vectors.
    fn is_vectorizable(&self, operand: ValueId) -> bool {
        let is_array = matches!(self.plan.values[operand.position()], StorageClass::InvocationArray { .. });
        is_array
            && word_type(self.kernel.ty(operand)) == types::I32
            && self.invocations.is_multiple_of(4)
            && self.invocations <= MAX_UNROLLED_INVOCATIONS
    }

    /// Reduction with vectors of four invocations.
    fn reduce_vectors(&mut self, op: ReduceOp, operand: ValueId) -> ir::Value {
        let StorageClass::InvocationArray { offset } = self.plan.values[operand.position()] else {
            unreachable!("the caller has checked the storage class")
        };
        let first = self.builder.ins().iconst(types::I32, 0);
        let address = self.array_address(offset, 0, first);
        let vectors = (0..self.invocations / 4)
            .map(|group| self.builder.ins().load(types::I32X4, aligned(), address, (group * 16) as i32))
            .collect::<Vec<_>>();
        let combined = vectors.into_iter().reduce(|a, b| self.combine(op, a, b)).expect("a workgroup has invocations");
        let words = [0, 1, 2, 3].map(|lane| self.builder.ins().extractlane(combined, lane));
        let halves = [self.combine(op, words[0], words[1]), self.combine(op, words[2], words[3])];
        self.combine(op, halves[0], halves[1])
    }

    /// Emits a loop over the invocations that carries an accumulator.
    fn fold(&mut self, start: u32, step: impl FnOnce(&mut Self, ir::Value, ir::Value) -> ir::Value) -> ir::Value {
        let (header, after) = (self.builder.create_block(), self.builder.create_block());
        let invocation = self.builder.append_block_param(header, types::I32);
        let accumulator = self.builder.append_block_param(header, types::I32);
        let result = self.builder.append_block_param(after, types::I32);
        let first = self.builder.ins().iconst(types::I32, 0);
        let start = self.builder.ins().iconst(types::I32, i64::from(start));
        self.builder.ins().jump(header, &[first.into(), start.into()]);
        self.builder.switch_to_block(header);
        let next_word = step(self, invocation, accumulator);
        let next = self.builder.ins().iadd_imm_u(invocation, 1);
        let more = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, next, i64::from(self.invocations));
        self.builder.ins().brif(more, header, &[next.into(), next_word.into()], after, &[next_word.into()]);
        self.builder.seal_block(header);
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
        result
    }

    /// Word of an invocation, which must exist.
    fn word_of(&mut self, operand: ValueId, invocation: ir::Value) -> ir::Value {
        match self.plan.values[operand.position()] {
            StorageClass::InvocationArray { offset } => {
                let ty = word_type(self.kernel.ty(operand));
                self.load_array(offset, 0, ty, invocation)
            }
            StorageClass::InvocationRegister | StorageClass::WorkgroupRegister | StorageClass::Spilled { .. } => {
                match self.kernel.op(operand) {
                    Op::Id(id, axis) => self.id_of(id, usize::from(axis), invocation),
                    _ => self.operand(operand)[0],
                }
            }
        }
    }

    /// Id of any invocation.
    fn id_of(&mut self, id: Id, axis: usize, invocation: ir::Value) -> ir::Value {
        let [width, height, _] = self.kernel.workgroup_size;
        let outer = self.invocation;
        let x = self.builder.ins().urem_imm_u(invocation, i64::from(width));
        let scanline = self.builder.ins().udiv_imm_u(invocation, i64::from(width));
        let y = self.builder.ins().urem_imm_u(scanline, i64::from(height));
        let z = self.builder.ins().udiv_imm_u(scanline, i64::from(height));
        self.invocation.ids = [x, y, z];
        let word = self.id_word(id, axis);
        self.invocation = outer;
        word
    }

    /// Word of an invocation; 0 if it does not exist.
    fn word_of_any(&mut self, operand: ValueId, invocation: ir::Value) -> ir::Value {
        let exists = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, invocation, i64::from(self.invocations));
        let zero = self.builder.ins().iconst(types::I32, 0);
        let invocation = self.builder.ins().select(exists, invocation, zero);
        let word = self.word_of(operand, invocation);
        self.builder.ins().select(exists, word, zero)
    }

    fn store_result(&mut self, value: ValueId, result: ir::Value, invocation: ir::Value) {
        if let StorageClass::InvocationArray { offset } = self.plan.values[value.position()] {
            self.store_array(offset, 0, result, invocation);
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
