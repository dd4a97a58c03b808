//! Graph files.
//!
//! [`read_graph`] reads edge lists, CSV, Matrix Market and binary files, compressed or not, and [`write_graph`] writes them.
//! Texts are read in blocks that threads parse at the same time, and never lie in memory as a whole. Nothing in a file is
//! trusted: what is wrong is an error with its place, and memory is bounded by the size of the input.

mod attributes;
mod binary;
mod binary_problem;
mod blocks;
mod count_line;
mod edge_list;
mod edges;
mod error;
mod fields;
mod format;
mod graph;
mod input;
mod line;
mod mapped;
mod matrix_market;
mod mentions;
mod name_index;
mod names;
mod nodes;
mod number;
mod options;
mod progress;
mod read;
mod read_attributes;
mod records;
mod text_problem;
mod write;

pub use attributes::{Attributes, Column};
pub use binary::Section;
pub use binary_problem::BinaryProblem;
pub use error::ReadError;
pub use format::Format;
pub use graph::{Graph, GraphView};
pub use input::Input;
pub use mapped::GraphFile;
pub use names::{NamesView, NodeNames};
pub use nodes::{Separators, read_node_list, read_nodes};
#[doc(hidden)]
pub use options::Tuning;
pub use options::{Header, NodeIds, ReadOptions, Weights};
pub use progress::{Progress, Stage};
pub use read::{Loaded, read_graph};
pub use read_attributes::read_attributes;
pub use text_problem::{NumberProblem, TextField, TextProblem};
pub use write::{
    WriteError, write_binary, write_csv, write_edge_list, write_graph, write_matrix_market, write_nodes,
    write_nodes_csv,
};
