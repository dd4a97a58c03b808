//! What a kernel does with its buffers and values.

use vyre_ir::AtomicOp;
use vyre_kernel::{BufferId, Kernel, Key as _, Op, Statement, ValueId};

/// What a kernel does with its buffers and values.
pub(super) struct Usage {
    buffers: Vec<BufferUse>,
    /// By value: whether something uses it.
    used: Vec<bool>,
}

/// What a kernel does with a buffer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BufferUse {
    pub(super) is_read: bool,
    pub(super) is_written: bool,
    /// Whether some access is atomic; then all have to be.
    pub(super) is_atomic: bool,
}

impl BufferUse {
    pub(super) fn is_accessed(self) -> bool {
        self.is_read || self.is_written || self.is_atomic
    }
}

impl Usage {
    pub(super) fn of(kernel: &Kernel) -> Usage {
        let mut usage =
            Usage { buffers: vec![BufferUse::default(); kernel.buffers.len()], used: vec![false; kernel.values.len()] };
        kernel.for_each_statement(|statement| {
            statement.for_each_operand(|operand| usage.used[operand.position()] = true);
            match statement {
                Statement::Store { buffer, .. } => usage.buffers[buffer.position()].is_written = true,
                Statement::Let(value) => {
                    kernel.op(value).for_each_operand(|operand| usage.used[operand.position()] = true);
                    usage.note(kernel.op(value));
                }
                _ => {}
            }
        });
        usage
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

    pub(super) fn buffer(&self, buffer: BufferId) -> BufferUse {
        self.buffers[buffer.position()]
    }

    pub(super) fn is_used(&self, value: ValueId) -> bool {
        self.used[value.position()]
    }
}
