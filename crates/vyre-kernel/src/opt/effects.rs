//! What loops change: which slots are set and which buffers are written in them.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt};

use crate::kernel::{BlockId, BufferId, Kernel, SlotId, Statement};
use crate::op::Effect;
use crate::table::Key;

/// The places at which a kernel changes something, numbered in order, so that those within a block are a range.
///
/// Passes that only remove statements may go on using it.
pub(super) struct Effects {
    /// Places and slots that are set there.
    sets: Vec<(u32, SlotId)>,
    /// Places and buffers that are written there.
    writes: Vec<(u32, BufferId)>,
    /// Places of barriers.
    barriers: Vec<u32>,
    /// By slot and by buffer: the places, ascending.
    sets_of: Vec<Vec<u32>>,
    writes_of: Vec<Vec<u32>>,
    /// The places within the bodies of loops and of `Block`.
    spans: HashMap<BlockId, Range<u32>>,
}

fn within<T: Copy>(list: &[T], place: impl Fn(T) -> u32, span: &Range<u32>) -> Range<usize> {
    let start = list.partition_point(|&entry| place(entry) < span.start);
    start..list.partition_point(|&entry| place(entry) < span.end)
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
        let mut place = 0;
        let mut open = vec![(kernel.entry, 0, 0)];
        let mut otherwise = Vec::new();
        while let Some((block, next, start)) = open.last_mut() {
            let Some(&statement) = kernel.blocks[*block].statements.get(*next) else {
                effects.spans.insert(*block, *start..place);
                open.pop();
                // The second block of an `If` comes after the first one.
                if let Some((depth, block)) = otherwise.pop() {
                    if depth == open.len() {
                        open.push((block, 0, place));
                    } else {
                        otherwise.push((depth, block));
                    }
                }
                continue;
            };
            *next += 1;
            place += 1;
            match statement {
                Statement::Let(value) => {
                    if let Effect::Updates(buffer) = kernel.op(value).effect() {
                        effects.write(place, buffer);
                    }
                }
                Statement::Set { slot, value: _ } => {
                    effects.sets.push((place, slot));
                    effects.sets_of[slot.position()].push(place);
                }
                Statement::Store { buffer, .. } => effects.write(place, buffer),
                Statement::If { cond: _, then, otherwise: second } => {
                    otherwise.push((open.len(), second));
                    open.push((then, 0, place));
                }
                Statement::Loop { body, .. } | Statement::Block { body } => open.push((body, 0, place)),
                Statement::Barrier => effects.barriers.push(place),
                Statement::Break | Statement::Return => {}
            }
        }
        effects
    }

    fn write(&mut self, place: u32, buffer: BufferId) {
        self.writes.push((place, buffer));
        self.writes_of[buffer.position()].push(place);
    }

    /// The places within a block; they are compared with a statement's only through the methods below.
    fn span(&self, block: BlockId) -> Range<u32> {
        // Places count from 1 on, and a block starts after the statement that owns it.
        self.spans.get(&block).map_or(0..0, |span| span.start + 1..span.end + 1)
    }

    /// The slots that are set within a block, some of them several times.
    pub(super) fn slots_set(&self, block: BlockId) -> impl Iterator<Item = SlotId> + '_ {
        let range = within(&self.sets, |(place, _)| place, &self.span(block));
        self.sets[range].iter().map(|&(_, slot)| slot)
    }

    /// The buffers that are written within a block, some of them several times.
    pub(super) fn buffers_written(&self, block: BlockId) -> impl Iterator<Item = BufferId> + '_ {
        let range = within(&self.writes, |(place, _)| place, &self.span(block));
        self.writes[range].iter().map(|&(_, buffer)| buffer)
    }

    /// Whether there is a barrier within a block.
    pub(super) fn has_barrier(&self, block: BlockId) -> bool {
        !within(&self.barriers, |place| place, &self.span(block)).is_empty()
    }

    /// Whether a slot is set within a block.
    pub(super) fn sets(&self, block: BlockId, slot: SlotId) -> bool {
        !within(&self.sets_of[slot.position()], |place| place, &self.span(block)).is_empty()
    }

    /// Whether a load from a buffer may give something else at each time within a block.
    pub(super) fn changes(&self, kernel: &Kernel, block: BlockId, buffer: BufferId) -> bool {
        let written = !within(&self.writes_of[buffer.position()], |place| place, &self.span(block)).is_empty();
        written || kernel.is_writable(buffer) && self.has_barrier(block)
    }
}
