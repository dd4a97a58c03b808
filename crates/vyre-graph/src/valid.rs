//! Graphs whose validity is known.

use crate::csr::CsrView;
use crate::error::CsrError;
use crate::index::{self, IndexError, IndexView};

/// A valid graph, and its index if it has one. Files that were read are valid, so that nobody needs to check them again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidGraph<'g> {
    csr: CsrView<'g>,
    index: Option<IndexView<'g>>,
}

impl<'g> ValidGraph<'g> {
    /// Validates a graph on all threads.
    ///
    /// # Errors
    ///
    /// The first violation; see [`CsrView::validate`].
    pub fn new(csr: CsrView<'g>) -> Result<ValidGraph<'g>, CsrError> {
        csr.validate()?;
        Ok(ValidGraph { csr, index: None })
    }

    /// Validates a graph and its index on all threads. This takes linear passes, and less time than the computation of the index.
    ///
    /// An index of another graph with as many nodes and edges is found with a probability of at least 1 - 2^-32.
    ///
    /// # Errors
    ///
    /// The first violation.
    ///
    /// ```
    /// use vyre_graph::{GraphIndex, IndexError, ValidGraph, to_csr};
    ///
    /// let graph = to_csr(3, &[(0, 1), (0, 2)]);
    /// let index = GraphIndex::new(graph.view());
    /// let valid = ValidGraph::with_index(graph.view(), index.view())?;
    /// assert_eq!(valid.transposed().expect("there is an index").neighbours(2), [0]);
    ///
    /// let other = to_csr(3, &[(0, 1), (1, 2)]);
    /// assert_eq!(ValidGraph::with_index(other.view(), index.view()), Err(IndexError::OtherEdges));
    /// # Ok::<(), IndexError>(())
    /// ```
    pub fn with_index(csr: CsrView<'g>, index: IndexView<'g>) -> Result<ValidGraph<'g>, IndexError> {
        csr.validate().map_err(|error| IndexError::Graph { error })?;
        index::check(csr, index)?;
        Ok(ValidGraph { csr, index: Some(index) })
    }

    /// A graph and an index that the caller has checked as [`new`](ValidGraph::new) and [`with_index`](ValidGraph::with_index) do, for
    /// example on a device. With a graph that is not valid, algorithms panic or have wrong results.
    #[must_use]
    pub fn from_checked(csr: CsrView<'g>, index: Option<IndexView<'g>>) -> ValidGraph<'g> {
        ValidGraph { csr, index }
    }

    /// Replaces the words of all nodes, which the index does not depend on.
    ///
    /// # Errors
    ///
    /// The number of words differs from the number of nodes, or the first reserved role.
    pub fn with_node_data(self, node_data: &'g [u32]) -> Result<ValidGraph<'g>, CsrError> {
        let csr = CsrView { node_data, ..self.csr };
        if node_data.len() != self.csr.node_count() {
            return Err(CsrError::OffsetsLength { found: csr.offsets.len(), nodes: node_data.len() });
        }
        csr.validate_roles()?;
        Ok(ValidGraph { csr, ..self })
    }

    /// The graph.
    #[must_use]
    pub fn csr(&self) -> CsrView<'g> {
        self.csr
    }

    /// The transposed graph, if the index is known. The targets of each node are in ascending order.
    #[must_use]
    pub fn transposed(&self) -> Option<CsrView<'g>> {
        let IndexView { offsets, sources, .. } = self.index?;
        Some(CsrView { offsets, targets: sources, node_data: self.csr.node_data })
    }

    /// Nodes by descending in-degree, if the index has them; nodes of the same in-degree are ascending.
    #[must_use]
    pub fn order(&self) -> Option<&'g [u32]> {
        self.index?.order()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construct::to_csr;
    use crate::index::GraphIndex;
    use crate::role::Role;

    #[test]
    fn words_of_nodes_are_replaced_and_checked() {
        let graph = to_csr(2, &[(0, 1)]);
        let index = GraphIndex::new(graph.view());
        let valid = ValidGraph::with_index(graph.view(), index.view()).expect("the index fits");
        let words = [0, Role::Sink.word()];
        let changed = valid.with_node_data(&words).expect("the words fit");
        assert_eq!(changed.csr().node_data, words);
        assert_eq!(changed.transposed().expect("there is an index").node_data, words);
        assert_eq!(changed.order(), Some(&[1, 0][..]));
        assert_eq!(valid.with_node_data(&words[..1]), Err(CsrError::OffsetsLength { found: 3, nodes: 1 }));
        assert_eq!(valid.with_node_data(&[0, 5 << 16]), Err(CsrError::ReservedRole { node: 1, role: 5 }));
        assert_eq!(ValidGraph::new(graph.view()).expect("it is valid").transposed(), None);
        let wrong = CsrView { targets: &[2], ..graph.view() };
        let error = CsrError::Target { position: 0, value: 2, nodes: 2 };
        assert_eq!(ValidGraph::new(wrong), Err(error.clone()));
        assert_eq!(ValidGraph::with_index(wrong, index.view()), Err(IndexError::Graph { error }));
    }
}
