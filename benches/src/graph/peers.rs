//! Peers of graph construction: petgraph, and a counting sort on one thread.

use petgraph::csr::Csr;
use petgraph::graph::DiGraph;
use vyre_graph::CsrView;

/// Builds petgraph's adjacency lists from edges in any order.
#[must_use]
pub(super) fn petgraph_lists(nodes: u32, edges: &[(u32, u32)]) -> DiGraph<(), (), u32> {
    let mut graph = DiGraph::with_capacity(nodes as usize, edges.len());
    (0..nodes).for_each(|_| {
        graph.add_node(());
    });
    graph.extend_with_edges(edges.iter().copied());
    graph
}

/// Builds petgraph's CSR graph, which needs sorted edges.
#[must_use]
pub(super) fn petgraph_csr(edges: &[(u32, u32)]) -> Csr<(), (), petgraph::Directed, u32> {
    if edges.is_sorted() {
        return Csr::from_sorted_edges(edges).expect("the edges are sorted");
    }
    let mut sorted = edges.to_vec();
    sorted.sort_unstable();
    Csr::from_sorted_edges(&sorted).expect("the edges are sorted")
}

/// Builds petgraph's CSR graph of the transpose.
#[must_use]
pub(super) fn petgraph_transposed(graph: CsrView<'_>) -> Csr<(), (), petgraph::Directed, u32> {
    let nodes = 0..graph.node_count() as u32;
    let reversed: Vec<(u32, u32)> =
        nodes.flat_map(|node| graph.neighbours(node).iter().map(move |&target| (target, node))).collect();
    petgraph_csr(&reversed)
}

/// Counting sort: counts the edges of each node, sums the counts, and stores each edge at its position.
#[must_use]
pub(super) fn counting_sort(
    nodes: u32,
    edges: impl Iterator<Item = (u32, u32)> + Clone,
    count: usize,
) -> (Vec<u32>, Vec<u32>) {
    let mut offsets = vec![0u32; nodes as usize + 1];
    for (source, _) in edges.clone() {
        offsets[source as usize + 1] += 1;
    }
    for node in 0..nodes as usize {
        offsets[node + 1] += offsets[node];
    }
    let mut free = offsets.clone();
    let mut targets = vec![0u32; count];
    for (source, target) in edges {
        let position = &mut free[source as usize];
        targets[*position as usize] = target;
        *position += 1;
    }
    (offsets, targets)
}
