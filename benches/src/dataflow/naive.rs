//! The search as one would write it first: a fresh queue and a fresh flag for each node, for every source.

use std::collections::VecDeque;

use rayon::prelude::*;
use vyre_graph::Role;

use super::answer::Found;
use super::plain::Plain;

/// The findings of these sources, in order.
pub(super) fn naive(graph: Plain<'_>, sources: &[u32]) -> Vec<Found> {
    let mut found = Vec::new();
    for &source in sources {
        search(graph, source, &mut found);
    }
    found
}

/// The same, the sources shared among all threads.
pub(super) fn naive_on_threads(graph: Plain<'_>, sources: &[u32]) -> Vec<Found> {
    let each = sources.par_iter().map(|&source| {
        let mut found = Vec::new();
        search(graph, source, &mut found);
        found
    });
    each.collect::<Vec<_>>().concat()
}

fn search(graph: Plain<'_>, source: u32, found: &mut Vec<Found>) {
    let (offsets, targets) = (graph.rows.offsets, graph.rows.targets);
    let start = found.len();
    let mut seen = vec![false; graph.roles.len()];
    let mut queue = VecDeque::from([(source, 0u32)]);
    seen[source as usize] = true;
    while let Some((node, depth)) = queue.pop_front() {
        let at = node as usize;
        if depth > 0 && graph.roles[at] == Role::Sink {
            found.push((source, node, depth));
        }
        if graph.roles[at] == Role::Sanitizer {
            continue;
        }
        for &target in &targets[offsets[at] as usize..offsets[at + 1] as usize] {
            if !seen[target as usize] {
                seen[target as usize] = true;
                queue.push_back((target, depth + 1));
            }
        }
    }
    found[start..].sort_unstable();
}
