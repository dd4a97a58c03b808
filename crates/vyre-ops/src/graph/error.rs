//! Errors of graph ops.

use std::fmt;

use vyre_graph::CsrError;
use vyre_runtime::Error;

/// Reason why a graph op has no result. No op returns a partial result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphError {
    /// The graph is not valid; the caller's fault.
    Graph(CsrError),
    /// A source is not a node; the caller's fault.
    Source {
        /// Position in the list of sources, from 0.
        position: usize,
        /// The node.
        node: u32,
        /// The number of nodes.
        nodes: usize,
    },
    /// The grid has no workgroup; the caller's fault.
    EmptyGrid {
        /// The grid.
        grid: [u32; 3],
    },
    /// The number of weights differs from the number of edges; the caller's fault.
    Weights {
        /// Number of weights.
        found: usize,
        /// The number of edges.
        edges: usize,
    },
    /// The weights of the nodes to which a random surfer jumps are all 0; the caller's fault.
    NoRestart,
    /// The findings exceed the limit of the caller or the memory of the device.
    TooManyFindings {
        /// Minimum number of findings of the traversal.
        found: u64,
        /// Maximum number of findings.
        limit: u64,
    },
    /// The queue of a traversal overflowed, so parts of the graph were not visited.
    QueueOverflow {
        /// Number of nodes that did not fit.
        dropped: u64,
        /// Capacity of the queue of each source, in nodes.
        capacity: u32,
    },
    /// The search of one source exceeds the memory limit of the caller.
    MemoryLimit {
        /// The limit, in bytes.
        limit: u64,
        /// Bytes that suffice for every source: a bitmap, a queue of all nodes, and a finding for each node that can be reported.
        sufficient: u64,
    },
    /// The graph has no topological order, because these nodes form a cycle: each has an edge to the next, and the last to the
    /// first, which has the smallest number.
    Cycle {
        /// The nodes of the cycle.
        nodes: Vec<u32>,
    },
    /// The length of a shortest path exceeds the range of distances.
    DistanceOverflow {
        /// Smallest node that is only reached by such paths.
        node: u32,
    },
    /// Race detection found a race. The fault of the op.
    Race {
        /// Description by the device.
        race: String,
    },
    /// The device failed, or the run was cancelled.
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

/// A number with its noun.
fn counted(count: u64, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// Maximum number of nodes of a cycle in a message.
const MAX_SHOWN_NODES: usize = 12;

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
            GraphError::NoRestart => {
                write!(f, "the weights of the nodes to which a random surfer jumps are all 0; at least one must not be")
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
            GraphError::MemoryLimit { limit, sufficient } => {
                let (limit, sufficient) = (counted(*limit, "byte"), counted(*sufficient, "byte"));
                write!(
                    f,
                    "the limit of {limit} of device memory is too small for the bitmap, the queue and the findings of one source; \
                     {sufficient} always suffice"
                )
            }
            GraphError::Cycle { nodes } => {
                write!(f, "the graph has a cycle of {}: ", counted(nodes.len() as u64, "node"))?;
                for node in nodes.iter().take(MAX_SHOWN_NODES) {
                    write!(f, "{node} -> ")?;
                }
                if nodes.len() > MAX_SHOWN_NODES {
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
