//! Device state and host loop of the bit-parallel multi-source BFS.

use vyre_ir::OpTable;
use vyre_memory::map_on_threads;
use vyre_runtime::{Bindings, Buffer, Command, CommandList, Error, Pipeline};

use super::programs::{self, SLICE_WORDS, Scan, Shape, WORKGROUP, counts, state};
use crate::device_preparation::DevicePrepared;
use crate::error::DataflowError;
use crate::executor::Executor;
use crate::preparation::DROPPED;
use crate::search::Levels;

/// Maximum number of words of a source set; each word holds 32 sources of a batch.
pub(crate) const MAX_WORDS: u32 = 32;
/// Maximum number of incoming edges that one workgroup of a GPU scans.
const MAX_SLICE_EDGES: u32 = 256;
/// Number of iterations of the first submission. Most shallow graphs have no more levels; iterations after the last level cost
/// a few empty dispatches.
const FIRST_ITERATIONS: u32 = 5;
/// Maximum number of iterations of a submission.
const MAX_ITERATIONS: u32 = 16;

/// The graph and the source sets of a batch on a device.
pub(crate) struct MultiSourceBfs {
    shape: Shape,
    starts: Buffer,
    seen: Buffer,
    marks: Buffer,
    depths: Buffer,
    state: Buffer,
    counts: Buffer,
    frontiers: [Buffer; 2],
    actives: [Buffer; 2],
    /// Sets the bits of the sources, and lists their nodes.
    seeding: CommandList,
    /// One iteration: a level from the first frontier to the second, and a level back.
    iteration: CommandList,
    max_sparse_edges: u32,
    nodes: u32,
}

/// Memory of a batch in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// Size of all buffers.
    pub(crate) total: u64,
    /// Size of the largest buffer.
    pub(crate) largest: u64,
}

impl Sizes {
    /// Reports whether a batch fits the memory limit and the limit of a buffer.
    pub(crate) fn fit(self, memory: u64, max_buffer: u64) -> bool {
        self.total <= memory && self.largest <= max_buffer
    }
}

/// Invocations and words of a workgroup of the search.
fn shape(executor: &Executor, words: u32) -> Shape {
    match executor.uses_gpu_programs {
        true => Shape { invocations: words, words_each: 1, scan: Scan::Ballots },
        // Four invocations form one SIMD vector of a CPU.
        false if words < 4 => Shape { invocations: 1, words_each: words, scan: Scan::Edges },
        false => Shape { invocations: 4, words_each: words / 4, scan: Scan::Edges },
    }
}

/// Programs of a shape, by name.
#[derive(Clone, Copy)]
struct Programs<'e> {
    executor: &'e Executor,
    shape: Shape,
}

impl Programs<'_> {
    /// Names of all programs.
    const NAMES: [&'static str; 8] = ["seed", "advance", "mark", "pull", "slices", "merge", "harvest", "collect"];

    /// The compiled program with this name.
    fn pipeline(&self, name: &str) -> Result<Pipeline, DataflowError> {
        let Programs { executor, shape } = *self;
        let program = || match name {
            "seed" => programs::seed(shape.words()),
            "advance" => programs::advance(),
            "mark" => programs::mark(),
            "pull" => programs::pull(shape),
            "slices" => programs::slices(shape),
            "merge" => programs::merge(shape),
            "harvest" => programs::harvest(shape.words()),
            _ => programs::collect(shape.words()),
        };
        Ok(executor.pipeline(self.key(name), &OpTable::default(), program)?)
    }

    fn key(&self, name: &str) -> String {
        format!("bit_parallel.{name}.{:?}", self.shape)
    }
}

/// Number of levels of a batch, by kind.
pub(crate) struct LevelCounts {
    pub(crate) dense: u32,
    pub(crate) sparse: u32,
}

impl MultiSourceBfs {
    /// Memory of a batch with source sets of `words` words.
    pub(crate) fn sizes(graph: &DevicePrepared, words: u32) -> Sizes {
        let (nodes, sinks) = (u64::from(graph.nodes), graph.sink_count());
        let words = u64::from(words);
        let (sets, depths) = (4 * nodes * words, 4 * sinks * words * 32);
        Sizes { total: 3 * sets + 16 * nodes + depths, largest: sets.max(depths) }
    }

