//! Node tables: the nodes of a graph with their names and attributes.

use vyre_graph::file::Attributes;
use vyre_graph::{GraphView, NamesView};

/// Nodes of a graph, against which rules match.
#[derive(Clone, Copy, Debug)]
pub struct NodeTable<'n> {
    /// Word of each node. Its role is merged with those of the rules.
    pub node_data: &'n [u32],
    /// Name of each node.
    pub names: Option<NamesView<'n>>,
    /// Attributes of nodes.
    pub attributes: Option<&'n Attributes>,
}

/// A graph, without attributes.
impl<'n> From<GraphView<'n>> for NodeTable<'n> {
    fn from(graph: GraphView<'n>) -> NodeTable<'n> {
        NodeTable { node_data: graph.csr.node_data, names: graph.names, attributes: None }
    }
}
