//! Transposition of CSR graphs by parallel counting sort.

use rayon::prelude::*;

use crate::construct::chunk_length;
use crate::csr::{CsrGraph, CsrView};
use crate::group::{Chunk, Grouped, Payload, SAMPLE, group};

impl CsrView<'_> {
    /// Transposes the graph on all threads. The targets of each node are in ascending order; `node_data` is unchanged.
    ///
    /// # Panics
    ///
    /// If the graph is not valid; see [`validate`](CsrView::validate).
    #[must_use]
    pub fn transposed(&self) -> CsrGraph {
        let Grouped { offsets, values, payloads: _ } = self.grouped_by_target(|_| ());
        CsrGraph { offsets, targets: values, node_data: self.node_data.to_vec() }
    }

    /// Transposes the graph and permutes the weights of its edges accordingly.
    ///
    /// # Panics
    ///
    /// If the graph is not valid, or the number of weights differs from the number of edges.
    #[must_use]
    pub fn transposed_with_weights(&self, weights: &[u32]) -> (CsrGraph, Vec<u32>) {
        assert_eq!(weights.len(), self.targets.len(), "each edge has one weight");
        let Grouped { offsets, values, payloads } = self.grouped_by_target(|edge| weights[edge]);
        (CsrGraph { offsets, targets: values, node_data: self.node_data.to_vec() }, payloads)
    }

    /// Number of nodes at which no edge begins or ends.
    #[must_use]
    pub fn isolated_nodes(&self) -> usize {
        let has_no_edges = |node: &usize| self.edges_of(*node as u32).is_empty();
        if !(0..self.node_count()).into_par_iter().any(|node| has_no_edges(&node)) {
            return 0;
        }
        let in_degrees = in_degrees(*self);
        (0..self.node_count()).into_par_iter().filter(|&node| in_degrees[node] == 0 && has_no_edges(&node)).count()
    }

    /// True for each node at which an edge begins or ends.
    #[must_use]
    pub fn has_edges(&self) -> Vec<bool> {
        let in_degrees = in_degrees(*self);
        let has_edges = |node: usize| in_degrees[node] > 0 || !self.edges_of(node as u32).is_empty();
        (0..self.node_count()).into_par_iter().map(has_edges).collect()
    }

    fn grouped_by_target<P: Payload>(&self, payload: impl Fn(usize) -> P + Send + Sync + Copy) -> Grouped<P> {
        let chunk_edges = chunk_length(self.targets.len());
        let mut chunks = Vec::new();
        let mut start = 0;
        while start < self.node_count() {
            // At least one node, and about `chunk_edges` edges.
            let until = self.offsets[start] as usize + chunk_edges;
            let end = self.offsets.partition_point(|&offset| offset as usize <= until);
            let end = (end - 1).clamp(start + 1, self.node_count());
            chunks.push(NodeRange { graph: *self, nodes: start as u32..end as u32, payload });
            start = end;
        }
        group(self.node_count() as u32, self.targets.len() as u32, chunks)
    }
}

/// Edges of a range of nodes, keyed by their targets.
struct NodeRange<'g, F> {
    graph: CsrView<'g>,
    nodes: std::ops::Range<u32>,
    payload: F,
}

impl<P, F> Chunk for NodeRange<'_, F>
where
    P: Payload,
    F: Fn(usize) -> P + Send + Sync,
{
    type Payload = P;

    fn for_each(&self, mut visit: impl FnMut(u32, u32, P)) {
        let mut start = self.graph.offsets[self.nodes.start as usize] as usize;
        let ends = &self.graph.offsets[self.nodes.start as usize + 1..=self.nodes.end as usize];
        for (node, &end) in self.nodes.clone().zip(ends) {
            let end = end as usize;
            for (edge, &target) in (start..).zip(&self.graph.targets[start..end]) {
                visit(target, node, (self.payload)(edge));
            }
            start = end;
        }
    }

    fn for_each_key(&self, visit: impl FnMut(u32)) {
        let first = self.graph.edges_of(self.nodes.start).start;
        let last = self.graph.edges_of(self.nodes.end - 1).end;
        self.graph.targets[first..last].iter().copied().for_each(visit);
    }

    fn sample(&self) -> Vec<u32> {
        let middle = self.nodes.start + (self.nodes.end - self.nodes.start) / 2;
        let first = self.graph.edges_of(middle).start;
        self.graph.targets[first..].iter().copied().take(SAMPLE).collect()
    }
}

/// In-degree of each node, computed on all threads.
#[must_use]
pub fn in_degrees(graph: CsrView<'_>) -> Vec<u32> {
    use std::sync::atomic::{AtomicU32, Ordering};
    let counts: Vec<AtomicU32> = (0..graph.node_count()).map(|_| AtomicU32::new(0)).collect();
    graph.targets.par_iter().for_each(|&target| {
        counts[target as usize].fetch_add(1, Ordering::Relaxed);
    });
    counts.into_iter().map(AtomicU32::into_inner).collect()
}
