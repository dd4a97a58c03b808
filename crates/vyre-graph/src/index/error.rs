//! Errors of indexes.

use std::fmt;

use crate::error::CsrError;

/// Violation of the invariants of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexError {
    /// The graph is not valid.
    Graph {
        /// The error of the graph.
        error: CsrError,
    },
    /// The transposed rows are not a graph with the same numbers of nodes and edges.
    Rows {
        /// The error of the transposed rows.
        error: CsrError,
    },
    /// The sources of a node are not ascending.
    Descends {
        /// Position in the sources.
        position: usize,
    },
    /// The transposed rows have other edges than the graph.
    OtherEdges,
    /// The order does not have each node once.
    OrderLength {
        /// Length of the order.
        found: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// An element of the order is not a node, or does not follow the element before it.
    Order {
        /// Position in the order.
        position: usize,
        /// Value at the position.
        value: u32,
    },
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IndexError::Graph { error } => write!(f, "{error}"),
            IndexError::Rows { error } => write!(f, "the transposed graph is not valid: {error}"),
            IndexError::Descends { position } => {
                write!(
                    f,
                    "source {position} of the transposed graph is less than the one before it, but sources of a node are ascending"
                )
            }
            IndexError::OtherEdges => write!(f, "the transposed graph has other edges than the graph"),
            IndexError::OrderLength { found, nodes } => {
                write!(f, "the order of the nodes has {found} elements, but must have {nodes}")
            }
            IndexError::Order { position, value } => {
                write!(
                    f,
                    "element {position} of the order of the nodes is {value}, but the nodes must be ordered by descending in-degree \
                     and ascending number"
                )
            }
        }
    }
}

impl std::error::Error for IndexError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            IndexError::Graph { error } | IndexError::Rows { error } => Some(error),
            _ => None,
        }
    }
}
