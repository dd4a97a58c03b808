//! The distance path: the distances of all nodes from the sources of a batch, made smaller until they are right. It suits graphs
//! whose ways are long, where few nodes are new in a level.

mod program;
mod queue;
#[cfg(test)]
mod tests;

use vyre_ir::{OpTable, Program};
use vyre_runtime::{Bindings, Buffer, Command, CommandList, Device, Pipeline};

use self::program::{FAR, MOST_WORDS, Shape, params, state};
use self::queue::LISTS;
use super::contract::Contracted;
use super::error::DataflowError;
use super::prepare::DROPPED;
use super::runner::Runner;

/// The lanes of a workgroup: four are one vector of a CPU.
const LANES: u32 = 4;
/// The most words of a row that a lane has.
const MOST_PER_LANE: u32 = 16;

/// How the work is laid out. It changes how long it takes, not what is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// How many words of a row each of the four lanes of a workgroup has: a batch has four times as many sources.
    pub(crate) per_lane: u32,
    /// How many batches are worked on side by side.
    pub(crate) slots: u32,
    /// Nodes are in buckets of so many, as a power of two. Those of a bucket are visited together, while they are in a cache.
    pub(crate) bucket_shift: u32,
    /// Nodes at distances that are so far apart at most are visited before those further away.
    pub(crate) window: u32,
    /// The most visits of a batch in one dispatch. A GPU must not be busy for too long, and the host wants to hear how it goes.
    pub(crate) visits: u32,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout { per_lane: MOST_PER_LANE, slots: 1, bucket_shift: 12, window: 64, visits: 1 << 18 }
    }
}

impl Layout {
    /// The largest batches, and then the most of them side by side up to `slots`, for which [`Distances::bytes`] is at most
    /// `memory` and no buffer is beyond the limits of the device.
    pub(crate) fn fitting(
        device: &dyn Device,
        graph: &Contracted,
        sources: u64,
        slots: u32,
        memory: u64,
    ) -> Option<Layout> {
        let words = (device.limits().buffer_bytes / 4).min(u64::from(MOST_WORDS));
        let fits = |layout: Layout| {
            let rows = u64::from(layout.sources()) * graph.node_count() as u64;
            rows <= words && Distances::bytes(graph, layout, sources) <= memory
        };
        let needed = sources.div_ceil(u64::from(LANES)).next_power_of_two().min(u64::from(MOST_PER_LANE)) as u32;
        let per_lane = std::iter::successors(Some(needed), |&words| (words > 1).then_some(words / 2));
        let visits = if device.is_throughput_oriented() { 1 << 12 } else { Layout::default().visits };
        let batch = per_lane.map(|per_lane| Layout { per_lane, visits, ..Layout::default() });
        let batch = batch.into_iter().find(|&layout| fits(layout))?;
        let useful = sources.div_ceil(u64::from(batch.sources())).clamp(1, u64::from(slots.max(1))) as u32;
        (1..=useful).rev().map(|slots| Layout { slots, ..batch }).find(|&layout| fits(layout))
    }

    fn shape(self) -> Shape {
        Shape { lanes: LANES, per_lane: self.per_lane }
    }

    /// How many sources are worked on side by side.
    pub(crate) fn sources(self) -> u32 {
        self.shape().words() * self.slots
    }
}

/// How a run went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Visited {
    /// How many visits of nodes there were.
    pub(crate) visits: u64,
    /// How many batches.
    pub(crate) batches: u64,
}

/// The graph and the rows on a device.
pub(crate) struct Distances<'e> {
    bench: &'e Runner,
    layout: Layout,
    nodes: u32,
    params: Buffer,
    starts: Buffer,
    state: Buffer,
    depths: Buffer,
    /// What begins a batch, goes on with it, and ends it.
    begin: CommandList,
    go_on: CommandList,
    end: CommandList,
}

/// How many workgroups share what is done to all rows.
const WORKGROUPS: u32 = 256;

impl<'e> Distances<'e> {
    /// How many bytes this takes for so many sources.
    pub(crate) fn bytes(graph: &Contracted, layout: Layout, sources: u64) -> u64 {
        let nodes = graph.node_count() as u64;
        let shared = nodes + 2 * graph.targets.len() as u64 + sources * graph.sinks.len() as u64;
        4 * (shared + u64::from(layout.slots) * nodes * u64::from(layout.shape().words() + 2))
    }

    /// Makes room for runs of up to `sources` sources.
    pub(crate) fn new(
        bench: &'e Runner,
        graph: &Contracted,
        layout: Layout,
        sources: u32,
    ) -> Result<Distances<'e>, DataflowError> {
        // Ways are shorter than there are nodes.
        if graph.place.len() >= FAR as usize {
            return Err(does_not_fit(graph.place.len() as u64, FAR));
        }
        let shape = layout.shape();
        let nodes = graph.node_count() as u32;
        let slots = u64::from(layout.slots);
        let buckets = buckets(nodes, layout);
        let words = slots * u64::from(nodes) * u64::from(shape.words());
        if words > u64::from(MOST_WORDS) {
            return Err(does_not_fit(words, MOST_WORDS));
        }
        let ways: Vec<u32> =
            graph.targets.iter().zip(&graph.weights).flat_map(|(&end, &length)| [end, length]).collect();
        let params = bench.zeros(params::WORDS as u64)?;
        let starts = bench.zeros(u64::from(layout.sources()))?;
        let offsets = bench.words(&graph.offsets)?;
        let ways = bench.words(&ways)?;
        let sinks = bench.words(&graph.sinks)?;
        let rows = bench.zeros(words)?;
        let waiting = bench.zeros(slots * u64::from(nodes) * 2)?;
        let lists = bench.zeros(slots * u64::from(LISTS + 2 * buckets))?;
        let state = bench.zeros(slots * u64::from(state::WORDS))?;
        let depths = bench.zeros(u64::from(sources) * graph.sinks.len() as u64)?;

