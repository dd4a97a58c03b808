//! Device state and host loop of the distances strategy.

use vyre_ir::{OpTable, Program};
use vyre_runtime::{Bindings, Buffer, Command, CommandList, Device, Error, Pipeline};

use super::buffers::{UNREACHED, params, state};
use super::programs;
use super::queue::LISTS;
use crate::error::{Allocation, DataflowError};
use crate::executor::Executor;
use crate::preparation::DROPPED;
use crate::search::MAX_BUFFER_WORDS;
use crate::strategies::contraction::ContractedGraph;
use crate::strategies::vectors::Shape;

/// Number of invocations of a workgroup: they form one SIMD vector of a CPU.
const INVOCATIONS: u32 = 4;
/// Maximum number of components of a distance vector that an invocation owns.
const MAX_COMPONENTS_EACH: u32 = 16;
/// Number of workgroups of programs that process all vectors.
const WORKGROUPS: u32 = 256;
/// Maximum number of visits of a batch in one dispatch on a GPU, which limits the time of the dispatch.
const MAX_GPU_VISITS: u32 = 1 << 12;

/// Plan of a run. It changes the time, not the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BatchPlan {
    /// Number of components of a distance vector that each of the four invocations of a workgroup owns. A batch has four times
    /// as many sources.
    pub(crate) components_each: u32,
    /// Number of batches that run at the same time.
    pub(crate) slots: u32,
    /// Log2 of the number of nodes of a bucket. The nodes of a bucket are visited together, so their vectors should fit a cache.
    pub(crate) bucket_shift: u32,
    /// Maximum difference of distances that are processed together.
    pub(crate) window: u32,
    /// Maximum number of visits of a batch in one dispatch.
    pub(crate) visits: u32,
}

impl Default for BatchPlan {
    fn default() -> BatchPlan {
        BatchPlan { components_each: MAX_COMPONENTS_EACH, slots: 1, bucket_shift: 12, window: 64, visits: 1 << 18 }
    }
}

impl BatchPlan {
    /// Plan with the largest batches, then the most concurrent batches up to `slots`, for which
    /// [`MultiSourceDistances::bytes`] is at most `memory` and no buffer exceeds the limits of the device. None if nothing fits.
    pub(crate) fn largest_fitting(
        device: &dyn Device,
        graph: &ContractedGraph,
        sources: u64,
        slots: u32,
        memory: u64,
    ) -> Option<BatchPlan> {
        let max_words = (device.limits().buffer_bytes / 4).min(u64::from(MAX_BUFFER_WORDS));
        let fits = |plan: BatchPlan| {
            let words = u64::from(plan.sources()) * graph.node_count() as u64;
            words <= max_words && MultiSourceDistances::bytes(graph, plan, sources) <= memory
        };
        let invocations = u64::from(INVOCATIONS);
        let needed = sources.div_ceil(invocations).next_power_of_two().min(u64::from(MAX_COMPONENTS_EACH)) as u32;
        let sizes = std::iter::successors(Some(needed), |&components| (components > 1).then_some(components / 2));
        let visits = if device.is_throughput_oriented() { MAX_GPU_VISITS } else { BatchPlan::default().visits };
        let plans = sizes.map(|components_each| BatchPlan { components_each, visits, ..BatchPlan::default() });
        let batch = plans.into_iter().find(|&plan| fits(plan))?;
        let useful = sources.div_ceil(u64::from(batch.sources())).clamp(1, u64::from(slots.max(1))) as u32;
        (1..=useful).rev().map(|slots| BatchPlan { slots, ..batch }).find(|&plan| fits(plan))
    }

    fn shape(self) -> Shape {
        Shape { invocations: INVOCATIONS, components_each: self.components_each }
    }

    /// Number of sources of all concurrent batches.
    pub(crate) fn sources(self) -> u32 {
        self.shape().components() * self.slots
    }

    /// Number of buckets.
    fn buckets(self, nodes: u32) -> u32 {
        (nodes >> self.bucket_shift) + 1
    }
}

/// Work of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct VisitCounts {
    /// Number of visits of nodes.
    pub(crate) visits: u64,
    /// Number of batches.
    pub(crate) batches: u64,
}

/// The graph and the distance vectors on a device.
pub(crate) struct MultiSourceDistances<'e> {
    executor: &'e Executor,
    plan: BatchPlan,
    nodes: u32,
    params: Buffer,
    starts: Buffer,
    state: Buffer,
    depths: Buffer,
    /// Initialises the batches.
    begin: CommandList,
    /// Visits nodes, up to the maximum number of visits of a dispatch.
    visit: CommandList,
    /// Writes the depths.
    end: CommandList,
}

impl<'e> MultiSourceDistances<'e> {
    /// Device memory of a run of `sources` sources in bytes.
    pub(crate) fn bytes(graph: &ContractedGraph, plan: BatchPlan, sources: u64) -> u64 {
        let nodes = graph.node_count() as u64;
        let shared = nodes + 2 * graph.targets.len() as u64 + sources * graph.sinks.len() as u64;
        4 * (shared + u64::from(plan.slots) * nodes * u64::from(plan.shape().components() + 2))
    }

