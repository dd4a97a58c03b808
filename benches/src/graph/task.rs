//! Tasks of the comparison of CSR graphs.

/// Task on a list of edges or on a CSR graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// From a list of edges to a CSR graph.
    Construct,
    /// From a CSR graph to its transpose.
    Transpose,
}

impl Task {
    /// Name in reports, and in requests to Python.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Task::Construct => "construct",
            Task::Transpose => "transpose",
        }
    }
}
