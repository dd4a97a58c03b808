//! petgraph's breadth-first search on its compressed rows.

use petgraph::Directed;
use petgraph::csr::Csr;
use petgraph::visit::Bfs;
use vyre_graph::Role;

use super::answer::Found;
use super::plain::Plain;

/// petgraph's rows, without edges that leave sanitizers.
pub(super) struct Petgraph<'g> {
    rows: Csr<(), (), Directed, u32>,
    roles: &'g [Role],
}

impl<'g> Petgraph<'g> {
    pub(super) fn new(graph: Plain<'g>) -> Petgraph<'g> {
        let edges = graph.edges();
        Petgraph { rows: Csr::from_sorted_edges(&edges).expect("rows are in order"), roles: graph.roles }
    }

    /// The findings of these sources.
    pub(super) fn search(&self, sources: &[u32]) -> Vec<Found> {
        let mut found = Vec::new();
        let mut depths = vec![0u32; self.roles.len()];
        for &source in sources {
            if source as usize >= self.rows.node_count() {
                continue;
            }
            depths[source as usize] = 0;
            let mut search = Bfs::new(&self.rows, source);
            loop {
                let before = search.stack.len();
                let Some(node) = search.next(&self.rows) else { break };
                let depth = depths[node as usize];
                if depth > 0 && self.roles[node as usize] == Role::Sink {
                    found.push((source, node, depth));
                }
                // It does not count levels, but what it has just put into the queue is one level further.
                for &new in search.stack.range(before - 1..) {
                    depths[new as usize] = depth + 1;
                }
            }
        }
        found
    }
}
