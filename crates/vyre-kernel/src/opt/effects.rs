//! Side effects of blocks: the slots that they set, the buffers that they write, and their barriers.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt};

use crate::ids::{BlockId, BufferId, SlotId};
use crate::kernel::{Kernel, Statement};
use crate::op::Effect;
use crate::table::Key;

/// Positions of the side effects of a kernel. Statements are numbered in preorder, so the statements of a block are a
/// range.
///
/// The positions stay valid while a pass only removes statements.
pub(super) struct Effects {
    /// Positions of writes to slots.
    sets: Vec<(u32, SlotId)>,
    /// Positions of writes to buffers.
    writes: Vec<(u32, BufferId)>,
    /// Positions of barriers.
    barriers: Vec<u32>,
    /// Positions of the writes to each slot and buffer, ascending.
    sets_of: Vec<Vec<u32>>,
    writes_of: Vec<Vec<u32>>,
    /// Positions of the statements of each block.
    spans: HashMap<BlockId, Range<u32>>,
}

/// Entries of a sorted list within a range of positions.
fn within<T: Copy>(list: &[T], position: impl Fn(T) -> u32, span: &Range<u32>) -> Range<usize> {
    let start = list.partition_point(|&entry| position(entry) < span.start);
    start..list.partition_point(|&entry| position(entry) < span.end)
}

impl Effects {
    pub(super) fn of(kernel: &Kernel) -> Effects {
        let mut effects = Effects {
            sets: Vec::new(),
            writes: Vec::new(),
            barriers: Vec::new(),
            sets_of: vec![Vec::new(); kernel.slots.len()],
            writes_of: vec![Vec::new(); kernel.buffers.len()],
            spans: HashMap::new(),
        };
        let mut position: u32 = 0;
        let mut open = vec![(kernel.entry, 0, 0)];
        let mut otherwise = Vec::new();
        while let Some((block, next, start)) = open.last_mut() {
            let Some(&statement) = kernel.blocks[*block].statements.get(*next) else {
                effects.spans.insert(*block, *start..position);
                open.pop();
                // The second block of an `If` follows the first one.
                if let Some((depth, block)) = otherwise.pop() {
                    if depth == open.len() {
                        open.push((block, 0, position));
                    } else {
                        otherwise.push((depth, block));
                    }
                }
                continue;
            };
            *next += 1;
            position += 1;
            match statement {
                Statement::Let(value) => {
                    if let Effect::Updates(buffer) = kernel.op(value).effect() {
                        effects.write(position, buffer);
                    }
                }
                Statement::Set { slot, value: _ } => {
                    effects.sets.push((position, slot));
                    effects.sets_of[slot.position()].push(position);
                }
                Statement::Store { buffer, .. } => effects.write(position, buffer),
                Statement::If { cond: _, then, otherwise: second } => {
                    otherwise.push((open.len(), second));
                    open.push((then, 0, position));
                }
                Statement::Loop { body, .. } | Statement::Block { body } => open.push((body, 0, position)),
                Statement::Barrier => effects.barriers.push(position),
                Statement::Break | Statement::Return => {}
            }
        }
        effects
    }

    fn write(&mut self, position: u32, buffer: BufferId) {
        self.writes.push((position, buffer));
        self.writes_of[buffer.position()].push(position);
    }

    /// Positions of the statements of a block.
    fn span(&self, block: BlockId) -> Range<u32> {
        // Positions count from 1, and a block starts after the statement that owns it.
        self.spans.get(&block).map_or(0..0, |span| span.start + 1..span.end + 1)
    }

    /// Slots that a block sets, with duplicates.
    pub(super) fn slots_set(&self, block: BlockId) -> impl Iterator<Item = SlotId> + '_ {
        let range = within(&self.sets, |(position, _)| position, &self.span(block));
        self.sets[range].iter().map(|&(_, slot)| slot)
    }

    /// Buffers that a block writes, with duplicates.
    pub(super) fn buffers_written(&self, block: BlockId) -> impl Iterator<Item = BufferId> + '_ {
        let range = within(&self.writes, |(position, _)| position, &self.span(block));
        self.writes[range].iter().map(|&(_, buffer)| buffer)
    }

    /// True if a block contains a barrier.
    pub(super) fn has_barrier(&self, block: BlockId) -> bool {
        !within(&self.barriers, |position| position, &self.span(block)).is_empty()
    }

    /// True if a block sets a slot.
    pub(super) fn sets(&self, block: BlockId, slot: SlotId) -> bool {
        !within(&self.sets_of[slot.position()], |position| position, &self.span(block)).is_empty()
    }

    /// True if the contents of a buffer may change in a block.
    pub(super) fn changes(&self, kernel: &Kernel, block: BlockId, buffer: BufferId) -> bool {
        let written = !within(&self.writes_of[buffer.position()], |position| position, &self.span(block)).is_empty();
        written || kernel.is_writable(buffer) && self.has_barrier(block)
    }
}
