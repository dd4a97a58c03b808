//! Per-invocation arrays and other scratch memory of a thread.
//!
//! [`Plan`](crate::plan::Plan) has the layout. A bool takes a word that is 0 or 1.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, Type as IrType, types};
use vyre_kernel::{Key, Op, Type, ValueId};

use super::{Emitter, SimdValue, Words, WorkgroupMemory, aligned, word_type};
use crate::context::offset;
use crate::storage::{StorageClass, storage_words};

impl Emitter<'_, '_> {
    /// Offset of the array of a value that is spilled.
    pub(super) fn array_of(&self, value: ValueId) -> Option<u32> {
        match self.plan.values[value.position()] {
            StorageClass::InvocationArray { offset } if self.kernel.op(value) != Op::LoopVariable => Some(offset),
            _ => None,
        }
    }

    /// Address of a word of an invocation in an array.
    pub(super) fn array_address(&mut self, offset: u32, word: u32, invocation: ir::Value) -> ir::Value {
        let start = u64::from(offset + word) * u64::from(self.invocations) * 4;
        // With one scanline the index of an invocation is its x.
        let is_scanline = self.kernel.workgroup_size[1] == 1 && self.kernel.workgroup_size[2] == 1;
        let index = if is_scanline && invocation == self.invocation.index {
            self.invocation.x64
        } else {
            self.builder.ins().uextend(types::I64, invocation)
        };
        let bytes = self.builder.ins().ishl_imm_u(index, 2);
        let base = self.builder.ins().iadd_imm_u(self.scratch, start as i64);
        self.builder.ins().iadd(base, bytes)
    }

    /// Loads a word of an array.
    pub(super) fn load_array(&mut self, offset: u32, word: u32, ty: IrType, invocation: ir::Value) -> ir::Value {
        let address = self.array_address(offset, word, invocation);
        let loaded = self.builder.ins().load(types::I32, aligned(), address, 0);
        if ty == types::I8 { self.builder.ins().ireduce(types::I8, loaded) } else { loaded }
    }

    /// Stores a word of an array.
    pub(super) fn store_array(&mut self, offset: u32, word: u32, value: ir::Value, invocation: ir::Value) {
        let address = self.array_address(offset, word, invocation);
        let is_bool = self.builder.func.dfg.value_type(value) == types::I8;
        let value = if is_bool { self.builder.ins().uextend(types::I32, value) } else { value };
        self.builder.ins().store(aligned(), value, address, 0);
    }

    /// Reloads a live-in value of the region.
    pub(super) fn load_input(&mut self, value: ValueId) {
        let Some(offset) = self.array_of(value) else { return };
        let (ty, invocation) = (self.kernel.ty(value), self.invocation.index);
        let loaded = self.load_words(offset, ty, invocation);
        self.words[value.position()] = Some(loaded);
    }

    /// Reloads the words of a value for one invocation.
    pub(super) fn load_words(&mut self, offset: u32, ty: Type, invocation: ir::Value) -> Words {
        let first = self.load_array(offset, 0, word_type(ty), invocation);
        let mut loaded = [first; 4];
        for (at, word) in loaded.iter_mut().enumerate().take(storage_words(ty) as usize).skip(1) {
            *word = self.load_array(offset, at as u32, word_type(ty), invocation);
        }
        loaded
    }

    /// Spills the words of a value of the invocation that runs.
    pub(super) fn spill_words(&mut self, offset: u32, ty: Type, stored: Words) {
        let invocation = self.invocation.index;
        for (at, &word) in stored.iter().enumerate().take(storage_words(ty) as usize) {
            self.store_array(offset, at as u32, word, invocation);
        }
    }

    /// Reloads a live-in value of the region for the group.
    pub(super) fn load_simd_input(&mut self, value: ValueId) {
        let Some(offset) = self.array_of(value) else { return };
        let (ty, invocation) = (self.kernel.ty(value), self.invocation.index);
        let vectors = self.load_vectors(offset, ty, invocation);
        self.simd_values[value.position()] = Some(SimdValue::Varying(vectors));
    }

    /// Reloads the vectors of a value for the group that starts at an invocation.
    pub(super) fn load_vectors(&mut self, offset: u32, ty: Type, invocation: ir::Value) -> Words {
        self.load_each(ty, |emitter, word| (emitter.array_address(offset, word, invocation), 0))
    }

    /// Spills the vectors of a value of the group that runs.
    pub(super) fn spill_vectors(&mut self, offset: u32, ty: Type, vectors: Words) {
        let invocation = self.invocation.index;
        self.store_each(ty, vectors, |emitter, word| (emitter.array_address(offset, word, invocation), 0));
    }

