//! Accesses to buffers and workgroup memory.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, AtomicRmwOp, InstBuilder, types};
use vyre_ir::{AtomicOp, BufferAccess};
use vyre_kernel::{BufferId, Id, Key, Op, Statement, ValueId, element_type};

use super::{Emitter, Words, WorkgroupMemory, aligned};
use crate::context::offset;
use crate::storage::storage_words;

/// Maximum number of buffers whose addresses are kept in registers. With more of them, addresses are loaded at each use.
const MAX_BUFFERS_IN_REGISTERS: usize = 16;

impl Emitter<'_, '_> {
    /// Loads addresses and lengths of buffers, once for all workgroups.
    pub(super) fn load_buffers(&mut self, workgroup_memory: &WorkgroupMemory) {
        let used = self.used_buffers();
        let fits_registers = used.iter().filter(|&&used| used).count() <= MAX_BUFFERS_IN_REGISTERS;
        let flags = aligned().with_readonly();
        let table = self.builder.ins().load(types::I64, flags, self.context, offset::BUFFERS);
        let workgroup = self.builder.ins().load(types::I64, flags, self.context, offset::WORKGROUP);
        self.buffer_table = table;
        let mut bound = 0;
        for (buffer, decl) in self.kernel.buffers.iter() {
            let position = buffer.position();
            // The table has the bound buffers in program order.
            let entry = bound * offset::BUFFER_SIZE;
            bound += i32::from(decl.access != BufferAccess::Workgroup);
            if !used[position] {
                continue;
            }
            if let Some(offset) = workgroup_memory.offsets[position] {
                self.addresses[position] = Some(self.builder.ins().iadd_imm_u(workgroup, i64::from(offset)));
                self.lengths[position] = Some(self.builder.ins().iconst(types::I32, i64::from(decl.count)));
                continue;
            }
            self.table_offsets[position] = entry;
            if fits_registers {
                let (address, length) = (self.load_address(entry), self.load_length(entry));
                (self.addresses[position], self.lengths[position]) = (Some(address), Some(length));
            }
        }
    }

    fn load_address(&mut self, entry: i32) -> ir::Value {
        let flags = aligned().with_readonly();
        self.builder.ins().load(types::I64, flags, self.buffer_table, entry + offset::BUFFER_ADDRESS)
    }

    fn load_length(&mut self, entry: i32) -> ir::Value {
        let flags = aligned().with_readonly();
        self.builder.ins().load(types::I32, flags, self.buffer_table, entry + offset::BUFFER_LENGTH)
    }

    /// Address of a buffer.
    pub(super) fn address(&mut self, buffer: BufferId) -> ir::Value {
        match self.addresses[buffer.position()] {
            Some(address) => address,
            None => self.load_address(self.table_offsets[buffer.position()]),
        }
    }

    /// Number of elements of a buffer.
    pub(super) fn length(&mut self, buffer: BufferId) -> ir::Value {
        match self.lengths[buffer.position()] {
            Some(length) => length,
            None => self.load_length(self.table_offsets[buffer.position()]),
        }
    }

    /// By buffer: true if the kernel accesses it or takes its length.
    fn used_buffers(&self) -> Vec<bool> {
        let mut used = vec![false; self.kernel.buffers.len()];
        self.kernel.for_each_statement(|statement| {
            let mut add_length = |value: ValueId| {
                if let Op::Length(buffer) = self.kernel.op(value) {
                    used[buffer.position()] = true;
                }
            };
            statement.for_each_operand(&mut add_length);
            match statement {
                Statement::Let(value) => {
                    let op = self.kernel.op(value);
                    op.for_each_operand(&mut add_length);
                    if let Op::Load { buffer, .. } | Op::Atomic { buffer, .. } = op {
                        used[buffer.position()] = true;
                    }
                }
                Statement::Store { buffer, .. } => used[buffer.position()] = true,
                _ => {}
            }
        });
        used
    }

    /// Guard of an access. It fails for inactive invocations.
    fn guard(&mut self, guard: Option<ValueId>) -> Option<ir::Value> {
        match (guard.filter(|&guard| !self.holds_in_loop(guard)), self.is_active) {
            (None, mask) => mask,
            (Some(guard), None) => Some(self.operand(guard)[0]),
            (Some(guard), Some(mask)) => {
                let guard = self.operand(guard)[0];
                Some(self.builder.ins().band(guard, mask))
            }
        }
    }

