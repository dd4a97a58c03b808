//! Chain contraction: removal of nodes with one successor, which gives edges weights.
//!
//! Every node that is neither a sink nor a start and has one successor is removed; its incoming edges lead to the end of its
//! chain. Distances between the remaining nodes do not change. Of parallel edges the shortest remains. The number of edges does
//! not grow.

use crate::preparation::{DROPPED, PreparedGraph};

/// Maximum number of contraction passes: a pass can leave other nodes with one successor.
const MAX_PASSES: usize = 2;
/// A further pass must remove at least one of this many nodes.
const MIN_REMOVED_SHARE: usize = 100;

/// A weighted graph. Nodes have new ids, in the order of those of the prepared graph.
#[derive(Debug)]
pub(crate) struct ContractedGraph {
    /// CSR offsets into `targets` and `weights`.
    pub(crate) offsets: Vec<u32>,
    pub(crate) targets: Vec<u32>,
    /// Number of original edges that each edge replaces.
    pub(crate) weights: Vec<u32>,
    /// New id of each node of the original graph, or [`DROPPED`].
    pub(crate) new_ids: Vec<u32>,
    /// Original id of each node.
    pub(crate) original_ids: Vec<u32>,
    /// New ids of the sinks, in ascending order of their original ids.
    pub(crate) sinks: Vec<u32>,
    /// For each node of the prepared graph, the end and the length of its chain: every path from the node to a sink passes the
    /// end. A remaining node is its own end. The end is [`DROPPED`] if the node reaches no sink.
    pub(crate) ends: Vec<(u32, u32)>,
}

impl ContractedGraph {
    pub(crate) fn node_count(&self) -> usize {
        self.original_ids.len()
    }

    /// Original ids of the sinks, ascending.
    pub(crate) fn original_sinks(&self) -> Vec<u32> {
        self.sinks.iter().map(|&sink| self.original_ids[sink as usize]).collect()
    }
}

/// Contracts the chains of a graph. `is_start` takes original ids. Every node must reach a sink, as in a pruned graph, or be a
/// start: a ring of nodes with one successor each has no end.
pub(crate) fn contract(graph: &PreparedGraph, is_start: impl Fn(u32) -> bool) -> ContractedGraph {
    let nodes = graph.node_count();
    let mut is_fixed: Vec<bool> = graph.original_ids.iter().map(|&node| is_start(node)).collect();
    for &sink in &graph.sinks {
        is_fixed[sink as usize] = true;
    }
    let forward = graph.forward.view();
    let unweighted = |node: u32| forward.neighbours(node).iter().map(|&target| (target, 1));
    let mut all_ends = chain_ends(&is_fixed, unweighted);
    let mut edges = redirected(nodes, &all_ends, unweighted);
    for _ in 1..MAX_PASSES {
        let ends = chain_ends(&is_fixed, |node| edges.of(node));
        if ends.iter().zip(0..).filter(|&(&(end, _), node)| end != node).count() < nodes / MIN_REMOVED_SHARE {
            break;
        }
        edges = redirected(nodes, &ends, |node| edges.of(node));
        for (end, length) in &mut all_ends {
            let (next, rest) = ends[*end as usize];
            (*end, *length) = (next, *length + rest);
        }
    }
    // Removed nodes have no edges.
    let remains = |node: &u32| is_fixed[*node as usize] || !edges.range(*node).is_empty();
    let remaining: Vec<u32> = (0..nodes as u32).filter(remains).collect();
    edges.renumbered(graph, &remaining, all_ends)
}

/// For each node that is removed, the end and the length of its chain; for others, the node itself and 0.
fn chain_ends<I: Iterator<Item = (u32, u32)>>(is_fixed: &[bool], edges: impl Fn(u32) -> I) -> Vec<(u32, u32)> {
    let only_successor = |node: u32| {
        let mut others = edges(node).filter(|&(target, _)| target != node);
        let (end, mut length) = others.next()?;
        for (target, weight) in others {
            if target != end {
                return None;
            }
            length = length.min(weight);
        }
        Some((end, length))
    };
    let mut ends: Vec<(u32, u32)> = (0..)
        .zip(is_fixed)
        .map(|(node, &is_fixed)| if is_fixed { (node, 0) } else { only_successor(node).unwrap_or((node, 0)) })
        .collect();
    let mut chain = Vec::new();
    for node in 0..ends.len() {
        // The chain has an end: a ring of nodes with one successor reaches no sink.
        let mut at = node;
        loop {
            let next = ends[at].0 as usize;
            if ends[next].0 as usize == next {
                break;
            }
            chain.push(at);
            at = next;
        }
        while let Some(before) = chain.pop() {
            let (end, length) = ends[ends[before].0 as usize];
            ends[before] = (end, ends[before].1 + length);
        }
    }
    ends
}

