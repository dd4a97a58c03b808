//! Values of SIMD groups, and scalarization of operations without a vector instruction.

use cranelift_codegen::ir::{self, InstBuilder, types};
use vyre_kernel::{Key, Op, ValueId};

use super::simd_access::Load;
use super::{Emitter, Invocation, SimdValue, Words, word_type};
use crate::storage::storage_words;
use crate::vectorize::{SIMD_LANES, Variance, leaf_variance, result_variance};

impl Emitter<'_, '_> {
    /// Variance of a value in the group that runs.
    pub(super) fn variance(&self, value: ValueId) -> Variance {
        let op = self.kernel.op(value);
        match self.simd_values[value.position()] {
            _ if op.is_leaf() => leaf_variance(op),
            None => Variance::Uniform,
            Some(SimdValue::Consecutive(_)) => Variance::Consecutive,
            Some(SimdValue::Varying(_)) => Variance::Varying,
        }
    }

    /// Vectors of a value.
    pub(super) fn vector(&mut self, value: ValueId) -> Words {
        match (self.variance(value), self.simd_values[value.position()]) {
            (Variance::Varying, Some(SimdValue::Varying(words))) => words,
            (Variance::Consecutive, simd_value) => {
                let first = match simd_value {
                    Some(SimdValue::Consecutive(first)) => first,
                    _ => self.operand(value)[0],
                };
                let first = self.builder.ins().splat(types::I32X4, first);
                let steps = self.vector_constant([0, 1, 2, 3]);
                [self.builder.ins().iadd(first, steps); 4]
            }
            _ => {
                if let Some(word) = self.kernel.as_word(value) {
                    return [self.splat_constant(word); 4];
                }
                let scalars = self.operand(value);
                self.splat(scalars, storage_words(self.kernel.ty(value)) as usize)
            }
        }
    }

    /// Splats words to all lanes.
    fn splat(&mut self, scalars: Words, count: usize) -> Words {
        let first = self.splat_word(scalars[0]);
        let mut vectors = [first; 4];
        for at in 1..count {
            vectors[at] = self.splat_word(scalars[at]);
        }
        vectors
    }

    fn splat_word(&mut self, scalar: ir::Value) -> ir::Value {
        if self.builder.func.dfg.value_type(scalar) == types::I8 {
            let word = self.builder.ins().uextend(types::I32, scalar);
            let ones = self.builder.ins().ineg(word);
            return self.builder.ins().splat(types::I32X4, ones);
        }
        self.builder.ins().splat(types::I32X4, scalar)
    }

    /// Words of one lane of the group.
    fn extract_lane(&mut self, value: ValueId, lane: u32) -> Words {
        match self.simd_values[value.position()] {
            None => self.operand(value),
            Some(SimdValue::Consecutive(first)) => [self.builder.ins().iadd_imm_u(first, i64::from(lane)); 4],
            Some(SimdValue::Varying(vectors)) => {
                let ty = self.kernel.ty(value);
                let mut scalars = [self.extract_word(vectors[0], lane, word_type(ty) == types::I8); 4];
                for at in 1..storage_words(ty) as usize {
                    scalars[at] = self.extract_word(vectors[at], lane, false);
                }
                scalars
            }
        }
    }

    fn extract_word(&mut self, vector: ir::Value, lane: u32, is_bool: bool) -> ir::Value {
        // Two extractions of 64 bits are cheaper than four of 32.
        let flags = ir::MemFlagsData::new().with_endianness(ir::Endianness::Little);
        let halves = self.builder.ins().bitcast(types::I64X2, flags, vector);
        let half = self.builder.ins().extractlane(halves, (lane / 2) as u8);
        let half = if lane.is_multiple_of(2) { half } else { self.builder.ins().ushr_imm_u(half, 32) };
        let word = self.builder.ins().ireduce(types::I32, half);
        if !is_bool {
            return word;
        }
        let bit = self.builder.ins().band_imm_u(word, 1);
        self.builder.ins().ireduce(types::I8, bit)
    }

