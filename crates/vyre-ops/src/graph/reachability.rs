//! `graph.reachability`: which nodes each source reaches, and in how many steps.

use vyre_graph::CsrView;
use vyre_ir::Program;

use super::error::GraphError;
use super::resident::GraphOnDevice;
use super::traversal::{self, Finding, Report, Traversal, reference_search};
use crate::Op;
use crate::op::OVER_BUFFERS;

pub(crate) const OP: Op = Op {
    id: "graph.reachability",
    summary: "All nodes that each source reaches, with the length of the shortest way; sanitizers block ways.",
    canonical: program,
    ..OVER_BUFFERS
};

/// The program of `graph.reachability`: that of `graph.bfs`, which here reports every node.
fn program() -> Program {
    traversal::program(Report::Everything)
}

impl GraphOnDevice<'_> {
    /// `graph.reachability`: every node other than the source that a source reaches, with the number of edges of the shortest
    /// way. Sanitizers are reported and not left again.
    ///
    /// The findings are complete and in order, or there is an error. Sources are searched in batches that fit the memory.
    ///
    /// # Errors
    ///
    /// A source that is not a node, limits of the caller that do not do, or a failure of the device.
    pub fn reachability(&self, sources: &[u32], options: &Traversal) -> Result<Vec<Finding>, GraphError> {
        traversal::run(self, Report::Everything, OP.id, program, sources, options)
    }
}

/// `graph.reachability` in plain Rust, written without the program. Sources that are not nodes reach nothing.
#[must_use]
pub fn reachable_nodes(graph: CsrView<'_>, sources: &[u32], max_depth: u32) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (source_index, &source) in (0..).zip(sources) {
        if source as usize >= graph.node_count() {
            continue;
        }
        let reached = reference_search(graph, source, max_depth).into_iter().skip(1);
        findings.extend(reached.map(|(node, depth)| Finding { source, node, depth, source_index }));
    }
    findings.sort_unstable();
    findings
}
