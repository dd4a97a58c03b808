//! Zero initialisation of workgroup memory.

use naga::{Barrier, BinaryOperator, Expression, Statement as Step};
use vyre_ir::BufferAccess;
use vyre_kernel::{BufferId, Key as _};

use super::Emitter;

impl Emitter<'_> {
    /// Clears workgroup memory cooperatively, except buffers whose initial contents the kernel never reads.
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
        let Some(array) = self.arrays[buffer.position()] else { return };
        let invocations = self.kernel.workgroup_size.iter().map(|&size| u64::from(size)).product::<u64>();
        let (local_index, count_word) = (self.local_index(), self.word(count));
        let zero = self.add(Expression::ZeroValue(array.element));
        if u64::from(count) <= invocations {
            let has_element = self.binary(BinaryOperator::Less, local_index, count_word);
            return self.when(has_element, |emitter| {
                let pointer = emitter.element_pointer(array.variable, local_index);
                emitter.store(pointer, zero);
            });
        }
        // The limits of adapters are far below 2^32 invocations.
        let invocations = self.word(invocations as u32);
        let next = self.variable("next_element".to_owned(), self.types.word);
        self.count_up(next, (local_index, count_word, invocations), |emitter, element| {
            let pointer = emitter.element_pointer(array.variable, element);
            emitter.store(pointer, zero);
        });
    }
}
