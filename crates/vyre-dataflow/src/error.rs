//! What can go wrong with an analysis.

use std::fmt;

use vyre_graph::CsrError;
use vyre_runtime::Error;

use super::transfer::TransferError;

/// Why an analysis has no answer. None gives a part of one and calls it whole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DataflowError {
    /// The graph is not valid.
    Graph(CsrError),
    /// A source is not a node.
    Source {
        /// Which of the sources, from 0.
        position: usize,
        /// The node.
        node: u32,
        /// The number of nodes.
        nodes: usize,
    },
    /// There are more sources than positions can count.
    TooManySources {
        /// How many there are.
        sources: u64,
    },
    /// Not every source has a fact word.
    Facts {
        /// How many fact words there are.
        found: usize,
        /// The number of sources.
        sources: usize,
    },
    /// The fact word of a source is 0, so nothing would ever be found from it.
    NoFact {
        /// Which of the sources, from 0.
        position: usize,
    },
    /// Not every node or edge has a word of metadata.
    Metadata {
        /// How many words there are.
        found: usize,
        /// How many there must be.
        wanted: usize,
        /// What needs one each: `node` or `edge`.
        unit: &'static str,
    },
    /// The transfer function cannot be used.
    Transfer(TransferError),
    /// There are more findings than the caller has room for.
    TooManyFindings {
        /// How many there are.
        found: u64,
        /// How many there may be.
        limit: u64,
    },
    /// What the smallest batch of sources needs does not fit the device, or not the memory that may be used.
    DoesNotFit {
        /// What does not fit.
        what: &'static str,
        /// How many bytes are needed.
        wanted: u64,
        /// How many there may be.
        limit: u64,
    },
    /// A way was wanted for something that this analysis does not find.
    NoWitness {
        /// The source.
        source: u32,
        /// The sink.
        sink: u32,
    },
    /// Who receives findings wanted no more of them.
    Stopped {
        /// How many were given.
        given: u64,
    },
    /// A race, where races were looked for. The fault of the engine.
    Race {
        /// What the device says of it.
        race: String,
    },
    /// The device failed, or the run was ended.
    Device(Error),
}

impl From<Error> for DataflowError {
    fn from(error: Error) -> DataflowError {
        DataflowError::Device(error)
    }
}

impl From<CsrError> for DataflowError {
    fn from(error: CsrError) -> DataflowError {
        DataflowError::Graph(error)
    }
}

impl From<TransferError> for DataflowError {
    fn from(error: TransferError) -> DataflowError {
        DataflowError::Transfer(error)
    }
}

impl fmt::Display for DataflowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DataflowError::Graph(error) => error.fmt(f),
            DataflowError::Source { position, node, nodes: 0 } => {
                write!(f, "source {position} is node {node}, but the graph has no nodes")
            }
            DataflowError::Source { position, node, nodes } => {
                write!(f, "source {position} is node {node}, but nodes are 0 to {}", nodes - 1)
            }
            DataflowError::TooManySources { sources } => {
                write!(f, "{sources} sources, but at most {} can be told apart", u32::MAX)
            }
            DataflowError::Facts { found, sources } => {
                write!(f, "{found} fact words for {sources} sources: each source needs one")
            }
            DataflowError::NoFact { position } => {
                write!(f, "the fact word of source {position} is 0, so it could find nothing; set a bit of it")
            }
            DataflowError::Metadata { found, wanted, unit } => {
                write!(f, "{found} words of metadata for {wanted} {unit}s: each {unit} needs one")
            }
            DataflowError::Transfer(error) => error.fmt(f),
            DataflowError::TooManyFindings { found, limit } => write!(
                f,
                "{found} findings where at most {limit} may be: none is given, since {} would be missing",
                found - limit
            ),
            DataflowError::DoesNotFit { what, wanted, limit } => {
                write!(f, "{what} for the smallest batch of sources takes {wanted} bytes, but there may be {limit}")
            }
            DataflowError::NoWitness { source, sink } => {
                write!(f, "there is no way from source {source} to sink {sink} of the length that the finding says")
            }
            DataflowError::Stopped { given } => write!(f, "stopped by the receiver after {given} findings"),
            DataflowError::Race { race } => write!(f, "a program of the engine has a race: {race}"),
            DataflowError::Device(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DataflowError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            DataflowError::Graph(error) => Some(error),
            DataflowError::Transfer(error) => Some(error),
            DataflowError::Device(error) => Some(error),
            _ => None,
        }
    }
}
