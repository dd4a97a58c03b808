//! Graphs on a device in CSR form, with the roles of nodes in the targets of edges.
//!
//! A search reads the role of a node from the edge or the queue entry that leads to it, without a lookup. Nodes, targets and
//! queue entries are words of this format:
//!
//! | Bits | Name | Meaning |
//! |---|---|---|
//! | 31 | [`SINK`] | the node is a sink |
//! | 30 | [`STOP`] | the node is a sanitizer; no search leaves it |
//! | 31 and 30 | [`ACCESS`] | the node is an access node of a region: a search records its depth and does not leave it |
//! | 29..0 | [`NODE`] | id of the node |

use std::sync::OnceLock;

use rayon::prelude::*;
use vyre_graph::{CsrView, Role, ValidGraph, role_of};
use vyre_runtime::Buffer;

use crate::device_preparation::{DevicePrepared, prepare_on_device};
use crate::error::DataflowError;
use crate::executor::Executor;
use crate::kept::KeptMemory;
use crate::node_set::NodeSet;
use crate::preparation::DROPPED;
use crate::sample::Sample;
use crate::uploaded_graph::UploadedGraph;

/// Mark of sinks.
pub(crate) const SINK: u32 = 1 << 31;
/// Mark of nodes that no search leaves.
pub(crate) const STOP: u32 = 1 << 30;
/// Marks of access nodes. Sanitizers are not sinks, so no other node has both marks.
pub(crate) const ACCESS: u32 = SINK | STOP;
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
    /// Column of each sink in the depth matrix, and number of each access node.
    pub(crate) sink_columns: Buffer,
    /// Access nodes, if searches end at a region.
    pub(crate) access: Option<DeviceAccess>,
}

/// Access nodes of a region: the nodes at which searches enter it. No search leaves the region.
pub(crate) struct AccessNodes<'a> {
    /// Nodes of the region.
    pub(crate) region: &'a NodeSet,
    /// Access nodes from which searches go on in the region.
    pub(crate) nodes: &'a [u32],
    /// For each access node two words, which a search records: a number, and a length that it adds to the depth.
    pub(crate) records: &'a [[u32; 2]],
}

/// Access nodes on a device.
pub(crate) struct DeviceAccess {
    pub(crate) count: u32,
    /// Two words for each access node.
    pub(crate) records: Buffer,
}

impl DeviceGraph {
    /// Uploads a graph. The columns of the depth matrix are in the order of `sinks`.
    pub(crate) fn new(executor: &Executor, graph: CsrView<'_>, sinks: &[u32]) -> Result<DeviceGraph, DataflowError> {
        DeviceGraph::with_access(executor, graph, sinks, None)
    }

    /// Uploads a graph. Searches end at the nodes of a region.
    pub(crate) fn with_access(
        executor: &Executor,
        graph: CsrView<'_>,
        sinks: &[u32],
        access: Option<&AccessNodes<'_>>,
    ) -> Result<DeviceGraph, DataflowError> {
        let mut sink_columns = vyre_memory::zeros::<u32>(graph.node_count());
        for (column, &sink) in (0..).zip(sinks) {
            sink_columns[sink as usize] = column;
        }
        let mark = |role: Role| match role {
            Role::Sanitizer => (STOP >> 24) as u8,
            role if role.is_sink() => (SINK >> 24) as u8,
            _ => 0,
        };
        let mut marks: Vec<u8> = graph.node_data.par_iter().map(|&word| mark(role_of(word))).collect();
        let access = match access {
            Some(AccessNodes { region, nodes, records }) => {
                region.iter().for_each(|node| marks[node as usize] = (STOP >> 24) as u8);
                for (number, &node) in (0..).zip(*nodes) {
                    marks[node as usize] = (ACCESS >> 24) as u8;
                    sink_columns[node as usize] = number;
                }
                Some(DeviceAccess { count: nodes.len() as u32, records: executor.words(records.as_flattened())? })
            }
            None => None,
        };
        let mut targets = vyre_memory::zeros::<u32>(graph.targets.len());
        let pairs = targets.par_iter_mut().zip(graph.targets);
        pairs.for_each(|(marked, &target)| *marked = target | marks_of(&marks, target));
        Ok(DeviceGraph {
            nodes: graph.node_count() as u32,
            sinks: sinks.len() as u32,
            offsets: executor.words(graph.offsets)?,
            targets: executor.take_words(targets)?,
            sink_columns: executor.take_words(sink_columns)?,
            marks,
            access,
        })
    }

    /// Queue entry of a node with those of its marks that are in `mask`. An access node has both marks. A removed node stays
    /// [`DROPPED`].
    pub(crate) fn entry(&self, node: u32, mask: u32) -> u32 {
        match node {
            DROPPED => DROPPED,
            node => match marks_of(&self.marks, node) {
                ACCESS => node | ACCESS,
                marks => node | (marks & mask),
            },
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

/// A valid graph, which is uploaded by the first search that needs it on the device. Its device forms are kept for later searches.
pub(crate) struct LoadedGraph<'g> {
    graph: ValidGraph<'g>,
    whole: OnceLock<WholeGraph>,
    /// The graph as the device prepared it, without and with pruning. None if the host should prepare it.
    prepared: [OnceLock<Option<DevicePrepared>>; 2],
    /// Sample of the first analysis that took one, with its maximum depth.
    sample: OnceLock<(u32, Sample)>,
    /// Working memory of the last search on a GPU, or before the first one the [`UploadedGraph`] that the device has validated.
    pub(crate) kept: KeptMemory,
}

impl<'g> LoadedGraph<'g> {
    pub(crate) fn new(graph: ValidGraph<'g>) -> LoadedGraph<'g> {
        LoadedGraph {
            graph,
            whole: OnceLock::new(),
            prepared: Default::default(),
            sample: OnceLock::new(),
            kept: KeptMemory::default(),
        }
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

    /// Sampled searches up to a depth. They estimate a property of the graph, so later analyses with this depth get the same
    /// sample. `take` takes a new one. The bool is true if the sample is not new.
    pub(crate) fn sample(&self, max_depth: u32, take: impl FnOnce() -> Sample) -> (Sample, bool) {
        if let Some(&(depth, sample)) = self.sample.get()
            && depth == max_depth
        {
            return (sample, true);
        }
        let sample = take();
        // A sample of another depth stays.
        let _ = self.sample.set((max_depth, sample));
        (sample, false)
    }

    /// Takes the graph as it was uploaded to be validated, if nothing has taken it. Other kept memory is freed.
    pub(crate) fn take_uploaded(&self) -> Option<UploadedGraph> {
        self.kept.take(|_| true)
    }

    /// Reports whether [`prepared_on_device`](LoadedGraph::prepared_on_device) has its result.
    pub(crate) fn is_prepared_on_device(&self, prunes: bool) -> bool {
        self.prepared[usize::from(prunes)].get().is_some()
    }

    /// The graph as the device prepares it. None if the host should prepare it.
    pub(crate) fn prepared_on_device(
        &self,
        executor: &Executor,
        prunes: bool,
    ) -> Result<Option<&DevicePrepared>, DataflowError> {
        let prepared = &self.prepared[usize::from(prunes)];
        if let Some(prepared) = prepared.get() {
            return Ok(prepared.as_ref());
        }
        let fresh = prepare_on_device(executor, self.view(), self.take_uploaded(), None, prunes)?;
        Ok(prepared.get_or_init(|| fresh).as_ref())
    }
}
