//! Codecs: the descriptor of a file format with its reader and its writer.

use std::fs::File;
use std::io::Write;

use super::attributes::Attributes;
use super::binary::mapped::GraphFile;
use super::error::{ReadError, WriteError};
use super::format::{Format, FormatInfo};
use super::graph::{Graph, GraphView};
use super::input::Stream;
use super::options::ReadOptions;
use super::progress::Progress;
use crate::index::GraphIndex;

/// Reader of a decompressed input, from beginning to end. The graph must satisfy the options.
pub(crate) type ReadFn = fn(Stream<'_>, &ReadOptions, &dyn Progress) -> Result<Parsed, ReadError>;

/// Mapping of a regular file that starts with the signature of the format. The number is the version of the format.
pub(crate) type OpenFn = fn(&File, &ReadOptions, &dyn Progress) -> Result<(Storage, Option<u32>), ReadError>;

/// Writer of a graph.
pub(crate) type WriteFn = fn(GraphView<'_>, &mut dyn Write, &dyn Progress) -> Result<(), WriteError>;

/// A file format with its reader and its writer. The file of each format has one as `CODEC`.
pub(crate) struct Codec {
    /// The descriptor.
    pub(crate) info: FormatInfo,
    /// Reader.
    pub(crate) read: ReadFn,
    /// Mapping, for formats whose files are used in place.
    pub(crate) open: Option<OpenFn>,
    /// Writer.
    pub(crate) write: WriteFn,
}

impl Codec {
    /// Handle of the format.
    pub(crate) const fn format(&'static self) -> Format {
        Format::new(&self.info)
    }
}

/// A graph that a codec has read.
pub(crate) struct Parsed {
    pub(crate) graph: Graph,
    /// Index of the graph, which was checked.
    pub(crate) index: Option<GraphIndex>,
    /// Facts about a text for notes.
    pub(crate) text: TextFacts,
    /// Attributes of nodes, if the file has some.
    pub(crate) attributes: Option<Attributes>,
    /// Version of the format, if it has versions.
    pub(crate) version: Option<u32>,
}

/// Facts about a text that a reader has assumed or omitted.
#[derive(Debug, Default)]
pub(crate) struct TextFacts {
    /// Line number, from 1, of the header that names the columns.
    pub(crate) header_line: Option<u64>,
    /// Line number of the first edge, if its nodes are named like the columns of a header.
    pub(crate) likely_header_line: Option<u64>,
    /// Reason why the graph has no weights although the text has some.
    pub(crate) weight_error: Option<Box<ReadError>>,
    /// True if the highest number that occurs, and nothing else, determines the number of nodes.
    pub(crate) is_counted_by_highest: bool,
}

impl From<Graph> for Parsed {
    fn from(graph: Graph) -> Parsed {
        Parsed { graph, index: None, text: TextFacts::default(), attributes: None, version: None }
    }
}

/// Location of the arrays of a graph.
#[derive(Debug)]
pub(crate) enum Storage {
    Memory {
        graph: Graph,
        /// Index of the graph, which was checked.
        index: Option<GraphIndex>,
    },
    Mapped(GraphFile),
}
