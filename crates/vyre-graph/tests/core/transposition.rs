//! Transposed graphs.

use vyre_graph::generate::SplitMix64;
use vyre_graph::{Graph, in_degrees, try_to_csr};

#[test]
fn transposition_reverses_edges_with_their_weights() {
    let mut random = SplitMix64::new(4);
    for (nodes, count) in [(1u32, 3usize), (10, 0), (50, 400), (40_000, 60_000), (3, 40_000)] {
        let mut node = || random.below(u64::from(nodes)) as u32;
        let mut edges: Vec<(u32, u32)> = (0..count).map(|_| (node(), node())).collect();
        edges.sort_by_key(|edge| edge.0);
        let mut graph = try_to_csr(nodes, &edges).expect("all edges are inside");
        graph.node_data.iter_mut().enumerate().for_each(|(node, word)| *word = node as u32);
        let weights: Vec<u32> = (0..count as u32).collect();

        let mut turned: Vec<(u32, u32, u32)> =
            edges.iter().zip(&weights).map(|(&(source, target), &weight)| (target, source, weight)).collect();
        turned.sort_by_key(|edge| edge.0);
        let pairs: Vec<(u32, u32)> = turned.iter().map(|&(source, target, _)| (source, target)).collect();
        let mut expected = try_to_csr(nodes, &pairs).expect("all edges are inside");
        expected.node_data.clone_from(&graph.node_data);

        let (transposed, moved) = graph.view().transposed_with_weights(&weights);
        assert_eq!(transposed, expected);
        assert_eq!(moved, turned.iter().map(|edge| edge.2).collect::<Vec<_>>());
        assert_eq!(graph.transposed(), expected);
        let degrees: Vec<u32> = expected.offsets.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(in_degrees(graph.view()), degrees);
        // Transposing twice sorts the edges of each node.
        let mut sorted = edges.clone();
        sorted.sort_unstable();
        assert_eq!(transposed.transposed().targets, sorted.iter().map(|edge| edge.1).collect::<Vec<_>>());
    }
}

#[test]
fn an_undirected_graph_has_each_edge_twice() {
    let csr = try_to_csr(3, &[(0, 1), (1, 1), (2, 0), (0, 1)]).expect("all edges are inside");
    let graph = Graph { weights: Some(vec![1, 4, 2, 3]), ..Graph::from(csr) };
    let undirected = graph.view().undirected().expect("there are few edges");
    assert_eq!(undirected.csr.offsets, [0, 3, 6, 7]);
    assert_eq!(undirected.csr.targets, [1, 1, 2, 0, 0, 1, 0]);
    assert_eq!(undirected.weights, Some(vec![1, 4, 3, 1, 4, 2, 3]));
}