    /// Emits an action for each lane of the group in sequence. Lanes outside of the mask are inactive.
    pub(super) fn for_each_simd_lane(
        &mut self,
        operands: &[ValueId],
        mask: Option<ir::Value>,
        mut action: impl FnMut(&mut Self) -> Option<Words>,
    ) -> [Option<Words>; SIMD_LANES as usize] {
        let group = self.invocation;
        let mut results = [None; SIMD_LANES as usize];
        for (number, result) in (0..SIMD_LANES).zip(&mut results) {
            let index = self.builder.ins().iadd_imm_u(group.index, i64::from(number));
            let x = self.builder.ins().iadd_imm_u(group.ids[0], i64::from(number));
            let x64 = self.builder.ins().iadd_imm_u(group.x64, i64::from(number));
            for &operand in operands {
                if !self.kernel.op(operand).is_leaf() {
                    let scalars = self.extract_lane(operand, number);
                    self.words[operand.position()] = Some(scalars);
                }
            }
            self.is_active = mask.map(|mask| self.extract_word(mask, number, true));
            self.invocation = Invocation { index, ids: [x, group.ids[1], group.ids[2]], x64 };
            *result = action(self);
            self.invocation = group;
        }
        self.is_active = None;
        results
    }

    /// Scalarizes an operation: one scalar operation for each lane.
    pub(super) fn scalarize_op(&mut self, op: Op, count: usize, mask: Option<ir::Value>) -> Words {
        let mut operands = Vec::new();
        op.for_each_operand(|operand| operands.push(operand));
        let results = self.for_each_simd_lane(&operands, mask, |emitter| emitter.result(op));
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

    /// Computes a value for the group.
    pub(super) fn simd_compute(&mut self, value: ValueId, mask: Option<ir::Value>) {
        let op = self.kernel.op(value);
        self.simd_values[value.position()] = None;
        self.computed_in_group[value.position()] = self.emitted_groups;
        if let Some(holds) = self.known_outcome(value) {
            self.words[value.position()] = Some([self.builder.ins().iconst(types::I8, i64::from(holds)); 4]);
        } else if let Op::Get(slot) = op {
            self.simd_get(slot, value);
        } else {
            match result_variance(op, |operand| self.variance(operand)) {
                // At least one lane is active, and the operation is done for it.
                Variance::Uniform => self.words[value.position()] = self.result(op),
                Variance::Consecutive => {
                    let (Op::Binary(binary, a, b), group) = (op, self.invocation) else { return };
                    let (a, b) = (self.first_of(a), self.first_of(b));
                    let first = self.binary(binary, a, b);
                    self.invocation = group;
                    self.simd_values[value.position()] = Some(SimdValue::Consecutive(first));
                }
                Variance::Varying => {
                    let vectors = self.simd_result(op, mask);
                    self.simd_values[value.position()] = Some(SimdValue::Varying(vectors));
                }
            }
        }
        if let Some(offset) = self.array_of(value) {
            let ty = self.kernel.ty(value);
            let vectors = self.vector(value);
            self.spill_vectors(offset, ty, vectors);
        }
    }

    /// Word of the first lane of the group.
    pub(super) fn first_of(&mut self, value: ValueId) -> ir::Value {
        match self.simd_values[value.position()] {
            Some(SimdValue::Consecutive(first)) => first,
            _ => self.operand(value)[0],
        }
    }

    fn simd_result(&mut self, op: Op, mask: Option<ir::Value>) -> Words {
        match op {
            Op::Load { buffer, index, guard } => self.simd_load(Load { buffer, index, guard }, mask),
            Op::Atomic { .. } => self.scalarize_op(op, 1, mask),
            _ => match self.vector_result(op) {
                Some(vectors) => vectors,
                None => self.scalarize_op(op, 1, mask),
            },
        }
    }
}
