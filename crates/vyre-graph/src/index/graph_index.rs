//! Transposed rows of a graph, and its nodes by in-degree.

use rayon::prelude::*;

use crate::csr::{CsrGraph, CsrView};

/// Index of a graph: incoming edges by target, and nodes by in-degree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphIndex {
    pub(crate) offsets: Vec<u32>,
    pub(crate) sources: Vec<u32>,
    pub(crate) order: Option<Vec<u32>>,
}

/// A borrowed index: of a [`GraphIndex`], or of a memory-mapped file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexView<'g> {
    pub(crate) offsets: &'g [u32],
    pub(crate) sources: &'g [u32],
    pub(crate) order: Option<&'g [u32]>,
}

impl GraphIndex {
    /// Computes the index of a graph on all threads.
    ///
    /// # Panics
    ///
    /// If the graph is not valid; see [`validate`](CsrView::validate).
    ///
    /// ```
    /// use vyre_graph::{GraphIndex, to_csr};
    ///
    /// let graph = to_csr(4, &[(0, 3), (1, 3), (2, 1)]);
    /// let index = GraphIndex::new(graph.view());
    /// assert_eq!(index.view().offsets(), [0, 0, 1, 1, 3]);
    /// assert_eq!(index.view().sources(), [2, 0, 1]);
    /// assert_eq!(index.view().order(), Some(&[3, 1, 0, 2][..]));
    /// ```
    #[must_use]
    pub fn new(graph: CsrView<'_>) -> GraphIndex {
        let CsrGraph { offsets, targets: sources, node_data: _ } = graph.transposed();
        let order = nodes_by_in_degree(&offsets);
        GraphIndex { offsets, sources, order: Some(order) }
    }

    /// Borrows the index.
    #[must_use]
    pub fn view(&self) -> IndexView<'_> {
        IndexView { offsets: &self.offsets, sources: &self.sources, order: self.order.as_deref() }
    }
}

impl<'g> IndexView<'g> {
    /// Position of the first incoming edge of each node in [`sources`](IndexView::sources), and the number of edges.
    #[must_use]
    pub fn offsets(&self) -> &'g [u32] {
        self.offsets
    }

    /// Source of each edge, by target; ascending for each target.
    #[must_use]
    pub fn sources(&self) -> &'g [u32] {
        self.sources
    }

    /// Nodes by descending in-degree; nodes of the same in-degree are ascending.
    #[must_use]
    pub fn order(&self) -> Option<&'g [u32]> {
        self.order
    }

    /// Copies the arrays.
    #[must_use]
    pub fn to_index(&self) -> GraphIndex {
        GraphIndex {
            offsets: self.offsets.to_vec(),
            sources: self.sources.to_vec(),
            order: self.order.map(<[u32]>::to_vec),
        }
    }
}

/// In-degree of a node, which must exist.
pub(super) fn in_degree(offsets: &[u32], node: u32) -> u32 {
    offsets[node as usize + 1] - offsets[node as usize]
}

fn nodes_by_in_degree(offsets: &[u32]) -> Vec<u32> {
    let mut nodes: Vec<u32> = (0..offsets.len() as u32 - 1).into_par_iter().collect();
    nodes.par_sort_unstable_by_key(|&node| (std::cmp::Reverse(in_degree(offsets, node)), node));
    nodes
}
