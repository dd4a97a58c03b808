//! What a kernel does with its buffers and values.

use vyre_ir::AtomicOp;

use crate::kernel::{BlockId, BufferId, Kernel, Statement, ValueId};
use crate::op::{Id, Op};
use crate::table::Key;

/// What a kernel does with its buffers and values.
#[derive(Clone, Debug)]
pub struct Usage {
    buffers: Vec<BufferUse>,
    /// By value: how often something uses it.
    uses: Vec<u32>,
}

/// What a kernel does with a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BufferUse {
    /// Whether something reads it.
    pub is_read: bool,
    /// Whether something writes it.
    pub is_written: bool,
    /// Whether some access is atomic.
    pub is_atomic: bool,
}

impl BufferUse {
    /// Whether it is used at all.
    #[must_use]
    pub const fn is_accessed(self) -> bool {
        self.is_read || self.is_written || self.is_atomic
    }
}

impl Usage {
    /// Finds out about a kernel.
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

    /// What the kernel does with a buffer.
    #[must_use]
    pub fn buffer(&self, buffer: BufferId) -> BufferUse {
        self.buffers[buffer.position()]
    }

    /// Whether something uses a value.
    #[must_use]
    pub fn is_used(&self, value: ValueId) -> bool {
        self.uses(value) != 0
    }

    /// How many operands of values and statements are this value.
    #[must_use]
    pub fn uses(&self, value: ValueId) -> u32 {
        self.uses[value.position()]
    }
}

impl Kernel {
    /// Whether all lanes write all elements of a buffer, and meet, before any of them reads it: then nobody sees what it held
    /// at the start.
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
        // Never read at all; then it is not asked for.
        is_written
    }

    /// Whether the lanes of a workgroup have all elements of a buffer between them as this index.
    fn is_every_element(&self, buffer: BufferId, index: ValueId) -> bool {
        let Op::Id(Id::Local, axis) = self.op(index) else { return false };
        self.buffers[buffer].count <= self.workgroup_size[usize::from(axis)]
    }

    /// Whether a statement, or one within, reads a buffer or ends invocations.
    fn may_read_or_end(&self, statement: Statement, buffer: BufferId) -> bool {
        let is_it = |statement: Statement| match statement {
            Statement::Return => true,
            Statement::Let(value) => matches!(self.op(value), Op::Load { buffer: other, .. } if other == buffer),
            _ => false,
        };
        let mut pending: Vec<BlockId> = statement.blocks().collect();
        let mut found = is_it(statement);
        while let Some(block) = pending.pop() {
            for &statement in &self.blocks[block].statements {
                found |= is_it(statement);
                pending.extend(statement.blocks());
            }
        }
        found
    }
}
