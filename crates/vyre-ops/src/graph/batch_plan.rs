//! Partition of the sources of a traversal into batches that fit the memory.
//!
//! Queues start short if memory is scarce. A batch whose queues or findings overflow runs again with more room or fewer sources.

use vyre_runtime::Limits;

use super::error::GraphError;
use super::traversal_options::TraversalOptions;

/// Default memory of a batch: large enough for many concurrent traversals, small enough for most devices.
const DEFAULT_MEMORY_BYTES: u64 = 1 << 30;

/// Minimum capacity of the first queues. If memory is scarce, queues start with a sixteenth of the nodes, but not with less.
const MIN_QUEUE_NODES: u64 = 4096;

/// Maximum number of sources of a batch until a batch has fitted its queues.
const MAX_TRIAL_SOURCES: u64 = 4;

/// Checks that the memory limit of the caller suffices for every source: a bitmap, a queue of all nodes, and a finding for each node
/// that can be reported. So the outcome depends neither on the graph around a source nor on the device.
pub(crate) fn check_memory(
    nodes: usize,
    sources: usize,
    max_findings_per_source: u64,
    options: &TraversalOptions,
) -> Result<(), GraphError> {
    let sufficient = sufficient_bytes(nodes as u64, max_findings_per_source, options.queue_capacity);
    match options.memory {
        Some(limit) if limit < sufficient && sources > 0 => Err(GraphError::MemoryLimit { limit, sufficient }),
        _ => Ok(()),
    }
}

/// Bytes that suffice for a source.
fn sufficient_bytes(nodes: u64, max_findings: u64, queue_capacity: Option<u32>) -> u64 {
    let queue = queue_capacity.map_or(nodes, |queue| u64::from(queue).min(nodes));
    let words = (nodes.div_ceil(32) + queue).saturating_add(max_findings.saturating_mul(4));
    words.saturating_mul(4)
}

/// Size of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    /// Number of sources.
    pub(crate) sources: u64,
    /// Number of nodes that the queue of a source holds.
    pub(crate) capacity: u64,
    /// Number of findings that the batch has room for.
    pub(crate) findings: u64,
}

/// Planner of batches. After an overflow, the next batch has more room or fewer sources.
#[derive(Debug)]
pub(crate) struct BatchPlan {
    nodes: u64,
    /// Number of words of a bitmap.
    bitmap: u64,
    /// Maximum number of findings of a source.
    max_findings_per_source: u64,
    /// True if the caller has set the capacity of queues.
    is_queue_fixed: bool,
    /// Capacity of queues, in nodes.
    queue: u64,
    /// Number of words of the largest buffer.
    buffer_words: u64,
    memory_words: u64,
    /// Bytes of memory that the caller allows, if the caller limits it. No batch exceeds it.
    memory_limit: Option<u64>,
    /// Maximum number of sources of a batch.
    max_sources: u64,
    /// True if a batch has fitted its queues.
    queues_fit: bool,
    /// Minimum number of findings that a batch must have room for.
    min_findings: u64,
}

impl BatchPlan {
    pub(crate) fn new(
        nodes: usize,
        sources: usize,
        max_findings_per_source: u64,
        limits: &Limits,
        options: &TraversalOptions,
    ) -> BatchPlan {
        let nodes = nodes as u64;
        let memory_words = options.memory.unwrap_or(DEFAULT_MEMORY_BYTES) / 4;
        // Indices are words of 32 bits.
        let buffer_words = (limits.buffer_bytes / 4).min(u64::from(u32::MAX));
        // Queues that hold all nodes never overflow. They are used if all sources fit with them.
        let all = (sources as u64).saturating_mul(nodes);
        let has_room = all <= buffer_words && all.saturating_mul(33) / 32 <= memory_words / 2;
        let first_queue = if has_room { nodes } else { (nodes / 16).max(MIN_QUEUE_NODES).min(nodes) };
        let bitmap = nodes.div_ceil(32);
        // Under a limit that leaves less room, queues start shorter, and up to half of the room is for findings.
        let first_queue = match options.memory {
            Some(_) => {
                let room = memory_words.saturating_sub(bitmap);
                let for_findings = max_findings_per_source.saturating_mul(4).min(room / 2);
                first_queue.min(room - for_findings).max(1)
            }
            None => first_queue,
        };
        BatchPlan {
            nodes,
            bitmap,
            max_findings_per_source,
            is_queue_fixed: options.queue_capacity.is_some(),
            // A queue never holds more than all nodes.
            queue: options.queue_capacity.map_or(first_queue, |queue| u64::from(queue).min(nodes)),
            buffer_words,
            memory_words,
            memory_limit: options.memory,
            // Counters are words of 32 bits, and a source counts at most all nodes.
            max_sources: u64::from(u32::MAX) / nodes.max(1),
            queues_fit: options.queue_capacity.is_some() || first_queue == nodes,
            min_findings: 0,
        }
    }

