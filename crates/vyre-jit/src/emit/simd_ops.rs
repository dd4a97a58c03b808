//! Vector instructions: operators on vectors of four words, one for each SIMD lane.

use cranelift_codegen::ir::{self, Endianness, InstBuilder, MemFlagsData, types};
use vyre_kernel::{Binary, Logic, Op, Unary};

use super::scalar_ops::condition;
use super::{Emitter, Words, aligned};
use crate::context::offset;
use crate::storage::storage_words;
use crate::vectorize::Variance;

impl Emitter<'_, '_> {
    /// A vector of constants.
    pub(super) fn vector_constant(&mut self, words: [u32; 4]) -> ir::Value {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let constant = self.builder.func.dfg.constants.insert(bytes.into());
        self.builder.ins().vconst(types::I32X4, constant)
    }

    /// A constant in all lanes, from the constant pool if the region has too many for registers.
    pub(super) fn splat_constant(&mut self, word: u32) -> ir::Value {
        if self.loads_constants && word != 0 {
            // Cranelift keeps a load in place, but hoists a constant out of the loop, which costs a register.
            let flags = aligned();
            let table = self.builder.ins().load(types::I64, flags.with_readonly(), self.context, offset::CONSTANTS);
            let at = self.constants.len();
            self.constants.push(word);
            let word = self.builder.ins().load(types::I32, flags, table, 4 * at as i32);
            return self.builder.ins().splat(types::I32X4, word);
        }
        let word = self.builder.ins().iconst(types::I32, i64::from(word));
        self.builder.ins().splat(types::I32X4, word)
    }

    /// Result of an operation, if vector instructions exist for it.
    pub(super) fn vector_result(&mut self, op: Op) -> Option<Words> {
        Some(match op {
            Op::Unary(unary, a) => {
                let a = self.vector(a)[0];
                [self.vector_unary(unary, a); 4]
            }
            Op::Binary(Binary::Div | Binary::Mod, ..) => return None,
            Op::Binary(binary @ (Binary::Shl | Binary::Shr), a, amount) => {
                if self.variance(amount) != Variance::Uniform {
                    return None;
                }
                let (a, amount) = (self.vector(a)[0], self.operand(amount)[0]);
                let shifted = match binary {
                    Binary::Shl => self.builder.ins().ishl(a, amount),
                    _ => self.builder.ins().ushr(a, amount),
                };
                [shifted; 4]
            }
            Op::Binary(binary, a, b) => {
                let (a, b) = (self.vector(a)[0], self.vector(b)[0]);
                [self.vector_binary(binary, a, b); 4]
            }
            Op::Compare(compare, a, b) => {
                let (a, b) = (self.vector(a)[0], self.vector(b)[0]);
                [self.builder.ins().icmp(condition(compare), a, b); 4]
            }
            Op::Not(a) => {
                let a = self.vector(a)[0];
                [self.builder.ins().bnot(a); 4]
            }
            Op::Logic(logic, a, b) => {
                let (a, b) = (self.vector(a)[0], self.vector(b)[0]);
                let both = match logic {
                    Logic::And => self.builder.ins().band(a, b),
                    Logic::Or => self.builder.ins().bor(a, b),
                };
                [both; 4]
            }
            Op::ToWord(a) => {
                let (a, one) = (self.vector(a)[0], self.splat_constant(1));
                [self.builder.ins().band(a, one); 4]
            }
            Op::Select(cond, a, b) => {
                let count = storage_words(self.kernel.ty(a)) as usize;
                let (cond, a, b) = (self.vector(cond)[0], self.vector(a), self.vector(b));
                let mut chosen = [self.builder.ins().bitselect(cond, a[0], b[0]); 4];
                for at in 1..count {
                    chosen[at] = self.builder.ins().bitselect(cond, a[at], b[at]);
                }
                chosen
            }
            Op::Extract(vector, word) => [self.vector(vector)[usize::from(word) % 4]; 4],
            Op::Pack2([a, b]) => {
                let (a, b) = (self.vector(a)[0], self.vector(b)[0]);
                [a, b, a, a]
            }
            Op::Pack4(parts) => parts.map(|part| self.vector(part)[0]),
            Op::Word(_)
            | Op::Bool(_)
            | Op::Id(..)
            | Op::Length(_)
            | Op::LoopVariable
            | Op::Get(_)
            | Op::Load { .. }
            | Op::Atomic { .. }
            | Op::Collective(_) => return None,
        })
    }

