//! Reference implementation: BFS from each source on the host. It defines the findings of an analysis.

use vyre_graph::{CsrView, Role, role_of};

use crate::finding::Finding;

/// Computes the findings of an analysis on the host, without programs: one source after the other, level by level.
///
/// `transfer` takes the source, both ends of an edge, the index of the edge and the facts at its beginning, and returns the facts
/// that arrive at its end. Sources that are not nodes have no findings.
///
/// Facts propagate level by level. The facts of a source are new at its node at depth 0. At each depth, the facts that are new at
/// a node propagate along its edges; facts that arrive at a node for the first time are new there at the next depth. Facts do
/// not leave sanitizers. A finding has the smallest depth at which any fact arrives at the sink, and all facts that ever arrive
/// there.
#[must_use]
pub fn taint_on_host(
    graph: CsrView<'_>,
    sources: &[u32],
    facts: Option<&[u32]>,
    max_depth: u32,
    mut transfer: impl FnMut(u32, u32, u32, usize, u32) -> u32,
) -> Vec<Finding> {
    let nodes = graph.node_count();
    let role = |node: u32| role_of(graph.node_data[node as usize]);
    let mut findings = Vec::new();
    let mut known = vec![0u32; nodes];
    let mut arriving = vec![0u32; nodes];
    for (source_index, &source) in (0..).zip(sources) {
        if source as usize >= nodes {
            continue;
        }
        let first = facts.map_or(1, |facts| facts[source_index as usize]);
        let mut level = vec![(source, first)];
        let mut reached: Vec<(u32, u32)> = vec![(source, 0)];
        known[source as usize] = first;
        let mut depth = 0;
        while !level.is_empty() && depth < max_depth {
            depth += 1;
            let mut next = Vec::new();
            for (node, new) in level {
                if role(node) == Role::Sanitizer {
                    continue;
                }
                for edge in graph.edges_of(node) {
                    let target = graph.targets[edge];
                    let arrived = transfer(source, node, target, edge, new) & !known[target as usize];
                    if arrived != 0 && arriving[target as usize] == 0 {
                        next.push(target);
                    }
                    arriving[target as usize] |= arrived;
                }
            }
            level = Vec::with_capacity(next.len());
            for node in next {
                let new = std::mem::take(&mut arriving[node as usize]);
                if known[node as usize] == 0 {
                    reached.push((node, depth));
                }
                known[node as usize] |= new;
                level.push((node, new));
            }
        }
        for (node, depth) in reached {
            let facts = std::mem::take(&mut known[node as usize]);
            let is_reported = if depth == 0 { role(node) == Role::SourceAndSink } else { role(node).is_sink() };
            if is_reported && facts != 0 {
                findings.push(Finding { source, sink: node, depth, source_index, facts });
            }
        }
    }
    findings.sort_unstable();
    findings
}
