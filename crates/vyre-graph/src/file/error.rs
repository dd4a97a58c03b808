//! What can be wrong with a file.

use std::fmt;
use std::io;

use super::binary_problem::BinaryProblem;
use super::format::Format;
use super::text_problem::TextProblem;
use crate::error::{CsrError, counted};

/// Why a file was not read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The input could not be opened or read, or is compressed and damaged.
    Io {
        /// What the system said.
        source: io::Error,
    },
    /// A text says something that cannot be.
    Text {
        /// The line, from 1.
        line: u64,
        /// The first byte in the line that is wrong, from 1.
        column: u64,
        /// What is wrong.
        problem: TextProblem,
    },
    /// A binary file is damaged, or is none.
    Binary {
        /// The first byte that is wrong, from 0.
        position: u64,
        /// What is wrong.
        problem: BinaryProblem,
    },
    /// There is nothing in the file, and its format does not allow that.
    Empty {
        /// The format.
        format: Format,
    },
    /// The graph of a binary file has more nodes than [`max_nodes`](super::ReadOptions::max_nodes) allows.
    NodeLimit {
        /// How many it has.
        nodes: u64,
        /// How many are allowed.
        limit: u32,
    },
    /// [`min_nodes`](super::ReadOptions::min_nodes) is beyond [`max_nodes`](super::ReadOptions::max_nodes).
    MinNodes {
        /// How many are wanted.
        min: u32,
        /// How many are allowed.
        max: u32,
    },
    /// [`min_nodes`](super::ReadOptions::min_nodes) is given for a graph whose nodes have names.
    MinNodesNamed {
        /// How many are wanted.
        min: u32,
    },
    /// Weights are required, and a binary file has none.
    NoWeights,
    /// A binary file is a graph that cannot have each edge in both directions.
    Graph {
        /// Why.
        error: CsrError,
    },
}

/// A problem at a byte of a line, counted from 0 there and from 1 for people.
pub(crate) fn text_error(line: u64, at: usize, problem: TextProblem) -> ReadError {
    ReadError::Text { line, column: at as u64 + 1, problem }
}

/// So many nodes, with the verb.
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
            ReadError::Text { line, problem: TextProblem::MatrixEnds { entries, expected }, .. } => {
                let entries = counted(*entries, "entry", "entries");
                write!(f, "the matrix ends at line {line} after {entries}, but its header says {expected}")
            }
            ReadError::Text { line, column, problem } => write!(f, "line {line}, column {column}: {problem}"),
            ReadError::Binary { position, problem } => write!(f, "byte {position}: {problem}"),
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
