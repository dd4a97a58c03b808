//! Queue-based BFS: one search for each source, or for 32 sources that share a queue.
//!
//! Each workgroup of a GPU, or each thread of a CPU, searches with its own visited set and queue. The cost is proportional to
//! the edges that the searches traverse, whatever their depth, so the strategies suit deep graphs. They need no preparation of
//! the graph. [`PerSource`] also evaluates transfer functions during the search.

mod batch;
mod bfs;
mod bitset_bfs;
mod memory;
pub(super) mod params;
mod work_counter;

pub(super) use self::batch::{Completion, EndedSearches};
use self::batch::{QueueBfs, Sizes, TransferInput, Unit};
use self::bitset_bfs::Bits;
use self::memory::{QueueMemory, Shape};
use crate::depth_matrix::{DepthFormat, DepthMatrix};
use crate::device_graph::DeviceGraph;
use crate::error::{Allocation, DataflowError};
use crate::output::Output;
use crate::preparation::PreparedGraph;
use crate::search::{Estimate, InPlaceSearch, Outcome, Search, SearchStrategy};
use crate::stages::Stage;
use crate::transfer::Transfer;

/// Maximum number of sources of a batch.
const MAX_BATCH_SOURCES: u64 = 4096;
/// Maximum number of concurrent searches on a GPU.
const MAX_GPU_SLOTS: u64 = 1024;

/// BFS from one source at a time.
pub(super) struct PerSource;

/// BFS from 32 sources at a time, with one bit for each source. It saves time only if the searches pass most nodes at the same
/// depth, which a sample does not show, so the engine never chooses it.
pub(super) struct Words;

impl SearchStrategy for PerSource {
    fn suits(&self, _: &Estimate) -> Option<&'static str> {
        Some("sampled searches have many levels, so sources reach most nodes at different depths")
    }

    fn in_place(&self) -> Option<&dyn InPlaceSearch> {
        Some(self)
    }

    fn search(
        &self,
        search: &Search<'_>,
        graph: PreparedGraph,
        output: &mut Output<'_>,
    ) -> Result<Outcome, DataflowError> {
        search_prepared(search, &graph, Unit::Source, output)
    }
}

impl InPlaceSearch for PerSource {
    fn search_in_place(&self, search: &Search<'_>, output: &mut Output<'_>) -> Result<Outcome, DataflowError> {
        search_whole(search, Unit::Source, None, output)?;
        Ok(Outcome::Complete)
    }
}

impl SearchStrategy for Words {
    fn suits(&self, _: &Estimate) -> Option<&'static str> {
        None
    }

    fn in_place(&self) -> Option<&dyn InPlaceSearch> {
        Some(self)
    }

    fn search(
        &self,
        search: &Search<'_>,
        graph: PreparedGraph,
        output: &mut Output<'_>,
    ) -> Result<Outcome, DataflowError> {
        search_prepared(search, &graph, Unit::Word(Bits::Sources), output)
    }
}

impl InPlaceSearch for Words {
    fn search_in_place(&self, search: &Search<'_>, output: &mut Output<'_>) -> Result<Outcome, DataflowError> {
        search_whole(search, Unit::Word(Bits::Sources), None, output)?;
        Ok(Outcome::Complete)
    }
}

/// Searches the loaded graph and evaluates a transfer function on each edge of each search.
pub(crate) fn search_with_transfer(
    search: &Search<'_>,
    transfer: &Transfer,
    output: &mut Output<'_>,
) -> Result<(), DataflowError> {
    let unit = if transfer.carries_facts() { Unit::Word(Bits::Facts) } else { Unit::Source };
    let metadata = transfer.metadata.words(search.graph());
    let input = TransferInput { transfer, metadata, by_edge: transfer.metadata.is_by_edge() };
    search_whole(search, unit, Some(input), output)
}

fn search_whole(
    search: &Search<'_>,
    unit: Unit,
    transfer: Option<TransferInput<'_>>,
    output: &mut Output<'_>,
) -> Result<(), DataflowError> {
    // Memory of other strategies is freed before the graph is uploaded.
    let kept = search.loaded.kept.take(|_: &QueueMemory| true);
    let whole = search.whole()?;
    let space = Space { graph: &whole.graph, new_ids: None, sinks: &whole.sinks, completion: None };
    let memory = search_batches(search, &space, unit, transfer, kept, output)?;
    // The memory of a CPU device is allocated in less time than a search takes, and other analyses may need it.
    if search.executor.uses_gpu_programs {
        search.loaded.kept.put(memory);
    }
    Ok(())
}