        let table = OpTable::default();
        let pipeline = |name: &str, program: &dyn Fn() -> Program| -> Result<Pipeline, DataflowError> {
            Ok(bench.pipeline(format!("distances.{name}.{shape:?}"), &table, program)?)
        };
        let each = [layout.slots, 1, 1];
        let mut begin = CommandList::new();
        begin.push(Command::fill_all(&lists, 0xff));
        let cleared = Bindings::in_order([&params, &offsets, &rows, &waiting]);
        begin.dispatch(&pipeline("clear", &program::clear)?, &cleared, [WORKGROUPS, 1, 1]);
        let seeded = Bindings::in_order([&params, &starts, &rows, &waiting, &lists]);
        begin.dispatch(&pipeline("seed", &|| program::seed(shape))?, &seeded, each);
        let mut go_on = CommandList::new();
        let visited = Bindings::in_order([&params, &offsets, &ways, &rows, &waiting, &lists, &state]);
        go_on.dispatch(&pipeline("visit", &|| program::visit(shape))?, &visited, each);
        let mut end = CommandList::new();
        let harvested = Bindings::in_order([&params, &sinks, &rows, &depths]);
        end.dispatch(&pipeline("harvest", &|| program::harvest(shape))?, &harvested, [WORKGROUPS, 1, 1]);
        Ok(Distances { bench, layout, nodes, params, starts, state, depths, begin, go_on, end })
    }

    /// Computes the distances of all sinks from these nodes, one for each source; sources that were dropped find nothing. The
    /// depths are then in [`depths`](Distances::depths). Sources should be in the order of their nodes, so that those of a batch
    /// are near each other. There is no result where more than `most_visits` visits are needed.
    pub(crate) fn run(
        &self,
        starts: &[u32],
        max_depth: u32,
        most_visits: u64,
    ) -> Result<Option<Visited>, DataflowError> {
        let (bench, layout) = (self.bench, self.layout);
        let buckets = buckets(self.nodes, layout);
        let list_shift = layout.window.min(FAR).div_ceil(LISTS).next_power_of_two().ilog2();
        let mut all = Visited::default();
        for (group, starts) in starts.chunks(layout.sources() as usize).enumerate() {
            let mut words = [0; params::WORDS];
            for (at, word) in [
                (params::NODES, self.nodes),
                (params::BUCKETS, buckets),
                (params::BUCKET_SHIFT, layout.bucket_shift),
                (params::WINDOW, layout.window.min(FAR)),
                (params::LIST_SHIFT, list_shift),
                (params::MAX_DEPTH, max_depth.min(FAR - 1)),
                (params::VISITS, layout.visits),
                (params::FIRST, group as u32 * layout.sources()),
                (params::SOURCES, starts.len() as u32),
            ] {
                words[at as usize] = word;
            }
            bench.write(&self.params, &words)?;
            let mut padded = starts.to_vec();
            padded.resize(layout.sources() as usize, DROPPED);
            bench.write(&self.starts, &padded)?;
            let mut fresh = [0; state::WORDS as usize];
            fresh[state::STEP as usize] = 1;
            fresh[state::LIMIT as usize] = layout.window;
            bench.write(&self.state, &fresh.repeat(layout.slots as usize))?;
            bench.run(&self.begin)?;
            all.batches += starts.chunks(layout.shape().words() as usize).len() as u64;
            let before = all.visits;
            loop {
                bench.run(&self.go_on)?;
                let now = bench.read(&self.state)?;
                let (slots, _) = now.as_chunks::<{ state::WORDS as usize }>();
                all.visits = before + slots.iter().map(|slot| u64::from(slot[state::VISITS as usize])).sum::<u64>();
                if slots.iter().all(|slot| slot[state::IS_DONE as usize] != 0) {
                    break;
                }
                if all.visits > most_visits {
                    return Ok(None);
                }
            }
            bench.run(&self.end)?;
        }
        Ok(Some(all))
    }

    /// For each source and each sink the depth at which it was reached, or 0.
    pub(crate) fn depths(&self) -> &Buffer {
        &self.depths
    }
}

fn does_not_fit(words: u64, limit: u32) -> DataflowError {
    DataflowError::DoesNotFit { what: "the distances", wanted: words * 4, limit: u64::from(limit) * 4 }
}

fn buckets(nodes: u32, layout: Layout) -> u32 {
    (nodes >> layout.bucket_shift) + 1
}
