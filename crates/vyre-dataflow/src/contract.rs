//! Chains made short: nodes with one way out are left out, and ways have lengths.

use super::prepare::{DROPPED, Prepared};

/// How often nodes with one way out are looked for: leaving some out can give others one way out.
const ROUNDS: usize = 2;
/// Another round is for at least one node of so many.
const WORTHWHILE: usize = 100;

/// A graph whose ways have lengths. Nodes have new numbers, in the order of the old ones.
#[derive(Debug)]
pub(crate) struct Contracted {
    /// Where the ways out of each node begin in `targets` and `weights`, and where the last ones end.
    pub(crate) offsets: Vec<u32>,
    pub(crate) targets: Vec<u32>,
    /// How many edges a way stands for.
    pub(crate) weights: Vec<u32>,
    /// The new number of each node of the graph as it was given, or [`DROPPED`].
    pub(crate) place: Vec<u32>,
    /// The number of each node in that graph.
    pub(crate) original: Vec<u32>,
    /// The sinks, in ascending order of the numbers that they had.
    pub(crate) sinks: Vec<u32>,
}

impl Contracted {
    pub(crate) fn node_count(&self) -> usize {
        self.original.len()
    }

    /// The numbers that the sinks had, ascending.
    pub(crate) fn sink_nodes(&self) -> impl Iterator<Item = u32> {
        self.sinks.iter().map(|&sink| self.original[sink as usize])
    }
}

/// Leaves out nodes with one way out that are neither sinks nor starts; distances between nodes that are left stay what they
/// were. Every node must reach a sink, as nodes do that were not dropped. `is_start` is asked about nodes of the graph as it
/// was given.
pub(crate) fn contract(graph: &Prepared, is_start: impl Fn(u32) -> bool) -> Contracted {
    let nodes = graph.node_count();
    let mut stays: Vec<bool> = graph.original.iter().map(|&node| is_start(node)).collect();
    for &sink in &graph.sinks {
        stays[sink as usize] = true;
    }
    let forward = graph.forward.view();
    let single = |node: u32| forward.neighbours(node).iter().map(|&target| (target, 1));
    let mut ways = shortened(nodes, &only_ways(&stays, single), single);
    for _ in 1..ROUNDS {
        let only = only_ways(&stays, |node| ways.of(node));
        if only.iter().zip(0..).filter(|&(&(end, _), node)| end != node).count() < nodes / WORTHWHILE {
            break;
        }
        ways = shortened(nodes, &only, |node| ways.of(node));
    }
    // Nodes that were left out have no ways any more.
    let is_left = |node: &u32| stays[*node as usize] || !ways.range(*node).is_empty();
    let left: Vec<u32> = (0..nodes as u32).filter(is_left).collect();
    ways.renumbered(graph, &left)
}

/// For each node that is left out the end and the length of its only way, chains included; for the others the node itself.
fn only_ways<I: Iterator<Item = (u32, u32)>>(stays: &[bool], ways: impl Fn(u32) -> I) -> Vec<(u32, u32)> {
    let only = |node: u32| {
        let mut others = ways(node).filter(|&(target, _)| target != node);
        let (end, mut length) = others.next()?;
        for (target, weight) in others {
            if target != end {
                return None;
            }
            length = length.min(weight);
        }
        Some((end, length))
    };
    let mut all: Vec<(u32, u32)> = (0..)
        .zip(stays)
        .map(|(node, &stays)| if stays { (node, 0) } else { only(node).unwrap_or((node, 0)) })
        .collect();
    let mut path = Vec::new();
    for node in 0..all.len() {
        // Chains end: nodes in a ring of only ways would reach no sink.
        let mut at = node;
        loop {
            let next = all[at].0 as usize;
            if all[next].0 as usize == next {
                break;
            }
            path.push(at);
            at = next;
        }
        while let Some(before) = path.pop() {
            let (end, length) = all[all[before].0 as usize];
            all[before] = (end, all[before].1 + length);
        }
    }
    all
}

/// Ways by the node that they leave.
struct Ways {
    offsets: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<u32>,
}

