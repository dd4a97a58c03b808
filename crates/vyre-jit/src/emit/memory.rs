//! Buffers, workgroup memory, and arrays with a place for each lane.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, AtomicRmwOp, InstBuilder, Type as IrType, types};
use vyre_ir::{AtomicOp, BufferAccess};
use vyre_kernel::{BufferId, Id, Key, Op, SlotId, Type, ValueId, element_type};

use super::{Emitter, Words, WorkgroupLayout, plain, word_type};
use crate::context::offset;
use crate::plan::{Place, words};
use crate::vector::is_steady;

/// If there are more buffers, their addresses are loaded where they are needed: no registers would be left.
const MOST_BUFFERS_AT_HAND: usize = 16;

impl Emitter<'_, '_> {
    /// Loads where buffers are and how long they are, once for all workgroups.
    pub(super) fn load_buffers(&mut self, layout: &WorkgroupLayout) {
        let used = self.used_buffers();
        let is_crowded = used.iter().filter(|&&used| used).count() > MOST_BUFFERS_AT_HAND;
        let flags = plain().with_readonly();
        let table = self.builder.ins().load(types::I64, flags, self.context, offset::BUFFERS);
        let workgroup = self.builder.ins().load(types::I64, flags, self.context, offset::WORKGROUP);
        self.table = table;
        let mut bound = 0;
        for (buffer, decl) in self.kernel.buffers.iter() {
            let position = buffer.position();
            // The table has the buffers that are bound, in the order of the program.
            let entry = bound * offset::BUFFER_SIZE;
            bound += i32::from(decl.access != BufferAccess::Workgroup);
            if !used[position] {
                continue;
            }
            if let Some(offset) = layout.offsets[position] {
                self.addresses[position] = Some(self.builder.ins().iadd_imm_u(workgroup, i64::from(offset)));
                self.lengths[position] = Some(self.builder.ins().iconst(types::I32, i64::from(decl.count)));
                continue;
            }
            self.entries[position] = entry;
            if !is_crowded {
                let (address, length) = (self.load_address(entry), self.load_length(entry));
                (self.addresses[position], self.lengths[position]) = (Some(address), Some(length));
            }
        }
    }

    fn load_address(&mut self, entry: i32) -> ir::Value {
        let flags = plain().with_readonly();
        self.builder.ins().load(types::I64, flags, self.table, entry + offset::BUFFER_ADDRESS)
    }

    fn load_length(&mut self, entry: i32) -> ir::Value {
        let flags = plain().with_readonly();
        self.builder.ins().load(types::I32, flags, self.table, entry + offset::BUFFER_LENGTH)
    }

    /// The place of a buffer that is bound, or of the memory of the workgroup.
    pub(super) fn address(&mut self, buffer: BufferId) -> ir::Value {
        match self.addresses[buffer.position()] {
            Some(address) => address,
            None => self.load_address(self.entries[buffer.position()]),
        }
    }

    pub(super) fn length(&mut self, buffer: BufferId) -> ir::Value {
        match self.lengths[buffer.position()] {
            Some(length) => length,
            None => self.load_length(self.entries[buffer.position()]),
        }
    }

    fn used_buffers(&self) -> Vec<bool> {
        let mut used = vec![false; self.kernel.buffers.len()];
        self.kernel.for_each_statement(|statement| {
            let mut note = |value: ValueId| {
                if let Op::Length(buffer) = self.kernel.op(value) {
                    used[buffer.position()] = true;
                }
            };
            statement.for_each_operand(&mut note);
            match statement {
                vyre_kernel::Statement::Let(value) => {
                    let op = self.kernel.op(value);
                    op.for_each_operand(&mut note);
                    if let Op::Load { buffer, .. } | Op::Atomic { buffer, .. } = op {
                        used[buffer.position()] = true;
                    }
                }
                vyre_kernel::Statement::Store { buffer, .. } => used[buffer.position()] = true,
                _ => {}
            }
        });
        used
    }

    /// The guard of an access, which a lane that takes no part fails.
    fn guard(&mut self, guard: Option<ValueId>) -> Option<ir::Value> {
        match (guard.filter(|&guard| !self.holds_in_loop(guard)), self.lane_mask) {
            (None, mask) => mask,
            (Some(guard), None) => Some(self.operand(guard)[0]),
            (Some(guard), Some(mask)) => {
                let guard = self.operand(guard)[0];
                Some(self.builder.ins().band(guard, mask))
            }
        }
    }

