//! Index of a graph: its transposed rows and its nodes by in-degree. Both are functions of the graph alone, so that they can be
//! stored with it.

mod check;
mod edge_product;
mod error;
mod graph_index;

pub(crate) use check::check;
pub use error::IndexError;
pub use graph_index::{GraphIndex, IndexView};
