//! A graph as the peers have it.

use vyre_graph::{CsrView, Role, role_of};

/// Rows, and a byte for the role of each node.
#[derive(Clone, Copy, Debug)]
pub struct Plain<'g> {
    pub(super) rows: CsrView<'g>,
    pub(super) roles: &'g [Role],
}

impl<'g> Plain<'g> {
    /// The roles of a graph.
    #[must_use]
    pub fn roles(graph: CsrView<'_>) -> Vec<Role> {
        graph.node_data.iter().map(|&word| role_of(word)).collect()
    }

    /// A graph with its roles.
    #[must_use]
    pub fn new(rows: CsrView<'g>, roles: &'g [Role]) -> Plain<'g> {
        Plain { rows, roles }
    }

    /// The edges that can be followed, in order.
    pub(super) fn edges(self) -> Vec<(u32, u32)> {
        let open = (0..self.roles.len() as u32).filter(|&node| self.roles[node as usize] != Role::Sanitizer);
        open.flat_map(|node| self.rows.neighbours(node).iter().map(move |&target| (node, target))).collect()
    }
}
