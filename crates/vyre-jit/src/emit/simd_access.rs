//! Buffer accesses of SIMD groups: vector loads and stores, with a scalar fallback.

use cranelift_codegen::ir::{self, Endianness, InstBuilder, MemFlagsData, types};
use vyre_kernel::{BufferId, Key, Op, Type, ValueId, element_type};

use super::{Emitter, SimdValue, Words};
use crate::context::offset;
use crate::storage::storage_words;
use crate::vectorize::Variance;

/// Memory flags of accesses that cannot trap and start at any word.
fn unaligned() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// A load of a SIMD group.
#[derive(Clone, Copy)]
pub(super) struct Load {
    pub(super) buffer: BufferId,
    pub(super) index: ValueId,
    pub(super) guard: Option<ValueId>,
}

/// A store of a SIMD group.
#[derive(Clone, Copy)]
pub(super) struct Store {
    pub(super) buffer: BufferId,
    pub(super) index: ValueId,
    pub(super) value: ValueId,
    pub(super) guard: Option<ValueId>,
}

impl Emitter<'_, '_> {
    /// The guard of an access, unless it is known to hold.
    fn open_guard(&self, guard: Option<ValueId>) -> Option<ValueId> {
        guard.filter(|&guard| self.known_outcome(guard) != Some(true))
    }

