//! Errors of graphs and edge lists.

use std::fmt;

/// Violation of the invariants of a graph or an edge list: the rule, the position, the value and the valid values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CsrError {
    /// The number of nodes exceeds `u32`.
    TooManyNodes {
        /// Number of nodes.
        nodes: u64,
    },
    /// The number of edges exceeds `u32`.
    TooManyEdges {
        /// Number of edges.
        edges: u64,
    },
    /// The length of `offsets` is not the number of nodes plus one.
    OffsetsLength {
        /// Length of `offsets`.
        found: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// The first offset is not 0.
    FirstOffset {
        /// The value.
        value: u32,
    },
    /// An offset is less than the one before it.
    OffsetDecreases {
        /// Position in `offsets`.
        position: usize,
        /// Value at the position.
        value: u32,
        /// Value before it.
        before: u32,
    },
    /// The last offset is not the number of edges.
    LastOffset {
        /// Position in `offsets`.
        position: usize,
        /// Value at the position.
        value: u32,
        /// Number of edges.
        edges: usize,
    },
    /// The target of an edge is not a node.
    Target {
        /// Position in `targets`.
        position: usize,
        /// Value at the position.
        value: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// The role of a node is reserved.
    ReservedRole {
        /// The node.
        node: usize,
        /// Bits 16 to 23 of its word.
        role: u32,
    },
    /// The number of weights differs from the number of edges.
    WeightsLength {
        /// Number of weights.
        found: usize,
        /// Number of edges.
        edges: usize,
    },
    /// The number of names differs from the number of nodes.
    NamesLength {
        /// Number of names.
        found: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// An edge of a list begins or ends outside of the graph.
    Edge {
        /// Position in the list, from 0.
        index: usize,
        /// The edge.
        edge: (u32, u32),
        /// Number of nodes.
        nodes: u32,
    },
}

/// A number with its noun.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn elements(count: usize) -> String {
    counted(count as u64, "element", "elements")
}

impl fmt::Display for CsrError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            CsrError::TooManyNodes { nodes } => {
                write!(f, "there are {nodes} nodes, and a graph has at most {}", u32::MAX)
            }
            CsrError::TooManyEdges { edges } => {
                write!(f, "there are {edges} edges, and a graph has at most {}", u32::MAX)
            }
            CsrError::OffsetsLength { found, nodes } => {
                let expected = nodes as u64 + 1;
                let nodes = counted(nodes as u64, "node", "nodes");
                write!(f, "`offsets` has {}, but a graph of {nodes} needs {expected}", elements(found))
            }
            CsrError::FirstOffset { value } => write!(f, "offsets[0] is {value}, but must be 0"),
            CsrError::OffsetDecreases { position, value, before } => {
                write!(
                    f,
                    "offsets[{position}] is {value}, but must be at least {before}, the one before it: offsets never decrease"
                )
            }
            CsrError::LastOffset { position, value, edges } => {
                write!(f, "offsets[{position}], the last one, is {value}, but must be {edges}, the length of `targets`")
            }
            CsrError::Target { position, value, nodes: 0 } => {
                write!(f, "targets[{position}] is {value}, but there are no nodes")
            }
            CsrError::Target { position, value, nodes } => {
                write!(f, "targets[{position}] is {value}, but nodes are 0 to {}", nodes - 1)
            }
            CsrError::ReservedRole { node, role } => {
                write!(f, "node_data[{node}] has role {role} in bits 16 to 23, but roles are 0 to 4")
            }
            CsrError::WeightsLength { found, edges } => {
                let graph = counted(edges as u64, "edge", "edges");
                write!(f, "`weights` has {}, but a graph of {graph} needs {edges}", elements(found))
            }
            CsrError::NamesLength { found, nodes } => {
                let graph = counted(nodes as u64, "node", "nodes");
                write!(f, "`names` has {}, but a graph of {graph} needs {nodes}", elements(found))
            }
            CsrError::Edge { index, edge: (source, target), nodes: 0 } => {
                write!(f, "edge {index} is ({source}, {target}), but there are no nodes")
            }
            CsrError::Edge { index, edge: (source, target), nodes } => {
                write!(f, "edge {index} is ({source}, {target}), but nodes are 0 to {}", nodes - 1)
            }
        }
    }
}

impl std::error::Error for CsrError {}
