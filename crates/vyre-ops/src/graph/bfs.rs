//! `graph.bfs`: which sinks each source reaches, and in how many steps.

use vyre_graph::{CsrView, Role, role_of};
use vyre_ir::Program;

use super::error::GraphError;
use super::resident::GraphOnDevice;
use super::traversal::{self, Finding, Report, Traversal, reference_search};
use crate::Op;
use crate::op::OVER_BUFFERS;

pub(crate) const OP: Op = Op {
    id: "graph.bfs",
    summary: "The sinks that each source reaches, with the length of the shortest way; sanitizers block ways.",
    canonical: program,
    ..OVER_BUFFERS
};

/// The program of `graph.bfs`: one invocation for each source.
fn program() -> Program {
    traversal::program(Report::Sinks)
}

impl GraphOnDevice<'_> {
    /// `graph.bfs`: every sink that a source reaches, once for each source, with the number of edges of the shortest way.
    /// Sanitizers are not left again. A source that is a sink too finds itself at depth 0.
    ///
    /// The findings are complete and in order, or there is an error. Sources are searched in batches that fit the memory.
    ///
    /// # Errors
    ///
    /// A source that is not a node, limits of the caller that do not do, or a failure of the device.
    pub fn bfs(&self, sources: &[u32], options: &Traversal) -> Result<Vec<Finding>, GraphError> {
        traversal::run(self, Report::Sinks, OP.id, program, sources, options)
    }
}

/// `graph.bfs` in plain Rust, written without the program. Sources that are not nodes find nothing.
#[must_use]
pub fn reachable_sinks(graph: CsrView<'_>, sources: &[u32], max_depth: u32) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (source_index, &source) in (0..).zip(sources) {
        if source as usize >= graph.node_count() {
            continue;
        }
        for (node, depth) in reference_search(graph, source, max_depth) {
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