    /// Where an element is; where the guard does not hold, a place that is there for that.
    pub(super) fn element(
        &mut self,
        buffer: BufferId,
        index: ValueId,
        guard: Option<ir::Value>,
        otherwise: i32,
    ) -> ir::Value {
        let size = self.kernel.buffers[buffer].element.element_bytes() as u32;
        let wide = self.wide_index(index);
        let bytes = self.builder.ins().ishl_imm_u(wide, i64::from(size.trailing_zeros()));
        let base = self.address(buffer);
        let address = self.builder.ins().iadd(base, bytes);
        match guard {
            None => address,
            Some(guard) => {
                let spare = self.builder.ins().iadd_imm_u(self.context, i64::from(otherwise));
                self.builder.ins().select(guard, address, spare)
            }
        }
    }

    /// An index in 64 bits. Ids never exceed 32, so their sums are made in 64, where addresses can take them up.
    fn wide_index(&mut self, index: ValueId) -> ir::Value {
        let width = self.kernel.workgroup_size[0];
        match self.kernel.op(index) {
            Op::Id(Id::Local, 0) if width > 1 => self.lane.wide_x,
            Op::Id(Id::Invocation, 0) if width > 1 => {
                let first = self.builder.ins().imul_imm_u(self.workgroup[0], i64::from(width));
                let first = self.builder.ins().uextend(types::I64, first);
                self.builder.ins().iadd(first, self.lane.wide_x)
            }
            _ => {
                let index = self.operand(index)[0];
                self.builder.ins().uextend(types::I64, index)
            }
        }
    }

    pub(super) fn load(&mut self, buffer: BufferId, index: ValueId, guard: Option<ValueId>) -> Words {
        let guard = self.guard(guard);
        let address = self.element(buffer, index, guard, offset::ZEROS);
        let decl = &self.kernel.buffers[buffer];
        let flags = if is_steady(decl.access) { plain().with_readonly() } else { plain() };
        let count = words(element_type(decl.element)) as usize;
        let first = self.builder.ins().load(types::I32, flags, address, 0);
        let mut loaded = [first; 4];
        for (at, word) in loaded.iter_mut().enumerate().take(count).skip(1) {
            *word = self.builder.ins().load(types::I32, flags, address, 4 * at as i32);
        }
        loaded
    }

    pub(super) fn store(&mut self, buffer: BufferId, index: ValueId, value: ValueId, guard: Option<ValueId>) {
        let guard = self.guard(guard);
        let address = self.element(buffer, index, guard, offset::SINK);
        let stored = self.operand(value);
        let count = words(self.kernel.ty(value)) as usize;
        for (at, &word) in stored.iter().enumerate().take(count) {
            self.builder.ins().store(plain(), word, address, 4 * at as i32);
        }
    }

    pub(super) fn atomic(
        &mut self,
        op: AtomicOp,
        (buffer, index): (BufferId, ValueId),
        expected: Option<ValueId>,
        value: Option<ValueId>,
        guard: Option<ValueId>,
    ) -> ir::Value {
        let guard = self.guard(guard);
        let address = self.element(buffer, index, guard, offset::SINK);
        let zero = self.builder.ins().iconst(types::I32, 0);
        let value = value.map_or(zero, |value| self.operand(value)[0]);
        let expected = expected.map_or(zero, |expected| self.operand(expected)[0]);
        let before = self.update(op, address, expected, value);
        if op == AtomicOp::Store {
            return zero;
        }
        match guard {
            None => before,
            // The spare place may hold anything.
            Some(guard) => self.builder.ins().select(guard, before, zero),
        }
    }

    fn update(&mut self, op: AtomicOp, address: ir::Value, expected: ir::Value, value: ir::Value) -> ir::Value {
        let rmw = match op {
            AtomicOp::Add => AtomicRmwOp::Add,
            AtomicOp::Or => AtomicRmwOp::Or,
            AtomicOp::And => AtomicRmwOp::And,
            AtomicOp::Xor => AtomicRmwOp::Xor,
            AtomicOp::Min => AtomicRmwOp::Umin,
            AtomicOp::Max => AtomicRmwOp::Umax,
            AtomicOp::Exchange => AtomicRmwOp::Xchg,
            AtomicOp::CompareExchange => return self.builder.ins().atomic_cas(plain(), address, expected, value),
            AtomicOp::Load => return self.builder.ins().atomic_load(types::I32, plain(), address),
            AtomicOp::Store => {
                self.builder.ins().atomic_store(plain(), value, address);
                return value;
            }
        };
        self.builder.ins().atomic_rmw(types::I32, plain(), rmw, address, value)
    }

