//! Vectors of four words, one for each lane of a group.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Endianness, InstBuilder, MemFlagsData, types};
use cranelift_frontend::Variable;
use vyre_kernel::{Binary, BufferId, Key, Logic, Op, SlotId, Type, Unary, ValueId, element_type};

use super::group::Wide;
use super::value::condition;
use super::{Emitter, Words, plain};
use crate::context::offset;
use crate::plan::{Place, words};
use crate::vector::{Kind, is_steady};

/// Loads and stores of memory that is there, but starts at any word.
fn unaligned() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

impl Emitter<'_, '_> {
    /// A vector of constants.
    pub(super) fn constant_lanes(&mut self, lanes: [u32; 4]) -> ir::Value {
        let bytes: Vec<u8> = lanes.iter().flat_map(|lane| lane.to_le_bytes()).collect();
        let constant = self.builder.func.dfg.constants.insert(bytes.into());
        self.builder.ins().vconst(types::I32X4, constant)
    }

    /// The same constant in all lanes.
    pub(super) fn constant(&mut self, word: u32) -> ir::Value {
        if self.loads_constants && word != 0 {
            // A load stays where it is. A constant would be made before the loop over groups, and so many have no registers.
            let flags = plain();
            let table = self.builder.ins().load(types::I64, flags.with_readonly(), self.context, offset::CONSTANTS);
            let at = self.constants.len();
            self.constants.push(word);
            let word = self.builder.ins().load(types::I32, flags, table, 4 * at as i32);
            return self.builder.ins().splat(types::I32X4, word);
        }
        let word = self.builder.ins().iconst(types::I32, i64::from(word));
        self.builder.ins().splat(types::I32X4, word)
    }

    /// Words of two vectors in another order: 0 to 3 are those of the first.
    fn rearranged(&mut self, a: ir::Value, b: ir::Value, order: [u8; 4]) -> ir::Value {
        let flags = MemFlagsData::new().with_endianness(Endianness::Little);
        let a = self.builder.ins().bitcast(types::I8X16, flags, a);
        let b = self.builder.ins().bitcast(types::I8X16, flags, b);
        let bytes: Vec<u8> = order.iter().flat_map(|&word| (0..4).map(move |byte| 4 * word + byte)).collect();
        let order = self.builder.func.dfg.immediates.push(bytes.into());
        let mixed = self.builder.ins().shuffle(a, b, order);
        self.builder.ins().bitcast(types::I32X4, flags, mixed)
    }

    /// Exchanges rows and columns of four vectors.
    fn transposed(&mut self, [a, b, c, d]: Words) -> Words {
        let (ab_low, ab_high) = (self.rearranged(a, b, [0, 4, 1, 5]), self.rearranged(a, b, [2, 6, 3, 7]));
        let (cd_low, cd_high) = (self.rearranged(c, d, [0, 4, 1, 5]), self.rearranged(c, d, [2, 6, 3, 7]));
        [
            self.rearranged(ab_low, cd_low, [0, 1, 4, 5]),
            self.rearranged(ab_low, cd_low, [2, 3, 6, 7]),
            self.rearranged(ab_high, cd_high, [0, 1, 4, 5]),
            self.rearranged(ab_high, cd_high, [2, 3, 6, 7]),
        ]
    }

    /// Loads the elements of the lanes of a group, which lie side by side.
    pub(super) fn load_neighbours(&mut self, buffer: BufferId, index: ValueId) -> Words {
        let address = self.first_element(buffer, index);
        let decl = &self.kernel.buffers[buffer];
        let flags = if is_steady(decl.access) { unaligned().with_readonly() } else { unaligned() };
        let mut load = |at: i32| self.builder.ins().load(types::I32X4, flags, address, 16 * at);
        match element_type(decl.element) {
            Type::Bool | Type::U32 => [load(0); 4],
            Type::Vec2 => {
                let (low, high) = (load(0), load(1));
                let first = self.rearranged(low, high, [0, 2, 4, 6]);
                let second = self.rearranged(low, high, [1, 3, 5, 7]);
                [first, second, first, first]
            }
            Type::Vec4 => {
                let rows = [load(0), load(1), load(2), load(3)];
                self.transposed(rows)
            }
        }
    }

    pub(super) fn store_neighbours(&mut self, buffer: BufferId, index: ValueId, value: ValueId) {
        let address = self.first_element(buffer, index);
        let vectors = self.vector(value);
        let rows = match self.kernel.ty(value) {
            Type::Bool | Type::U32 => vec![vectors[0]],
            Type::Vec2 => {
                let low = self.rearranged(vectors[0], vectors[1], [0, 4, 1, 5]);
                vec![low, self.rearranged(vectors[0], vectors[1], [2, 6, 3, 7])]
            }
            Type::Vec4 => self.transposed(vectors).to_vec(),
        };
        for (at, row) in rows.into_iter().enumerate() {
            self.builder.ins().store(unaligned(), row, address, 16 * at as i32);
        }
    }

    /// Where the element of the first lane is.
    fn first_element(&mut self, buffer: BufferId, index: ValueId) -> ir::Value {
        if let Some(Wide::Stride(first)) = self.wide[index.position()] {
            self.words[index.position()] = Some([first; 4]);
        }
        self.element(buffer, index, None, offset::ZEROS)
    }

    /// What a group keeps in arrays, side by side for its lanes.
    pub(super) fn load_vectors(&mut self, offset: u32, ty: Type, lane: ir::Value) -> Words {
        self.load_each(ty, |emitter, word| (emitter.array_address(offset, word, lane), 0))
    }

    pub(super) fn keep_vectors(&mut self, offset: u32, ty: Type, vectors: Words) {
        let lane = self.lane.index;
        self.store_each(ty, vectors, |emitter, word| (emitter.array_address(offset, word, lane), 0));
    }

