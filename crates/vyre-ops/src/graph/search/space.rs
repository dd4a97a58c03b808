//! Graph and conditions of a search.

use vyre_graph::{CsrView, Role, role_of};

use super::super::traversal::Report;

/// A graph with the conditions under which searches report and expand nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchSpace<'g> {
    pub(crate) graph: CsrView<'g>,
    pub(crate) report: Report,
    /// Maximum number of edges of a path.
    pub(crate) max_depth: u32,
    /// True if the graph has sanitizers, which are not expanded.
    has_sanitizers: bool,
    /// Maximum number of nodes that one search reports.
    pub(crate) reportable: u64,
}

impl<'g> SearchSpace<'g> {
    pub(crate) fn new(graph: CsrView<'g>, report: Report, max_depth: Option<u32>) -> SearchSpace<'g> {
        let is_sanitizer = |word: &u32| role_of(*word) == Role::Sanitizer;
        SearchSpace {
            graph,
            report,
            max_depth: max_depth.unwrap_or(u32::MAX),
            has_sanitizers: graph.node_data.iter().any(is_sanitizer),
            reportable: report.max_findings(graph),
        }
    }

    /// Edges that a search follows from a node.
    #[inline]
    pub(crate) fn expanded(&self, node: u32) -> &'g [u32] {
        if self.has_sanitizers && role_of(self.graph.node_data[node as usize]) == Role::Sanitizer {
            return &[];
        }
        self.graph.neighbours(node)
    }

    /// True if a search reports its start.
    pub(crate) fn reports_start(&self, node: u32) -> bool {
        self.report == Report::Sinks && role_of(self.graph.node_data[node as usize]) == Role::SourceAndSink
    }

    /// True if a search reports a node other than its start.
    #[inline]
    pub(crate) fn reports(&self, node: u32) -> bool {
        match self.report {
            Report::Sinks => role_of(self.graph.node_data[node as usize]).is_sink(),
            Report::AllNodes => true,
        }
    }
}
