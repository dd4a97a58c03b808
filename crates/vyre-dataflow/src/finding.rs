//! What the engine reports.

/// A sink that a source reaches.
///
/// Findings are ordered by source, sink, depth and the position of the source, which is the order in which the engine gives
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Finding {
    /// The source.
    pub source: u32,
    /// The sink.
    pub sink: u32,
    /// The number of edges on the shortest way.
    pub depth: u32,
    /// Which of the sources it was, from 0. It tells equal sources apart.
    pub source_index: u32,
    /// Which facts reach the sink on any way. Without a transfer function that carries facts, those of the source.
    pub facts: u32,
}

impl From<vyre_ops::graph::Finding> for Finding {
    fn from(finding: vyre_ops::graph::Finding) -> Finding {
        let vyre_ops::graph::Finding { source, node, depth, source_index } = finding;
        Finding { source, sink: node, depth, source_index, facts: 1 }
    }
}
