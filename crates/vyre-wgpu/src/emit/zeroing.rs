//! Workgroup memory is zero at the start of every workgroup.

use naga::{Barrier, BinaryOperator, Expression, Statement as Step};
use vyre_ir::BufferAccess;
use vyre_kernel::{BlockId, BufferId, Id, Kernel, Key as _, Op, Statement, ValueId};

use super::Emitter;

impl Emitter<'_> {
    /// Sets workgroup memory to zero, all lanes together, unless the kernel never sees what was in it.
    pub(super) fn clear_workgroup_memory(&mut self) {
        let kernel = self.kernel;
        let mut is_cleared = false;
        for (id, decl) in kernel.buffers.iter().filter(|(_, decl)| decl.access == BufferAccess::Workgroup) {
            let usage = self.usage.buffer(id);
            if usage.is_read && !is_written_first(kernel, id) {
                self.clear(id, decl.count.max(1));
                is_cleared = true;
            }
        }
        if is_cleared {
            self.push(Step::ControlBarrier(Barrier::WORK_GROUP));
        }
    }

    fn clear(&mut self, buffer: BufferId, count: u32) {
        let Some(storage) = self.storages[buffer.position()] else { return };
        let lanes = self.kernel.workgroup_size.iter().map(|&size| u64::from(size)).product::<u64>();
        let (lane, count_word) = (self.lane(), self.word(count));
        let zero = self.add(Expression::ZeroValue(storage.element));
        if u64::from(count) <= lanes {
            let has_element = self.binary(BinaryOperator::Less, lane, count_word);
            return self.when(has_element, |emitter| {
                let pointer = emitter.element_pointer(storage.array, lane);
                emitter.store(pointer, zero);
            });
        }
        // Workgroups have far fewer invocations than a word can count.
        let lanes = self.word(lanes as u32);
        let next = self.variable("next_element".to_owned(), self.types.word);
        self.count_up(next, (lane, count_word, lanes), |emitter, element| {
            let pointer = emitter.element_pointer(storage.array, element);
            emitter.store(pointer, zero);
        });
    }
}

/// Whether all lanes write all elements of a buffer, and meet, before any of them reads it.
fn is_written_first(kernel: &Kernel, buffer: BufferId) -> bool {
    let mut is_written = false;
    for &statement in &kernel.blocks[kernel.entry].statements {
        match statement {
            Statement::Store { buffer: other, index, guard: None, .. }
                if other == buffer && is_every_element(kernel, buffer, index) =>
            {
                is_written = true;
            }
            Statement::Barrier if is_written => return true,
            _ if may_read_or_end(kernel, statement, buffer) => return false,
            _ => {}
        }
    }
    // Never read at all; then it is not asked for.
    is_written
}

/// Whether the lanes of a workgroup have all elements of a buffer between them as this index.
fn is_every_element(kernel: &Kernel, buffer: BufferId, index: ValueId) -> bool {
    let Op::Id(Id::Local, axis) = kernel.op(index) else { return false };
    kernel.buffers[buffer].count <= kernel.workgroup_size[usize::from(axis)]
}

/// Whether a statement, or one within, reads a buffer or ends invocations.
fn may_read_or_end(kernel: &Kernel, statement: Statement, buffer: BufferId) -> bool {
    let is_it = |statement: Statement| match statement {
        Statement::Return => true,
        Statement::Let(value) => matches!(kernel.op(value), Op::Load { buffer: other, .. } if other == buffer),
        _ => false,
    };
    let mut pending: Vec<BlockId> = statement.blocks().collect();
    let mut found = is_it(statement);
    while let Some(block) = pending.pop() {
        for &statement in &kernel.blocks[block].statements {
            found |= is_it(statement);
            pending.extend(statement.blocks());
        }
    }
    found
}
