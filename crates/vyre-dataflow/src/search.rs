//! Interface between the analysis and the search strategies.
//!
//! The analysis chooses a strategy by [`SearchStrategy::suits`], prepares the graph as [`Preparation`] asks, and calls
//! [`SearchStrategy::search`]. A strategy splits the starts into batches that fit the memory limit, computes a depth matrix for
//! each batch, and emits it to the [`Output`]. All strategies must compute equal depths.

use std::ops::Range;

use vyre_graph::CsrView;

use crate::device_graph::{LoadedGraph, WholeGraph};
use crate::error::DataflowError;
use crate::executor::Executor;
use crate::output::Output;
use crate::preparation::{NodeOrder, PreparedGraph};
use crate::sample::Sample;
use crate::starts::{Start, Starts};

/// Maximum number of words of a buffer, a power of two: programs mask word indices with it, so that they do not wrap.
pub(crate) const MAX_BUFFER_WORDS: u32 = 1 << 30;

/// A search strategy. Implementations have no state.
pub(crate) trait SearchStrategy: Sync {
    /// Reason to prefer this strategy to those after it in the table. None if it does not suit.
    fn suits(&self, estimate: &Estimate) -> Option<&'static str>;

    /// Form of the graph that the strategy needs.
    fn preparation(&self) -> Preparation {
        Preparation { order: NodeOrder::Original, pruning: Pruning::IfItPays }
    }

    /// The in-place search of a strategy that needs no preparation of the graph.
    fn in_place(&self) -> Option<&dyn InPlaceSearch> {
        None
    }

    /// The search of a strategy that prepares the graph on the device.
    fn on_device(&self) -> Option<&dyn DeviceSearch> {
        None
    }

    /// Compiles the programs that the search will probably need, so that its start does not wait for them. Runs beside the
    /// preparation of the graph.
    ///
    /// # Errors
    ///
    /// A failure of the compiler.
    fn compile(&self, _search: &Search<'_>) -> Result<(), DataflowError> {
        Ok(())
    }

    /// Searches a prepared graph from all starts and emits the findings. Devices that compute in the memory of the host use that of
    /// the graph.
    ///
    /// A strategy may give up before it emits anything, unless [`Search::is_requested`].
    ///
    /// # Errors
    ///
    /// A batch that fits no limit, or a failure of the device.
    fn search(
        &self,
        search: &Search<'_>,
        graph: PreparedGraph,
        output: &mut Output<'_>,
    ) -> Result<Outcome, DataflowError>;
}

/// A search of the graph as it was loaded.
pub(crate) trait InPlaceSearch {
    /// Searches the loaded graph from all starts and emits the findings. It may give up as [`SearchStrategy::search`] may.
    ///
    /// # Errors
    ///
    /// A batch that fits no limit, or a failure of the device.
    fn search_in_place(&self, search: &Search<'_>, output: &mut Output<'_>) -> Result<Outcome, DataflowError>;
}

/// A search of a graph that the device prepares.
pub(crate) trait DeviceSearch {
    /// Prepares the loaded graph on the device, searches it from all starts and emits the findings. `passes` has a 0 for each edge
    /// that is blocked for all sources. With `prunes`, nodes that reach no sink are removed. Returns None if the host should prepare the
    /// graph.
    ///
    /// # Errors
    ///
    /// A batch that fits no limit, or a failure of the device.
    fn search_on_device(
        &self,
        search: &Search<'_>,
        passes: Option<&[u32]>,
        prunes: bool,
        output: &mut Output<'_>,
    ) -> Result<Option<Outcome>, DataflowError>;
}

/// Preparation of the graph for a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Preparation {
    pub(crate) order: NodeOrder,
    pub(crate) pruning: Pruning,
}

/// Pruning of nodes that reach no sink, unless the caller decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pruning {
    /// It always saves time.
    Always,
    /// It saves time if the searches traverse more edges than pruning costs.
    IfItPays,
    /// It saves no time.
    Never,
}

/// End of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All findings are emitted.
    Complete,
    /// No finding is emitted; another strategy must search. The text is the reason.
    GaveUp(&'static str),
}

/// Estimate of an analysis, from which strategies judge whether they suit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    pub(crate) sample: Sample,
    /// Number of distinct starts.
    pub(crate) starts: u64,
    pub(crate) nodes: u64,
    pub(crate) edges: u64,
    /// True if the engine uses the programs for GPUs.
    pub(crate) uses_gpu_programs: bool,
}

impl Estimate {
    /// Number of edges that all searches together traverse.
    pub(crate) fn traversed_edges(&self) -> u64 {
        self.starts * self.sample.edges
    }
}

/// Kind of levels of the bit-parallel strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Levels {
    /// Every node pulls from its incoming edges.
    Dense,
    /// Only successors of active nodes pull.
    Sparse,
}

/// Input of a search.
pub(crate) struct Search<'a> {
    pub(crate) executor: &'a Executor,
    pub(crate) loaded: &'a LoadedGraph<'a>,
    pub(crate) starts: &'a Starts,
    /// Maximum number of edges of a path.
    pub(crate) max_depth: u32,
    /// Maximum device memory of a batch in bytes, beside the graph.
    pub(crate) memory: u64,
    /// True if the caller requested the strategy. It must not give up then.
    pub(crate) is_requested: bool,
    /// Mean number of nodes that a search reaches, if a sample was taken.
    pub(crate) reached: Option<u64>,
    /// Kind of levels that the caller requested.
    pub(crate) levels: Option<Levels>,
    /// True if chains may be contracted. Requires a pruned graph.
    pub(crate) can_contract: bool,
}

impl<'a> Search<'a> {
    /// The graph that was loaded.
    pub(crate) fn graph(&self) -> CsrView<'a> {
        self.loaded.view()
    }

    /// The loaded graph on the device.
    pub(crate) fn whole(&self) -> Result<&'a WholeGraph, DataflowError> {
        self.loaded.whole(self.executor)
    }

    /// Maximum size of a buffer in bytes, on this device and for the programs of the engine.
    pub(crate) fn max_buffer_bytes(&self) -> u64 {
        self.executor.device().limits().buffer_bytes.min(4 * u64::from(MAX_BUFFER_WORDS))
    }

    /// Ranges of starts of at most `size` each.
    pub(crate) fn batches(&self, size: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let count = self.starts.len();
        (0..count).step_by(size).map(move |first| first..count.min(first + size))
    }

    /// Nodes of the starts of a batch, mapped by `new_ids` if the graph was renumbered.
    pub(crate) fn start_nodes(&self, new_ids: Option<&[u32]>, batch: Range<usize>) -> Vec<u32> {
        let node = |start: &Start| new_ids.map_or(start.node, |new_ids| new_ids[start.node as usize]);
        self.starts.starts[batch].iter().map(node).collect()
    }
}