    /// Loads the elements of a group. A load whose guard fails for some lane is scalarized.
    pub(super) fn simd_load(&mut self, Load { buffer, index, guard }: Load, mask: Option<ir::Value>) -> Words {
        let guard = self.open_guard(guard);
        let op = Op::Load { buffer, index, guard };
        let count = storage_words(element_type(self.kernel.buffers[buffer].element)) as usize;
        if mask.is_some() || self.variance(index) != Variance::Consecutive {
            return self.scalarize_op(op, count, mask);
        }
        let Some(guard) = guard else { return self.load_consecutive(buffer, index) };
        let (vector, scalar, after) =
            (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(scalar);
        // A block parameter for a word that the element does not have would cost a register.
        let first = self.builder.append_block_param(after, types::I32X4);
        let mut params = [first; 4];
        params[1..count].fill_with(|| self.builder.append_block_param(after, types::I32X4));
        let fits = self.holds_in_all_lanes(guard, 0);
        self.builder.ins().brif(fits, vector, &[], scalar, &[]);
        for (block, is_vector) in [(vector, true), (scalar, false)] {
            self.builder.switch_to_block(block);
            self.builder.seal_block(block);
            let vectors =
                if is_vector { self.load_consecutive(buffer, index) } else { self.scalarize_op(op, count, None) };
            let arguments = vectors.map(ir::BlockArg::from);
            self.builder.ins().jump(after, &arguments[..count]);
        }
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
        params
    }

    /// Stores the elements of a group. A store whose guard fails for some lane is scalarized.
    pub(super) fn simd_store(&mut self, store: Store, mask: Option<ir::Value>) {
        let store = Store { guard: self.open_guard(store.guard), ..store };
        let Store { buffer, index, value, guard } = store;
        let is_uniform = |emitter: &Self, value: ValueId| emitter.variance(value) == Variance::Uniform;
        if is_uniform(self, index) && is_uniform(self, value) && guard.is_none_or(|guard| is_uniform(self, guard)) {
            self.store(buffer, index, value, guard);
        } else if mask.is_some() || self.variance(index) != Variance::Consecutive {
            self.scalarize_store(store, mask);
        } else if let Some(guard) = guard {
            let (vector, scalar, after) =
                (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
            self.builder.set_cold_block(scalar);
            let fits = self.holds_in_all_lanes(guard, 0);
            self.builder.ins().brif(fits, vector, &[], scalar, &[]);
            self.builder.switch_to_block(vector);
            self.builder.seal_block(vector);
            self.store_consecutive(buffer, index, value);
            self.jump(after);
            self.builder.switch_to_block(scalar);
            self.builder.seal_block(scalar);
            self.scalarize_store(store, None);
            self.jump(after);
            self.builder.switch_to_block(after);
            self.builder.seal_block(after);
        } else {
            self.store_consecutive(buffer, index, value);
        }
    }

    fn scalarize_store(&mut self, Store { buffer, index, value, guard }: Store, mask: Option<ir::Value>) {
        let operands: Vec<ValueId> = [index, value].into_iter().chain(guard).collect();
        self.for_each_simd_lane(&operands, mask, |emitter| {
            emitter.store(buffer, index, value, guard);
            None
        });
    }

    /// Loads consecutive elements, one for each lane.
    fn load_consecutive(&mut self, buffer: BufferId, index: ValueId) -> Words {
        let address = self.first_element(buffer, index);
        let decl = &self.kernel.buffers[buffer];
        let flags = if !decl.access.is_writable() { unaligned().with_readonly() } else { unaligned() };
        let mut load = |at: i32| self.builder.ins().load(types::I32X4, flags, address, 16 * at);
        match element_type(decl.element) {
            Type::Bool | Type::U32 => [load(0); 4],
            Type::Vec2 => {
                let (low, high) = (load(0), load(1));
                let first = self.shuffle_words(low, high, [0, 2, 4, 6]);
                let second = self.shuffle_words(low, high, [1, 3, 5, 7]);
                [first, second, first, first]
            }
            Type::Vec4 => {
                let elements = [load(0), load(1), load(2), load(3)];
                self.transpose(elements)
            }
        }
    }

    /// Stores consecutive elements, one for each lane.
    fn store_consecutive(&mut self, buffer: BufferId, index: ValueId, value: ValueId) {
        let address = self.first_element(buffer, index);
        let vectors = self.vector(value);
        let elements = match self.kernel.ty(value) {
            Type::Bool | Type::U32 => vec![vectors[0]],
            Type::Vec2 => {
                let low = self.shuffle_words(vectors[0], vectors[1], [0, 4, 1, 5]);
                vec![low, self.shuffle_words(vectors[0], vectors[1], [2, 6, 3, 7])]
            }
            Type::Vec4 => self.transpose(vectors).to_vec(),
        };
        for (at, element) in elements.into_iter().enumerate() {
            self.builder.ins().store(unaligned(), element, address, 16 * at as i32);
        }
    }

    /// Address of the element of the first lane.
    fn first_element(&mut self, buffer: BufferId, index: ValueId) -> ir::Value {
        if let Some(SimdValue::Consecutive(first)) = self.simd_values[index.position()] {
            self.words[index.position()] = Some([first; 4]);
        }
        self.element(buffer, index, None, offset::ZEROS)
    }

    /// Shuffles the words of two vectors. In `order`, 0 to 3 are words of the first and 4 to 7 of the second.
    pub(super) fn shuffle_words(&mut self, a: ir::Value, b: ir::Value, order: [u8; 4]) -> ir::Value {
        let flags = MemFlagsData::new().with_endianness(Endianness::Little);
        let a = self.builder.ins().bitcast(types::I8X16, flags, a);
        let b = self.builder.ins().bitcast(types::I8X16, flags, b);
        let bytes: Vec<u8> = order.iter().flat_map(|&word| (0..4).map(move |byte| 4 * word + byte)).collect();
        let order = self.builder.func.dfg.immediates.push(bytes.into());
        let mixed = self.builder.ins().shuffle(a, b, order);
        self.builder.ins().bitcast(types::I32X4, flags, mixed)
    }

    /// Transposes four vectors of four words: from elements to words, or back.
    fn transpose(&mut self, [a, b, c, d]: Words) -> Words {
        let (ab_low, ab_high) = (self.shuffle_words(a, b, [0, 4, 1, 5]), self.shuffle_words(a, b, [2, 6, 3, 7]));
        let (cd_low, cd_high) = (self.shuffle_words(c, d, [0, 4, 1, 5]), self.shuffle_words(c, d, [2, 6, 3, 7]));
        [
            self.shuffle_words(ab_low, cd_low, [0, 1, 4, 5]),
            self.shuffle_words(ab_low, cd_low, [2, 3, 6, 7]),
            self.shuffle_words(ab_high, cd_high, [0, 1, 4, 5]),
            self.shuffle_words(ab_high, cd_high, [2, 3, 6, 7]),
        ]
    }
}
