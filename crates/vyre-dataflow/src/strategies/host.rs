//! BFS from each source in plain code on the host.
//!
//! A search reads the graph where it lies in memory: nothing is copied, compiled or uploaded, and the device is not used. Its cost
//! is that of a textbook BFS with a queue and a flag for each node. Threads of the host take sources one at a time. The strategy
//! suits few sources, and searches that reach a small part of the graph.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use vyre_graph::{CsrView, Role, role_of};

use crate::error::{Allocation, DataflowError};
use crate::output::Output;
use crate::preparation::{DROPPED, NodeOrder, PreparedGraph};
use crate::search::{Estimate, InPlaceSearch, Outcome, Preparation, Pruning, Search, SearchStrategy};
use crate::stages::Stage;
use crate::starts::Start;

/// Maximum number of searches of a thread before their findings are emitted.
const SEARCHES_PER_THREAD: u64 = 4;
/// Number of nodes that are visited between two checks of the deadline.
const NODES_PER_CHECK: usize = 1 << 16;
/// Initial number of entries of a queue.
const MIN_QUEUE: usize = 1 << 10;
/// Minimum number of edges per node of a dense graph.
const MIN_DENSE_DEGREE: usize = 8;

/// The host strategy.
pub(super) struct Host;

impl SearchStrategy for Host {
    /// The cost model compares this strategy with the one that suits the device.
    fn suits(&self, _: &Estimate) -> Option<&'static str> {
        None
    }

    fn preparation(&self) -> Preparation {
        Preparation { order: NodeOrder::Original, pruning: Pruning::Never }
    }

    fn in_place(&self) -> Option<&dyn InPlaceSearch> {
        Some(self)
    }

    fn search(
        &self,
        search: &Search<'_>,
        graph: PreparedGraph,
        output: &mut Output<'_>,
    ) -> Result<Outcome, DataflowError> {
        let renumbered = Some((&graph.new_ids[..], &graph.original_ids[..]));
        search_all(search, &Space { graph: graph.forward.view(), renumbered }, output)?;
        Ok(Outcome::Complete)
    }
}

impl InPlaceSearch for Host {
    fn search_in_place(&self, search: &Search<'_>, output: &mut Output<'_>) -> Result<Outcome, DataflowError> {
        search_all(search, &Space { graph: search.graph(), renumbered: None }, output)?;
        Ok(Outcome::Complete)
    }
}

/// Memory of one search in bytes: flags, queue, and a finding for each node.
pub(crate) fn search_bytes(nodes: usize) -> u64 {
    (nodes as u64 + 1) * (1 + 4 + 8)
}

/// Graph of a search, with the new and the original ids of its nodes if it was renumbered.
struct Space<'s> {
    graph: CsrView<'s>,
    renumbered: Option<(&'s [u32], &'s [u32])>,
}

impl Space<'_> {
    /// Id of an original node in this graph, or [`DROPPED`].
    fn node(&self, original: u32) -> u32 {
        self.renumbered.map_or(original, |(new_ids, _)| new_ids[original as usize])
    }

    /// Replaces the nodes of findings by their original ids.
    fn restore_ids(&self, found: &mut [(u32, u32)]) {
        if let Some((_, original_ids)) = self.renumbered {
            found.iter_mut().for_each(|(node, _)| *node = original_ids[*node as usize]);
        }
    }
}

/// Searches from all starts and emits the findings.
fn search_all(search: &Search<'_>, space: &Space<'_>, output: &mut Output<'_>) -> Result<(), DataflowError> {
    let bytes = search_bytes(space.graph.node_count());
    DataflowError::check_fit(Allocation::Search, bytes, search.memory)?;
    let groups = groups_by_node(&search.starts.starts);
    let fitting = search.memory / bytes;
    let threads = fitting.min(rayon::current_num_threads() as u64).min(groups.len() as u64).max(1);
    let searches = fitting.clamp(threads, threads * SEARCHES_PER_THREAD);
    output.explain_batches(searches as usize, bytes * searches);
    let mut scratches: Vec<Scratch> = Vec::new();
    scratches.resize_with(threads as usize, Scratch::default);
    output.enter(Stage::Search);
    for groups in groups.chunks(searches as usize) {
        let found = search_groups(search, space, groups, &mut scratches)?;
        for (group, found) in groups.iter().zip(found) {
            output.enter(Stage::Collect);
            output.emit_reached(group.clone(), &found)?;
        }
        output.report_progress();
        output.enter(Stage::Search);
    }
    Ok(())
}

/// Ranges of starts with equal nodes. Their searches differ only in facts, which no edge changes.
fn groups_by_node(starts: &[Start]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for (at, start) in starts.iter().enumerate() {
        match groups.last_mut() {
            Some(last) if starts[last.start].node == start.node => last.end = at + 1,
            _ => groups.push(at..at + 1),
        }
    }
    groups
}

/// Sinks with their depths that one search found, ascending.
type FoundSinks = Vec<(u32, u32)>;

