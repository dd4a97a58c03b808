//! Reversal of a graph that was read: the transposed graph of the index of its file, otherwise a transposition on all threads.

use vyre::graph::{CsrGraph, CsrView, GraphView};

/// A reversed graph.
pub(super) enum Reversal {
    /// The index of the file has it.
    Index,
    /// It was computed, with the weights of its edges if there are any.
    Computed { graph: CsrGraph, weights: Option<Vec<u32>> },
}

impl Reversal {
    /// Reverses a graph. `indexed` is the transposed graph of the index, which has no weights.
    pub(super) fn new(view: GraphView<'_>, indexed: Option<CsrView<'_>>) -> Reversal {
        match view.weights {
            None if indexed.is_some() => Reversal::Index,
            None => Reversal::Computed { graph: view.csr.transposed(), weights: None },
            Some(weights) => {
                let (graph, weights) = view.csr.transposed_with_weights(weights);
                Reversal::Computed { graph, weights: Some(weights) }
            }
        }
    }

    /// The reversed graph with the words and names of the nodes of the original one.
    pub(super) fn view<'g>(&'g self, original: GraphView<'g>, indexed: Option<CsrView<'g>>) -> GraphView<'g> {
        let node_data = original.csr.node_data;
        match self {
            Reversal::Index => GraphView { csr: indexed.unwrap_or(original.csr), ..original },
            Reversal::Computed { graph, weights } => {
                let csr = CsrView { offsets: &graph.offsets, targets: &graph.targets, node_data };
                GraphView { csr, weights: weights.as_deref(), ..original }
            }
        }
    }
}
