//! Triangles through each node.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::simple::Undirected;
use crate::csr::CsrView;

/// Number of triangles through each node. Their sum is three times the number of triangles.
///
/// The direction of edges, self-loops and parallel edges do not count. The graph must be valid. Each triangle is found at its node of the smallest degree, so
/// the time is at most that of edges times the square root of edges. Runs on all threads.
#[must_use]
pub fn triangles(graph: CsrView<'_>) -> Vec<u64> {
    let graph = Undirected::new(graph);
    let nodes = graph.node_count() as u32;
    let rank = |node: u32| (graph.neighbours(node).len(), node);
    // Neighbours of a higher rank, in the order of their numbers.
    let higher: Vec<Vec<u32>> = (0..nodes)
        .into_par_iter()
        .map(|node| graph.neighbours(node).iter().copied().filter(|&other| rank(other) > rank(node)).collect())
        .collect();
    let counts: Vec<AtomicU64> = (0..nodes).map(|_| AtomicU64::new(0)).collect();
    let add = |node: u32, count: u64| counts[node as usize].fetch_add(count, Ordering::Relaxed);
    (0..nodes).into_par_iter().for_each(|node| {
        let own = &higher[node as usize];
        for &second in own {
            let mut found = 0;
            common(own, &higher[second as usize], |third| {
                add(third, 1);
                found += 1;
            });
            if found > 0 {
                add(node, found);
                add(second, found);
            }
        }
    });
    counts.into_iter().map(AtomicU64::into_inner).collect()
}

/// Passes the numbers that two ascending lists share.
fn common(one: &[u32], other: &[u32], mut found: impl FnMut(u32)) {
    let (mut left, mut right) = (0, 0);
    while let (Some(&a), Some(&b)) = (one.get(left), other.get(right)) {
        if a == b {
            found(a);
        }
        left += usize::from(a <= b);
        right += usize::from(b <= a);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construct::to_csr;
    use crate::generate::SplitMix64;

    #[test]
    fn triangles_are_those_of_all_triples() {
        let mut random = SplitMix64::new(11);
        for case in 0..100 {
            let nodes = 1 + random.below(14) as u32;
            let count = random.below(60);
            let edges: Vec<(u32, u32)> = (0..count)
                .map(|_| (random.below(u64::from(nodes)) as u32, random.below(u64::from(nodes)) as u32))
                .collect();
            let joined = |a: u32, b: u32| edges.contains(&(a, b)) || edges.contains(&(b, a));
            let mut expected = vec![0u64; nodes as usize];
            for a in 0..nodes {
                for b in 0..a {
                    for c in 0..b {
                        if joined(a, b) && joined(b, c) && joined(a, c) {
                            [a, b, c].into_iter().for_each(|node| expected[node as usize] += 1);
                        }
                    }
                }
            }
            assert_eq!(triangles(to_csr(nodes, &edges).view()), expected, "case {case}: {edges:?}");
        }
    }
}