/// Searches from the nodes of some groups, on as many threads as there are scratches.
fn search_groups(
    search: &Search<'_>,
    space: &Space<'_>,
    groups: &[Range<usize>],
    scratches: &mut [Scratch],
) -> Result<Vec<FoundSinks>, DataflowError> {
    let search_one = |scratch: &mut Scratch, group: &Range<usize>| -> Result<FoundSinks, DataflowError> {
        let mut found = match space.node(search.starts.starts[group.start].node) {
            DROPPED => Vec::new(),
            node => scratch.search(space.graph, node, search.max_depth, || search.executor.check_deadline())?,
        };
        space.restore_ids(&mut found);
        found.sort_unstable();
        Ok(found)
    };
    if let [scratch] = scratches {
        return groups.iter().map(|group| search_one(scratch, group)).collect();
    }
    let next = AtomicUsize::new(0);
    let by_thread: Vec<Vec<(usize, FoundSinks)>> = scratches
        .par_iter_mut()
        .with_max_len(1)
        .map(|scratch| {
            let mut found = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(group) = groups.get(at) else { return Ok(found) };
                found.push((at, search_one(scratch, group)?));
            }
        })
        .collect::<Result<_, DataflowError>>()?;
    let mut in_order = vec![Vec::new(); groups.len()];
    by_thread.into_iter().flatten().for_each(|(at, found)| in_order[at] = found);
    Ok(in_order)
}

/// Memory of the searches of one thread.
#[derive(Default)]
struct Scratch {
    /// 1 for each node that was reached. All are 0 between searches.
    reached: Vec<u8>,
    /// Nodes that were reached, by depth, and unused entries. It grows with the nodes that a search reaches.
    queue: Vec<u32>,
}

impl Scratch {
    /// Searches from a node. Returns the sinks in the order in which they are reached.
    fn search(
        &mut self,
        graph: CsrView<'_>,
        start: u32,
        max_depth: u32,
        check: impl Fn() -> Result<(), DataflowError>,
    ) -> Result<FoundSinks, DataflowError> {
        let nodes = graph.node_count();
        if self.reached.len() != nodes {
            self.reached = vec![0; nodes];
        }
        if self.queue.is_empty() {
            self.queue.resize(MIN_QUEUE, 0);
        }
        let is_dense = graph.edge_count() >= MIN_DENSE_DEGREE * nodes;
        let mut found = Vec::new();
        let (reached, queue) = (&mut self.reached[..], &mut self.queue);
        reached[start as usize] = 1;
        queue[0] = start;
        let (mut begin, mut length, mut depth) = (0, 1, 0);
        while begin < length {
            let level = begin..length;
            begin = length;
            for part in level.clone().step_by(NODES_PER_CHECK) {
                check()?;
                for at in part..level.end.min(part + NODES_PER_CHECK) {
                    let node = queue[at];
                    match role_of(graph.node_data[node as usize]) {
                        Role::Normal | Role::Source => {}
                        Role::Sanitizer => continue,
                        Role::Sink if depth == 0 => {}
                        Role::Sink | Role::SourceAndSink => found.push((node, depth)),
                    }
                    if depth < max_depth {
                        let neighbours = graph.neighbours(node);
                        // Room for all of them, and for an entry that is written before it counts.
                        let room = length + neighbours.len() + 1;
                        if queue.len() < room {
                            queue.resize(room.max(2 * queue.len()), 0);
                        }
                        length = match is_dense {
                            true => visit_dense(neighbours, reached, queue, length),
                            false => visit_sparse(neighbours, reached, queue, length),
                        };
                    }
                }
            }
            depth += 1;
        }
        self.clear(length);
        Ok(found)
    }

    /// Clears the flags of the first `length` nodes of the queue.
    fn clear(&mut self, length: usize) {
        if length < self.reached.len() / 8 {
            self.queue[..length].iter().for_each(|&node| self.reached[node as usize] = 0);
        } else {
            self.reached.fill(0);
        }
    }
}

/// Appends the nodes that are not reached yet to the queue and returns its length. Most nodes of a dense graph are reached, so the
/// branch is predictable.
#[inline]
fn visit_dense(nodes: &[u32], reached: &mut [u8], queue: &mut [u32], mut length: usize) -> usize {
    for &node in nodes {
        let reached = &mut reached[node as usize];
        if *reached == 0 {
            *reached = 1;
            queue[length] = node;
            length += 1;
        }
    }
    length
}

/// Appends the nodes that are not reached yet to the queue and returns its length, without a branch that depends on data.
#[inline]
fn visit_sparse(nodes: &[u32], reached: &mut [u8], queue: &mut [u32], mut length: usize) -> usize {
    for &node in nodes {
        let reached = &mut reached[node as usize];
        queue[length] = node;
        length += usize::from(*reached ^ 1);
        *reached = 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use vyre_graph::try_to_csr;

    use super::*;

    #[test]
    fn a_scratch_is_clean_after_each_search() {
        let mut graph = try_to_csr(5, &[(0, 1), (1, 2), (2, 0), (1, 3), (3, 4)]).expect("edges are within the graph");
        graph.node_data[2] = Role::Sink.word();
        graph.node_data[3] = Role::Sanitizer.word();
        graph.node_data[4] = Role::SourceAndSink.word();
        let mut scratch = Scratch::default();
        let mut search = |node, depth| scratch.search(graph.view(), node, depth, || Ok(())).expect("no deadline");
        for _ in 0..2 {
            assert_eq!(search(0, u32::MAX), [(2, 2)]);
            assert_eq!(search(0, 1), []);
            assert_eq!(search(2, u32::MAX), []);
            assert_eq!(search(4, 0), [(4, 0)]);
        }
    }

    #[test]
    fn a_search_ends_at_its_deadline() {
        let graph = try_to_csr(2, &[(0, 1)]).expect("edges are within the graph");
        let error = DataflowError::Device(vyre_runtime::Error::DeadlineExceeded);
        let result = Scratch::default().search(graph.view(), 0, u32::MAX, || Err(error.clone()));
        assert_eq!(result, Err(error));
    }
}