/// Weighted edges in CSR form.
struct WeightedEdges {
    offsets: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<u32>,
}

/// Redirects edges to the ends of the chains that they enter. Keeps the shortest of parallel edges, and no loops.
fn redirected<I: Iterator<Item = (u32, u32)>>(
    nodes: usize,
    ends: &[(u32, u32)],
    edges: impl Fn(u32) -> I,
) -> WeightedEdges {
    let mut new = WeightedEdges { offsets: Vec::with_capacity(nodes + 1), targets: Vec::new(), weights: Vec::new() };
    // Index of the last edge to each node.
    let mut last = vec![usize::MAX; nodes];
    new.offsets.push(0);
    for node in 0..nodes as u32 {
        if ends[node as usize].0 == node {
            let first = new.targets.len();
            for (target, weight) in edges(node) {
                let (end, length) = ends[target as usize];
                if end == node {
                    continue;
                }
                let at = last[end as usize];
                if (first..new.targets.len()).contains(&at) {
                    new.weights[at] = new.weights[at].min(weight + length);
                } else {
                    last[end as usize] = new.targets.len();
                    new.targets.push(end);
                    new.weights.push(weight + length);
                }
            }
        }
        new.offsets.push(new.targets.len() as u32);
    }
    new
}

impl WeightedEdges {
    /// Range of the outgoing edges of a node.
    fn range(&self, node: u32) -> std::ops::Range<usize> {
        self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize
    }

