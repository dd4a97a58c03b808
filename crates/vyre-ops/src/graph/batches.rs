//! How sources are cut into batches that fit the memory.

use vyre_runtime::Limits;

use super::error::GraphError;
use super::traversal::Traversal;

/// Memory of batches where nothing is said: large enough for many searches at once, small enough for most devices.
const DEFAULT_MEMORY: u64 = 1 << 30;

/// Where memory is short, queues begin with a sixteenth of the nodes, but not with fewer than this.
const SHORTEST_QUEUE: u64 = 4096;

/// The most sources of a batch until one has shown that such queues are long enough.
const TRIAL: u64 = 4;

/// How many sources are searched at a time, and how much room they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) sources: u64,
    /// Nodes that the queue of a source holds.
    pub(crate) capacity: u64,
    /// Findings of all sources of the batch.
    pub(crate) findings: u64,
}

/// What batches are cut by. Where the room of one does not do, the next has more.
#[derive(Debug)]
pub(crate) struct Plan {
    nodes: u64,
    /// Words of a bitmap.
    bitmap: u64,
    /// The most findings of a source.
    most_findings: u64,
    /// Whether the caller has set the length of queues.
    is_queue_fixed: bool,
    /// The length of queues.
    queue: u64,
    /// Words of the largest buffer.
    buffer_words: u64,
    memory_words: u64,
    /// The most sources of a batch.
    most_sources: u64,
    /// Whether a batch has had long enough queues.
    has_fitted: bool,
    /// The fewest findings that there must be room for.
    least_findings: u64,
}

impl Plan {
    pub(crate) fn new(nodes: usize, sources: usize, most_findings: u64, limits: &Limits, options: &Traversal) -> Plan {
        let nodes = nodes as u64;
        let memory_words = options.memory.unwrap_or(DEFAULT_MEMORY) / 4;
        // Indices are words of 32 bits.
        let buffer_words = (limits.buffer_bytes / 4).min(u64::from(u32::MAX));
        // Queues that hold all nodes always do. They are taken where all sources fit with them.
        let all = (sources as u64).saturating_mul(nodes);
        let has_room = all <= buffer_words && all.saturating_mul(33) / 32 <= memory_words / 2;
        let first_queue = if has_room { nodes } else { (nodes / 16).max(SHORTEST_QUEUE).min(nodes) };
        Plan {
            nodes,
            bitmap: nodes.div_ceil(32),
            most_findings,
            is_queue_fixed: options.queue_capacity.is_some(),
            // No queue is ever longer than there are nodes.
            queue: options.queue_capacity.map_or(first_queue, |queue| u64::from(queue).min(nodes)),
            buffer_words,
            memory_words,
            // Counters are words of 32 bits, and a source counts at most all nodes.
            most_sources: u64::from(u32::MAX) / nodes.max(1),
            has_fitted: options.queue_capacity.is_some() || first_queue == nodes,
            least_findings: 0,
        }
    }

    /// The next batch, where so many sources are left.
    pub(crate) fn batch(&self, left: u64) -> Batch {
        // Half of the memory is for findings, of which most searches have few.
        let half = self.memory_words / 2;
        let by_memory = half / (self.bitmap + self.queue).max(1);
        let by_buffer = self.buffer_words / self.bitmap.max(1);
        let by_trial = if self.has_fitted { u64::MAX } else { TRIAL };
        let sources = left.min(by_memory).min(by_buffer).min(by_trial).min(self.most_sources).max(1);
        let capacity = self.queue.min(self.buffer_words / sources);
        let most = self.most_findings.saturating_mul(sources);
        let findings = most.min(half / 4).max(self.least_findings).min(self.buffer_words / 4);
        Batch { sources, capacity, findings }
    }

    /// After a batch whose queues were long enough.
    pub(crate) fn has_fitted(&mut self) {
        self.has_fitted = true;
    }