    /// Where the word of a lane is in an array.
    pub(super) fn array_address(&mut self, offset: u32, word: u32, lane: ir::Value) -> ir::Value {
        let start = u64::from(offset + word) * u64::from(self.lanes) * 4;
        // With one row the number of the lane is its position in it.
        let is_row = self.kernel.workgroup_size[1] == 1 && self.kernel.workgroup_size[2] == 1;
        let wide = if is_row && lane == self.lane.index {
            self.lane.wide_x
        } else {
            self.builder.ins().uextend(types::I64, lane)
        };
        let bytes = self.builder.ins().ishl_imm_u(wide, 2);
        let base = self.builder.ins().iadd_imm_u(self.arrays, start as i64);
        self.builder.ins().iadd(base, bytes)
    }

    /// A word of an array; truth values lie in it as words that are 0 or 1.
    pub(super) fn load_array(&mut self, offset: u32, word: u32, ty: IrType, lane: ir::Value) -> ir::Value {
        let address = self.array_address(offset, word, lane);
        let loaded = self.builder.ins().load(types::I32, plain(), address, 0);
        if ty == types::I8 { self.builder.ins().ireduce(types::I8, loaded) } else { loaded }
    }

    pub(super) fn store_array(&mut self, offset: u32, word: u32, value: ir::Value, lane: ir::Value) {
        let address = self.array_address(offset, word, lane);
        let is_truth = self.builder.func.dfg.value_type(value) == types::I8;
        let value = if is_truth { self.builder.ins().uextend(types::I32, value) } else { value };
        self.builder.ins().store(plain(), value, address, 0);
    }

    /// Loads a value that another region has computed.
    pub(super) fn load_input(&mut self, value: ValueId) {
        let Some(offset) = self.array_of(value) else { return };
        let (ty, lane) = (self.kernel.ty(value), self.lane.index);
        let loaded = self.load_words(offset, ty, lane);
        self.words[value.position()] = Some(loaded);
    }

    fn load_words(&mut self, offset: u32, ty: Type, lane: ir::Value) -> Words {
        let first = self.load_array(offset, 0, word_type(ty), lane);
        let mut loaded = [first; 4];
        for (at, word) in loaded.iter_mut().enumerate().take(words(ty) as usize).skip(1) {
            *word = self.load_array(offset, at as u32, word_type(ty), lane);
        }
        loaded
    }

    /// Puts the words of a value into its array, for the lane that runs.
    pub(super) fn keep_words(&mut self, offset: u32, ty: Type, stored: Words) {
        let lane = self.lane.index;
        for (at, &word) in stored.iter().enumerate().take(words(ty) as usize) {
            self.store_array(offset, at as u32, word, lane);
        }
    }

    pub(super) fn set(&mut self, slot: SlotId, value: ValueId) {
        let ty = self.kernel.slots[slot].ty;
        let stored = self.operand(value);
        match self.plan.slots[slot.position()] {
            Place::Array { offset } => self.keep_words(offset, ty, stored),
            Place::Memory { offset, shared: _ } => {
                for (at, &word) in stored.iter().enumerate().take(words(ty) as usize) {
                    let is_truth = self.builder.func.dfg.value_type(word) == types::I8;
                    let word = if is_truth { self.builder.ins().uextend(types::I32, word) } else { word };
                    let place = self.memory_offset(offset, at as u32);
                    self.builder.ins().store(plain(), word, self.arrays, place);
                }
            }
            Place::Lane | Place::Workgroup => {
                if let Some(variables) = self.variables[slot.position()] {
                    for (&variable, &word) in variables.iter().zip(&stored).take(words(ty) as usize) {
                        self.builder.def_var(variable, word);
                    }
                }
            }
        }
    }

    pub(super) fn get(&mut self, slot: SlotId) -> Words {
        let ty = self.kernel.slots[slot].ty;
        match (self.plan.slots[slot.position()], self.variables[slot.position()]) {
            (Place::Array { offset }, _) => {
                let lane = self.lane.index;
                self.load_words(offset, ty, lane)
            }
            (Place::Memory { offset, shared: _ }, _) => {
                let mut read = [self.arrays; 4];
                for at in 0..words(ty) {
                    let place = self.memory_offset(offset, at);
                    let word = self.builder.ins().load(types::I32, plain(), self.arrays, place);
                    let is_truth = ty == Type::Bool;
                    read[at as usize] = if is_truth { self.builder.ins().ireduce(types::I8, word) } else { word };
                }
                for at in words(ty) as usize..4 {
                    read[at] = read[0];
                }
                read
            }
            (Place::Lane | Place::Workgroup, Some(variables)) => {
                let mut read = [self.builder.use_var(variables[0]); 4];
                for (word, &variable) in read.iter_mut().zip(&variables).take(words(ty) as usize).skip(1) {
                    *word = self.builder.use_var(variable);
                }
                read
            }
            (Place::Lane | Place::Workgroup, None) => [self.builder.ins().iconst(word_type(ty), 0); 4],
        }
    }

