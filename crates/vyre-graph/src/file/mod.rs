//! Graph files.
//!
//! [`read_graph`] reads files of all formats, compressed or not, and [`write_graph`] writes them. [`Format::ALL`] lists the
//! formats. Texts are read in blocks, which threads parse in parallel; the whole text is never in
//! memory. Input is untrusted: every error has a position, and memory is bounded by the size of the input.

mod added_nodes;
mod attribute_text;
mod attributes;
mod binary;
mod blocks;
mod codec;
mod column_titles;
mod compact;
mod count_line;
mod csv_records;
mod dot_parser;
mod dot_tokens;
mod edge_text;
mod edges;
mod error;
mod fields;
mod format;
mod formats;
mod gml_tokens;
mod graph;
mod header_words;
mod input;
mod line;
mod listed;
mod listed_writer;
mod located;
mod matrix_array;
mod matrix_header;
mod mentions;
mod name_index;
mod names;
mod node_link;
mod node_table;
mod node_text;
mod node_writer;
mod npy;
mod number;
mod options;
mod progress;
mod read;
mod text_error;
mod text_writer;
mod weight;
mod write;
mod xml;

pub use attribute_text::{read_attributes, read_node_table};
pub use attributes::{Attributes, Column};
pub use binary::error::BinaryErrorKind;
pub use binary::mapped::GraphFile;
pub use binary::section::Section;
pub use binary::write::{write_binary, write_binary_with_index};
pub use column_titles::{ColumnTitleError, ColumnTitles};
pub use error::{ReadError, WriteError};
pub use format::{Contents, Format, NamedNodes};
pub use graph::{Graph, GraphView};
pub use header_words::EdgeColumn;
pub use input::{Input, gzip_content, uncompressed_name};
pub use names::{NamesView, NodeNames};
pub use node_text::{Separators, is_node_table, read_node_list, read_nodes};
pub use node_writer::{write_nodes, write_nodes_csv};
#[doc(hidden)]
pub use options::Tuning;
pub use options::{Header, NodeIds, ReadOptions, Weights};
pub use progress::{Progress, Stage};
pub use read::{Loaded, read_graph};
pub use text_error::{NumberErrorKind, TextErrorKind, TextField};
pub use weight::WeightScale;
pub use write::write_graph;
