//! Graphs with weights and names, as files store them.

use super::names::{NamesView, NodeNames};
use crate::csr::{CsrGraph, CsrView};
use crate::error::CsrError;
use crate::group::{Chunk, Grouped, Payload, group};
use crate::valid::ValidGraph;

/// A graph with weights of edges and names of nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Nodes and edges.
    pub csr: CsrGraph,
    /// Weight of each edge, in the order of `csr.targets`.
    pub weights: Option<Vec<u32>>,
    /// Name of each node.
    pub names: Option<NodeNames>,
}

/// A borrowed graph with weights and names: of a [`Graph`], or of a memory-mapped file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphView<'g> {
    /// Nodes and edges.
    pub csr: CsrView<'g>,
    /// Weight of each edge, in the order of `csr.targets`.
    pub weights: Option<&'g [u32]>,
    /// Name of each node.
    pub names: Option<NamesView<'g>>,
}

impl Graph {
    /// Borrows the graph.
    #[must_use]
    pub fn view(&self) -> GraphView<'_> {
        GraphView {
            csr: self.csr.view(),
            weights: self.weights.as_deref(),
            names: self.names.as_ref().map(NodeNames::view),
        }
    }
}

impl From<CsrGraph> for Graph {
    fn from(csr: CsrGraph) -> Graph {
        Graph { csr, weights: None, names: None }
    }
}

impl<'g> From<CsrView<'g>> for GraphView<'g> {
    fn from(csr: CsrView<'g>) -> GraphView<'g> {
        GraphView { csr, weights: None, names: None }
    }
}

impl<'g> From<&'g CsrGraph> for GraphView<'g> {
    fn from(csr: &'g CsrGraph) -> GraphView<'g> {
        csr.view().into()
    }
}

impl<'g> From<&'g Graph> for GraphView<'g> {
    fn from(graph: &'g Graph) -> GraphView<'g> {
        graph.view()
    }
}

impl<'g> GraphView<'g> {
    /// Copies the graph.
    #[must_use]
    pub fn to_graph(&self) -> Graph {
        Graph {
            csr: self.csr.to_graph(),
            weights: self.weights.map(<[u32]>::to_vec),
            names: self.names.map(|names| names.to_names()),
        }
    }

    /// Checks all properties that ops rely on, on all threads.
    ///
    /// # Errors
    ///
    /// The first violation: the array, the position, the value there and the valid values.
    pub fn validate(&self) -> Result<(), CsrError> {
        self.validated().map(drop)
    }

    /// The graph, after the checks of [`validate`](GraphView::validate).
    ///
    /// # Errors
    ///
    /// The first violation.
    pub fn validated(&self) -> Result<ValidGraph<'g>, CsrError> {
        let valid = ValidGraph::new(self.csr)?;
        self.validate_lengths()?;
        Ok(valid)
    }

    /// Checks like [`validate`](GraphView::validate), but accepts reserved roles.
    pub(crate) fn validate_structure(&self) -> Result<(), CsrError> {
        self.csr.validate_structure()?;
        self.validate_lengths()
    }

    fn validate_lengths(&self) -> Result<(), CsrError> {
        if let Some(weights) = self.weights
            && weights.len() != self.csr.edge_count()
        {
            return Err(CsrError::WeightsLength { found: weights.len(), edges: self.csr.edge_count() });
        }
        if let Some(names) = self.names
            && names.len() != self.csr.node_count()
        {
            return Err(CsrError::NamesLength { found: names.len(), nodes: self.csr.node_count() });
        }
        Ok(())
    }

    /// Constructs the graph with each edge in both directions on all threads. A self-loop stays one edge.
    ///
    /// # Errors
    ///
    /// The number of edges exceeds `u32`.
    ///
    /// # Panics
    ///
    /// If the graph is not valid; see [`validate`](GraphView::validate).
    pub fn undirected(&self) -> Result<Graph, CsrError> {
        let rows = || (0..self.csr.node_count() as u32).map(|node| (node, self.csr.neighbours(node)));
        let loops: usize = rows().map(|(node, targets)| targets.iter().filter(|&&target| target == node).count()).sum();
        let edges = 2 * self.csr.edge_count() as u64 - loops as u64;
        let count = u32::try_from(edges).map_err(|_| CsrError::TooManyEdges { edges })?;
        let nodes = self.csr.node_count() as u32;
        let (grouped, weights) = match self.weights {
            None => {
                let Grouped { offsets, values, payloads: _ } = group(nodes, count, self.node_ranges(|_| ()));
                ((offsets, values), None)
            }
            Some(weights) => {
                let Grouped { offsets, values, payloads } = group(nodes, count, self.node_ranges(|edge| weights[edge]));
                ((offsets, values), Some(payloads))
            }
        };
        let csr = CsrGraph { offsets: grouped.0, targets: grouped.1, node_data: self.csr.node_data.to_vec() };
        Ok(Graph { csr, weights, names: self.names.map(|names| names.to_names()) })
    }

    /// Ranges of nodes, a few for each thread.
    fn node_ranges<F: Copy>(&self, payload: F) -> Vec<BothDirections<'_, F>> {
        let nodes = self.csr.node_count();
        let length = nodes.div_ceil(4 * rayon::current_num_threads()).max(1 << 12);
        let ranges = (0..nodes).step_by(length).map(|start| start as u32..(start + length).min(nodes) as u32);
        ranges.map(|nodes| BothDirections { graph: self.csr, nodes, payload }).collect()
    }
}

/// Edges of a range of nodes, in both directions.
struct BothDirections<'g, F> {
    graph: CsrView<'g>,
    nodes: std::ops::Range<u32>,
    payload: F,
}

impl<P, F> Chunk for BothDirections<'_, F>
where
    P: Payload,
    F: Fn(usize) -> P + Send + Sync,
{
    type Payload = P;

    fn for_each(&self, mut visit: impl FnMut(u32, u32, P)) {
        for node in self.nodes.clone() {
            for edge in self.graph.edges_of(node) {
                let (target, payload) = (self.graph.targets[edge], (self.payload)(edge));
                visit(node, target, payload);
                if target != node {
                    visit(target, node, payload);
                }
            }
        }
    }
}
