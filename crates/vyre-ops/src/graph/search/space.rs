//! Graph and conditions of a search.

use vyre_graph::{CsrView, Role, role_of};

use super::super::traversal::Report;

/// Number of nodes whose edges are looked up together.
pub(super) const BLOCK: usize = 16;

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

    /// Edges that a search follows from each of up to [`BLOCK`] nodes. The memory accesses of all nodes overlap, and so do those of
    /// their first edges, while a loop over nodes and edges would wait for each node.
    #[inline]
    pub(crate) fn expanded_block(&self, nodes: &[u32]) -> [&'g [u32]; BLOCK] {
        let mut rows: [&[u32]; BLOCK] = [&[]; BLOCK];
        for (row, &node) in rows.iter_mut().zip(nodes) {
            *row = self.expanded(node);
        }
        let first = |row: &&[u32]| row.first().copied().unwrap_or_default();
        std::hint::black_box(rows.iter().map(first).fold(0, |all, target| all ^ target));
        rows
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
