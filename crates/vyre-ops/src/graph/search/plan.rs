//! Order of the searches of a request, and the choice between a queue for each source and a shared search.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::super::checkpoint::Checkpoint;
use super::super::device::Progress;
use super::super::error::GraphError;
use super::super::host_run::HostRun;
use super::bit_parallel::{BitSearch, Counter, MAX_SOURCES};
use super::queue::{QueueSearch, SearchSize};
use super::space::SearchSpace;
use super::starts::Starts;

/// Memory of searches without a limit of the caller.
const DEFAULT_MEMORY_BYTES: u64 = 1 << 30;

/// Number of searches with a queue that a thread runs before their rows leave.
const SEARCHES_PER_THREAD: usize = 4;

/// Minimum number of sources for each thread that share searches. A shared search costs as much as so many others.
const MIN_SHARED: usize = 6;

/// Sources share a search if one reaches more than this part of the nodes, on average.
const SHARED_PART: u64 = 16;

/// Maximum number of levels of searches that are shared.
const MAX_SHARED_LEVELS: u64 = 200;

/// Searches of a request, with the memory that they use again.
pub(super) struct Plan<'h> {
    pub(super) space: SearchSpace<'h>,
    pub(super) starts: Starts,
    pub(super) run: &'h HostRun,
    /// Bytes for searches and their rows.
    memory: u64,
    keeps_rows: bool,
    /// First start that is not searched.
    next: usize,
    /// Number of searches with a queue, and the sum of their sizes.
    searches: u64,
    reached: u64,
    is_deep: bool,
    queues: Mutex<Vec<QueueSearch>>,
    bits: Mutex<Vec<BitSearch>>,
}

/// Searches that run together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A search with a queue for each of these starts.
    Queues(Range<usize>),
    /// Shared searches of so many sources each.
    Shared(Range<usize>, usize),
}