    /// Size of the next batch, with this number of sources left.
    ///
    /// # Errors
    ///
    /// One source exceeds the memory limit of the caller.
    pub(crate) fn batch(&self, left: u64) -> Result<Batch, GraphError> {
        // Half of the memory is for findings, unless it has no room for one source.
        let half = self.memory_words / 2;
        let for_searches = half.min(self.memory_words.saturating_sub(4 * self.min_findings));
        let by_memory = for_searches / self.words_per_source().max(1);
        let by_buffer = self.buffer_words / self.bitmap.max(1);
        let by_trial = if self.queues_fit { u64::MAX } else { MAX_TRIAL_SOURCES };
        let sources = left.min(by_memory).min(by_buffer).min(by_trial).min(self.max_sources).max(1);
        let capacity = self.queue.min(self.buffer_words / sources);
        let max = self.max_findings_per_source.saturating_mul(sources);
        let room = match self.memory_limit {
            Some(limit) => {
                let left = self.memory_words.checked_sub(sources * self.words_per_source());
                left.ok_or(self.memory_error(limit))? / 4
            }
            None => u64::MAX,
        };
        let findings = max.min(half / 4).max(self.min_findings).min(room).min(self.buffer_words / 4);
        Ok(Batch { sources, capacity, findings })
    }

    /// Number of words of the bitmap and the queue of a source.
    fn words_per_source(&self) -> u64 {
        self.bitmap + self.queue
    }

    /// Error of a source that exceeds the memory limit of the caller.
    fn memory_error(&self, limit: u64) -> GraphError {
        let queue = self.is_queue_fixed.then_some(self.queue as u32);
        let sufficient = sufficient_bytes(self.nodes, self.max_findings_per_source, queue);
        GraphError::MemoryLimit { limit, sufficient }
    }

    /// Records a batch without overflow.
    pub(crate) fn confirm(&mut self) {
        self.queues_fit = true;
    }

    /// Records a batch whose queues overflowed.
    ///
    /// # Errors
    ///
    /// The capacity is fixed, or no longer queue fits the device or the memory limit of the caller.
    pub(crate) fn grow_queues(&mut self, batch: Batch, dropped: u64) -> Result<(), GraphError> {
        let overflow = GraphError::QueueOverflow { dropped, capacity: batch.capacity as u32 };
        if self.is_queue_fixed {
            return Err(overflow);
        }
        if batch.capacity == self.queue && self.queue < self.nodes {
            let longer = (4 * self.queue).min(self.nodes);
            let longest = match self.memory_limit {
                Some(_) => self.memory_words.saturating_sub(self.bitmap),
                None => u64::MAX,
            };
            if longest <= self.queue {
                return Err(self.memory_limit.map_or(overflow, |limit| self.memory_error(limit)));
            }
            self.queue = longer.min(longest);
        } else if batch.sources > 1 {
            // The largest buffer cannot hold so many queues of this capacity.
            self.max_sources = batch.sources / 2;
        } else {
            return Err(overflow);
        }
        Ok(())
    }

