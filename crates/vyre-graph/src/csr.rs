//! Directed graphs in compressed sparse rows (CSR).

use crate::error::CsrError;
use crate::role::role_bits;
use crate::search::{first_decrease, first_position};

/// A directed graph in compressed sparse rows.
///
/// The edges of node `n` go to `targets[offsets[n]..offsets[n + 1]]`, in the order of construction. `offsets` has one element more
/// than there are nodes, starts with 0, never decreases and ends with the number of edges. `node_data` has a word for each node,
/// with the [`Role`](crate::Role) in bits 16 to 23 and the other bits free for applications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsrGraph {
    /// Position of the first edge of each node in `targets`, and the number of edges.
    pub offsets: Vec<u32>,
    /// Target node of each edge.
    pub targets: Vec<u32>,
    /// Word of each node.
    pub node_data: Vec<u32>,
}

/// The graph without nodes, whose `offsets` has one element.
impl Default for CsrGraph {
    fn default() -> CsrGraph {
        CsrGraph { offsets: vec![0], targets: Vec::new(), node_data: Vec::new() }
    }
}

/// A borrowed graph: of a [`CsrGraph`], or of a memory-mapped file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CsrView<'g> {
    /// Position of the first edge of each node in `targets`, and the number of edges.
    pub offsets: &'g [u32],
    /// Target node of each edge.
    pub targets: &'g [u32],
    /// Word of each node.
    pub node_data: &'g [u32],
}

impl CsrGraph {
    /// Borrows the graph.
    #[must_use]
    pub fn view(&self) -> CsrView<'_> {
        CsrView { offsets: &self.offsets, targets: &self.targets, node_data: &self.node_data }
    }

    /// Number of nodes.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.node_data.len()
    }

    /// Number of edges.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.targets.len()
    }

    /// Checks all properties that ops rely on, on all threads.
    ///
    /// # Errors
    ///
    /// The first violation: the array, the position, the value there and the valid values.
    ///
    /// ```
    /// use vyre_graph::{CsrError, CsrGraph};
    ///
    /// let graph = CsrGraph { offsets: vec![0, 2, 1], targets: vec![1], node_data: vec![0, 0] };
    /// assert_eq!(graph.validate(), Err(CsrError::OffsetDecreases { position: 2, value: 1, before: 2 }));
    /// ```
    pub fn validate(&self) -> Result<(), CsrError> {
        self.view().validate()
    }

    /// Transposes the graph on all threads. The targets of each node are in ascending order; `node_data` is unchanged.
    ///
    /// # Panics
    ///
    /// If the graph is not valid; see [`validate`](CsrGraph::validate).
    #[must_use]
    pub fn transposed(&self) -> CsrGraph {
        self.view().transposed()
    }
}

impl<'g> CsrView<'g> {
    /// Number of nodes.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.node_data.len()
    }

    /// Number of edges.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.targets.len()
    }

    /// Targets of the edges of a node; empty for a number that is not a node.
    #[must_use]
    pub fn neighbours(&self, node: u32) -> &'g [u32] {
        self.targets.get(self.edges_of(node)).unwrap_or_default()
    }

    /// Positions of the edges of a node in `targets`; empty for a number that is not a node.
    #[must_use]
    pub fn edges_of(&self, node: u32) -> std::ops::Range<usize> {
        let node = node as usize;
        match (self.offsets.get(node), self.offsets.get(node + 1)) {
            (Some(&start), Some(&end)) => start as usize..end as usize,
            _ => 0..0,
        }
    }

    /// Copies the arrays.
    #[must_use]
    pub fn to_graph(&self) -> CsrGraph {
        CsrGraph { offsets: self.offsets.to_vec(), targets: self.targets.to_vec(), node_data: self.node_data.to_vec() }
    }

    /// Checks all properties that ops rely on, on all threads.
    ///
    /// # Errors
    ///
    /// The first violation: the array, the position, the value there and the valid values.
    pub fn validate(&self) -> Result<(), CsrError> {
        self.validate_structure()?;
        self.validate_roles()
    }

    /// Checks the roles of nodes only.
    pub(crate) fn validate_roles(&self) -> Result<(), CsrError> {
        match first_position(self.node_data, |&word| role_bits(word) > 4) {
            Some(node) => Err(CsrError::ReservedRole { node, role: role_bits(self.node_data[node]) }),
            None => Ok(()),
        }
    }

    /// Checks the lengths of the arrays only, in constant time.
    ///
    /// # Errors
    ///
    /// The first violation.
    pub fn validate_lengths(&self) -> Result<(), CsrError> {
        let nodes = self.node_data.len();
        if u32::try_from(nodes).is_err() {
            return Err(CsrError::TooManyNodes { nodes: nodes as u64 });
        }
        if u32::try_from(self.targets.len()).is_err() {
            return Err(CsrError::TooManyEdges { edges: self.targets.len() as u64 });
        }
        if self.offsets.len() != nodes + 1 {
            return Err(CsrError::OffsetsLength { found: self.offsets.len(), nodes });
        }
        Ok(())
    }

    /// Checks offsets and targets only. Reserved roles are accepted.
    ///
    /// # Errors
    ///
    /// The first violation.
    pub fn validate_structure(&self) -> Result<(), CsrError> {
        self.validate_lengths()?;
        let nodes = self.node_data.len();
        if self.offsets[0] != 0 {
            return Err(CsrError::FirstOffset { value: self.offsets[0] });
        }
        if let Some(position) = first_decrease(self.offsets, |&offset| offset) {
            let (before, value) = (self.offsets[position - 1], self.offsets[position]);
            return Err(CsrError::OffsetDecreases { position, value, before });
        }
        let last = self.offsets[nodes];
        if last as usize != self.targets.len() {
            return Err(CsrError::LastOffset { position: nodes, value: last, edges: self.targets.len() });
        }
        match first_position(self.targets, |&target| target as usize >= nodes) {
            Some(position) => Err(CsrError::Target { position, value: self.targets[position], nodes }),
            None => Ok(()),
        }
    }
}
