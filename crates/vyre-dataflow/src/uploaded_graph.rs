//! A graph on a device in the form in which it was loaded: the arrays of its CSR form.

use vyre_graph::CsrView;
use vyre_runtime::Buffer;

use crate::error::DataflowError;
use crate::executor::Executor;

/// The arrays of a graph on a device.
pub(crate) struct UploadedGraph {
    pub(crate) offsets: Buffer,
    pub(crate) targets: Buffer,
    pub(crate) node_data: Buffer,
}

impl UploadedGraph {
    /// Uploads a graph, valid or not.
    ///
    /// # Errors
    ///
    /// Exhausted memory, or a failure of the device.
    pub(crate) fn new(executor: &Executor, graph: CsrView<'_>) -> Result<UploadedGraph, DataflowError> {
        Ok(UploadedGraph {
            offsets: executor.words(graph.offsets)?,
            targets: executor.words(graph.targets)?,
            node_data: executor.words(graph.node_data)?,
        })
    }

    /// Offsets, targets and words of nodes: the order of the bindings of programs.
    pub(crate) fn buffers(&self) -> [&Buffer; 3] {
        [&self.offsets, &self.targets, &self.node_data]
    }
}
