//! Multi-source shortest distances by label correction, for batches of up to 64 sources.
//!
//! Tentative distances decrease until no edge can decrease them further. A visit of a node relaxes its edges for all sources of
//! a batch, so sources whose searches pass a node together share its memory accesses. Chains are contracted first
//! ([`contraction`](super::contraction)), and a bucketed queue ([`queue`]) orders the visits. The strategy suits deep graphs of which the searches
//! reach a large part. Its cost depends on how often distances decrease; it gives up if the first batch needs too many visits.

mod buffers;
mod programs;
mod queue;
mod run;
#[cfg(test)]
mod tests;

use vyre_ir::spelling::counted;

use self::run::{BatchPlan, MultiSourceDistances};
use super::contraction::contract;
use crate::depth_matrix::{DepthFormat, DepthMatrix};
use crate::error::{Allocation, DataflowError};
use crate::output::Output;
use crate::preparation::PreparedGraph;
use crate::search::{Estimate, Outcome, Search, SearchStrategy};
use crate::stages::Stage;

/// Minimum number of sources for which contraction and batches pay.
const MIN_SOURCES: u64 = 32;
/// Cost of preparing an edge, in traversed edges.
const PREPARATION_COST: u64 = 16;
/// Cost of a visit with its distances, in visits of a BFS from one source.
const VISIT_COST: u64 = 8;
/// Maximum number of sources of a run.
const MAX_RUN_SOURCES: u64 = 1024;
/// Maximum number of batches that run at the same time.
const MAX_SLOTS: usize = 8;

/// The distances strategy.
pub(super) struct Distances;

impl SearchStrategy for Distances {
    fn suits(&self, estimate: &Estimate) -> Option<&'static str> {
        // The strategy stores distances of all nodes, so searches should reach a large part of them.
        let can_share = !estimate.uses_gpu_programs
            && 4 * estimate.sample.reached >= estimate.nodes
            && estimate.starts >= MIN_SOURCES;
        (can_share && estimate.traversed_edges() > PREPARATION_COST * estimate.edges)
            .then_some("sampled searches have many levels and reach a large part of the graph")
    }

    fn search(
        &self,
        search: &Search<'_>,
        graph: PreparedGraph,
        output: &mut Output<'_>,
    ) -> Result<Outcome, DataflowError> {
        let prepared_nodes = graph.node_count();
        let mut is_start = vec![false; search.graph().node_count()];
        search.starts.starts.iter().for_each(|start| is_start[start.node as usize] = true);
        let prepared = graph;
        let graph = contract(&prepared, |node| !search.can_contract || is_start[node as usize]);
        drop(prepared);
        search.executor.check_deadline()?;
        output.explanation.push(match search.can_contract {
            true => format!("contraction: {} of {} remain", graph.node_count(), counted(prepared_nodes, "node")),
            false => "contraction: none".to_owned(),
        });
        let device = search.executor.device();
        let slots = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_SLOTS) as u32;
        let row_bytes = 4 * graph.sinks.len() as u64;
        let max_buffer = search.max_buffer_bytes();
        let sources = ((search.memory / 4).min(max_buffer) / row_bytes.max(1)).clamp(1, MAX_RUN_SOURCES);
        let sources = sources.min(search.starts.len() as u64);
        let fits = row_bytes <= max_buffer && 8 * graph.targets.len() as u64 <= max_buffer;
        // Depths of fewer sources at a time need less memory.
        let mut counts = std::iter::successors(Some(sources), |&count| (count > 1).then_some(count / 2));
        let plan = counts.find_map(|count| {
            let plan = BatchPlan::largest_fitting(&**device, &graph, count, slots, search.memory)?;
            Some((plan, count))
        });
        let Some((plan, sources)) = plan.filter(|_| fits) else {
            if !search.is_requested {
                return Ok(Outcome::GaveUp("the distances do not fit the memory"));
            }
            let smallest = BatchPlan { components_each: 1, ..BatchPlan::default() };
            let needed = MultiSourceDistances::bytes(&graph, smallest, 1);
            return Err(DataflowError::DoesNotFit { allocation: Allocation::Distances, needed, limit: search.memory });
        };
        output.explain_batches(sources as usize, MultiSourceDistances::bytes(&graph, plan, sources));
        let distances = MultiSourceDistances::new(search.executor, &graph, plan, sources as u32)?;
        let sinks = graph.original_sinks();
        let mut visits = 0;
        output.enter(Stage::Search);
        for batch in search.batches(sources as usize) {
            let starts = search.start_nodes(Some(&graph.new_ids), batch.clone());
            let max_visits = match search.reached {
                Some(reached) if batch.start == 0 => batch.len() as u64 * reached / VISIT_COST,
                _ => u64::MAX,
            };
            let Some(counts) = distances.run(&starts, search.max_depth, max_visits)? else {
                return Ok(Outcome::GaveUp("distances decreased too often"));
            };
            visits += counts.visits;
            let matrix = DepthMatrix { depths: distances.depths(), format: DepthFormat::Depth, sinks: &sinks };
            output.emit(batch, &matrix)?;
        }
        output.explanation.push(format!("visits: {visits} of nodes, for {}", counted(search.starts.len(), "source")));
        Ok(Outcome::Complete)
    }
}