/// The ways with those that only lead on replaced by where they lead. A node has at most one way to another, the shortest.
fn shortened<I: Iterator<Item = (u32, u32)>>(nodes: usize, only: &[(u32, u32)], ways: impl Fn(u32) -> I) -> Ways {
    let mut new = Ways { offsets: Vec::with_capacity(nodes + 1), targets: Vec::new(), weights: Vec::new() };
    // Where the last way to each node is.
    let mut last = vec![usize::MAX; nodes];
    new.offsets.push(0);
    for node in 0..nodes as u32 {
        if only[node as usize].0 == node {
            let first = new.targets.len();
            for (target, weight) in ways(node) {
                let (end, length) = only[target as usize];
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

impl Ways {
    fn range(&self, node: u32) -> std::ops::Range<usize> {
        self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize
    }

    fn of(&self, node: u32) -> impl Iterator<Item = (u32, u32)> {
        let range = self.range(node);
        self.targets[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }

    /// The ways between the nodes that are left.
    fn renumbered(mut self, graph: &Prepared, left: &[u32]) -> Contracted {
        let mut number = vec![DROPPED; graph.node_count()];
        for (new, &node) in (0..).zip(left) {
            number[node as usize] = new;
        }
        for target in &mut self.targets {
            *target = number[*target as usize];
        }
        // Nodes that are gone have no ways, so the others' begin and end where they did.
        let ends = left.iter().map(|&node| self.offsets[node as usize + 1]);
        let offsets = [0].into_iter().chain(ends).collect();
        let moved = |&node: &u32| if node == DROPPED { DROPPED } else { number[node as usize] };
        Contracted {
            offsets,
            targets: self.targets,
            weights: self.weights,
            place: graph.place.iter().map(moved).collect(),
            original: left.iter().map(|&node| graph.original[node as usize]).collect(),
            sinks: graph.sinks.iter().map(|&sink| number[sink as usize]).collect(),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::HashSet;

    use vyre_graph::generate::SplitMix64;
    use vyre_graph::{CsrGraph, Role, try_to_csr};
    use vyre_ops::graph::reachable_sinks;

    use super::super::prepare::{Order, prepare};
    use super::*;

    pub(crate) fn graph(nodes: u32, edges: &[(u32, u32)], roles: &[(u32, Role)]) -> CsrGraph {
        let mut graph = try_to_csr(nodes, edges).expect("edges are inside");
        for &(node, role) in roles {
            graph.node_data[node as usize] = role.word();
        }
        graph
    }

    /// A graph of long ways, with chains, loops and parallel edges, and some sources.
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
        // More ways than bits of a word leave a few nodes.
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

    pub(crate) fn contracted(graph: &CsrGraph, starts: &[u32]) -> Contracted {
        let starts: HashSet<u32> = starts.iter().copied().collect();
        contract(&prepare(graph.view(), None, true, Order::Kept), |node| starts.contains(&node))
    }

    /// Source, sink and depth of each finding, by going round all ways until nothing changes.
    fn findings(graph: &Contracted, sources: &[u32]) -> Vec<(u32, u32, u32)> {
        let mut found = Vec::new();
        for &source in sources.iter().filter(|&&source| graph.place[source as usize] != DROPPED) {
            let mut distances = vec![u32::MAX; graph.node_count()];
            distances[graph.place[source as usize] as usize] = 0;
            let mut waiting = vec![graph.place[source as usize] as usize];
            while let Some(node) = waiting.pop() {
                for way in graph.offsets[node] as usize..graph.offsets[node + 1] as usize {
                    let (end, distance) = (graph.targets[way] as usize, distances[node] + graph.weights[way]);
                    if distance < distances[end] {
                        distances[end] = distance;
                        waiting.push(end);
                    }
                }
            }
            let sinks = graph.sinks.iter().zip(graph.sink_nodes());
            let reached = sinks.map(|(&sink, node)| (source, node, distances[sink as usize]));
            found.extend(reached.filter(|&(_, _, depth)| depth != 0 && depth != u32::MAX));
        }
        found.sort_unstable();
        found
    }

    #[test]
    fn chains_become_ways() {
        // 0 -> 1 -> 2 -> 3 (sink) -> 4 -> 5 (sink), and 6 -> 1, 6 -> 2.
        let edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (6, 1), (6, 2)];
        let graph = graph(7, &edges, &[(3, Role::Sink), (5, Role::Sink)]);
        let short = contracted(&graph, &[0, 6]);
        assert_eq!(short.original, [0, 3, 5, 6]);
        assert_eq!(short.offsets, [0, 1, 2, 2, 3]);
        assert_eq!(short.targets, [1, 2, 1]);
        // Of the two ways from 6 the shorter one is left.
        assert_eq!(short.weights, [3, 2, 2]);
        assert_eq!(short.sinks, [1, 2]);
        assert_eq!(short.place, [0, DROPPED, DROPPED, 1, DROPPED, 2, 3]);
    }

    #[test]
    fn starts_sinks_and_rings_stay() {
        // A ring of 0, 1 and 2, with a way out at 2, an edge from 1 to itself, and a start at 1.
        let edges = [(0, 1), (1, 1), (1, 2), (2, 0), (2, 3)];
        let graph = graph(4, &edges, &[(3, Role::Sink)]);
        let short = contracted(&graph, &[1]);
        assert_eq!(short.original, [1, 2, 3]);
        assert_eq!((&short.targets[..], &short.weights[..]), (&[1, 0, 2][..], &[1, 2, 1][..]));
        let shorter = contracted(&graph, &[]);
        assert_eq!((&shorter.original[..], &shorter.targets[..]), (&[3][..], &[][..]));
    }

    #[test]
    fn distances_stay() {
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
    fn nothing_is_left_of_nothing() {
        let short = contracted(&graph(3, &[(0, 1), (1, 0)], &[]), &[0]);
        assert_eq!((short.node_count(), short.offsets.len(), short.place[0]), (0, 1, DROPPED));
    }
}
