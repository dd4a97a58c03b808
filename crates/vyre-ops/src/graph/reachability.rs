//! `graph.reachability`: nodes that each source reaches, with their BFS depths.

use vyre_graph::CsrView;
use vyre_ir::Program;

use super::device::GraphOnDevice;
use super::error::GraphError;
use super::traversal::{self, Finding, Report, bfs_on_host};
use super::traversal_options::TraversalOptions;
use crate::Op;
use crate::op::BUFFER_OP;

pub(crate) const OP: Op = Op {
    id: "graph.reachability",
    summary: "All nodes that each source reaches, with the length of a shortest path; sanitizers block paths.",
    canonical: program,
    ..BUFFER_OP
};

/// Program of `graph.reachability`: the program of `graph.bfs` with every reached node reported.
fn program() -> Program {
    traversal::program(Report::AllNodes)
}

impl GraphOnDevice<'_> {
    /// `graph.reachability`: every node other than the source that a source reaches, with the number of edges of a shortest
    /// path. Sanitizers are reported, but their edges are not followed.
    ///
    /// The findings are complete and ordered, or the result is an error. Sources are processed in batches that fit the memory.
    ///
    /// # Errors
    ///
    /// A source is not a node, a limit of the options is too small, or the device fails.
    pub fn reachability(&self, sources: &[u32], options: &TraversalOptions) -> Result<Vec<Finding>, GraphError> {
        traversal::run(self, Report::AllNodes, OP.id, program, sources, options)
    }
}

/// Host reference of `graph.reachability`. Sources that are not nodes have no findings.
#[must_use]
pub fn reachable_nodes(graph: CsrView<'_>, sources: &[u32], max_depth: u32) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (source_index, &source) in (0..).zip(sources) {
        if source as usize >= graph.node_count() {
            continue;
        }
        let reached = bfs_on_host(graph, source, max_depth).into_iter().skip(1);
        findings.extend(reached.map(|(node, depth)| Finding { source, node, depth, source_index }));
    }
    findings.sort_unstable();
    findings
}
