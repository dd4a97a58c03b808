//! Errors of an analysis.

use std::fmt;

use vyre_graph::CsrError;
use vyre_ir::spelling::{agreeing, counted};
use vyre_runtime::{Error, Race};

use crate::transfer::TransferError;

/// Failure of an analysis. A failed analysis never returns a part of its findings as if they were all.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DataflowError {
    /// The graph is not valid.
    Graph(CsrError),
    /// A source is not a node.
    Source {
        /// Position of the source, from 0.
        position: usize,
        /// The source.
        node: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// The number of sources exceeds the range of `source_index`.
    TooManySources {
        /// Number of sources.
        sources: u64,
    },
    /// The number of fact words differs from the number of sources.
    Facts {
        /// Number of fact words.
        found: usize,
        /// Number of sources.
        sources: usize,
    },
    /// The fact word of a source is 0, so the source could have no findings.
    NoFact {
        /// Position of the source, from 0.
        position: usize,
    },
    /// The number of metadata words differs from the number of nodes or edges.
    Metadata {
        /// Number of metadata words.
        found: usize,
        /// Number of nodes or edges.
        needed: usize,
        /// Elements that have one metadata word each.
        unit: MetadataUnit,
    },
    /// The transfer function is not valid.
    Transfer(TransferError),
    /// The number of findings exceeds the limit of the caller.
    TooManyFindings {
        /// Number of findings.
        found: u64,
        /// Maximum number of findings.
        limit: u64,
    },
    /// The smallest batch of sources exceeds the limits of the device or the memory limit of the caller.
    DoesNotFit {
        /// Allocation that exceeds the limit.
        allocation: Allocation,
        /// Size of the allocation in bytes.
        needed: u64,
        /// Maximum size in bytes.
        limit: u64,
    },
    /// A witness was requested for a finding that this analysis does not have.
    NoWitness {
        /// Source of the finding.
        source: u32,
        /// Sink of the finding.
        sink: u32,
    },
    /// The receiver of findings ended the analysis.
    Stopped {
        /// Number of findings that were emitted.
        emitted: u64,
    },
    /// The device reported a race in a program of the engine. This is a bug in the engine.
    Race(Box<Race>),
    /// The device found a violation in the graph that the host does not confirm. This is a bug in the engine or a defect of the device.
    Validation {
        /// First violation that the host found.
        host: Option<CsrError>,
    },
    /// The device failed, or the run was cancelled or exceeded its deadline.
    Device(Error),
}

/// Elements of a graph that have one metadata word each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MetadataUnit {
    /// One word for each node.
    Node,
    /// One word for each edge.
    Edge,
}

/// Memory that an analysis allocates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Allocation {
    /// CSR offsets and node words of the graph.
    Nodes,
    /// CSR targets of the graph.
    Edges,
    /// Frontiers of the bit-parallel strategy.
    Frontiers,
    /// Distances of the distances strategy, or distance table of a shared region.
    Distances,
    /// State of one search: visited set, queue and depths.
    Search,
    /// Queue or visited set of one search.
    Queue,
    /// Depths of one search.
    Depths,
}

impl DataflowError {
    /// Returns an error if an allocation exceeds a limit in bytes.
    pub(crate) fn check_fit(allocation: Allocation, needed: u64, limit: u64) -> Result<(), DataflowError> {
        if needed > limit { Err(DataflowError::DoesNotFit { allocation, needed, limit }) } else { Ok(()) }
    }
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

impl fmt::Display for MetadataUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MetadataUnit::Node => "node",
            MetadataUnit::Edge => "edge",
        })
    }
}

impl fmt::Display for Allocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Allocation::Nodes => "the node array",
            Allocation::Edges => "the edge array",
            Allocation::Frontiers => "the frontiers",
            Allocation::Distances => "the distances",
            Allocation::Search => "the state of a search",
            Allocation::Queue => "the queue of a search",
            Allocation::Depths => "the depths of a search",
        })
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
                write!(f, "{sources} sources, but an analysis has at most {}", u32::MAX)
            }
            DataflowError::Facts { found, sources } => {
                let (found, sources) = (counted(*found, "fact word"), counted(*sources, "source"));
                write!(f, "{found} for {sources}: each source needs one")
            }
            DataflowError::NoFact { position } => {
                write!(f, "the fact word of source {position} is 0, so it could have no findings; set a bit of it")
            }
            DataflowError::Metadata { found, needed, unit } => {
                let (found, needed) = (counted(*found, "metadata word"), counted(*needed, &unit.to_string()));
                write!(f, "{found} for {needed}: each {unit} needs one")
            }
            DataflowError::Transfer(error) => error.fmt(f),
            DataflowError::TooManyFindings { found, limit } => {
                let (found, exceed) = (counted(*found, "finding"), agreeing(*found, "exceeds", "exceed"));
                write!(f, "{found} {exceed} the limit of {limit}; none is returned")
            }
            DataflowError::DoesNotFit { allocation, needed, limit } => {
                write!(
                    f,
                    "{allocation} for the smallest batch of sources takes {}; the limit is {limit}",
                    counted(*needed, "byte")
                )
            }
            DataflowError::NoWitness { source, sink } => {
                write!(f, "source {source} has no path to sink {sink} of the length that the finding states")
            }
            DataflowError::Stopped { emitted } => {
                write!(f, "stopped by the receiver after {}", counted(*emitted, "finding"))
            }
            DataflowError::Race(race) => write!(f, "a program of the engine has a race: {race}"),
            DataflowError::Validation { host: None } => {
                f.write_str("the device found a violation in the graph, but the graph is valid")
            }
            DataflowError::Validation { host: Some(error) } => {
                write!(f, "the device did not find the first violation in the graph: {error}")
            }
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
