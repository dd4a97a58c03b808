//! Core numbers, by removing nodes in the order of their degrees (Batagelj and Zaveršnik, 2003).

use super::simple::Undirected;
use crate::csr::CsrView;

/// Core number of each node: the largest k such that the node belongs to a subgraph in which every node has at least k neighbours.
///
/// The direction of edges, self-loops and parallel edges do not count. The graph must be valid. The time is linear in nodes and edges, beside
/// the time for sorting the neighbours of each node.
#[must_use]
pub fn core_numbers(graph: CsrView<'_>) -> Vec<u32> {
    let graph = Undirected::new(graph);
    let nodes = graph.node_count();
    let mut degrees: Vec<u32> = (0..nodes as u32).map(|node| graph.neighbours(node).len() as u32).collect();
    let largest = degrees.iter().copied().max().unwrap_or_default() as usize;
    // Nodes sorted by degree: `starts` has the position of the first node of each degree.
    let mut starts = vec![0usize; largest + 2];
    for &degree in &degrees {
        starts[degree as usize + 1] += 1;
    }
    for degree in 1..starts.len() {
        starts[degree] += starts[degree - 1];
    }
    let (mut order, mut positions) = (vec![0u32; nodes], vec![0usize; nodes]);
    let mut next = starts.clone();
    for (node, &degree) in (0..).zip(&degrees) {
        let position = &mut next[degree as usize];
        order[*position] = node;
        positions[node as usize] = *position;
        *position += 1;
    }
    for at in 0..nodes {
        let node = order[at];
        let degree = degrees[node as usize];
        for &neighbour in graph.neighbours(node) {
            let other = degrees[neighbour as usize];
            if other <= degree {
                continue;
            }
            // The neighbour changes places with the first node of its degree, and then belongs to the degree below.
            let (start, position) = (starts[other as usize].max(at + 1), positions[neighbour as usize]);
            let first = order[start];
            order.swap(start, position);
            positions[neighbour as usize] = start;
            positions[first as usize] = position;
            starts[other as usize] = start + 1;
            degrees[neighbour as usize] = other - 1;
        }
    }
    degrees
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construct::to_csr;
    use crate::generate::SplitMix64;

    /// Core numbers by the definition: remove all nodes with fewer than k neighbours, again and again.
    fn by_definition(nodes: u32, edges: &[(u32, u32)]) -> Vec<u32> {
        let mut cores = vec![0; nodes as usize];
        for k in 1..nodes {
            let mut alive = vec![true; nodes as usize];
            loop {
                let neighbours = |node: u32| {
                    let ends = |&(a, b): &(u32, u32)| {
                        if a == node {
                            Some(b)
                        } else if b == node {
                            Some(a)
                        } else {
                            None
                        }
                    };
                    let mut all: Vec<u32> =
                        edges.iter().filter_map(ends).filter(|&other| other != node && alive[other as usize]).collect();
                    all.sort_unstable();
                    all.dedup();
                    all.len() as u32
                };
                let removed: Vec<u32> =
                    (0..nodes).filter(|&node| alive[node as usize] && neighbours(node) < k).collect();
                if removed.is_empty() {
                    break;
                }
                for node in removed {
                    alive[node as usize] = false;
                }
            }
            for node in 0..nodes as usize {
                if alive[node] {
                    cores[node] = k;
                }
            }
        }
        cores
    }

    #[test]
    fn core_numbers_are_those_of_the_definition() {
        let mut random = SplitMix64::new(7);
        for case in 0..60 {
            let nodes = 1 + random.below(12) as u32;
            let count = random.below(40);
            let edges: Vec<(u32, u32)> = (0..count)
                .map(|_| (random.below(u64::from(nodes)) as u32, random.below(u64::from(nodes)) as u32))
                .collect();
            assert_eq!(
                core_numbers(to_csr(nodes, &edges).view()),
                by_definition(nodes, &edges),
                "case {case}: {edges:?}"
            );
        }
        assert!(core_numbers(to_csr(0, &[]).view()).is_empty());
    }
}
