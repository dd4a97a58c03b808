//! The bit-parallel path: all sources of a batch together, level by level.

mod programs;

use vyre_ir::{OpTable, Program};
use vyre_runtime::{Bindings, Buffer, Command, CommandList, Pipeline};

use self::programs::{SLICE_WORDS, Scan, Shape, WORKGROUP, counts, state};
use super::error::DataflowError;
use super::options::Levels;
use super::prepare::{DROPPED, Prepared};
use super::runner::Runner;

/// The most words of a row, and so the most sources of a batch.
pub(crate) const MOST_WORDS: u32 = 32;
/// The most incoming edges of a node that one workgroup of a GPU goes through.
const SLICE: u32 = 256;

/// The graph and the rows of a batch on a device.
pub(crate) struct Rows<'e> {
    bench: &'e Runner,
    shape: Shape,
    starts: Buffer,
    seen: Buffer,
    marks: Buffer,
    depths: Buffer,
    state: Buffer,
    counts: Buffer,
    list: Buffer,
    fronts: [Buffer; 2],
    actives: [Buffer; 2],
    /// One level in each direction between the two fronts.
    round: CommandList,
    thin_edges: u32,
}

/// How many bytes there are in all buffers, and in the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) all: u64,
    pub(crate) largest: u64,
}

impl Sizes {
    /// The most bytes of a buffer that programs on rows can use.
    pub(crate) const MOST: u64 = 4 * programs::MOST_WORDS_OF_ROWS as u64;

    pub(crate) fn fit(self, memory: u64, buffer: u64) -> bool {
        self.all <= memory && self.largest <= buffer.min(Sizes::MOST)
    }
}

/// How a batch went.
pub(crate) struct Levelled {
    /// How many levels were dense.
    pub(crate) dense: u32,
    /// How many were thin.
    pub(crate) thin: u32,
}

impl<'e> Rows<'e> {
    /// How much memory rows of so many words take.
    pub(crate) fn sizes(graph: &Prepared, words: u32) -> Sizes {
        let (nodes, sinks) = (graph.node_count() as u64, graph.sinks.len() as u64);
        let words = u64::from(words);
        let (rows, depths) = (4 * nodes * words, 4 * sinks * words * 32);
        Sizes { all: 3 * rows + 16 * nodes + depths, largest: rows.max(depths) }
    }

    pub(crate) fn new(
        bench: &'e Runner,
        graph: &Prepared,
        words: u32,
        levels: Option<Levels>,
    ) -> Result<Rows<'e>, DataflowError> {
        let is_wide = bench.is_wide;
        let shape = match is_wide {
            true => Shape { lanes: words, per_lane: 1, scan: Scan::Ballots },
            // Four lanes are one vector of a CPU. Fewer would go through the edges one after the other.
            false if words < 4 => Shape { lanes: 1, per_lane: words, scan: Scan::Edges },
            false => Shape { lanes: 4, per_lane: words / 4, scan: Scan::Edges },
        };
        let nodes = graph.node_count();
        let backward = graph.backward.as_ref().expect("graphs for rows have both directions");
        // Nodes are in descending order of their incoming edges.
        let heavy = match is_wide {
            true => (0..nodes as u32).take_while(|&node| backward.view().edges_of(node).len() > SLICE as usize).count(),
            false => 0,
        };
        let row = |rows: usize| bench.zeros(rows as u64 * u64::from(words));
        let forward = [bench.words(&graph.forward.offsets)?, bench.words(&graph.forward.targets)?];
        let incoming = [bench.words(&backward.offsets)?, bench.words(&backward.targets)?];
        let fronts = [row(nodes)?, row(nodes)?];
        let bitmap = || bench.zeros(u64::from(words) + (nodes as u64).div_ceil(32));
        let actives = [bitmap()?, bitmap()?];
        let seen = row(nodes)?;
        let sinks = bench.words(&graph.sinks)?;
        let depths = bench.zeros(graph.sinks.len() as u64 * u64::from(words) * 32)?;
        let starts = bench.zeros(u64::from(words) * 32)?;
        let state = bench.zeros(state::WORDS as u64)?;
        let counts = bench.zeros(counts::WORDS as u64)?;
        let (list, marks) = (bench.zeros(nodes as u64)?, bench.zeros(nodes as u64)?);
        let candidates = bench.zeros(nodes as u64 + 1)?;
        let params = bench.words(&[heavy as u32, nodes as u32])?;
        let workgroups = (nodes as u32).clamp(1, if is_wide { 16_384 } else { 64 });

