//! What can be wrong with a graph.

use std::fmt;

/// What is wrong with a graph or a list of edges: which rule is broken, where, by which value, and what the rule allows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CsrError {
    /// More nodes than a `u32` counts.
    TooManyNodes {
        /// How many.
        nodes: u64,
    },
    /// More edges than a `u32` counts.
    TooManyEdges {
        /// How many.
        edges: u64,
    },
    /// `offsets` does not have one element more than there are nodes.
    OffsetsLength {
        /// How many it has.
        found: usize,
        /// The number of nodes.
        nodes: usize,
    },
    /// The first offset is not 0.
    FirstOffset {
        /// What it is.
        value: u32,
    },
    /// An offset is less than the one before it.
    OffsetDecreases {
        /// Where in `offsets`.
        position: usize,
        /// What is there.
        value: u32,
        /// What is before it.
        before: u32,
    },
    /// The last offset is not the number of edges.
    LastOffset {
        /// Where in `offsets`.
        position: usize,
        /// What is there.
        value: u32,
        /// The number of edges.
        edges: usize,
    },
    /// An edge goes to a node that is not there.
    Target {
        /// Where in `targets`.
        position: usize,
        /// What is there.
        value: u32,
        /// The number of nodes.
        nodes: usize,
    },
    /// A node has a role that has no meaning yet.
    ReservedRole {
        /// Which node.
        node: usize,
        /// Bits 16 to 23 of its word.
        role: u32,
    },
    /// There is not one weight for each edge.
    WeightsLength {
        /// How many there are.
        found: usize,
        /// The number of edges.
        edges: usize,
    },
    /// There is not one name for each node.
    NamesLength {
        /// How many there are.
        found: usize,
        /// The number of nodes.
        nodes: usize,
    },
    /// An edge of a list begins or ends at a node that is not there.
    Edge {
        /// Which edge of the list, from 0.
        index: usize,
        /// The edge.
        edge: (u32, u32),
        /// The number of nodes.
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