    fn vector_unary(&mut self, unary: Unary, a: ir::Value) -> ir::Value {
        match unary {
            Unary::Negate => self.builder.ins().ineg(a),
            Unary::BitNot => self.builder.ins().bnot(a),
            Unary::Popcount => self.vector_popcount(a),
            Unary::Clz => {
                // Smear the highest bit to the right. The zeros that are left are the leading zeros.
                let mut smeared = a;
                for distance in [1, 2, 4, 8, 16] {
                    let shifted = self.builder.ins().ushr_imm_u(smeared, distance);
                    smeared = self.builder.ins().bor(smeared, shifted);
                }
                let left = self.builder.ins().bnot(smeared);
                self.vector_popcount(left)
            }
            Unary::Ctz => {
                let one = self.splat_constant(1);
                let less = self.builder.ins().isub(a, one);
                let opposite = self.builder.ins().bnot(a);
                let right = self.builder.ins().band(opposite, less);
                self.vector_popcount(right)
            }
            Unary::ReverseBits => {
                let mut reversed = a;
                for (distance, ones) in
                    [(1, 0x5555_5555), (2, 0x3333_3333), (4, 0x0f0f_0f0f), (8, 0x00ff_00ff), (16, 0x0000_ffff)]
                {
                    let ones = self.splat_constant(ones);
                    let right = self.builder.ins().ushr_imm_u(reversed, distance);
                    let right = self.builder.ins().band(right, ones);
                    let left = self.builder.ins().band(reversed, ones);
                    let left = self.builder.ins().ishl_imm_u(left, distance);
                    reversed = self.builder.ins().bor(left, right);
                }
                reversed
            }
        }
    }

    /// Population count by parallel sums of bit pairs, nibbles and bytes (Warren, Hacker's Delight, 5-1).
    fn vector_popcount(&mut self, a: ir::Value) -> ir::Value {
        let (pairs, nibbles, bytes) =
            (self.splat_constant(0x5555_5555), self.splat_constant(0x3333_3333), self.splat_constant(0x0f0f_0f0f));
        let odd = self.builder.ins().ushr_imm_u(a, 1);
        let odd = self.builder.ins().band(odd, pairs);
        let counts = self.builder.ins().isub(a, odd);
        let high = self.builder.ins().ushr_imm_u(counts, 2);
        let (low, high) = (self.builder.ins().band(counts, nibbles), self.builder.ins().band(high, nibbles));
        let counts = self.builder.ins().iadd(low, high);
        let high = self.builder.ins().ushr_imm_u(counts, 4);
        let counts = self.builder.ins().iadd(counts, high);
        let counts = self.builder.ins().band(counts, bytes);
        let ones = self.splat_constant(0x0101_0101);
        let sums = self.builder.ins().imul(counts, ones);
        self.builder.ins().ushr_imm_u(sums, 24)
    }

    fn vector_binary(&mut self, binary: Binary, a: ir::Value, b: ir::Value) -> ir::Value {
        match binary {
            Binary::MulHi => {
                let mut products = [a; 2];
                for (product, is_low) in products.iter_mut().zip([true, false]) {
                    let halves = [a, b].map(|vector| {
                        if is_low {
                            self.builder.ins().uwiden_low(vector)
                        } else {
                            self.builder.ins().uwiden_high(vector)
                        }
                    });
                    let wide = self.builder.ins().imul(halves[0], halves[1]);
                    let flags = MemFlagsData::new().with_endianness(Endianness::Little);
                    *product = self.builder.ins().bitcast(types::I32X4, flags, wide);
                }
                self.shuffle_words(products[0], products[1], [1, 3, 5, 7])
            }
            Binary::AbsDiff => {
                let (more, less) = (self.builder.ins().umax(a, b), self.builder.ins().umin(a, b));
                self.builder.ins().isub(more, less)
            }
            // Cranelift has these instructions for words and for vectors.
            _ => self.binary(binary, a, b),
        }
    }
}