impl<'h> Plan<'h> {
    pub(super) fn new(
        space: SearchSpace<'h>,
        starts: Starts,
        run: &'h HostRun,
        memory: Option<u64>,
        keeps_rows: bool,
    ) -> Plan<'h> {
        run.report(Progress::new("sources", 0, Some(starts.len() as u64)));
        Plan {
            space,
            starts,
            run,
            memory: memory.unwrap_or(DEFAULT_MEMORY_BYTES),
            keeps_rows,
            next: 0,
            searches: 0,
            reached: 0,
            is_deep: false,
            queues: Mutex::default(),
            bits: Mutex::default(),
        }
    }

    /// The next searches, `None` at the end. The first searches have queues and show how much later ones would share.
    pub(super) fn step(&self) -> Option<Step> {
        let left = self.starts.len() - self.next;
        if left == 0 {
            return None;
        }
        let threads = rayon::current_num_threads();
        // A search of half as many sources costs nearly as much, so threads share the searches and not the sources of one.
        let width = left.div_ceil(left.div_ceil(MAX_SOURCES));
        let shares =
            self.searches > 0 && self.reached / self.searches >= self.space.graph.node_count() as u64 / SHARED_PART;
        if shares && !self.is_deep && left >= threads * MIN_SHARED {
            let fitting = self.memory / BitSearch::bytes(&self.space, width, self.keeps_rows).max(1);
            let count = width * threads.min(usize::try_from(fitting).unwrap_or(usize::MAX));
            if count > 0 {
                return Some(Step::Shared(self.next..self.next + left.min(count), width));
            }
        }
        let each = if self.searches == 0 { 1 } else { SEARCHES_PER_THREAD };
        let fitting = self.memory / QueueSearch::bytes(&self.space, self.keeps_rows).max(1);
        let count = (threads * each).min(usize::try_from(fitting).unwrap_or(usize::MAX)).max(1);
        Some(Step::Queues(self.next..self.next + left.min(count)))
    }

    /// Records that the searches of these starts are complete.
    pub(super) fn finish(&mut self, starts: &Range<usize>) {
        self.next = starts.end;
        self.run.report(Progress::new("sources", starts.end as u64, Some(self.starts.len() as u64)));
    }

    /// Runs searches with queues on all threads. Returns their results in order.
    pub(super) fn with_queues<T: Send>(
        &mut self,
        starts: &Range<usize>,
        search: impl Fn(&mut QueueSearch, usize, &mut Checkpoint<'_>) -> Result<(T, SearchSize), GraphError> + Sync,
    ) -> Result<Vec<T>, GraphError> {
        let found = self.in_parallel(&self.queues, starts.clone().collect(), |scratch, start, checkpoint| {
            search(scratch, start, checkpoint)
        })?;
        for (_, SearchSize { reached, levels }) in &found {
            self.searches += 1;
            self.reached += reached;
            self.is_deep |= *levels > MAX_SHARED_LEVELS;
        }
        Ok(found.into_iter().map(|(found, _)| found).collect())
    }

    /// Runs shared searches on all threads. Returns their results in order; `None` if one of them is too deep. Then no later search
    /// is shared.
    pub(super) fn with_bits<T: Send>(
        &mut self,
        starts: &Range<usize>,
        width: usize,
        search: impl Fn(&mut BitSearch, Range<usize>, &mut Checkpoint<'_>) -> Result<Option<T>, GraphError> + Sync,
    ) -> Result<Option<Vec<T>>, GraphError> {
        let parts = starts.clone().step_by(width).map(|begin| begin..starts.end.min(begin + width)).collect();
        let found: Option<Vec<T>> = self.in_parallel(&self.bits, parts, search)?.into_iter().collect();
        self.is_deep |= found.is_none();
        Ok(found)
    }

    fn in_parallel<S: Default + Send, P: Send, T: Send>(
        &self,
        pool: &Mutex<Vec<S>>,
        parts: Vec<P>,
        search: impl Fn(&mut S, P, &mut Checkpoint<'_>) -> Result<T, GraphError> + Sync,
    ) -> Result<Vec<T>, GraphError> {
        let search_one = |part: P| {
            let lock = || pool.lock().unwrap_or_else(PoisonError::into_inner);
            let mut checkpoint = self.run.checkpoint();
            checkpoint.check()?;
            let mut scratch = lock().pop().unwrap_or_default();
            // A failure leaves the scratch in an unknown state, so it is dropped.
            let found = search(&mut scratch, part, &mut checkpoint)?;
            lock().push(scratch);
            Ok(found)
        };
        match parts.len() {
            1 => parts.into_iter().map(search_one).collect(),
            _ => parts.into_par_iter().with_max_len(1).map(search_one).collect(),
        }
    }
}

/// Number of findings of all sources. No row is kept.
pub(crate) fn count(
    space: SearchSpace<'_>,
    starts: Starts,
    run: &HostRun,
    memory: Option<u64>,
) -> Result<u64, GraphError> {
    let mut plan = Plan::new(space, starts, run, memory, false);
    let mut total = 0;
    while let Some(step) = plan.step() {
        // The closures read the starts while the plan records sizes.
        let starts = std::mem::replace(&mut plan.starts, Starts::new(&[]));
        let weight = |start: usize| starts.positions(start).len() as u64;
        let counted = match &step {
            Step::Queues(range) => plan.with_queues(range, |scratch, start, checkpoint| {
                let (count, size) = scratch.count(&space, starts.nodes()[start], checkpoint)?;
                Ok((count * weight(start), size))
            }),
            Step::Shared(range, width) => plan
                .with_bits(range, *width, |scratch, part, checkpoint| {
                    let weights: Vec<u64> = part.clone().map(weight).collect();
                    let is_plain = weights.iter().all(|&weight| weight == 1);
                    let mut counter = Counter { weights, count: 0, is_plain };
                    let is_complete = scratch.search(&space, &starts.nodes()[part], &mut counter, checkpoint)?;
                    Ok(is_complete.then_some(counter.count))
                })
                .map(Option::unwrap_or_default),
        };
        plan.starts = starts;
        let (Step::Queues(range) | Step::Shared(range, _)) = step;
        let counted = counted?;
        // A shared search that is too deep has no result, and its starts are searched again.
        if !counted.is_empty() {
            total += counted.iter().sum::<u64>();
            plan.finish(&range);
        }
    }
    Ok(total)
}
