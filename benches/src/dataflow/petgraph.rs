//! petgraph's BFS on its CSR graph.

use petgraph::Directed;
use petgraph::csr::Csr;
use petgraph::visit::Bfs;
use vyre_graph::Role;

use super::digest::Found;
use super::taint_graph::TaintGraph;

/// petgraph's CSR graph, without edges that leave sanitizers.
pub(super) struct Petgraph<'g> {
    csr: Csr<(), (), Directed, u32>,
    roles: &'g [Role],
}

impl<'g> Petgraph<'g> {
    pub(super) fn new(graph: TaintGraph<'g>) -> Petgraph<'g> {
        let edges = graph.edges();
        Petgraph { csr: Csr::from_sorted_edges(&edges).expect("edges are in order"), roles: graph.roles }
    }

    /// Findings of some sources, in any order.
    pub(super) fn search(&self, sources: &[u32]) -> Vec<Found> {
        let mut found = Vec::new();
        let mut depths = vec![0u32; self.roles.len()];
        for &source in sources {
            if source as usize >= self.csr.node_count() {
                continue;
            }
            depths[source as usize] = 0;
            let mut search = Bfs::new(&self.csr, source);
            loop {
                let before = search.stack.len();
                let Some(node) = search.next(&self.csr) else { break };
                let depth = depths[node as usize];
                if depth > 0 && self.roles[node as usize] == Role::Sink {
                    found.push((source, node, depth));
                }
                // `Bfs` does not count levels. The nodes that it has just enqueued are one level further.
                for &new in search.stack.range(before - 1..) {
                    depths[new as usize] = depth + 1;
                }
            }
        }
        found
    }
}