    /// Records a batch with more findings than room.
    ///
    /// # Errors
    ///
    /// The findings of one source do not fit the device or the memory limit of the caller.
    pub(crate) fn grow_findings(&mut self, batch: Batch, count: u64) -> Result<(), GraphError> {
        let words = (batch.sources * self.words_per_source()).saturating_add(count.saturating_mul(4));
        let exceeded = self.memory_limit.filter(|_| words > self.memory_words);
        if count <= self.buffer_words / 4 && count > self.min_findings && exceeded.is_none() {
            self.min_findings = count;
        } else if batch.sources > 1 {
            self.max_sources = batch.sources / 2;
        } else {
            return Err(match exceeded {
                Some(limit) => self.memory_error(limit),
                None => GraphError::TooManyFindings { found: count, limit: batch.findings },
            });
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

    fn next(plan: &BatchPlan, left: u64) -> Batch {
        plan.batch(left).expect("one source fits the memory")
    }

    /// Bytes of a batch.
    fn bytes(plan: &BatchPlan, batch: Batch) -> u64 {
        4 * (batch.sources * (plan.bitmap + batch.capacity) + 4 * batch.findings)
    }

    #[test]
    fn a_small_graph_is_one_batch_with_queues_that_hold_all_nodes() {
        let plan = BatchPlan::new(1_000, 500, 1_000, &limits(1 << 30), &TraversalOptions::default());
        assert_eq!(plan.batch(500), Ok(Batch { sources: 500, capacity: 1_000, findings: 500_000 }));
    }

    /// Traversals of a large graph from few sources need no trial.
    #[test]
    fn queues_hold_all_nodes_if_memory_allows() {
        let plan = BatchPlan::new(1_000_000, 100, 10, &limits(1 << 30), &TraversalOptions::default());
        assert_eq!(plan.batch(100), Ok(Batch { sources: 100, capacity: 1_000_000, findings: 1_000 }));
    }

    #[test]
    fn queues_grow_until_they_hold_all_nodes() {
        let mut plan = BatchPlan::new(1_000_000, 10_000, 10, &limits(1 << 30), &TraversalOptions::default());
        let first = next(&plan, 10_000);
        assert_eq!((first.sources, first.capacity), (MAX_TRIAL_SOURCES, 62_500));
        for capacity in [250_000, 1_000_000] {
            assert_eq!(plan.grow_queues(next(&plan, 10_000), 1), Ok(()));
            assert_eq!(next(&plan, 10_000).capacity, capacity);
        }
        plan.confirm();
        let batch = next(&plan, 10_000);
        assert!(
            batch.sources > MAX_TRIAL_SOURCES && batch.sources * (31_250 + batch.capacity) * 4 <= 1 << 29,
            "{batch:?}"
        );
    }

    #[test]
    fn a_device_whose_buffers_hold_no_such_queue_is_an_error() {
        let mut plan = BatchPlan::new(1_000_000, 1_000, 10, &limits(1 << 20), &TraversalOptions::default());
        let mut tries = 0;
        let error = loop {
            let batch = next(&plan, 1_000);
            assert!(batch.sources * batch.capacity * 4 <= 1 << 20, "{batch:?}");
            if let Err(error) = plan.grow_queues(batch, 7) {
                break error;
            }
            tries += 1;
            assert!(tries < 50);
        };
        assert_eq!(error, GraphError::QueueOverflow { dropped: 7, capacity: 1 << 18 });
    }

    #[test]
    fn counters_cannot_overflow() {
        let memory = TraversalOptions::default().with_memory(u64::MAX);
        let mut plan = BatchPlan::new(1 << 20, 1 << 40, 1 << 20, &limits(u64::MAX), &memory);
        plan.confirm();
        let batch = next(&plan, u64::MAX);
        assert!(batch.sources << 20 <= u64::from(u32::MAX), "{batch:?}");
        assert!(batch.sources * (1 << 15) <= u64::from(u32::MAX), "{batch:?}");
    }

    #[test]
    fn more_findings_than_room_get_more_room_or_smaller_batches() {
        let mut plan =
            BatchPlan::new(1_000, 100, 1_000, &limits(16_000), &TraversalOptions::default().with_memory(1 << 20));
        let batch = next(&plan, 100);
        assert_eq!(batch.findings, 1_000);
        assert_eq!(plan.grow_findings(batch, 5_000), Ok(()));
        let smaller = next(&plan, 100);
        assert_eq!(smaller.sources, batch.sources / 2);
        let one = Batch { sources: 1, ..batch };
        assert_eq!(plan.grow_findings(one, 5_000), Err(GraphError::TooManyFindings { found: 5_000, limit: 1_000 }));
    }

    /// The worst case: every queue overflows until it holds all nodes, and every source reaches all nodes.
    #[test]
    fn no_batch_exceeds_a_memory_limit() {
        for nodes in [1, 33, 1_000, 100_000] {
            let sufficient = 4 * (nodes as u64).div_ceil(32) + 20 * nodes as u64;
            for memory in [0, 1, 7, 8, sufficient / 3, sufficient - 4, sufficient, 3 * sufficient, 100 * sufficient] {
                let options = TraversalOptions::default().with_memory(memory);
                let mut plan = BatchPlan::new(nodes, 50, nodes as u64, &limits(1 << 30), &options);
                let mut left = 50;
                let end = loop {
                    let batch = match plan.batch(left) {
                        Ok(batch) => batch,
                        Err(error) => break Err(error),
                    };
                    assert!(bytes(&plan, batch) <= memory, "{nodes} nodes, {memory} bytes: {batch:?}");
                    let count = batch.sources * nodes as u64;
                    let grown = if batch.capacity < nodes as u64 {
                        plan.grow_queues(batch, 1)
                    } else if batch.findings < count {
                        plan.grow_findings(batch, count)
                    } else {
                        plan.confirm();
                        left -= batch.sources;
                        Ok(())
                    };
                    match grown {
                        Ok(()) if left == 0 => break Ok(()),
                        Ok(()) => {}
                        Err(error) => break Err(error),
                    }
                };
                let expected = if memory < sufficient {
                    Err(GraphError::MemoryLimit { limit: memory, sufficient })
                } else {
                    Ok(())
                };
                assert_eq!(end, expected, "{nodes} nodes, {memory} bytes");
            }
        }
    }

    #[test]
    fn a_search_that_needs_little_fits_a_small_limit() {
        let options = TraversalOptions::default().with_memory(4 * (31_250 + 8));
        let plan = BatchPlan::new(1_000_000, 9, 1, &limits(1 << 30), &options);
        assert_eq!(plan.batch(9), Ok(Batch { sources: 1, capacity: 4, findings: 1 }));
    }

    #[test]
    fn queues_of_a_fixed_capacity_are_part_of_the_limit() {
        let options = TraversalOptions::default().with_memory(100).with_queue_capacity(500);
        let plan = BatchPlan::new(1_000, 9, 0, &limits(1 << 30), &options);
        assert_eq!(plan.batch(9), Err(GraphError::MemoryLimit { limit: 100, sufficient: 4 * (32 + 500) }));
        let plan = BatchPlan::new(1_000, 9, 0, &limits(1 << 30), &options.with_memory(4 * 532));
        assert_eq!(next(&plan, 9).capacity, 500);
    }
}