    /// Uploads a graph, allocates the vectors for runs of up to `sources` sources and compiles the programs.
    pub(crate) fn new(
        executor: &'e Executor,
        graph: &ContractedGraph,
        plan: BatchPlan,
        sources: u32,
    ) -> Result<MultiSourceDistances<'e>, DataflowError> {
        // A shortest path has fewer edges than the graph has nodes.
        if graph.new_ids.len() >= UNREACHED as usize {
            return Err(does_not_fit(graph.new_ids.len() as u64, UNREACHED));
        }
        let shape = plan.shape();
        let nodes = graph.node_count() as u32;
        let slots = u64::from(plan.slots);
        let buckets = plan.buckets(nodes);
        let words = slots * u64::from(nodes) * u64::from(shape.components());
        if words > u64::from(MAX_BUFFER_WORDS) {
            return Err(does_not_fit(words, MAX_BUFFER_WORDS));
        }
        let edges: Vec<u32> =
            graph.targets.iter().zip(&graph.weights).flat_map(|(&target, &weight)| [target, weight]).collect();
        let params = executor.zeros(params::WORDS as u64)?;
        let starts = executor.zeros(u64::from(plan.sources()))?;
        let offsets = executor.words(&graph.offsets)?;
        let edges = executor.words(&edges)?;
        let sinks = executor.words(&graph.sinks)?;
        let distances = executor.zeros(words)?;
        let queued = executor.zeros(slots * u64::from(nodes) * 2)?;
        let lists = executor.zeros(slots * u64::from(LISTS + 2 * buckets))?;
        let state = executor.zeros(slots * u64::from(state::WORDS))?;
        let depths = executor.zeros(u64::from(sources) * graph.sinks.len() as u64)?;

        let table = OpTable::default();
        let pipeline = |name: &str, program: &dyn Fn() -> Program| -> Result<Pipeline, DataflowError> {
            Ok(executor.pipeline(format!("distances.{name}.{shape:?}"), &table, program)?)
        };
        let each = [plan.slots, 1, 1];
        let mut begin = CommandList::new();
        begin.push(Command::fill_all(&lists, 0xff));
        let cleared = Bindings::in_order([&params, &offsets, &distances, &queued]);
        begin.dispatch(&pipeline("clear", &programs::clear)?, &cleared, [WORKGROUPS, 1, 1]);
        let seeded = Bindings::in_order([&params, &starts, &distances, &queued, &lists]);
        begin.dispatch(&pipeline("seed", &|| programs::seed(shape))?, &seeded, each);
        let mut visit = CommandList::new();
        let visited = Bindings::in_order([&params, &offsets, &edges, &distances, &queued, &lists, &state]);
        visit.dispatch(&pipeline("visit", &|| programs::visit(shape))?, &visited, each);
        let mut end = CommandList::new();
        let harvested = Bindings::in_order([&params, &sinks, &distances, &depths]);
        end.dispatch(&pipeline("harvest", &|| programs::harvest(shape))?, &harvested, [WORKGROUPS, 1, 1]);
        Ok(MultiSourceDistances { executor, plan, nodes, params, starts, state, depths, begin, visit, end })
    }

    /// Computes the distances of all sinks from these nodes, one for each source, and fills
    /// [`depths`](MultiSourceDistances::depths). Sources whose node was removed reach nothing. Sources should be in ascending
    /// order of their nodes, so that those of a batch are close together. Returns None if the run exceeds `max_visits`.
    pub(crate) fn run(
        &self,
        starts: &[u32],
        max_depth: u32,
        max_visits: u64,
    ) -> Result<Option<VisitCounts>, DataflowError> {
        let (executor, plan) = (self.executor, self.plan);
        let buckets = plan.buckets(self.nodes);
        let list_shift = plan.window.min(UNREACHED).div_ceil(LISTS).next_power_of_two().ilog2();
        let mut total = VisitCounts::default();
        for (group, starts) in starts.chunks(plan.sources() as usize).enumerate() {
            let mut words = [0; params::WORDS];
            for (at, word) in [
                (params::NODES, self.nodes),
                (params::BUCKETS, buckets),
                (params::BUCKET_SHIFT, plan.bucket_shift),
                (params::WINDOW, plan.window.min(UNREACHED)),
                (params::LIST_SHIFT, list_shift),
                (params::MAX_DEPTH, max_depth.min(UNREACHED - 1)),
                (params::VISITS, plan.visits),
                (params::FIRST, group as u32 * plan.sources()),
                (params::SOURCES, starts.len() as u32),
            ] {
                words[at as usize] = word;
            }
            executor.write(&self.params, &words)?;
            let mut padded = starts.to_vec();
            padded.resize(plan.sources() as usize, DROPPED);
            executor.write(&self.starts, &padded)?;
            let mut fresh = [0; state::WORDS as usize];
            fresh[state::STEP as usize] = 1;
            fresh[state::LIMIT as usize] = plan.window;
            executor.write(&self.state, &fresh.repeat(plan.slots as usize))?;
            executor.run(&self.begin)?;
            total.batches += starts.chunks(plan.shape().components() as usize).len() as u64;
            let before = total.visits;
            let mut last = None;
            loop {
                executor.run(&self.visit)?;
                let now = executor.read(&self.state)?;
                let (slots, _) = now.as_chunks::<{ state::WORDS as usize }>();
                total.visits = before + slots.iter().map(|slot| u64::from(slot[state::VISITS as usize])).sum::<u64>();
                if slots.iter().all(|slot| slot[state::IS_DONE as usize] != 0) {
                    break;
                }
                if total.visits > max_visits {
                    return Ok(None);
                }
                if last.replace(total.visits) == Some(total.visits) {
                    let what = "a search by distances has neither progress nor an end";
                    return Err(DataflowError::Device(Error::InconsistentResult { what }));
                }
            }
            executor.run(&self.end)?;
        }
        Ok(Some(total))
    }

    /// Depth matrix of the last run.
    pub(crate) fn depths(&self) -> &Buffer {
        &self.depths
    }
}

fn does_not_fit(words: u64, max_words: u32) -> DataflowError {
    let allocation = Allocation::Distances;
    DataflowError::DoesNotFit { allocation, needed: words * 4, limit: u64::from(max_words) * 4 }
}
