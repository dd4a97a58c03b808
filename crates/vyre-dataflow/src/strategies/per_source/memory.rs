//! Working memory of the queue-based BFS.

use std::cell::Cell;

use vyre_runtime::{Buffer, Command, CommandList};

use super::batch::{AccessLists, SHORT_UNITS_PER_WORKGROUP, Sizes, Unit};
use crate::error::DataflowError;
use crate::executor::Executor;

/// What decides on the sizes and the use of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) unit: Unit,
    pub(crate) sizes: Sizes,
    /// Number of sources of a batch.
    pub(crate) sources: u32,
    /// Number of concurrent searches. Each has a slot of the memory.
    pub(crate) slots: u32,
    /// True if searches end at a region.
    pub(crate) has_access: bool,
}

/// Buffers that searches use one after the other.
///
/// Every search leaves the visited sets as the next one expects them, so a later analysis may use the memory again.
pub(crate) struct QueueMemory {
    shape: Shape,
    /// Work counter.
    pub(crate) counter: Buffer,
    /// Visited sets or states of all slots.
    pub(crate) state: Buffer,
    /// Queues of all slots.
    pub(crate) queues: Buffer,
    pub(crate) depths: Buffer,
    pub(crate) access: Option<AccessLists>,
    /// Last stamp that a search has used.
    stamp: Cell<u32>,
}

impl QueueMemory {
    pub(crate) fn new(executor: &Executor, shape: Shape) -> Result<QueueMemory, DataflowError> {
        let Shape { sizes, sources, slots, has_access, .. } = shape;
        let access = match has_access {
            true => Some(AccessLists {
                counts: executor.zeros(u64::from(slots * SHORT_UNITS_PER_WORKGROUP))?,
                lists: executor.zeros(sizes.lists * u64::from(slots))?,
            }),
            false => None,
        };
        Ok(QueueMemory {
            shape,
            counter: executor.zeros(1)?,
            state: executor.zeros(sizes.state * u64::from(slots))?,
            queues: executor.zeros(sizes.queue * u64::from(slots))?,
            depths: executor.zeros(sizes.row * u64::from(sources))?,
            access,
            stamp: Cell::new(0),
        })
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// First of `count` stamps that are in no visited set. Clears the sets when all stamps are used.
    pub(crate) fn claim_stamps(&self, executor: &Executor, count: u32) -> Result<u32, DataflowError> {
        let first = match self.stamp.get().checked_add(count) {
            Some(last) if last < u32::MAX => self.stamp.get() + 1,
            _ => {
                let mut commands = CommandList::new();
                commands.push(Command::fill_all(&self.state, 0));
                executor.run(&commands)?;
                1
            }
        };
        self.stamp.set(first - 1 + count);
        Ok(first)
    }
}