        let table = OpTable::default();
        let pipeline = |name: &str, program: &dyn Fn() -> Program| -> Result<Pipeline, DataflowError> {
            Ok(bench.pipeline(format!("rows.{name}.{shape:?}"), &table, program)?)
        };
        let slices = Slices::new(bench, &backward.offsets, heavy, words)?;
        let mut round = CommandList::new();
        for [from, to] in [[0, 1], [1, 0]] {
            let (front, next) = (&fronts[from], &fronts[to]);
            let (active, next_active) = (&actives[from], &actives[to]);
            let everyone = [workgroups, 1, 1];
            let bindings = Bindings::in_order([&state, &counts, &candidates]);
            round.dispatch(&pipeline("advance", &programs::advance)?, &bindings, [1, 1, 1]);
            round.push(Command::fill_all(next_active, 0));
            if levels != Some(Levels::Dense) {
                let bindings = Bindings::in_order([&state, &forward[0], &forward[1], &list, &marks, &candidates]);
                round.dispatch(&pipeline("mark", &programs::mark)?, &bindings, everyone);
            }
            let pulled =
                [&state, &incoming[0], &incoming[1], active, front, &candidates, &params, &seen, next, next_active];
            round.dispatch(&pipeline("pull", &|| programs::pull(shape))?, &Bindings::in_order(pulled), everyone);
            if let Some(slices) = &slices {
                let sliced = [&state, &slices.slices, &incoming[1], active, front, &seen, &slices.parts];
                round.dispatch(
                    &pipeline("slices", &|| programs::slices(shape))?,
                    &Bindings::in_order(sliced),
                    everyone,
                );
                let merged = [&state, &slices.first_slices, active, &slices.parts, &seen, next, next_active];
                let grid = [(heavy as u32).min(workgroups), 1, 1];
                round.dispatch(&pipeline("merge", &|| programs::merge(shape))?, &Bindings::in_order(merged), grid);
            }
            let harvested = Bindings::in_order([&state, &sinks, next_active, next, &depths]);
            let grid = [(graph.sinks.len() as u32).clamp(1, workgroups), 1, 1];
            round.dispatch(&pipeline("harvest", &|| programs::harvest(words))?, &harvested, grid);
            let collected = Bindings::in_order([&state, next_active, &forward[0], &list, &counts]);
            let grid = [(nodes as u32).div_ceil(32 * WORKGROUP).clamp(1, workgroups), 1, 1];
            round.dispatch(&pipeline("collect", &|| programs::collect(words))?, &collected, grid);
        }
        let edges = graph.forward.edge_count() as u32;
        let thin_edges = match levels {
            Some(Levels::Dense) => 0,
            Some(Levels::Sparse) => u32::MAX,
            None => edges / 16,
        };
        Ok(Rows { bench, shape, starts, seen, marks, depths, state, counts, list, fronts, actives, round, thin_edges })
    }

    /// Goes through the graph from these nodes, one for each source; sources that were dropped find nothing. The depths are
    /// then in [`depths`](Rows::depths). There is no result where there are many more levels than `most_levels`.
    pub(crate) fn run(
        &self,
        graph: &Prepared,
        starts: &[u32],
        max_depth: u32,
        most_levels: u32,
    ) -> Result<Option<Levelled>, DataflowError> {
        let bench = self.bench;
        let words = self.shape.words();
        let mut unique: Vec<u32> = starts.iter().copied().filter(|&node| node != DROPPED).collect();
        unique.sort_unstable();
        unique.dedup();
        let edges: u32 = unique.iter().map(|&node| graph.forward.view().neighbours(node).len() as u32).sum();
        let mut padded = starts.to_vec();
        padded.resize(words as usize * 32, DROPPED);
        bench.write(&self.starts, &padded)?;
        bench.write(&self.list, &unique)?;
        bench.write(&self.counts, &[unique.len() as u32, edges])?;
        bench.write(&self.state, &[0, state::DENSE, max_depth, 0, self.thin_edges, 0, 0])?;
        let mut first = CommandList::new();
        for buffer in [&self.seen, &self.marks, &self.depths, &self.fronts[0], &self.actives[0]] {
            first.push(Command::fill_all(buffer, 0));
        }
        let table = OpTable::default();
        let seed = bench.pipeline(format!("rows.seed.{words}"), &table, || programs::seed(words))?;
        let bindings = Bindings::in_order([&self.starts, &self.seen, &self.fronts[0], &self.actives[0]]);
        first.dispatch(&seed, &bindings, [(words * 32).div_ceil(WORKGROUP), 1, 1]);
        // Most graphs that are gone through like this have no more levels; what follows an end costs little, but not nothing.
        let mut rounds = 5;
        loop {
            let mut commands = std::mem::take(&mut first);
            commands.push(Command::Repeat { count: rounds, commands: self.round.clone() });
            bench.run(&commands)?;
            let now = bench.read(&self.state)?;
            if now[state::MODE as usize] == state::STOP {
                let count = |at: u32| now[at as usize];
                let (dense, thin) = (count(state::DENSE_LEVELS), count(state::THIN_LEVELS));
                return Ok(Some(Levelled { dense, thin }));
            }
            if now[state::LEVEL as usize] > most_levels {
                return Ok(None);
            }
            rounds = (rounds * 2).min(16);
        }
    }

    /// For each source and each sink the depth at which it was reached, or 0.
    pub(crate) fn depths(&self) -> &Buffer {
        &self.depths
    }
}

/// The incoming edges of nodes that have too many for one workgroup.
struct Slices {
    slices: Buffer,
    first_slices: Buffer,
    parts: Buffer,
}

impl Slices {
    fn new(bench: &Runner, offsets: &[u32], heavy: usize, words: u32) -> Result<Option<Slices>, DataflowError> {
        if heavy == 0 {
            return Ok(None);
        }
        let mut slices = Vec::new();
        let mut first_slices = vec![0];
        for node in 0..heavy {
            let (begin, end) = (offsets[node], offsets[node + 1]);
            for first in (begin..end).step_by(SLICE as usize) {
                slices.extend([node as u32, first, end.min(first + SLICE)]);
            }
            first_slices.push(slices.len() as u32 / SLICE_WORDS);
        }
        let count = slices.len() as u64 / u64::from(SLICE_WORDS);
        Ok(Some(Slices {
            parts: bench.zeros(count * u64::from(words))?,
            slices: bench.words(&slices)?,
            first_slices: bench.words(&first_slices)?,
        }))
    }
}