    /// Loads a vector for each word from an address and offset.
    pub(super) fn load_each(&mut self, ty: Type, location: impl Fn(&mut Self, u32) -> (ir::Value, i32)) -> Words {
        let mut vectors = [self.scratch; 4];
        for word in 0..storage_words(ty) {
            let (address, offset) = location(self, word);
            vectors[word as usize] = self.builder.ins().load(types::I32X4, aligned(), address, offset);
        }
        if ty == Type::Bool {
            let zero = self.splat_constant(0);
            vectors[0] = self.builder.ins().icmp(IntCC::NotEqual, vectors[0], zero);
        }
        for at in storage_words(ty) as usize..4 {
            vectors[at] = vectors[0];
        }
        vectors
    }

    /// Stores a vector for each word at an address and offset.
    pub(super) fn store_each(
        &mut self,
        ty: Type,
        vectors: Words,
        location: impl Fn(&mut Self, u32) -> (ir::Value, i32),
    ) {
        for word in 0..storage_words(ty) {
            let mut vector = vectors[word as usize];
            if ty == Type::Bool {
                let one = self.splat_constant(1);
                vector = self.builder.ins().band(vector, one);
            }
            let (address, offset) = location(self, word);
            self.builder.ins().store(aligned(), vector, address, offset);
        }
    }

    /// Initialises a workgroup: clears workgroup memory, arrays of slots, and the record of returned invocations.
    pub(super) fn clear_workgroup(&mut self, workgroup_memory: &WorkgroupMemory) {
        if workgroup_memory.bytes > 0 {
            let flags = aligned().with_readonly();
            let start = self.builder.ins().load(types::I64, flags, self.context, offset::WORKGROUP);
            self.clear(start, u64::from(workgroup_memory.bytes));
        }
        let slots = u64::from(self.plan.slot_array_words) * u64::from(self.invocations) * 4;
        if slots > 0 {
            let start = self.scratch;
            self.clear(start, slots.next_multiple_of(16));
        }
        if self.plan.tracks_returns {
            let start = self.builder.ins().iadd_imm_u(self.scratch, self.plan.returned_start() as i64);
            self.clear(start, u64::from(self.invocations).next_multiple_of(16));
        }
    }

    /// Clears memory whose size is a multiple of 16 bytes.
    fn clear(&mut self, start: ir::Value, bytes: u64) {
        const BYTES_PER_ITERATION: u64 = 64;
        let zero = self.builder.ins().iconst(types::I64, 0);
        let zeros = self.builder.ins().splat(types::I64X2, zero);
        let in_loop = bytes - bytes % BYTES_PER_ITERATION;
        if in_loop > 0 {
            let (header, after) = (self.builder.create_block(), self.builder.create_block());
            let address = self.builder.append_block_param(header, types::I64);
            let end = self.builder.ins().iadd_imm_u(start, in_loop as i64);
            self.builder.ins().jump(header, &[start.into()]);
            self.builder.switch_to_block(header);
            for at in (0..BYTES_PER_ITERATION as i32).step_by(16) {
                self.builder.ins().store(aligned(), zeros, address, at);
            }
            let next = self.builder.ins().iadd_imm_u(address, BYTES_PER_ITERATION as i64);
            let more = self.builder.ins().icmp(IntCC::UnsignedLessThan, next, end);
            self.builder.ins().brif(more, header, &[next.into()], after, &[]);
            self.builder.seal_block(header);
            self.builder.switch_to_block(after);
            self.builder.seal_block(after);
        }
        let rest = self.builder.ins().iadd_imm_u(start, in_loop as i64);
        for at in (0..(bytes % BYTES_PER_ITERATION) as i32).step_by(16) {
            self.builder.ins().store(aligned(), zeros, rest, at);
        }
    }

    /// Address of the byte that records the return of the invocation that runs.
    fn returned_address(&mut self) -> ir::Value {
        let base = self.builder.ins().iadd_imm_u(self.scratch, self.plan.returned_start() as i64);
        let index = self.builder.ins().uextend(types::I64, self.invocation.index);
        self.builder.ins().iadd(base, index)
    }

    /// Records that the invocation that runs returns.
    pub(super) fn record_return(&mut self) {
        let address = self.returned_address();
        let yes = self.builder.ins().iconst(types::I8, 1);
        self.builder.ins().store(aligned(), yes, address, 0);
    }

    /// Skips an invocation that returned in an earlier region.
    pub(super) fn skip_returned(&mut self, next: ir::Block) {
        let address = self.returned_address();
        let returned = self.builder.ins().load(types::I8, aligned(), address, 0);
        let proceed = self.builder.create_block();
        self.builder.ins().brif(returned, next, &[], proceed, &[]);
        self.builder.switch_to_block(proceed);
        self.builder.seal_block(proceed);
    }
}