    /// Address of an element, or of the field `otherwise` of the context if the guard fails. Needs no branch.
    pub(super) fn element(
        &mut self,
        buffer: BufferId,
        index: ValueId,
        guard: Option<ir::Value>,
        otherwise: i32,
    ) -> ir::Value {
        let size = self.kernel.buffers[buffer].element.element_bytes() as u32;
        let index = self.index64(index);
        let bytes = self.builder.ins().ishl_imm_u(index, i64::from(size.trailing_zeros()));
        let base = self.address(buffer);
        let address = self.builder.ins().iadd(base, bytes);
        match guard {
            None => address,
            Some(guard) => {
                let redirected = self.builder.ins().iadd_imm_u(self.context, i64::from(otherwise));
                self.builder.ins().select(guard, address, redirected)
            }
        }
    }

    /// An index in 64 bits. Ids do not overflow 32 bits, so they are added in 64, which addressing modes can absorb.
    fn index64(&mut self, index: ValueId) -> ir::Value {
        let width = self.kernel.workgroup_size[0];
        match self.kernel.op(index) {
            Op::Id(Id::Local, 0) if width > 1 => self.invocation.x64,
            Op::Id(Id::Invocation, 0) if width > 1 => {
                let first = self.builder.ins().imul_imm_u(self.workgroup[0], i64::from(width));
                let first = self.builder.ins().uextend(types::I64, first);
                self.builder.ins().iadd(first, self.invocation.x64)
            }
            _ => {
                let index = self.operand(index)[0];
                self.builder.ins().uextend(types::I64, index)
            }
        }
    }

    /// Loads an element for the invocation that runs.
    pub(super) fn load(&mut self, buffer: BufferId, index: ValueId, guard: Option<ValueId>) -> Words {
        let guard = self.guard(guard);
        let address = self.element(buffer, index, guard, offset::ZEROS);
        let decl = &self.kernel.buffers[buffer];
        let flags = if !decl.access.is_writable() { aligned().with_readonly() } else { aligned() };
        let count = storage_words(element_type(decl.element)) as usize;
        let first = self.builder.ins().load(types::I32, flags, address, 0);
        let mut loaded = [first; 4];
        for (at, word) in loaded.iter_mut().enumerate().take(count).skip(1) {
            *word = self.builder.ins().load(types::I32, flags, address, 4 * at as i32);
        }
        loaded
    }

    /// Stores an element for the invocation that runs.
    pub(super) fn store(&mut self, buffer: BufferId, index: ValueId, value: ValueId, guard: Option<ValueId>) {
        let guard = self.guard(guard);
        let address = self.element(buffer, index, guard, offset::SINK);
        let stored = self.operand(value);
        let count = storage_words(self.kernel.ty(value)) as usize;
        for (at, &word) in stored.iter().enumerate().take(count) {
            self.builder.ins().store(aligned(), word, address, 4 * at as i32);
        }
    }

    /// Emits an atomic. Returns the old word, 0 if the guard fails.
    ///
    /// One thread runs all invocations of a workgroup, so an atomic on workgroup memory is a load, an operation and a
    /// store.
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
        let before = if self.kernel.buffers[buffer].access == BufferAccess::Workgroup {
            self.plain_update(op, address, expected, value)
        } else {
            self.update(op, address, expected, value)
        };
        if op == AtomicOp::Store {
            return zero;
        }
        match guard {
            None => before,
            // The sink may hold anything.
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
            AtomicOp::CompareExchange => return self.builder.ins().atomic_cas(aligned(), address, expected, value),
            AtomicOp::Load => return self.builder.ins().atomic_load(types::I32, aligned(), address),
            AtomicOp::Store => {
                self.builder.ins().atomic_store(aligned(), value, address);
                return value;
            }
        };
        self.builder.ins().atomic_rmw(types::I32, aligned(), rmw, address, value)
    }

    /// Updates a word that no other thread accesses. Returns the old word.
    fn plain_update(&mut self, op: AtomicOp, address: ir::Value, expected: ir::Value, value: ir::Value) -> ir::Value {
        let before = self.builder.ins().load(types::I32, aligned(), address, 0);
        let after = match op {
            AtomicOp::Add => self.builder.ins().iadd(before, value),
            AtomicOp::Or => self.builder.ins().bor(before, value),
            AtomicOp::And => self.builder.ins().band(before, value),
            AtomicOp::Xor => self.builder.ins().bxor(before, value),
            AtomicOp::Min => self.builder.ins().umin(before, value),
            AtomicOp::Max => self.builder.ins().umax(before, value),
            AtomicOp::Exchange | AtomicOp::Store => value,
            AtomicOp::CompareExchange => {
                let is_equal = self.builder.ins().icmp(IntCC::Equal, before, expected);
                self.builder.ins().select(is_equal, value, before)
            }
            AtomicOp::Load => return before,
        };
        self.builder.ins().store(aligned(), after, address, 0);
        before
    }
}
