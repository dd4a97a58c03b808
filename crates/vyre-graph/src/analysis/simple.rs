//! Graphs without self-loops and parallel edges.

use rayon::prelude::*;

use crate::csr::{CsrGraph, CsrView};

/// A graph without self-loops and parallel edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simplified {
    /// Nodes and edges. The targets of each node ascend.
    pub csr: CsrGraph,
    /// Weight of each edge: the smallest of its parallel edges. None: the graph had no weights.
    pub weights: Option<Vec<u32>>,
    /// Number of omitted self-loops.
    pub self_loops: usize,
    /// Number of omitted parallel edges.
    pub parallel_edges: usize,
}

/// Omits self-loops, and of parallel edges all but one with the smallest weight.
///
/// The graph must be valid. The number of weights must be the number of edges.
#[must_use]
pub fn simplified(graph: CsrView<'_>, weights: Option<&[u32]>) -> Simplified {
    let row = |node: u32| -> (Vec<(u32, u32)>, usize) {
        let edges = graph.offsets[node as usize] as usize..graph.offsets[node as usize + 1] as usize;
        let weight = |edge: usize| weights.map_or(0, |weights| weights[edge]);
        let mut row: Vec<(u32, u32)> =
            edges.filter(|&edge| graph.targets[edge] != node).map(|edge| (graph.targets[edge], weight(edge))).collect();
        let loops = graph.neighbours(node).len() - row.len();
        row.sort_unstable();
        row.dedup_by_key(|&mut (target, _)| target);
        (row, loops)
    };
    let rows: Vec<(Vec<(u32, u32)>, usize)> = (0..graph.node_count() as u32).into_par_iter().map(row).collect();
    let self_loops: usize = rows.iter().map(|(_, loops)| loops).sum();
    let mut offsets = Vec::with_capacity(rows.len() + 1);
    offsets.push(0);
    let (mut targets, mut kept) = (Vec::new(), Vec::new());
    for (row, _) in &rows {
        targets.extend(row.iter().map(|(target, _)| *target));
        kept.extend(weights.is_some().then_some(row).into_iter().flatten().map(|(_, weight)| *weight));
        offsets.push(targets.len() as u32);
    }
    let parallel_edges = graph.edge_count() - self_loops - targets.len();
    let csr = CsrGraph { offsets, targets, node_data: graph.node_data.to_vec() };
    Simplified { csr, weights: weights.map(|_| kept), self_loops, parallel_edges }
}

/// The graph with each edge in both directions, without self-loops and parallel edges. Offsets are wide, because the number of edges doubles.
pub(super) struct Undirected {
    offsets: Vec<usize>,
    targets: Vec<u32>,
}

impl Undirected {
    pub(super) fn new(graph: CsrView<'_>) -> Undirected {
        let transposed = graph.transposed();
        let backward = transposed.view();
        let row = |node: u32| -> Vec<u32> {
            let all = graph.neighbours(node).iter().chain(backward.neighbours(node));
            let mut row: Vec<u32> = all.copied().filter(|&target| target != node).collect();
            row.sort_unstable();
            row.dedup();
            row
        };
        let rows: Vec<Vec<u32>> = (0..graph.node_count() as u32).into_par_iter().map(row).collect();
        let mut offsets = Vec::with_capacity(rows.len() + 1);
        offsets.push(0);
        let mut targets = Vec::with_capacity(rows.iter().map(Vec::len).sum());
        for row in rows {
            targets.extend(row);
            offsets.push(targets.len());
        }
        Undirected { offsets, targets }
    }

    pub(super) fn node_count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Neighbours of a node, in ascending order.
    pub(super) fn neighbours(&self, node: u32) -> &[u32] {
        &self.targets[self.offsets[node as usize]..self.offsets[node as usize + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construct::to_csr;

    #[test]
    fn the_smallest_weight_of_parallel_edges_stays() {
        let graph = to_csr(3, &[(0, 1), (0, 0), (0, 1), (0, 2), (2, 1), (2, 1), (2, 2)]);
        let weights = [5, 9, 3, 7, 1, 1, 4];
        let simple = simplified(graph.view(), Some(&weights));
        assert_eq!((simple.csr.offsets, simple.csr.targets), (vec![0, 2, 2, 3], vec![1, 2, 1]));
        assert_eq!(simple.weights, Some(vec![3, 7, 1]));
        assert_eq!((simple.self_loops, simple.parallel_edges), (2, 2));
        assert_eq!(simplified(to_csr(0, &[]).view(), None).csr.offsets, [0]);
    }
}
