//! Multi-source BFS with bit-parallel frontiers (Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal",
//! VLDB 2014), with dense and sparse levels (Beamer et al., "Direction-Optimizing Breadth-First Search", SC 2012).
//!
//! A batch of up to 1,024 sources advances level by level. A node has one bit for each source, so one operation on a word
//! advances 32 sources. The cost of a dense level does not depend on the number of sources that are active at a node, so the
//! strategy suits graphs with few levels. It gives up if the first batch has more than [`MAX_LEVELS`] levels.

mod batch;
mod programs;

use vyre_memory::join;

use self::batch::{MAX_WORDS, MultiSourceBfs};
use crate::depth_matrix::{DepthFormat, DepthMatrix};
use crate::device_preparation::{self, DevicePrepared, prepare_on_device};
use crate::error::{Allocation, DataflowError};
use crate::output::Output;
use crate::preparation::{NodeOrder, PreparedGraph};
use crate::search::{DeviceSearch, Estimate, Levels, Outcome, Preparation, Pruning, Search, SearchStrategy};
use crate::stages::Stage;

/// Maximum number of levels of the first batch, unless the caller requested the strategy.
const MAX_LEVELS: u32 = 256;

/// The bit-parallel strategy.
pub(super) struct BitParallel;

impl SearchStrategy for BitParallel {
    fn suits(&self, estimate: &Estimate) -> Option<&'static str> {
        estimate.sample.is_shallow().then_some("sampled searches have few levels")
    }

    fn preparation(&self) -> Preparation {
        Preparation { order: NodeOrder::ByInDegree, pruning: Pruning::Always }
    }

    fn compile(&self, search: &Search<'_>) -> Result<(), DataflowError> {
        MultiSourceBfs::compile(search.executor, wanted_words(search), search.levels)
    }

    fn search(
        &self,
        search: &Search<'_>,
        graph: PreparedGraph,
        output: &mut Output<'_>,
    ) -> Result<Outcome, DataflowError> {
        let uploaded = DevicePrepared::upload(search.executor, graph)?;
        search_batches(search, &uploaded, None, output)
    }

    fn on_device(&self) -> Option<&dyn DeviceSearch> {
        Some(self)
    }
}

impl DeviceSearch for BitParallel {
    fn search_on_device(
        &self,
        search: &Search<'_>,
        passes: Option<&[u32]>,
        prunes: bool,
        output: &mut Output<'_>,
    ) -> Result<Option<Outcome>, DataflowError> {
        let executor = search.executor;
        let mut filtered = None;
        if passes.is_some() || !search.loaded.is_prepared_on_device(prunes) {
            let compile = || {
                device_preparation::compile(executor, prunes, passes.is_some())?;
                self.compile(search)
            };
            // Compilers block threads.
            // The preparation needs the kept memory, so both branches take it.
            let (compiled, prepared) = join(compile, || match passes {
                None => search.loaded.prepared_on_device(executor, prunes).map(|_| None),
                Some(_) => {
                    let uploaded = search.loaded.take_uploaded();
                    prepare_on_device(executor, search.graph(), uploaded, passes, prunes)
                }
            });
            compiled?;
            filtered = prepared?;
        }
        let prepared = match passes {
            None => search.loaded.prepared_on_device(executor, prunes)?,
            Some(_) => filtered.as_ref(),
        };
        let Some(prepared) = prepared else {
            let reason = "many levels lead backward from the sinks, or the memory of the device is too small";
            output.explanation.push(format!("preparation: on the host, because {reason}"));
            return Ok(None);
        };
        output.explanation.push("preparation: on the device");
        let kept = [prepared.nodes as usize, prepared.edges as usize];
        output.explain_pruning(prunes.then_some(kept), search.graph(), prepared.original_sinks.len());
        executor.check_deadline()?;
        output.enter(Stage::Load);
        let prepared_by = passes.is_none().then_some(prunes);
        search_batches(search, prepared, prepared_by, output).map(Some)
    }
}

/// Working memory of a search on a GPU, kept for a later search of the same shape.
struct KeptBatch {
    bfs: MultiSourceBfs,
    prunes: bool,
    words: u32,
    levels: Option<Levels>,
}

/// Searches from all starts in batches that fit the memory. The working memory is kept if the graph is, which was prepared on the
/// device with or without pruning.
fn search_batches(
    search: &Search<'_>,
    graph: &DevicePrepared,
    prunes: Option<bool>,
    output: &mut Output<'_>,
) -> Result<Outcome, DataflowError> {
    let max_buffer = search.max_buffer_bytes();
    let mut words = wanted_words(search);
    while words > 1 && !MultiSourceBfs::sizes(graph, words).fit(search.memory, max_buffer) {
        words /= 2;
    }
    let sizes = MultiSourceBfs::sizes(graph, words);
    if !search.is_requested && !sizes.fit(search.memory, max_buffer) {
        return Ok(Outcome::GaveUp("the frontiers do not fit the memory"));
    }
    DataflowError::check_fit(Allocation::Frontiers, sizes.total, search.memory)?;
    DataflowError::check_fit(Allocation::Frontiers, sizes.largest, max_buffer)?;
    let per_batch = words as usize * 32;
    output.explain_batches(per_batch, sizes.total);
    let (kept, levels) = (&search.loaded.kept, search.levels);
    let fits = |kept: &KeptBatch| Some(kept.prunes) == prunes && kept.words == words && kept.levels == levels;
    let bfs = match kept.take(fits) {
        Some(KeptBatch { bfs, .. }) => bfs,
        None => MultiSourceBfs::new(search.executor, graph, words, levels)?,
    };
    let (mut dense, mut sparse) = (0, 0);
    output.enter(Stage::Search);
    for batch in search.batches(per_batch) {
        let starts = search.start_nodes(None, batch.clone());
        let max_levels = if search.is_requested || batch.start > 0 { u32::MAX } else { MAX_LEVELS };
        let Some(levels) = bfs.run(search.executor, &starts, search.max_depth, max_levels)? else {
            return Ok(Outcome::GaveUp("searches have more levels than the sample shows"));
        };
        dense += levels.dense;
        sparse += levels.sparse;
        output.emit(
            batch,
            &DepthMatrix { depths: bfs.depths(), format: DepthFormat::Depth, sinks: &graph.original_sinks },
        )?;
    }
    output.explanation.push(format!("levels: {dense} dense, {sparse} sparse"));
    if let Some(prunes) = prunes {
        kept.put(KeptBatch { bfs, prunes, words, levels });
    }
    Ok(Outcome::Complete)
}

/// Number of words of a source set that holds all sources, if the memory suffices.
fn wanted_words(search: &Search<'_>) -> u32 {
    (search.starts.len().div_ceil(32) as u32).next_power_of_two().min(MAX_WORDS)
}