    /// Outgoing edges of a node: target and weight.
    fn of(&self, node: u32) -> impl Iterator<Item = (u32, u32)> {
        let range = self.range(node);
        self.targets[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }

    /// Renumbers the remaining nodes.
    fn renumbered(mut self, graph: &PreparedGraph, remaining: &[u32], mut ends: Vec<(u32, u32)>) -> ContractedGraph {
        let mut numbers = vec![DROPPED; graph.node_count()];
        for (new, &node) in (0..).zip(remaining) {
            numbers[node as usize] = new;
        }
        for target in &mut self.targets {
            *target = numbers[*target as usize];
        }
        ends.iter_mut().for_each(|(end, _)| *end = numbers[*end as usize]);
        // Removed nodes have no edges, so the ranges of the others stay contiguous.
        let last_edges = remaining.iter().map(|&node| self.offsets[node as usize + 1]);
        let offsets = [0].into_iter().chain(last_edges).collect();
        let renumber = |&node: &u32| if node == DROPPED { DROPPED } else { numbers[node as usize] };
        ContractedGraph {
            offsets,
            targets: self.targets,
            weights: self.weights,
            new_ids: graph.new_ids.iter().map(renumber).collect(),
            original_ids: remaining.iter().map(|&node| graph.original_ids[node as usize]).collect(),
            sinks: graph.sinks.iter().map(|&sink| numbers[sink as usize]).collect(),
            ends,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::HashSet;

    use vyre_graph::generate::SplitMix64;
    use vyre_graph::{CsrGraph, Role, try_to_csr};
    use vyre_ops::graph::reachable_sinks;

    use super::*;
    use crate::preparation::{NodeOrder, prepare};

    pub(crate) fn graph(nodes: u32, edges: &[(u32, u32)], roles: &[(u32, Role)]) -> CsrGraph {
        let mut graph = try_to_csr(nodes, edges).expect("edges are inside");
        for &(node, role) in roles {
            graph.node_data[node as usize] = role.word();
        }
        graph
    }

    /// A graph of long paths, with chains, loops and parallel edges, and some sources.
    pub(crate) fn deep(nodes: u32, sources: usize, seed: u64) -> (CsrGraph, Vec<u32>) {
        let mut random = SplitMix64::new(seed);
        let mut below = |bound: u32| random.below(u64::from(bound)) as u32;
        let mut edges = Vec::new();
        for node in 0..nodes {
            for _ in 0..[0, 1, 1, 1, 2, 2, 3, 3][below(8) as usize] {
                let step = if below(16) == 0 { below(nodes) } else { below(8) };
                edges.push((node, (node + step) % nodes));
            }
        }
        // A few nodes have more outgoing edges than a word has bits.
        for _ in 0..below(3) {
            let hub = below(nodes);
            edges.extend((0..below(80)).map(|_| (hub, below(nodes))));
        }
        edges.sort_unstable();
        let roles: Vec<(u32, Role)> = (0..nodes)
            .filter_map(|node| match below(40) {
                0..3 => Some((node, Role::Sink)),
                3 => Some((node, Role::Sanitizer)),
                _ => None,
            })
            .collect();
        let mut chosen: Vec<u32> = (0..sources).map(|_| below(nodes)).collect();
        chosen.sort_unstable();
        (graph(nodes, &edges, &roles), chosen)
    }

    pub(crate) fn contracted(graph: &CsrGraph, starts: &[u32]) -> ContractedGraph {
        let starts: HashSet<u32> = starts.iter().copied().collect();
        contract(&prepare(graph.view(), None, true, NodeOrder::Original), |node| starts.contains(&node))
    }

    /// Source, sink and depth of each finding, by label-correcting search on the host.
    fn findings(graph: &ContractedGraph, sources: &[u32]) -> Vec<(u32, u32, u32)> {
        let mut found = Vec::new();
        for &source in sources.iter().filter(|&&source| graph.new_ids[source as usize] != DROPPED) {
            let mut distances = vec![u32::MAX; graph.node_count()];
            distances[graph.new_ids[source as usize] as usize] = 0;
            let mut worklist = vec![graph.new_ids[source as usize] as usize];
            while let Some(node) = worklist.pop() {
                for edge in graph.offsets[node] as usize..graph.offsets[node + 1] as usize {
                    let (end, distance) = (graph.targets[edge] as usize, distances[node] + graph.weights[edge]);
                    if distance < distances[end] {
                        distances[end] = distance;
                        worklist.push(end);
                    }
                }
            }
            let sinks = graph.sinks.iter().zip(graph.original_sinks());
            let reached = sinks.map(|(&sink, node)| (source, node, distances[sink as usize]));
            found.extend(reached.filter(|&(_, _, depth)| depth != 0 && depth != u32::MAX));
        }
        found.sort_unstable();
        found
    }

    #[test]
    fn chains_become_weighted_edges() {
        // 0 -> 1 -> 2 -> 3 (sink) -> 4 -> 5 (sink), and 6 -> 1, 6 -> 2.
        let edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (6, 1), (6, 2)];
        let graph = graph(7, &edges, &[(3, Role::Sink), (5, Role::Sink)]);
        let short = contracted(&graph, &[0, 6]);
        assert_eq!(short.original_ids, [0, 3, 5, 6]);
        assert_eq!(short.offsets, [0, 1, 2, 2, 3]);
        assert_eq!(short.targets, [1, 2, 1]);
        // Of the two paths from 6 the shorter one remains.
        assert_eq!(short.weights, [3, 2, 2]);
        assert_eq!(short.sinks, [1, 2]);
        assert_eq!(short.new_ids, [0, DROPPED, DROPPED, 1, DROPPED, 2, 3]);
        assert_eq!(short.ends, [(0, 0), (1, 2), (1, 1), (1, 0), (2, 1), (2, 0), (3, 0)]);
    }

    #[test]
    fn starts_sinks_and_rings_remain() {
        // A ring of 0, 1 and 2, with an edge out of it at 2, an edge from 1 to itself, and a start at 1.
        let edges = [(0, 1), (1, 1), (1, 2), (2, 0), (2, 3)];
        let graph = graph(4, &edges, &[(3, Role::Sink)]);
        let short = contracted(&graph, &[1]);
        assert_eq!(short.original_ids, [1, 2, 3]);
        assert_eq!((&short.targets[..], &short.weights[..]), (&[1, 0, 2][..], &[1, 2, 1][..]));
        let shorter = contracted(&graph, &[]);
        assert_eq!((&shorter.original_ids[..], &shorter.targets[..]), (&[3][..], &[][..]));
    }

    #[test]
    fn contraction_preserves_distances() {
        for seed in 0..200 {
            let (graph, sources) = deep(1 + seed as u32, 8, seed);
            let short = contracted(&graph, &sources);
            let wanted: Vec<_> = reachable_sinks(graph.view(), &sources, u32::MAX)
                .into_iter()
                .map(|finding| (finding.source, finding.node, finding.depth))
                .collect();
            assert_eq!(findings(&short, &sources), wanted, "seed {seed}");
        }
    }

    #[test]
    fn a_graph_without_sinks_becomes_empty() {
        let short = contracted(&graph(3, &[(0, 1), (1, 0)], &[]), &[0]);
        assert_eq!((short.node_count(), short.offsets.len(), short.new_ids[0]), (0, 1, DROPPED));
    }
}
