//! What petgraph does with a list of edges, and plain counting sorts as one would write them first.

use petgraph::csr::Csr;
use petgraph::graph::DiGraph;
use vyre_graph::CsrView;

/// petgraph's graph of adjacency lists, from edges in any order.
#[must_use]
pub(super) fn petgraph_lists(nodes: u32, edges: &[(u32, u32)]) -> DiGraph<(), (), u32> {
    let mut graph = DiGraph::with_capacity(nodes as usize, edges.len());
    (0..nodes).for_each(|_| {
        graph.add_node(());
    });
    graph.extend_with_edges(edges.iter().copied());
    graph
}

/// petgraph's compressed rows, which want sorted edges.
#[must_use]
pub(super) fn petgraph_rows(edges: &[(u32, u32)]) -> Csr<(), (), petgraph::Directed, u32> {
    if edges.is_sorted() {
        return Csr::from_sorted_edges(edges).expect("they are sorted");
    }
    let mut sorted = edges.to_vec();
    sorted.sort_unstable();
    Csr::from_sorted_edges(&sorted).expect("they have been sorted")
}

/// petgraph's compressed rows of the graph with all edges turned round.
#[must_use]
pub(super) fn petgraph_turned(graph: CsrView<'_>) -> Csr<(), (), petgraph::Directed, u32> {
    let nodes = 0..graph.node_count() as u32;
    let turned: Vec<(u32, u32)> =
        nodes.flat_map(|node| graph.neighbours(node).iter().map(move |&target| (target, node))).collect();
    petgraph_rows(&turned)
}

/// Counting sort: count, sum up, put each edge into its place.
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
    let mut places = offsets.clone();
    let mut targets = vec![0u32; count];
    for (source, target) in edges {
        let place = &mut places[source as usize];
        targets[*place as usize] = target;
        *place += 1;
    }
    (offsets, targets)
}
