//! Findings.

/// A sink that a source reaches.
///
/// Findings are ordered by source, sink, depth and the position of the source. The engine emits them in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Finding {
    /// Source node.
    pub source: u32,
    /// Sink node.
    pub sink: u32,
    /// Number of edges on a shortest path.
    pub depth: u32,
    /// Position in the list of sources, from 0. It distinguishes equal sources.
    pub source_index: u32,
    /// Facts that reach the sink on any path. Without a transfer function that carries facts, the facts of the source.
    pub facts: u32,
}

impl Finding {
    /// Placeholder in memory that threads fill.
    pub(crate) const NONE: Finding = Finding { source: 0, sink: 0, depth: 0, source_index: 0, facts: 0 };
}

impl From<vyre_ops::graph::Finding> for Finding {
    fn from(finding: vyre_ops::graph::Finding) -> Finding {
        let vyre_ops::graph::Finding { source, node, depth, source_index } = finding;
        Finding { source, sink: node, depth, source_index, facts: 1 }
    }
}
