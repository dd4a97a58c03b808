//! BFS from one source with a queue and a bitmap of reached nodes.

use super::super::checkpoint::Checkpoint;
use super::super::error::GraphError;
use super::super::traversal::Report;
use super::space::{BLOCK, SearchSpace};

/// Initial number of entries of a queue.
const MIN_QUEUE: usize = 1 << 10;

/// Memory of the searches of one thread. It is clean between searches.
#[derive(Debug, Default)]
pub(super) struct QueueSearch {
    /// A bit for each node that was reached.
    reached: Vec<u64>,
    /// Reached nodes by depth, then unused entries.
    queue: Vec<u32>,
    /// Number of nodes that were reached.
    length: usize,
    /// End of each level in the queue.
    level_ends: Vec<usize>,
    /// Depth of each reached node, for rows of large searches.
    depths: Vec<u32>,
}

/// Size of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SearchSize {
    /// Number of nodes that were reached.
    pub(super) reached: u64,
    /// Number of levels.
    pub(super) levels: u64,
}

impl QueueSearch {
    /// Bytes of a search with its rows.
    pub(super) fn bytes(space: &SearchSpace<'_>, keeps_rows: bool) -> u64 {
        let nodes = space.graph.node_count() as u64;
        let depths = if keeps_rows && space.report == Report::AllNodes { 4 * nodes } else { 0 };
        let rows = if keeps_rows { 8 * space.reportable } else { 0 };
        8 * nodes.div_ceil(64) + 4 * nodes + depths + rows
    }

    /// Searches from a node. Returns the sorted nodes that are reported with their depths, and the size of the search.
    pub(super) fn rows(
        &mut self,
        space: &SearchSpace<'_>,
        start: u32,
        checkpoint: &mut Checkpoint<'_>,
    ) -> Result<(Vec<(u32, u32)>, SearchSize), GraphError> {
        self.search(space, start, checkpoint)?;
        let rows = match space.report {
            Report::AllNodes if self.length >= self.reached.len() => self.all_by_bitmap(start),
            _ => self.reported(space),
        };
        Ok((rows, self.finish()))
    }

    /// Searches from a node. Returns the number of nodes that are reported, and the size of the search.
    pub(super) fn count(
        &mut self,
        space: &SearchSpace<'_>,
        start: u32,
        checkpoint: &mut Checkpoint<'_>,
    ) -> Result<(u64, SearchSize), GraphError> {
        self.search(space, start, checkpoint)?;
        let count = match space.report {
            Report::AllNodes => self.length as u64 - 1,
            Report::Sinks => {
                let others = self.queue[1..self.length].iter().filter(|&&node| space.reports(node)).count();
                others as u64 + u64::from(space.reports_start(start))
            }
        };
        Ok((count, self.finish()))
    }

    fn search(
        &mut self,
        space: &SearchSpace<'_>,
        start: u32,
        checkpoint: &mut Checkpoint<'_>,
    ) -> Result<(), GraphError> {
        let nodes = space.graph.node_count();
        self.reached.resize(nodes.div_ceil(64), 0);
        if self.queue.is_empty() {
            self.queue.resize(MIN_QUEUE.min(nodes + 1), 0);
        }
        let (reached, queue) = (&mut self.reached[..], &mut self.queue);
        reached[start as usize / 64] |= 1 << (start % 64);
        queue[0] = start;
        self.level_ends.clear();
        let (mut begin, mut length) = (0, 1);
        for _ in 0..=space.max_depth {
            let level = begin..length;
            self.level_ends.push(length);
            if level.is_empty() || self.level_ends.len() as u64 > u64::from(space.max_depth) {
                break;
            }
            begin = length;
            for at in level.clone().step_by(BLOCK) {
                let block = at..level.end.min(at + BLOCK);
                let rows = space.expanded_block(&queue[block.clone()]);
                for targets in &rows[..block.len()] {
                    checkpoint.step()?;
                    // Room for all of them and for an entry that is written before it counts. There are not more new nodes than nodes.
                    let room = (length + targets.len()).min(nodes) + 1;
                    if queue.len() < room {
                        queue.resize(room.max(2 * queue.len()).min(nodes + 1), 0);
                    }
                    // Without a branch that depends on data.
                    for &target in *targets {
                        let (word, bit) = (&mut reached[target as usize / 64], target % 64);
                        queue[length] = target;
                        length += usize::from(*word >> bit & 1 == 0);
                        *word |= 1 << bit;
                    }
                }
            }
        }
        self.length = length;
        Ok(())
    }

    /// Calls `visit` with each reached node and its depth, in the order of the search.
    fn for_each(&self, mut visit: impl FnMut(u32, u32)) {
        let mut begin = 0;
        for (depth, &end) in (0..).zip(&self.level_ends) {
            self.queue[begin..end].iter().for_each(|&node| visit(node, depth));
            begin = end;
        }
    }

    /// Reported nodes with their depths, sorted.
    fn reported(&self, space: &SearchSpace<'_>) -> Vec<(u32, u32)> {
        let mut rows = Vec::new();
        self.for_each(|node, depth| {
            if if depth == 0 { space.reports_start(node) } else { space.reports(node) } {
                rows.push((node, depth));
            }
        });
        rows.sort_unstable();
        rows
    }

    /// All reached nodes but the start with their depths, in the order of the bitmap: linear in the number of nodes of the graph.
    fn all_by_bitmap(&mut self, start: u32) -> Vec<(u32, u32)> {
        let mut depths = std::mem::take(&mut self.depths);
        depths.resize(64 * self.reached.len(), 0);
        self.for_each(|node, depth| depths[node as usize] = depth);
        let mut rows = Vec::with_capacity(self.length);
        for (word, &bits) in (0..).zip(&self.reached) {
            let mut left = bits;
            while left != 0 {
                let node = 64 * word + left.trailing_zeros();
                left &= left - 1;
                rows.push((node, depths[node as usize]));
            }
        }
        self.depths = depths;
        rows.retain(|&(node, _)| node != start);
        rows
    }

    /// Clears the bitmap. Returns the size of the search.
    fn finish(&mut self) -> SearchSize {
        if self.length < self.reached.len() {
            self.queue[..self.length].iter().for_each(|&node| self.reached[node as usize / 64] = 0);
        } else {
            self.reached.fill(0);
        }
        SearchSize { reached: self.length as u64, levels: self.level_ends.len() as u64 }
    }
}
