//! Witnesses of facts that all propagate along the same edges: BFS with a predecessor for each node, sources on all threads.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use vyre_graph::{CsrView, Role, role_of};

use super::{Found, NONE, Request};
use crate::error::DataflowError;
use crate::executor::Executor;
use crate::finding::Finding;

/// Number of nodes that are visited between two checks of the deadline.
const NODES_PER_CHECK: usize = 1 << 14;

/// Searches from the source of each request. `passes` has a 0 for each edge that is blocked.
pub(super) fn search(
    executor: &Executor,
    graph: CsrView<'_>,
    passes: Option<&[u32]>,
    findings: &[Finding],
    requests: &[Request],
) -> Result<Vec<Found>, DataflowError> {
    let dead_ends = dead_ends(graph);
    // A search has arrays as long as the graph, so a thread reuses those of an earlier search.
    let unused: Mutex<Vec<Tree>> = Mutex::default();
    let pool = || unused.lock().unwrap_or_else(PoisonError::into_inner);
    let found: Vec<Vec<Found>> = requests
        .par_iter()
        .map(|request| {
            let reused = pool().pop();
            let mut tree = reused.unwrap_or_else(|| Tree::new(&dead_ends, graph.node_count()));
            tree.grow(graph, passes, request, || executor.check_deadline())?;
            let path = |&at: &u32| (at, tree.path(request.source, &findings[at as usize]));
            let found = request.positions.iter().map(path).collect();
            tree.clear(&dead_ends);
            pool().push(tree);
            Ok(found)
        })
        .collect::<Result<_, DataflowError>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// Nodes that no path to a sink passes, as a set of bits: those without edges and sanitizers, unless they are sinks. Searches ignore them.
fn dead_ends(graph: CsrView<'_>) -> Vec<u64> {
    let mut bits = vec![0; graph.node_count().div_ceil(64)];
    for (node, &data) in (0..).zip(graph.node_data) {
        let role = role_of(data);
        if !role.is_sink() && (role == Role::Sanitizer || graph.edges_of(node).is_empty()) {
            bits[node as usize / 64] |= bit(node);
        }
    }
    bits
}

/// Bit of a node in its word of a set.
fn bit(node: u32) -> u64 {
    1 << (node % 64)
}

/// Tree of shortest paths from a source.
struct Tree {
    /// Nodes that a search does not enter: those that it has reached, and dead ends. A set of bits stays in the caches when
    /// `predecessors` does not.
    closed: Vec<u64>,
    /// Predecessor of each node that is reached. The source is its own.
    predecessors: Vec<u32>,
    /// Nodes in the order in which they are reached.
    queue: Vec<u32>,
}

impl Tree {
    fn new(dead_ends: &[u64], nodes: usize) -> Tree {
        Tree { closed: dead_ends.to_vec(), predecessors: vec![NONE; nodes], queue: Vec::new() }
    }

    /// Searches from the source up to the depth of the request.
    fn grow(
        &mut self,
        graph: CsrView<'_>,
        passes: Option<&[u32]>,
        request: &Request,
        check: impl Fn() -> Result<(), DataflowError>,
    ) -> Result<(), DataflowError> {
        let Tree { closed, predecessors, queue } = self;
        // A sanitizer propagates nothing, also if it is the source.
        if role_of(graph.node_data[request.source as usize]) == Role::Sanitizer {
            return Ok(());
        }
        predecessors[request.source as usize] = request.source;
        closed[request.source as usize / 64] |= bit(request.source);
        queue.push(request.source);
        let mut begin = 0;
        for _ in 0..request.depth {
            let end = queue.len();
            if begin == end {
                break;
            }
            for at in begin..end {
                if at % NODES_PER_CHECK == 0 {
                    check()?;
                }
                let node = queue[at];
                for edge in graph.edges_of(node) {
                    let target = graph.targets[edge];
                    let word = &mut closed[target as usize / 64];
                    if *word & bit(target) == 0 && passes.is_none_or(|passes| passes[edge] != 0) {
                        *word |= bit(target);
                        predecessors[target as usize] = node;
                        queue.push(target);
                    }
                }
            }
            begin = end;
        }
        Ok(())
    }

    /// Path to the sink of a finding. None if its length differs from the depth of the finding.
    fn path(&self, source: u32, finding: &Finding) -> Option<Vec<u32>> {
        let mut path = vec![finding.sink];
        let mut node = finding.sink;
        while node != source && path.len() <= finding.depth as usize {
            node = self.predecessors[node as usize];
            if node == NONE {
                return None;
            }
            path.push(node);
        }
        path.reverse();
        (node == source && path.len() as u64 == u64::from(finding.depth) + 1).then_some(path)
    }

    /// Clears the tree for the next search.
    fn clear(&mut self, dead_ends: &[u64]) {
        for node in self.queue.drain(..) {
            self.predecessors[node as usize] = NONE;
            let word = node as usize / 64;
            self.closed[word] = self.closed[word] & !bit(node) | dead_ends[word] & bit(node);
        }
    }
}
