//! Errors of graph readers and writers.

use std::fmt;
use std::io;

use super::binary::error::BinaryErrorKind;
use super::format::Format;
use super::text_error::TextErrorKind;
use crate::error::{CsrError, counted};

/// Reason why a file was not read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The input could not be opened or read, or its compressed data is damaged.
    Io {
        /// Error of the system or of the decompressor.
        source: io::Error,
    },
    /// A text is malformed.
    Text {
        /// Line number, from 1.
        line: u64,
        /// First wrong byte of the line, from 1.
        column: u64,
        /// The error.
        kind: TextErrorKind,
    },
    /// A binary file is damaged, or the file is not binary.
    Binary {
        /// First wrong byte, from 0.
        position: u64,
        /// The error.
        kind: BinaryErrorKind,
    },
    /// An array of a file of arrays is malformed.
    Array {
        /// Name of the array.
        array: &'static str,
        /// First wrong element, from 0.
        index: Option<usize>,
        /// The error as a clause.
        what: String,
    },
    /// The file is empty, and its format does not allow that.
    Empty {
        /// The format.
        format: Format,
    },
    /// Columns are identified by their titles, but the file has no line for them.
    NoTitles,
    /// The graph has more nodes than [`max_nodes`](super::ReadOptions::max_nodes) allows.
    NodeLimit {
        /// Number of nodes.
        nodes: u64,
        /// Maximum number of nodes.
        limit: u32,
    },
    /// [`min_nodes`](super::ReadOptions::min_nodes) is beyond [`max_nodes`](super::ReadOptions::max_nodes).
    MinNodes {
        /// Minimum number of nodes.
        min: u32,
        /// Maximum number of nodes.
        max: u32,
    },
    /// [`min_nodes`](super::ReadOptions::min_nodes) is set for a graph whose nodes have names.
    MinNodesNamed {
        /// Minimum number of nodes.
        min: u32,
    },
    /// Weights are required, and a binary file has none.
    NoWeights,
    /// The graph of a binary file cannot have each edge in both directions.
    Graph {
        /// The error of the graph with both directions.
        error: CsrError,
    },
}

/// Reason why a graph was not written.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// The output failed.
    Io {
        /// Error of the system.
        source: io::Error,
    },
    /// The graph is not valid.
    Graph {
        /// The error of the graph.
        error: CsrError,
    },
    /// A line of text cannot hold a name: it is empty, or has a line end or a byte 0.
    Name {
        /// Node with this name.
        node: u32,
    },
    /// A format cannot hold a character of a name.
    Character {
        /// Node with this name.
        node: u32,
        /// The format.
        format: Format,
    },
}

/// An error at a byte of a line. `at` counts from 0, the column of the error from 1.
pub(crate) fn text_error(line: u64, at: usize, kind: TextErrorKind) -> ReadError {
    ReadError::Text { line, column: at as u64 + 1, kind }
}

/// An error at a byte of a binary file.
pub(crate) fn binary_error(position: usize, kind: BinaryErrorKind) -> ReadError {
    ReadError::Binary { position: position as u64, kind }
}

/// An error in an array.
pub(crate) fn array_error(array: &'static str, index: Option<usize>, what: impl Into<String>) -> ReadError {
    ReadError::Array { array, index, what: what.into() }
}

/// A number of nodes with its verb.
fn counted_are(nodes: u32) -> String {
    format!("{} {}", counted(u64::from(nodes), "node", "nodes"), if nodes == 1 { "is" } else { "are" })
}

impl From<io::Error> for ReadError {
    fn from(source: io::Error) -> ReadError {
        ReadError::Io { source }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReadError::Io { source } => Some(source),
            _ => None,
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io { source } => write!(f, "the input cannot be read: {source}"),
            ReadError::Text { line, kind: TextErrorKind::MatrixEnds { entries, expected }, .. } => {
                let entries = counted(*entries, "entry", "entries");
                write!(f, "the matrix ends at line {line} after {entries}, but its header says {expected}")
            }
            ReadError::Text { line, column, kind } => write!(f, "line {line}, column {column}: {kind}"),
            ReadError::Binary { position, kind } => write!(f, "byte {position}: {kind}"),
            ReadError::Array { array, index: Some(index), what } => write!(f, "{array}, element {index}: {what}"),
            ReadError::Array { array, index: None, what } => write!(f, "{array}: {what}"),
            ReadError::NoTitles => f.write_str("the file has no line with the titles of its columns"),
            ReadError::Empty { format } => write!(f, "the file is empty, which {format} does not allow"),
            ReadError::NodeLimit { nodes, limit } => {
                write!(f, "the graph has {}, but the limit is {limit}", counted(*nodes, "node", "nodes"))
            }
            ReadError::MinNodes { min, max } => {
                write!(f, "at least {} wanted, but at most {max} allowed", counted_are(*min))
            }
            ReadError::MinNodesNamed { min } => {
                let wanted = counted_are(*min);
                write!(
                    f,
                    "at least {wanted} wanted, but nodes have names here, and those that are added would have none"
                )
            }
            ReadError::NoWeights => write!(f, "weights are required, but the file has none"),
            ReadError::Graph { error } => write!(f, "with each edge in both directions, {error}"),
        }
    }
}

impl From<io::Error> for WriteError {
    fn from(source: io::Error) -> WriteError {
        WriteError::Io { source }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Io { source } => write!(f, "the graph cannot be written: {source}"),
            WriteError::Graph { error } => write!(f, "{error}"),
            WriteError::Name { node } => {
                write!(f, "the name of node {node} is empty or has a line end or a byte 0, which no line of a text has")
            }
            WriteError::Character { node, format } => {
                write!(f, "the name of node {node} has a character that {format} cannot hold")
            }
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            WriteError::Io { source } => Some(source),
            WriteError::Graph { error } => Some(error),
            WriteError::Name { .. } | WriteError::Character { .. } => None,
        }
    }
}
