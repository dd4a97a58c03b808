//! `graph.bfs`: sinks that each source reaches, with their BFS depths.

use vyre_graph::{CsrView, Role, role_of};
use vyre_ir::Program;

use super::device::GraphOnDevice;
use super::error::GraphError;
use super::traversal::{self, Finding, Report, bfs_on_host};
use super::traversal_options::TraversalOptions;
use crate::Op;
use crate::op::BUFFER_OP;

pub(crate) const OP: Op = Op {
    id: "graph.bfs",
    summary: "The sinks that each source reaches, with the length of a shortest path; sanitizers block paths.",
    canonical: program,
    ..BUFFER_OP
};

/// Program of `graph.bfs`: one invocation for each source.
fn program() -> Program {
    traversal::program(Report::Sinks)
}

impl GraphOnDevice<'_> {
    /// `graph.bfs`: every sink that a source reaches, once for each source, with the number of edges of a shortest path.
    /// Edges of sanitizers are not followed. A source that is a sink too finds itself at depth 0.
    ///
    /// The findings are complete and ordered, or the result is an error. Sources are processed in batches that fit the memory.
    ///
    /// # Errors
    ///
    /// A source is not a node, a limit of the options is too small, or the device fails.
    pub fn bfs(&self, sources: &[u32], options: &TraversalOptions) -> Result<Vec<Finding>, GraphError> {
        traversal::run(self, Report::Sinks, OP.id, program, sources, options)
    }
}

/// Host reference of `graph.bfs`. Sources that are not nodes have no findings.
#[must_use]
pub fn reachable_sinks(graph: CsrView<'_>, sources: &[u32], max_depth: u32) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (source_index, &source) in (0..).zip(sources) {
        if source as usize >= graph.node_count() {
            continue;
        }
        for (node, depth) in bfs_on_host(graph, source, max_depth) {
            let role = role_of(graph.node_data[node as usize]);
            let is_reported = if depth == 0 { role == Role::SourceAndSink } else { role.is_sink() };
            if is_reported {
                findings.push(Finding { source, node, depth, source_index });
            }
        }
    }
    findings.sort_unstable();
    findings
}
