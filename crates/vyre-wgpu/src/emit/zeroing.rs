//! Workgroup memory is zero at the start of every workgroup.

use naga::{Barrier, BinaryOperator, Expression, Statement as Step};
use vyre_ir::BufferAccess;
use vyre_kernel::{BufferId, Key as _};

use super::Emitter;

impl Emitter<'_> {
    /// Sets workgroup memory to zero, all lanes together, unless the kernel never sees what was in it.
    pub(super) fn clear_workgroup_memory(&mut self) {
        let kernel = self.kernel;
        let mut is_cleared = false;
        for (id, decl) in kernel.buffers.iter().filter(|(_, decl)| decl.access == BufferAccess::Workgroup) {
            let usage = self.usage.buffer(id);
            if usage.is_read && !kernel.is_written_first(id) {
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
