//! Graphs on a device in CSR form, with the roles of nodes in the targets of edges.
//!
//! A search reads the role of a node from the edge or the queue entry that leads to it, without a lookup. Nodes, targets and
//! queue entries are words of this format:
//!
//! | Bits | Name | Meaning |
//! |---|---|---|
//! | 31 | [`SINK`] | the node is a sink |
//! | 30 | [`STOP`] | the node is a sanitizer; no search leaves it |
//! | 29..0 | [`NODE`] | id of the node |

use std::sync::OnceLock;

use rayon::prelude::*;
use vyre_graph::{CsrView, Role, ValidGraph, role_of};
use vyre_runtime::Buffer;

use crate::error::DataflowError;
use crate::executor::Executor;
use crate::preparation::DROPPED;

/// Mark of sinks.
pub(crate) const SINK: u32 = 1 << 31;
/// Mark of nodes that no search leaves.
pub(crate) const STOP: u32 = 1 << 30;
/// Mask of the node id.
pub(crate) const NODE: u32 = STOP - 1;

/// A graph on a device.
pub(crate) struct DeviceGraph {
    pub(crate) nodes: u32,
    /// Number of sinks.
    pub(crate) sinks: u32,
    /// Bits 31..24 of the marks of each node.
    marks: Vec<u8>,
    pub(crate) offsets: Buffer,
    /// Target of each edge, with its marks.
    pub(crate) targets: Buffer,
    /// Column of each sink in the depth matrix.
    pub(crate) sink_columns: Buffer,
}

impl DeviceGraph {
    /// Uploads a graph. The columns of the depth matrix are in the order of `sinks`.
    pub(crate) fn new(executor: &Executor, graph: CsrView<'_>, sinks: &[u32]) -> Result<DeviceGraph, DataflowError> {
        let mut sink_columns = vec![0; graph.node_count()];
        for (column, &sink) in (0..).zip(sinks) {
            sink_columns[sink as usize] = column;
        }
        let mark = |role: Role| match role {
            Role::Sanitizer => (STOP >> 24) as u8,
            role if role.is_sink() => (SINK >> 24) as u8,
            _ => 0,
        };
        let marks: Vec<u8> = graph.node_data.par_iter().map(|&word| mark(role_of(word))).collect();
        let targets: Vec<u32> = graph.targets.par_iter().map(|&target| target | marks_of(&marks, target)).collect();
        Ok(DeviceGraph {
            nodes: graph.node_count() as u32,
            sinks: sinks.len() as u32,
            offsets: executor.words(graph.offsets)?,
            targets: executor.words(&targets)?,
            sink_columns: executor.words(&sink_columns)?,
            marks,
        })
    }

    /// Queue entry of a node with those of its marks that are in `mask`. A removed node stays [`DROPPED`].
    pub(crate) fn entry(&self, node: u32, mask: u32) -> u32 {
        match node {
            DROPPED => DROPPED,
            node => node | (marks_of(&self.marks, node) & mask),
        }
    }
}

/// Marks of a node in bits 31..24.
fn marks_of(marks: &[u8], node: u32) -> u32 {
    u32::from(marks[node as usize]) << 24
}

/// A complete graph on a device: no node was removed or renumbered.
pub(crate) struct WholeGraph {
    pub(crate) graph: DeviceGraph,
    /// Ids of the sinks, ascending.
    pub(crate) sinks: Vec<u32>,
}

/// A valid graph, which is uploaded on its first in-place search.
pub(crate) struct LoadedGraph<'g> {
    graph: ValidGraph<'g>,
    whole: OnceLock<WholeGraph>,
}

impl<'g> LoadedGraph<'g> {
    pub(crate) fn new(graph: ValidGraph<'g>) -> LoadedGraph<'g> {
        LoadedGraph { graph, whole: OnceLock::new() }
    }

    /// The graph, with its index if that is known.
    pub(crate) fn valid(&self) -> ValidGraph<'g> {
        self.graph
    }

    pub(crate) fn view(&self) -> CsrView<'g> {
        self.graph.csr()
    }

    /// The graph on the device.
    pub(crate) fn whole(&self, executor: &Executor) -> Result<&WholeGraph, DataflowError> {
        if let Some(whole) = self.whole.get() {
            return Ok(whole);
        }
        let graph = self.view();
        let is_sink = |&node: &u32| role_of(graph.node_data[node as usize]).is_sink();
        let sinks: Vec<u32> = (0..graph.node_count() as u32).filter(is_sink).collect();
        let whole = WholeGraph { graph: DeviceGraph::new(executor, graph, &sinks)?, sinks };
        Ok(self.whole.get_or_init(|| whole))
    }
}
