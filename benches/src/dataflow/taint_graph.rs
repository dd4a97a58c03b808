//! Graphs as the peers see them.

use vyre_graph::{CsrView, Role, role_of};

/// CSR graph with the role of each node.
#[derive(Clone, Copy, Debug)]
pub struct TaintGraph<'g> {
    pub(super) csr: CsrView<'g>,
    pub(super) roles: &'g [Role],
}

impl<'g> TaintGraph<'g> {
    /// Roles of the nodes of a graph.
    #[must_use]
    pub fn roles(graph: CsrView<'_>) -> Vec<Role> {
        graph.node_data.iter().map(|&word| role_of(word)).collect()
    }

    /// Combines a graph with its roles.
    #[must_use]
    pub fn new(csr: CsrView<'g>, roles: &'g [Role]) -> TaintGraph<'g> {
        TaintGraph { csr, roles }
    }

    /// Edges that do not leave a sanitizer, in order.
    pub(super) fn edges(self) -> Vec<(u32, u32)> {
        let open = (0..self.roles.len() as u32).filter(|&node| self.roles[node as usize] != Role::Sanitizer);
        open.flat_map(|node| self.csr.neighbours(node).iter().map(move |&target| (node, target))).collect()
    }
}