    /// Compiles the programs of batches with source sets of `words` words, each on a thread of its own.
    pub(crate) fn compile(executor: &Executor, words: u32, levels: Option<Levels>) -> Result<(), DataflowError> {
        let programs = Programs { executor, shape: shape(executor, words) };
        let is_needed = |name: &str| match name {
            "mark" => levels != Some(Levels::Dense),
            "slices" | "merge" => executor.uses_gpu_programs,
            _ => true,
        };
        let is_missing = |name: &&str| is_needed(name) && !executor.has_pipeline(&programs.key(name));
        let needed: Vec<&str> = Programs::NAMES.into_iter().filter(is_missing).collect();
        map_on_threads(needed, |name| programs.pipeline(name).map(drop)).into_iter().collect()
    }

    /// Allocates the sets of a batch and compiles the programs.
    pub(crate) fn new(
        executor: &Executor,
        graph: &DevicePrepared,
        words: u32,
        levels: Option<Levels>,
    ) -> Result<MultiSourceBfs, DataflowError> {
        let shape = shape(executor, words);
        let nodes = graph.nodes;
        let (forward, incoming) = (&graph.forward, &graph.incoming);
        let sliced_nodes = graph.first_offsets.len() as u32 - 1;
        let sets = || executor.zeros(u64::from(nodes) * u64::from(words));
        let frontiers = [sets()?, sets()?];
        let bitmap = || executor.zeros(u64::from(words) + u64::from(nodes).div_ceil(32));
        let actives = [bitmap()?, bitmap()?];
        let seen = sets()?;
        let depths = executor.zeros(graph.sink_count() * u64::from(words) * 32)?;
        let starts = executor.zeros(u64::from(words) * 32)?;
        let state = executor.zeros(state::WORDS as u64)?;
        let counts = executor.zeros(counts::WORDS as u64)?;
        let (list, marks) = (executor.zeros(u64::from(nodes))?, executor.zeros(u64::from(nodes))?);
        let candidates = executor.zeros(u64::from(nodes) + 1)?;
        let params = executor.words(&[sliced_nodes, nodes])?;
        let workgroups = executor.workgroups(nodes);

        let programs = Programs { executor, shape };
        let pipeline = |name| programs.pipeline(name);
        let slices = Slices::new(executor, &graph.first_offsets, words)?;
        let mut seeding = CommandList::new();
        let seeded = Bindings::in_order([&starts, &graph.new_ids, &seen, &frontiers[0], &actives[0]]);
        seeding.dispatch(&pipeline("seed")?, &seeded, [(words * 32).div_ceil(WORKGROUP), 1, 1]);
        let collect = |list_of: &Buffer, commands: &mut CommandList| -> Result<(), DataflowError> {
            let collected = Bindings::in_order([&state, list_of, &forward[0], &list, &counts]);
            let grid = [executor.workgroups(nodes.div_ceil(32 * WORKGROUP)), 1, 1];
            commands.dispatch(&pipeline("collect")?, &collected, grid);
            Ok(())
        };
        collect(&actives[0], &mut seeding)?;
        let mut iteration = CommandList::new();
        for [from, to] in [[0, 1], [1, 0]] {
            let (frontier, next) = (&frontiers[from], &frontiers[to]);
            let (active, next_active) = (&actives[from], &actives[to]);
            let grid = [workgroups, 1, 1];
            let bindings = Bindings::in_order([&state, &counts, &candidates]);
            iteration.dispatch(&pipeline("advance")?, &bindings, [1, 1, 1]);
            iteration.push(Command::fill_all(next_active, 0));
            if levels != Some(Levels::Dense) {
                let bindings = Bindings::in_order([&state, &forward[0], &forward[1], &list, &marks, &candidates]);
                iteration.dispatch(&pipeline("mark")?, &bindings, grid);
            }
            let pulled =
                [&state, &incoming[0], &incoming[1], active, frontier, &candidates, &params, &seen, next, next_active];
            iteration.dispatch(&pipeline("pull")?, &Bindings::in_order(pulled), grid);
            if let Some(slices) = &slices {
                let sliced = [&state, &slices.slices, &incoming[1], active, frontier, &seen, &slices.parts];
                iteration.dispatch(&pipeline("slices")?, &Bindings::in_order(sliced), grid);
                let merged = [&state, &slices.first_slices, active, &slices.parts, &seen, next, next_active];
                let grid = [sliced_nodes.min(workgroups), 1, 1];
                iteration.dispatch(&pipeline("merge")?, &Bindings::in_order(merged), grid);
            }
            let harvested = Bindings::in_order([&state, &graph.sinks, next_active, next, &depths]);
            let grid = [executor.workgroups(graph.sink_count() as u32), 1, 1];
            iteration.dispatch(&pipeline("harvest")?, &harvested, grid);
            collect(next_active, &mut iteration)?;
        }
        let max_sparse_edges = match levels {
            Some(Levels::Dense) => 0,
            Some(Levels::Sparse) => u32::MAX,
            None => graph.edges / 16,
        };
        Ok(MultiSourceBfs {
            shape,
            starts,
            seen,
            marks,
            depths,
            state,
            counts,
            frontiers,
            actives,
            seeding,
            iteration,
            max_sparse_edges,
            nodes,
        })
    }