    /// What a group has in a slot that lies in memory.
    pub(super) fn load_memory_slot(&mut self, offset: u32, ty: Type) -> Words {
        self.load_each(ty, |emitter, word| (emitter.arrays, emitter.memory_offset(offset, word)))
    }

    pub(super) fn store_memory_slot(&mut self, offset: u32, ty: Type, vectors: Words) {
        self.store_each(ty, vectors, |emitter, word| (emitter.arrays, emitter.memory_offset(offset, word)));
    }

    fn load_each(&mut self, ty: Type, place: impl Fn(&mut Self, u32) -> (ir::Value, i32)) -> Words {
        let mut vectors = [self.arrays; 4];
        for word in 0..words(ty) {
            let (address, offset) = place(self, word);
            vectors[word as usize] = self.builder.ins().load(types::I32X4, plain(), address, offset);
        }
        if ty == Type::Bool {
            let zero = self.constant(0);
            vectors[0] = self.builder.ins().icmp(IntCC::NotEqual, vectors[0], zero);
        }
        for at in words(ty) as usize..4 {
            vectors[at] = vectors[0];
        }
        vectors
    }

    fn store_each(&mut self, ty: Type, vectors: Words, place: impl Fn(&mut Self, u32) -> (ir::Value, i32)) {
        for word in 0..words(ty) {
            let mut vector = vectors[word as usize];
            if ty == Type::Bool {
                let one = self.constant(1);
                vector = self.builder.ins().band(vector, one);
            }
            let (address, offset) = place(self, word);
            self.builder.ins().store(plain(), vector, address, offset);
        }
    }

    /// Loads a value that another region has computed.
    pub(super) fn load_wide_input(&mut self, value: ValueId) {
        let Some(offset) = self.array_of(value) else { return };
        let (ty, lane) = (self.kernel.ty(value), self.lane.index);
        let vectors = self.load_vectors(offset, ty, lane);
        self.wide[value.position()] = Some(Wide::Lanes(vectors));
    }

    /// The variables of a slot that holds vectors.
    pub(super) fn vector_slot(&mut self, slot: SlotId) -> [Variable; 4] {
        if let Some(known) = self.vector_variables[slot.position()] {
            return known;
        }
        let first = self.builder.declare_var(types::I32X4);
        let mut variables = [first; 4];
        for variable in variables.iter_mut().take(words(self.kernel.slots[slot].ty) as usize).skip(1) {
            *variable = self.builder.declare_var(types::I32X4);
        }
        self.vector_variables[slot.position()] = Some(variables);
        variables
    }

    pub(super) fn clear_vector_slot(&mut self, slot: SlotId) {
        let zero = self.constant(0);
        if let Place::Memory { offset, shared: _ } = self.plan.slots[slot.position()] {
            let ty = self.kernel.slots[slot].ty;
            self.store_memory_slot(offset, ty, [zero; 4]);
            return;
        }
        for variable in self.vector_slot(slot) {
            self.builder.def_var(variable, zero);
        }
    }

    /// What an operation gives, if there are instructions for it.
    pub(super) fn vector_result(&mut self, op: Op) -> Option<Words> {
        Some(match op {
            Op::Unary(unary, a) => {
                let a = self.vector(a)[0];
                [self.vector_unary(unary, a); 4]
            }
            Op::Binary(Binary::Div | Binary::Mod, ..) => return None,
            Op::Binary(binary @ (Binary::Shl | Binary::Shr), a, amount) => {
                if self.kind(amount) != Kind::Uniform {
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
                let (a, one) = (self.vector(a)[0], self.constant(1));
                [self.builder.ins().band(a, one); 4]
            }
            Op::Select(cond, a, b) => {
                let count = words(self.kernel.ty(a)) as usize;
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
                // What is left of the highest bit are the zeros of a number that is all ones to the right of it.
                let mut smeared = a;
                for distance in [1, 2, 4, 8, 16] {
                    let shifted = self.builder.ins().ushr_imm_u(smeared, distance);
                    smeared = self.builder.ins().bor(smeared, shifted);
                }
                let left = self.builder.ins().bnot(smeared);
                self.vector_popcount(left)
            }
            Unary::Ctz => {
                let one = self.constant(1);
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
                    let ones = self.constant(ones);
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

    /// Counts bits in pairs, then nibbles, then bytes; a product adds up the bytes.
    fn vector_popcount(&mut self, a: ir::Value) -> ir::Value {
        let (pairs, nibbles, bytes) =
            (self.constant(0x5555_5555), self.constant(0x3333_3333), self.constant(0x0f0f_0f0f));
        let odd = self.builder.ins().ushr_imm_u(a, 1);
        let odd = self.builder.ins().band(odd, pairs);
        let counts = self.builder.ins().isub(a, odd);
        let high = self.builder.ins().ushr_imm_u(counts, 2);
        let (low, high) = (self.builder.ins().band(counts, nibbles), self.builder.ins().band(high, nibbles));
        let counts = self.builder.ins().iadd(low, high);
        let high = self.builder.ins().ushr_imm_u(counts, 4);
        let counts = self.builder.ins().iadd(counts, high);
        let counts = self.builder.ins().band(counts, bytes);
        let ones = self.constant(0x0101_0101);
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
                self.rearranged(products[0], products[1], [1, 3, 5, 7])
            }
            Binary::AbsDiff => {
                let (more, less) = (self.builder.ins().umax(a, b), self.builder.ins().umin(a, b));
                self.builder.ins().isub(more, less)
            }
            // Cranelift has these for words and for vectors.
            _ => self.binary(binary, a, b),
        }
    }
}