    /// Where a word of a slot in memory is, from the start of arrays.
    pub(super) fn memory_offset(&self, offset: u32, word: u32) -> i32 {
        // Sizes are checked before anything is compiled.
        let bytes = self.plan.memory_start() + u64::from(offset + word) * 16;
        i32::try_from(bytes).unwrap_or(i32::MAX)
    }

    /// Puts zero into a slot of the lane or workgroup that runs.
    pub(super) fn clear_slot(&mut self, slot: SlotId) {
        let ty = self.kernel.slots[slot].ty;
        if let Place::Memory { offset, shared: _ } = self.plan.slots[slot.position()] {
            let zero = self.builder.ins().iconst(types::I32, 0);
            for at in 0..words(ty) {
                let place = self.memory_offset(offset, at);
                self.builder.ins().store(plain(), zero, self.arrays, place);
            }
        } else if let Some(variables) = self.variables[slot.position()] {
            let zero = self.builder.ins().iconst(word_type(ty), 0);
            for &variable in variables.iter().take(words(ty) as usize) {
                self.builder.def_var(variable, zero);
            }
        }
    }

    /// Workgroup memory and slots in arrays are zero at the start of every workgroup; nobody has returned.
    pub(super) fn clear_workgroup(&mut self, layout: &WorkgroupLayout) {
        if layout.bytes > 0 {
            let flags = plain().with_readonly();
            let start = self.builder.ins().load(types::I64, flags, self.context, offset::WORKGROUP);
            self.clear(start, u64::from(layout.bytes));
        }
        let slots = u64::from(self.plan.slot_words) * u64::from(self.lanes) * 4;
        if slots > 0 {
            let start = self.arrays;
            self.clear(start, slots.next_multiple_of(16));
        }
        if self.plan.tracks_returns {
            let start = self.builder.ins().iadd_imm_u(self.arrays, self.plan.returns_start() as i64);
            self.clear(start, u64::from(self.lanes).next_multiple_of(16));
        }
    }

    /// Clears memory, whose size is a multiple of 16.
    fn clear(&mut self, start: ir::Value, bytes: u64) {
        const ROUND: u64 = 64;
        let zero = self.builder.ins().iconst(types::I64, 0);
        let zeros = self.builder.ins().splat(types::I64X2, zero);
        let in_rounds = bytes - bytes % ROUND;
        if in_rounds > 0 {
            let (header, after) = (self.builder.create_block(), self.builder.create_block());
            let address = self.builder.append_block_param(header, types::I64);
            let end = self.builder.ins().iadd_imm_u(start, in_rounds as i64);
            self.builder.ins().jump(header, &[start.into()]);
            self.builder.switch_to_block(header);
            for at in (0..ROUND as i32).step_by(16) {
                self.builder.ins().store(plain(), zeros, address, at);
            }
            let next = self.builder.ins().iadd_imm_u(address, ROUND as i64);
            let more = self.builder.ins().icmp(IntCC::UnsignedLessThan, next, end);
            self.builder.ins().brif(more, header, &[next.into()], after, &[]);
            self.builder.seal_block(header);
            self.builder.switch_to_block(after);
            self.builder.seal_block(after);
        }
        let rest = self.builder.ins().iadd_imm_u(start, in_rounds as i64);
        for at in (0..(bytes % ROUND) as i32).step_by(16) {
            self.builder.ins().store(plain(), zeros, rest, at);
        }
    }

    /// Where it is noted that the lane that runs has returned.
    fn returned_address(&mut self) -> ir::Value {
        let base = self.builder.ins().iadd_imm_u(self.arrays, self.plan.returns_start() as i64);
        let wide = self.builder.ins().uextend(types::I64, self.lane.index);
        self.builder.ins().iadd(base, wide)
    }

    pub(super) fn note_returned(&mut self) {
        let address = self.returned_address();
        let yes = self.builder.ins().iconst(types::I8, 1);
        self.builder.ins().store(plain(), yes, address, 0);
    }

    /// Goes on with the next lane if this one has returned.
    pub(super) fn skip_returned(&mut self, next: ir::Block) {
        let address = self.returned_address();
        let returned = self.builder.ins().load(types::I8, plain(), address, 0);
        let go_on = self.builder.create_block();
        self.builder.ins().brif(returned, next, &[], go_on, &[]);
        self.builder.switch_to_block(go_on);
        self.builder.seal_block(go_on);
    }
}
