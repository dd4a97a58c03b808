//! Construction from edge lists, compared with a naive construction.

use vyre_graph::generate::SplitMix64;
use vyre_graph::{CsrError, CsrGraph, to_csr, to_csr_counted, try_to_csr};

/// Naive construction: a row for each node, to which edges are appended.
fn naive(nodes: u32, edges: &[(u32, u32)]) -> CsrGraph {
    let mut rows = vec![Vec::new(); nodes as usize];
    for &(source, target) in edges {
        rows[source as usize].push(target);
    }
    let mut offsets = vec![0];
    for row in &rows {
        offsets.push(offsets[offsets.len() - 1] + row.len() as u32);
    }
    CsrGraph { offsets, targets: rows.concat(), node_data: vec![0; nodes as usize] }
}

fn random_edges(random: &mut SplitMix64, below: u32, count: usize) -> Vec<(u32, u32)> {
    let mut node = || random.below(u64::from(below)) as u32;
    (0..count).map(|_| (node(), node())).collect()
}

#[test]
fn random_graphs_equal_the_naive_construction() {
    let mut random = SplitMix64::new(1);
    for nodes in [1, 2, 31, 1_000, 70_000] {
        for count in [0, 1, 10, 5_000, 100_000] {
            let mut edges = random_edges(&mut random, nodes, count);
            let graph = try_to_csr(nodes, &edges).expect("all edges are inside");
            assert_eq!(graph, naive(nodes, &edges), "{nodes} nodes, {count} edges");
            edges.sort_by_key(|edge| edge.0);
            let sorted = try_to_csr(nodes, &edges).expect("all edges are inside");
            assert_eq!(sorted, graph, "{nodes} nodes, {count} sorted edges");
            assert_eq!(to_csr_counted(nodes, &edges).expect("there are few edges").omitted, 0);
        }
    }
}

#[test]
fn edges_out_of_range_are_dropped_and_counted() {
    let mut random = SplitMix64::new(2);
    for count in [1, 100, 50_000] {
        for is_sorted in [false, true] {
            let mut edges = random_edges(&mut random, 120, count);
            if is_sorted {
                edges.sort_unstable();
            }
            let inside: Vec<_> = edges.iter().copied().filter(|&(a, b)| a < 100 && b < 100).collect();
            let made = to_csr_counted(100, &edges).expect("there are few edges");
            assert_eq!(made.omitted, count - inside.len());
            assert_eq!(made.graph, naive(100, &inside));
            assert_eq!(to_csr(100, &edges), made.graph);
            let first = edges.iter().position(|&(a, b)| a >= 100 || b >= 100);
            let expected = match first {
                Some(index) => Err(CsrError::Edge { index, edge: edges[index], nodes: 100 }),
                None => Ok(naive(100, &edges)),
            };
            assert_eq!(try_to_csr(100, &edges), expected);
        }
    }
    assert_eq!(to_csr(0, &[(0, 0)]), CsrGraph::default());
}