    /// Searches from these nodes, one for each source, and fills [`depths`](MultiSourceBfs::depths). Nodes have original ids.
    /// Sources whose node was removed reach nothing. Returns None if the search exceeds `max_levels`, which is checked after each
    /// submission.
    pub(crate) fn run(
        &self,
        executor: &Executor,
        starts: &[u32],
        max_depth: u32,
        max_levels: u32,
    ) -> Result<Option<LevelCounts>, DataflowError> {
        let mut padded = starts.to_vec();
        padded.resize(self.shape.words() as usize * 32, DROPPED);
        executor.write(&self.starts, &padded)?;
        executor.write(&self.counts, &[0; counts::WORDS])?;
        executor.write(&self.state, &[0, state::DENSE, max_depth, 0, self.max_sparse_edges, 0, 0])?;
        let mut first = CommandList::new();
        for buffer in [&self.seen, &self.marks, &self.depths, &self.frontiers[0], &self.actives[0]] {
            first.push(Command::fill_all(buffer, 0));
        }
        first.push(Command::Repeat { count: 1, commands: self.seeding.clone() });
        let mut iterations = FIRST_ITERATIONS;
        let mut done = 0;
        loop {
            let mut commands = std::mem::take(&mut first);
            commands.push(Command::Repeat { count: iterations, commands: self.iteration.clone() });
            executor.run(&commands)?;
            let now = executor.read(&self.state)?;
            if now[state::MODE as usize] == state::STOP {
                let count = |at: u32| now[at as usize];
                let (dense, sparse) = (count(state::DENSE_LEVELS), count(state::SPARSE_LEVELS));
                return Ok(Some(LevelCounts { dense, sparse }));
            }
            if now[state::LEVEL as usize] > max_levels {
                return Ok(None);
            }
            // A search has at most one level for each node.
            done += u64::from(iterations);
            if done > u64::from(self.nodes) + 1 {
                let what = "a bit-parallel search has more levels than the graph has nodes";
                return Err(DataflowError::Device(Error::InconsistentResult { what }));
            }
            iterations = (iterations * 2).min(MAX_ITERATIONS);
        }
    }

    /// Depth matrix of the last run.
    pub(crate) fn depths(&self) -> &Buffer {
        &self.depths
    }
}

/// Slices of the incoming edges of nodes that have too many for one workgroup.
struct Slices {
    /// [`SLICE_WORDS`] words for each slice.
    slices: Buffer,
    /// First slice of each sliced node, then the number of slices.
    first_slices: Buffer,
    /// Source set of each slice.
    parts: Buffer,
}

impl Slices {
    /// Slices the incoming edges of the nodes whose edges begin at `offsets`. The last offset is an end.
    fn new(executor: &Executor, offsets: &[u32], words: u32) -> Result<Option<Slices>, DataflowError> {
        if offsets.len() < 2 {
            return Ok(None);
        }
        let mut slices = Vec::new();
        let mut first_slices = vec![0];
        for (node, edges) in (0..).zip(offsets.windows(2)) {
            let (begin, end) = (edges[0], edges[1]);
            for first in (begin..end).step_by(MAX_SLICE_EDGES as usize) {
                slices.extend([node, first, end.min(first + MAX_SLICE_EDGES)]);
            }
            first_slices.push(slices.len() as u32 / SLICE_WORDS);
        }
        let count = slices.len() as u64 / u64::from(SLICE_WORDS);
        Ok(Some(Slices {
            parts: executor.zeros(count * u64::from(words))?,
            slices: executor.words(&slices)?,
            first_slices: executor.words(&first_slices)?,
        }))
    }
}
