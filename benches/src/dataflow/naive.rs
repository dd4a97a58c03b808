//! Naive peer: one BFS per source, with a new queue and a new array of visited flags each.

use std::collections::VecDeque;

use rayon::prelude::*;
use vyre_graph::Role;

use super::digest::Found;
use super::taint_graph::TaintGraph;

/// Findings of some sources, in order.
pub(super) fn naive(graph: TaintGraph<'_>, sources: &[u32]) -> Vec<Found> {
    let mut found = Vec::new();
    for &source in sources {
        search(graph, source, &mut found);
    }
    found
}

/// Findings of some sources, which are distributed over all threads of the pool.
pub(super) fn naive_on_threads(graph: TaintGraph<'_>, sources: &[u32]) -> Vec<Found> {
    let each = sources.par_iter().map(|&source| {
        let mut found = Vec::new();
        search(graph, source, &mut found);
        found
    });
    each.collect::<Vec<_>>().concat()
}

fn search(graph: TaintGraph<'_>, source: u32, found: &mut Vec<Found>) {
    let (offsets, targets) = (graph.csr.offsets, graph.csr.targets);
    let start = found.len();
    let mut visited = vec![false; graph.roles.len()];
    let mut queue = VecDeque::from([(source, 0u32)]);
    visited[source as usize] = true;
    while let Some((node, depth)) = queue.pop_front() {
        let at = node as usize;
        if depth > 0 && graph.roles[at] == Role::Sink {
            found.push((source, node, depth));
        }
        if graph.roles[at] == Role::Sanitizer {
            continue;
        }
        for &target in &targets[offsets[at] as usize..offsets[at + 1] as usize] {
            if !visited[target as usize] {
                visited[target as usize] = true;
                queue.push_back((target, depth + 1));
            }
        }
    }
    found[start..].sort_unstable();
}
