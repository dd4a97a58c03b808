//! Cases of graph ops, and differences between results.

use std::fmt;

use vyre_graph::CsrGraph;
use vyre_ops::graph::PageRankOptions;

/// A graph with the parameters of queries.
#[derive(Clone, Debug)]
pub struct GraphCase {
    /// Description.
    pub name: String,
    /// The graph.
    pub graph: CsrGraph,
    /// Weights of edges.
    pub weights: Vec<u32>,
    /// Sources of searches.
    pub sources: Vec<u32>,
    /// Maximum number of edges of a path.
    pub max_depth: u32,
    /// Parameters of PageRank.
    pub ranking: PageRankOptions,
}

/// A difference between an op and its reference.
#[derive(Debug)]
pub struct Disagreement {
    /// The op.
    pub op: &'static str,
    /// Both results, shortened.
    pub message: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.op, self.message)
    }
}

impl std::error::Error for Disagreement {}

/// Fails unless both values are equal.
pub(super) fn same<T: PartialEq + fmt::Debug>(op: &'static str, found: &T, expected: &T) -> Result<(), Disagreement> {
    if found == expected {
        return Ok(());
    }
    let shown = |value: &T| {
        let mut text = format!("{value:?}");
        if let Some((end, _)) = text.char_indices().nth(600) {
            text.truncate(end);
            text.push_str(" ...");
        }
        text
    };
    Err(Disagreement { op, message: format!("\n  expected {}\n  found    {}", shown(expected), shown(found)) })
}
