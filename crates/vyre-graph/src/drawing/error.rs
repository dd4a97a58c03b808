//! Reasons why a graph is not drawn.

use std::fmt;

use super::{MAX_EDGES, MAX_ITEMS, MAX_NODES};
use crate::error::CsrError;

/// Reason why a graph is not drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DrawingError {
    /// The graph is not valid.
    Graph(CsrError),
    /// The graph has more than [`MAX_NODES`] nodes.
    Nodes {
        /// Number of nodes, or of those that were counted before the rest was given up.
        found: usize,
    },
    /// The graph has more than [`MAX_EDGES`] edges.
    Edges {
        /// Number of edges.
        found: usize,
    },
    /// Edges pass so many layers that the drawing has more than [`MAX_ITEMS`] points.
    Items {
        /// Number of nodes and points.
        found: usize,
    },
}

impl From<CsrError> for DrawingError {
    fn from(error: CsrError) -> DrawingError {
        DrawingError::Graph(error)
    }
}

impl fmt::Display for DrawingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DrawingError::Graph(error) => write!(f, "{error}"),
            DrawingError::Nodes { found } => {
                write!(f, "a drawing has at most {MAX_NODES} nodes, and this one has {found}")
            }
            DrawingError::Edges { found } => {
                write!(f, "a drawing has at most {MAX_EDGES} edges, and this one has {found}")
            }
            DrawingError::Items { found } => write!(
                f,
                "a drawing has at most {MAX_ITEMS} nodes and points where edges pass layers, and this one has {found}"
            ),
        }
    }
}

impl std::error::Error for DrawingError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            DrawingError::Graph(error) => Some(error),
            DrawingError::Nodes { .. } | DrawingError::Edges { .. } | DrawingError::Items { .. } => None,
        }
    }
}
