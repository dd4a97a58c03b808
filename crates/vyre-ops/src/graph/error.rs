//! What can go wrong with graph ops.

use std::fmt;

use vyre_graph::CsrError;
use vyre_runtime::Error;

/// Why a graph op has no answer. No op gives a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphError {
    /// The graph is not valid; the caller's fault.
    Graph(CsrError),
    /// A search was to begin at a node that is not there; the caller's fault.
    Source {
        /// Which of the sources, from 0.
        position: usize,
        /// The node.
        node: u32,
        /// The number of nodes.
        nodes: usize,
    },
    /// A grid without a workgroup, which would search nothing; the caller's fault.
    EmptyGrid {
        /// The grid.
        grid: [u32; 3],
    },
    /// There is not one weight for each edge; the caller's fault.
    Weights {
        /// How many there are.
        found: usize,
        /// The number of edges.
        edges: usize,
    },
    /// More findings than the caller wanted or the device can hold.
    TooManyFindings {
        /// How many there are, at least.
        found: u64,
        /// How many there may be.
        limit: u64,
    },
    /// The queues of a search were too short, so parts of the graph were not searched.
    QueueOverflow {
        /// How many nodes did not fit.
        dropped: u64,
        /// How many nodes the queue of each source holds.
        capacity: u32,
    },
    /// There is no topological order, because these nodes form a cycle: each has an edge to the next, and the last to the
    /// first, which is the one with the smallest number.
    Cycle {
        /// The nodes of the cycle.
        nodes: Vec<u32>,
    },
    /// A shortest way is longer than distances can say.
    DistanceOverflow {
        /// The smallest node that is only reached by such ways.
        node: u32,
    },
    /// A race, where races were looked for. The fault of the op.
    Race {
        /// What the device says of it.
        race: String,
    },
    /// The device failed, or the run was ended.
    Device(Error),
}

impl From<Error> for GraphError {
    fn from(error: Error) -> GraphError {
        GraphError::Device(error)
    }
}

impl From<CsrError> for GraphError {
    fn from(error: CsrError) -> GraphError {
        GraphError::Graph(error)
    }
}

/// So many things, in words.
fn counted(count: u64, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// How many nodes of a cycle messages show.
const SHOWN: usize = 12;

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GraphError::Graph(error) => error.fmt(f),
            GraphError::Source { position, node, nodes: 0 } => {
                write!(f, "source {position} is node {node}, but the graph has no nodes")
            }
            GraphError::Source { position, node, nodes } => {
                write!(f, "source {position} is node {node}, but nodes are 0 to {}", nodes - 1)
            }
            GraphError::EmptyGrid { grid: [x, y, z] } => {
                write!(f, "a grid of {x} x {y} x {z} workgroups searches nothing; each axis needs at least 1")
            }
            GraphError::Weights { found, edges } => {
                let (found, edges) = (counted(*found as u64, "weight"), counted(*edges as u64, "edge"));
                write!(f, "{found} for {edges}: each edge needs one")
            }
            GraphError::TooManyFindings { found, limit } => {
                let missing = counted(found - limit, "finding");
                let found = counted(*found, "finding");
                write!(f, "{found} where at most {limit} may be: none is given, since {missing} would be missing")
            }
            GraphError::QueueOverflow { dropped, capacity } => {
                let (dropped, capacity) = (counted(*dropped, "node"), counted(u64::from(*capacity), "node"));
                write!(
                    f,
                    "queues for {capacity} were too short: {dropped} did not fit, and what lies behind was not searched; none \
                     of the findings is given"
                )
            }
            GraphError::Cycle { nodes } => {
                write!(f, "the graph has a cycle of {}: ", counted(nodes.len() as u64, "node"))?;
                for node in nodes.iter().take(SHOWN) {
                    write!(f, "{node} -> ")?;
                }
                if nodes.len() > SHOWN {
                    write!(f, "... -> ")?;
                }
                write!(f, "{}", nodes[0])
            }
            GraphError::DistanceOverflow { node } => write!(
                f,
                "the shortest way to node {node} is longer than {}, the longest that distances can say",
                u32::MAX - 1
            ),
            GraphError::Race { race } => write!(f, "an op of this library has a race: {race}"),
            GraphError::Device(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for GraphError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            GraphError::Graph(error) => Some(error),
            GraphError::Device(error) => Some(error),
            _ => None,
        }
    }
}