fn search_prepared(
    search: &Search<'_>,
    graph: &PreparedGraph,
    unit: Unit,
    output: &mut Output<'_>,
) -> Result<Outcome, DataflowError> {
    search.loaded.kept.clear();
    let device_graph = DeviceGraph::new(search.executor, graph.forward.view(), &graph.sinks)?;
    let sinks = graph.original_sinks();
    let space = Space { graph: &device_graph, new_ids: Some(&graph.new_ids), sinks: &sinks, completion: None };
    search_batches(search, &space, unit, None, None, output)?;
    Ok(Outcome::Complete)
}

/// Searches from one source at a time until the searches end at the access nodes of a region, and completes them.
pub(super) fn search_to_region(
    search: &Search<'_>,
    space: &Space<'_>,
    output: &mut Output<'_>,
) -> Result<(), DataflowError> {
    search_batches(search, space, Unit::Source, None, None, output)?;
    Ok(())
}

/// Graph of a search on the device.
pub(super) struct Space<'s> {
    pub(super) graph: &'s DeviceGraph,
    /// New id of each original node, if the graph was renumbered.
    pub(super) new_ids: Option<&'s [u32]>,
    /// Original ids of the sinks, ascending.
    pub(super) sinks: &'s [u32],
    /// Completion of searches that end at a region.
    pub(super) completion: Option<&'s dyn Completion>,
}

/// Searches from all starts in batches that fit the memory. Uses `kept` if it fits, and returns the memory that it used.
fn search_batches(
    search: &Search<'_>,
    space: &Space<'_>,
    unit: Unit,
    transfer: Option<TransferInput<'_>>,
    kept: Option<QueueMemory>,
    output: &mut Output<'_>,
) -> Result<QueueMemory, DataflowError> {
    let is_gpu = search.executor.uses_gpu_programs;
    let max_buffer = search.max_buffer_bytes();
    let sizes = Sizes::of(unit, space.graph, is_gpu);
    let (slot, row) = (4 * sizes.slot(), 4 * sizes.row);
    let largest = 4 * sizes.largest();
    let min_sources = unit.sources();
    let table = space.completion.map_or(0, Completion::bytes);
    DataflowError::check_fit(Allocation::Queue, largest, max_buffer)?;
    DataflowError::check_fit(Allocation::Search, table + slot + row * min_sources, search.memory)?;
    DataflowError::check_fit(Allocation::Depths, row * min_sources, max_buffer)?;
    // Half of the memory is for depths, or less if one search needs more than the other half; the rest is for concurrent searches.
    let count = search.starts.len() as u64;
    let memory = search.memory - table;
    let sources = (memory / 2).min(memory - slot).min(max_buffer).checked_div(row).unwrap_or(u64::MAX);
    let sources = (sources / min_sources * min_sources)
        .clamp(min_sources, MAX_BATCH_SOURCES)
        .min(count.next_multiple_of(min_sources));
    let max_slots =
        if is_gpu { MAX_GPU_SLOTS } else { std::thread::available_parallelism().map_or(1, usize::from) as u64 };
    let slots = ((memory - row * sources) / slot).min(max_buffer / largest).min((1 << 32) / (largest / 4).max(1));
    let slots = slots.clamp(1, max_slots).min(sources.div_ceil(min_sources));
    output.explain_batches(sources as usize, table + slot * slots + row * sources);
    let has_access = space.graph.access.is_some();
    let shape = Shape { unit, sizes, sources: sources as u32, slots: slots as u32, has_access };
    let bfs = QueueBfs::new(search.executor, space.graph, transfer, shape, kept)?;
    output.enter(Stage::Search);
    let format = if unit == Unit::Word(Bits::Facts) { DepthFormat::DepthAndFacts } else { DepthFormat::Depth };
    for batch in search.batches(sources as usize) {
        let starts = search.start_nodes(space.new_ids, batch.clone());
        let facts: Vec<u32> = search.starts.starts[batch.clone()].iter().map(|start| start.facts).collect();
        bfs.run(&starts, &facts, search.max_depth, space.completion)?;
        output.emit(batch, &DepthMatrix { depths: bfs.depths(), format, sinks: space.sinks })?;
    }
    Ok(bfs.into_memory())
}
