//! Use counts of values, and the accesses to buffers.

use vyre_ir::AtomicOp;

use crate::ids::{BlockId, BufferId, ValueId};
use crate::kernel::{Kernel, Statement};
use crate::op::{Id, Op};
use crate::table::Key;

/// Use counts of values, and the accesses to buffers.
#[derive(Clone, Debug)]
pub struct Usage {
    buffers: Vec<BufferUse>,
    /// Number of uses of each value.
    uses: Vec<u32>,
}

/// Accesses of a kernel to a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BufferUse {
    /// True if the kernel reads the buffer.
    pub is_read: bool,
    /// True if the kernel writes the buffer.
    pub is_written: bool,
    /// True if the kernel has an atomic on the buffer.
    pub is_atomic: bool,
}

impl BufferUse {
    /// True if the kernel accesses the buffer.
    #[must_use]
    pub const fn is_accessed(self) -> bool {
        self.is_read || self.is_written || self.is_atomic
    }
}

impl Usage {
    /// Analyses a kernel.
    #[must_use]
    pub fn of(kernel: &Kernel) -> Usage {
        let mut usage =
            Usage { buffers: vec![BufferUse::default(); kernel.buffers.len()], uses: vec![0; kernel.values.len()] };
        kernel.for_each_statement(|statement| {
            statement.for_each_operand(|operand| usage.count(operand));
            match statement {
                Statement::Store { buffer, .. } => usage.buffers[buffer.position()].is_written = true,
                Statement::Let(value) => {
                    kernel.op(value).for_each_operand(|operand| usage.count(operand));
                    usage.note(kernel.op(value));
                }
                _ => {}
            }
        });
        usage
    }

    fn count(&mut self, value: ValueId) {
        let uses = &mut self.uses[value.position()];
        *uses = uses.saturating_add(1);
    }

    fn note(&mut self, op: Op) {
        match op {
            Op::Load { buffer, .. } => self.buffers[buffer.position()].is_read = true,
            Op::Atomic { buffer, op, .. } => {
                let buffer = &mut self.buffers[buffer.position()];
                buffer.is_atomic = true;
                buffer.is_read = true;
                buffer.is_written |= op != AtomicOp::Load;
            }
            _ => {}
        }
    }

    /// Accesses to a buffer.
    #[must_use]
    pub fn buffer(&self, buffer: BufferId) -> BufferUse {
        self.buffers[buffer.position()]
    }

    /// True if a value has uses.
    #[must_use]
    pub fn is_used(&self, value: ValueId) -> bool {
        self.uses(value) != 0
    }

    /// Number of operands of values and statements that are this value.
    #[must_use]
    pub fn uses(&self, value: ValueId) -> u32 {
        self.uses[value.position()]
    }
}

impl Kernel {
    /// True if the workgroup writes all elements of a buffer and passes a barrier before any invocation reads the
    /// buffer. Its initial contents are then unobservable.
    #[must_use]
    pub fn is_written_first(&self, buffer: BufferId) -> bool {
        let mut is_written = false;
        for &statement in &self.blocks[self.entry].statements {
            match statement {
                Statement::Store { buffer: other, index, guard: None, .. }
                    if other == buffer && self.is_every_element(buffer, index) =>
                {
                    is_written = true;
                }
                Statement::Barrier if is_written => return true,
                _ if self.may_read_or_end(statement, buffer) => return false,
                _ => {}
            }
        }
        // The buffer is never read.
        is_written
    }

    /// True if this index takes the position of every element of a buffer in some invocation of the workgroup.
    fn is_every_element(&self, buffer: BufferId, index: ValueId) -> bool {
        let Op::Id(Id::Local, axis) = self.op(index) else { return false };
        self.buffers[buffer].count <= self.workgroup_size[usize::from(axis)]
    }

    /// True if a statement or a nested one reads a buffer or ends the invocation.
    fn may_read_or_end(&self, statement: Statement, buffer: BufferId) -> bool {
        let reads_or_ends = |statement: Statement| match statement {
            Statement::Return => true,
            Statement::Let(value) => match self.op(value) {
                Op::Load { buffer: other, .. } | Op::Atomic { buffer: other, .. } => other == buffer,
                _ => false,
            },
            _ => false,
        };
        let mut pending: Vec<BlockId> = statement.blocks().collect();
        let mut found = reads_or_ends(statement);
        while let Some(block) = pending.pop() {
            for &statement in &self.blocks[block].statements {
                found |= reads_or_ends(statement);
                pending.extend(statement.blocks());
            }
        }
        found
    }
}
