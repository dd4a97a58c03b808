//! One BFS for each source up to a region that most searches share, and a table of the distances within the region.
//!
//! The idea of transit-node routing (Bast et al., 2007): searches enter a common part of the graph at *access nodes*, and a
//! table has the distance from each access node to each sink of that part. A search ends at the access nodes. The depth of a sink
//! in the region is the minimum, over the access nodes that the search reaches, of the depth of the access node plus the
//! distance in the table. No path leaves the region, so these are the depths of a complete search.
//!
//! The strategy suits many programs that call into one library. It saves the part of each search that lies in the region. The
//! table costs a sweep of the region for each 64 of its sinks, so the strategy needs many sources and few sinks in the region; it
//! gives up otherwise.

mod completion;
mod region;
mod table;
#[cfg(test)]
mod tests;

use vyre_graph::{CsrView, role_of};
use vyre_ir::spelling::counted;

use self::completion::TableCompletion;
pub(crate) use self::region::REGION_SEARCHES;
use self::region::Region;
pub(crate) use self::table::SWEPT_SINKS;
use self::table::{SweepLimits, TableOutcome, distance_table};
use super::per_source::{Space, search_to_region};
use crate::device_graph::{AccessNodes, DeviceGraph};
use crate::error::{Allocation, DataflowError};
use crate::output::Output;
use crate::preparation::{DROPPED, NodeOrder, PreparedGraph};
use crate::sample::Sample;
use crate::search::{Estimate, InPlaceSearch, Outcome, Preparation, Pruning, Search, SearchStrategy};
use crate::stages::Stage;

/// Minimum number of sources for which a table can pay.
const MIN_SOURCES: u64 = 128;
/// Cost of finding the region and its access nodes, for each edge of the graph, in traversed edges.
const PREPARATION_COST: u64 = 8;
/// Cost of sweeping the region once for a group of sinks, in searches of the region.
pub(crate) const SWEEP_COST: usize = 16;
/// Maximum mean number of visits of a node in the sweeps for a group of sinks.
const MAX_VISITS: u64 = 64;

/// The strategy of a shared region.
pub(super) struct SharedRegion;

impl SearchStrategy for SharedRegion {
    fn suits(&self, estimate: &Estimate) -> Option<&'static str> {
        let Sample { sources, complete, reached, shared, .. } = estimate.sample;
        let is_shared = complete == sources && 2 * shared >= reached;
        let pays = estimate.traversed_edges() > PREPARATION_COST * estimate.edges;
        (is_shared && pays && estimate.starts >= MIN_SOURCES && !estimate.uses_gpu_programs)
            .then_some("sampled searches have many levels and share most of the nodes that they reach")
    }

    fn preparation(&self) -> Preparation {
        // The region is pruned; the rest of a search is too short to pay for pruning the graph.
        Preparation { order: NodeOrder::Original, pruning: Pruning::Never }
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
        let original_sinks = graph.original_sinks();
        let graph = SearchedGraph {
            view: graph.forward.view(),
            new_ids: Some(&graph.new_ids),
            sinks: &graph.sinks,
            original_sinks: &original_sinks,
        };
        graph.search(search, output)
    }
}

impl InPlaceSearch for SharedRegion {
    fn search_in_place(&self, search: &Search<'_>, output: &mut Output<'_>) -> Result<Outcome, DataflowError> {
        let view = search.graph();
        let is_sink = |&node: &u32| role_of(view.node_data[node as usize]).is_sink();
        let sinks: Vec<u32> = (0..view.node_count() as u32).filter(is_sink).collect();
        SearchedGraph { view, new_ids: None, sinks: &sinks, original_sinks: &sinks }.search(search, output)
    }
}

/// A graph in which the strategy searches.
struct SearchedGraph<'g> {
    view: CsrView<'g>,
    /// New id of each original node, if the graph was renumbered.
    new_ids: Option<&'g [u32]>,
    /// Ids of the sinks, ascending.
    sinks: &'g [u32],
    /// Original ids of the sinks, ascending.
    original_sinks: &'g [u32],
}

impl SearchedGraph<'_> {
    fn search(&self, search: &Search<'_>, output: &mut Output<'_>) -> Result<Outcome, DataflowError> {
        let SearchedGraph { view, new_ids, sinks, original_sinks } = *self;
        let executor = search.executor;
        output.enter(Stage::Prepare);
        let mut starts = search.start_nodes(new_ids, 0..search.starts.len());
        starts.retain(|&start| start != DROPPED);
        let region = Region::new(view, &starts, sinks);
        executor.check_deadline()?;
        let groups = region.columns.len().div_ceil(SWEPT_SINKS);
        output.explanation.push(format!(
            "region: {} with {} and {}",
            counted(region.nodes.len(), "node"),
            counted(region.columns.len(), "sink"),
            counted(region.access.len(), "access node"),
        ));
        if !search.is_requested && starts.len() < SWEEP_COST * groups {
            return Ok(Outcome::GaveUp("the region that searches share has too many sinks for the number of sources"));
        }
        let table_bytes = region.table_bytes();
        if table_bytes > search.memory.min(search.max_buffer_bytes()) {
            if !search.is_requested {
                return Ok(Outcome::GaveUp("the distance table does not fit the memory"));
            }
            let limit = search.memory.min(search.max_buffer_bytes());
            return Err(DataflowError::DoesNotFit { allocation: Allocation::Distances, needed: table_bytes, limit });
        }
        let limits = SweepLimits {
            visits: if search.is_requested { u64::MAX } else { MAX_VISITS * region.graph.node_count() as u64 },
            memory: search.memory - table_bytes,
        };
        let table = match distance_table(&region.graph, &region.rows, limits, || executor.check_deadline())? {
            TableOutcome::Complete(table) => table,
            TableOutcome::TooManyVisits => {
                return Ok(Outcome::GaveUp("distances in the region decreased too often"));
            }
            TableOutcome::DoesNotFit(_) if !search.is_requested => {
                return Ok(Outcome::GaveUp("the distance table does not fit the memory"));
            }
            TableOutcome::DoesNotFit(bytes) => {
                let (allocation, needed) = (Allocation::Distances, table_bytes + bytes);
                return Err(DataflowError::DoesNotFit { allocation, needed, limit: search.memory });
            }
        };
        let rows = counted(region.rows.len(), "row");
        output.explanation.push(format!("distance table: {rows}, {} MiB", table_bytes.div_ceil(1 << 20)));
        output.enter(Stage::Load);
        let access = AccessNodes { region: &region.nodes, nodes: &region.access, records: &region.records };
        let graph = DeviceGraph::with_access(executor, view, sinks, Some(&access))?;
        let completion = TableCompletion::new(executor, &table, region.rows.len(), &region.columns)?;
        let space = Space { graph: &graph, new_ids, sinks: original_sinks, completion: Some(&completion) };
        match search_to_region(search, &space, output) {
            // The check precedes all batches, so nothing is emitted.
            Err(DataflowError::DoesNotFit { .. }) if !search.is_requested => {
                Ok(Outcome::GaveUp("the distance table and a search do not fit the memory"))
            }
            result => result.map(|()| Outcome::Complete),
        }
    }
}