    /// After a batch whose queues were too short.
    pub(crate) fn lengthen_queues(&mut self, batch: Batch, dropped: u64) -> Result<(), GraphError> {
        let overflow = GraphError::QueueOverflow { dropped, capacity: batch.capacity as u32 };
        if self.is_queue_fixed {
            return Err(overflow);
        }
        if batch.capacity == self.queue && self.queue < self.nodes {
            self.queue = (4 * self.queue).min(self.nodes);
        } else if batch.sources > 1 {
            // The largest buffer holds fewer of these queues.
            self.most_sources = batch.sources / 2;
        } else {
            return Err(overflow);
        }
        Ok(())
    }

    /// After a batch that had more findings than room.
    pub(crate) fn make_room(&mut self, batch: Batch, count: u64) -> Result<(), GraphError> {
        if count <= self.buffer_words / 4 && count > self.least_findings {
            self.least_findings = count;
        } else if batch.sources > 1 {
            self.most_sources = batch.sources / 2;
        } else {
            return Err(GraphError::TooManyFindings { found: count, limit: batch.findings });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(bytes: u64) -> Limits {
        Limits::new(bytes, 1 << 15, 256)
    }

    #[test]
    fn a_small_graph_is_one_batch_with_queues_that_hold_all_nodes() {
        let plan = Plan::new(1_000, 500, 1_000, &limits(1 << 30), &Traversal::default());
        assert_eq!(plan.batch(500), Batch { sources: 500, capacity: 1_000, findings: 500_000 });
    }

    /// Searches of a large graph from few sources need no trial.
    #[test]
    fn queues_hold_all_nodes_where_there_is_memory() {
        let plan = Plan::new(1_000_000, 100, 10, &limits(1 << 30), &Traversal::default());
        assert_eq!(plan.batch(100), Batch { sources: 100, capacity: 1_000_000, findings: 1_000 });
    }

    #[test]
    fn queues_grow_until_they_hold_all_nodes() {
        let mut plan = Plan::new(1_000_000, 10_000, 10, &limits(1 << 30), &Traversal::default());
        let first = plan.batch(10_000);
        assert_eq!((first.sources, first.capacity), (TRIAL, 62_500));
        for capacity in [250_000, 1_000_000] {
            assert_eq!(plan.lengthen_queues(plan.batch(10_000), 1), Ok(()));
            assert_eq!(plan.batch(10_000).capacity, capacity);
        }
        plan.has_fitted();
        let batch = plan.batch(10_000);
        assert!(batch.sources > TRIAL && batch.sources * (31_250 + batch.capacity) * 4 <= 1 << 29, "{batch:?}");
    }

    #[test]
    fn a_device_whose_buffers_hold_no_such_queue_is_an_error() {
        let mut plan = Plan::new(1_000_000, 1_000, 10, &limits(1 << 20), &Traversal::default());
        let mut tries = 0;
        let error = loop {
            let batch = plan.batch(1_000);
            assert!(batch.sources * batch.capacity * 4 <= 1 << 20, "{batch:?}");
            if let Err(error) = plan.lengthen_queues(batch, 7) {
                break error;
            }
            tries += 1;
            assert!(tries < 50);
        };
        assert_eq!(error, GraphError::QueueOverflow { dropped: 7, capacity: 1 << 18 });
    }

    #[test]
    fn counters_cannot_overflow() {
        let memory = Traversal::default().with_memory(u64::MAX);
        let mut plan = Plan::new(1 << 20, 1 << 40, 1 << 20, &limits(u64::MAX), &memory);
        plan.has_fitted();
        let batch = plan.batch(u64::MAX);
        assert!(batch.sources << 20 <= u64::from(u32::MAX), "{batch:?}");
        assert!(batch.sources * (1 << 15) <= u64::from(u32::MAX), "{batch:?}");
    }

    #[test]
    fn more_findings_than_room_get_more_room_or_smaller_batches() {
        let mut plan = Plan::new(1_000, 100, 1_000, &limits(16_000), &Traversal::default().with_memory(1 << 20));
        let batch = plan.batch(100);
        assert_eq!(batch.findings, 1_000);
        assert_eq!(plan.make_room(batch, 5_000), Ok(()));
        let smaller = plan.batch(100);
        assert_eq!(smaller.sources, batch.sources / 2);
        let one = Batch { sources: 1, ..batch };
        assert_eq!(plan.make_room(one, 5_000), Err(GraphError::TooManyFindings { found: 5_000, limit: 1_000 }));
    }
}
