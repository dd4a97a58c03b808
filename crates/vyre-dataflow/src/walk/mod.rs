//! The per-source path: one workgroup for each source, or for a few neighbouring sources that share their way.

mod carry;
mod program;
mod turns;

use std::cell::Cell;

use rayon::prelude::*;
use vyre_graph::{CsrView, Role, role_of};
use vyre_ir::OpTable;
use vyre_runtime::{Bindings, Buffer, Command, CommandList, Pipeline};

pub(crate) use self::carry::Bits;
use self::carry::STATE_WORDS;
use self::program::{SINK, STOP};
use super::error::DataflowError;
use super::prepare::DROPPED;
use super::runner::Runner;
use super::transfer::Transfer;

/// What a workgroup does at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unit {
    /// One source, and one bit for each node.
    Source,
    /// A word of bits for each node.
    Word(Bits),
}

/// A graph on a device, for searches.
pub(crate) struct WalkGraph {
    nodes: u32,
    sinks: u32,
    /// The marks of each node, which are the highest bits of a word, as a byte.
    marks: Vec<u8>,
    offsets: Buffer,
    targets: Buffer,
    /// The position of each sink among the sinks.
    sink_of: Buffer,
}

impl WalkGraph {
    pub(crate) fn new(bench: &Runner, graph: CsrView<'_>, sinks: &[u32]) -> Result<WalkGraph, DataflowError> {
        let mut sink_of = vec![0; graph.node_count()];
        for (position, &sink) in (0..).zip(sinks) {
            sink_of[sink as usize] = position;
        }
        let mark = |role: Role| match role {
            Role::Sanitizer => (STOP >> 24) as u8,
            role if role.is_sink() => (SINK >> 24) as u8,
            _ => 0,
        };
        let marks: Vec<u8> = graph.node_data.par_iter().map(|&word| mark(role_of(word))).collect();
        let targets: Vec<u32> = graph.targets.par_iter().map(|&target| target | marked(&marks, target)).collect();
        Ok(WalkGraph {
            nodes: graph.node_count() as u32,
            sinks: sinks.len() as u32,
            offsets: bench.words(graph.offsets)?,
            targets: bench.words(&targets)?,
            sink_of: bench.words(&sink_of)?,
            marks,
        })
    }
}

/// The marks of a node, in their place.
fn marked(marks: &[u8], node: u32) -> u32 {
    u32::from(marks[node as usize]) << 24
}

/// The searches of a batch on a device.
pub(crate) struct Walk<'e> {
    bench: &'e Runner,
    graph: &'e WalkGraph,
    unit: Unit,
    /// How many workgroups there are, each with memory of its own.
    slots: u32,
    metadata: Buffer,
    counter: Buffer,
    memory: [Buffer; 2],
    depths: Buffer,
    pipeline: Pipeline,
    /// How many searches there have been.
    stamp: Cell<u32>,
}

/// A transfer function, and what it is told of edges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Applied<'t> {
    pub(crate) transfer: &'t Transfer,
    /// A word for each edge or for each node.
    pub(crate) metadata: &'t [u32],
    pub(crate) by_edge: bool,
}

/// How much memory the searches take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// The words of the two buffers of a workgroup.
    pub(crate) slot: [u64; 2],
    /// The words of the depths of a source.
    pub(crate) row: u64,
}

impl Sizes {
    pub(crate) fn of(unit: Unit, graph: &WalkGraph, is_wide: bool) -> Sizes {
        let (nodes, sinks) = (u64::from(graph.nodes), u64::from(graph.sinks));
        match unit {
            Unit::Source => Sizes { slot: [if is_wide { nodes / 32 } else { nodes } + 1, nodes + 1], row: sinks },
            Unit::Word(Bits::Sources) => {
                Sizes { slot: [(nodes + 1) * u64::from(STATE_WORDS), (nodes + 1) * 2], row: sinks }
            }
            Unit::Word(Bits::Facts) => {
                Sizes { slot: [(nodes + 1) * u64::from(STATE_WORDS), (nodes + 1) * 2], row: 2 * sinks }
            }
        }
    }
}

impl<'e> Walk<'e> {
    /// Room for `sources` at a time, `slots` of which are searched side by side.
    pub(crate) fn new(
        bench: &'e Runner,
        graph: &'e WalkGraph,
        unit: Unit,
        transfer: Option<Applied<'_>>,
        sources: u32,
        slots: u32,
    ) -> Result<Walk<'e>, DataflowError> {
        let is_wide = bench.is_wide;
        let sizes = Sizes::of(unit, graph, is_wide);
        let metadata = transfer.map_or(&[][..], |applied| applied.metadata);
        let lanes = if !is_wide {
            1
        } else if sources < 256 {
            bench.device().limits().workgroup_invocations.min(1024) as u32
        } else {
            256
        };
        let function = transfer.map(|applied| applied.transfer);
        let by_edge = transfer.is_some_and(|applied| applied.by_edge);
        let none = OpTable::default();
        let table = function.map_or(&none, Transfer::table);
        let key = match function {
            None => format!("walk.{unit:?}.{lanes}"),
            // Functions are told apart by what they are.
            Some(function) => format!("walk.{unit:?}.{lanes}.{by_edge}.{}", vyre_ir::text::print(function.program())),
        };
        let pipeline = bench.pipeline(key, table, || match unit {
            Unit::Source => program::program(lanes, function, by_edge),
            Unit::Word(bits) => carry::program(lanes, bits, function, by_edge),
        })?;
        let memory = [bench.zeros(sizes.slot[0] * u64::from(slots))?, bench.zeros(sizes.slot[1] * u64::from(slots))?];
        Ok(Walk {
            bench,
            graph,
            unit,
            slots,
            metadata: bench.words(metadata)?,
            counter: bench.zeros(1 + 2 * u64::from(slots))?,
            memory,
            depths: bench.zeros(sizes.row * u64::from(sources))?,
            pipeline,
            stamp: Cell::new(0),
        })
    }

    /// Searches from these nodes, one for each source; those that were dropped find nothing. `facts` has a word for each of them,
    /// where facts are carried. What was found is then in [`depths`](Walk::depths).
    pub(crate) fn run(&self, starts: &[u32], facts: Option<&[u32]>, max_depth: u32) -> Result<(), DataflowError> {
        let bench = self.bench;
        // A source that is a sink does not find itself, so it has no mark; but its facts are wanted.
        let entry = |start: u32, marks: u32| match start {
            DROPPED => DROPPED,
            start => start | (marked(&self.graph.marks, start) & marks),
        };
        let sources: Vec<u32> = match self.unit {
            Unit::Source => starts.iter().map(|&start| entry(start, STOP)).collect(),
            Unit::Word(Bits::Sources) => {
                let mut padded: Vec<u32> = starts.iter().map(|&start| entry(start, STOP)).collect();
                padded.resize(starts.len().next_multiple_of(32), DROPPED);
                padded
            }
            Unit::Word(Bits::Facts) => {
                let facts = |at: usize| facts.map_or(1, |facts| facts[at]);
                starts.iter().enumerate().flat_map(|(at, &start)| [entry(start, STOP | SINK), facts(at)]).collect()
            }
        };
        let per_unit = match self.unit {
            Unit::Source => 1,
            Unit::Word(Bits::Sources) => 32,
            Unit::Word(Bits::Facts) => 2,
        };
        let mut commands = CommandList::new();
        commands.push(Command::fill_all(&self.depths, 0));
        bench.run(&commands)?;
        // A dispatch has a few units for each workgroup, so that it does not take long and the host can be told to stop.
        let units = self.slots as usize * 4;
        for (part, sources) in sources.chunks(units * per_unit).enumerate() {
            let count = (sources.len() / per_unit) as u32;
            let params =
                [count, self.graph.nodes, max_depth, self.graph.sinks, (part * units) as u32, self.stamps(count)?];
            let (starts, params) = (bench.words(sources)?, bench.words(&params)?);
            let WalkGraph { offsets, targets, sink_of, .. } = self.graph;
            let metadata = &self.metadata;
            let [first, second] = &self.memory;
            let buffers =
                [offsets, targets, sink_of, &starts, metadata, &params, &self.counter, first, second, &self.depths];
            let mut commands = CommandList::new();
            commands.push(Command::fill_all(&self.counter, 0));
            commands.dispatch(&self.pipeline, &Bindings::in_order(buffers), [count.min(self.slots), 1, 1]);
            bench.run(&commands)?;
        }
        Ok(())
    }

    /// The first of so many stamps that are in no set of visited nodes.
    fn stamps(&self, count: u32) -> Result<u32, DataflowError> {
        let first = match self.stamp.get().checked_add(count) {
            Some(last) if last < u32::MAX => self.stamp.get() + 1,
            // All numbers have been used.
            _ => {
                let mut commands = CommandList::new();
                commands.push(Command::fill_all(&self.memory[0], 0));
                self.bench.run(&commands)?;
                1
            }
        };
        self.stamp.set(first - 1 + count);
        Ok(first)
    }

    /// For each source and each sink the depth at which it was reached, or 0; where facts are carried, followed by the facts.
    pub(crate) fn depths(&self) -> &Buffer {
        &self.depths
    }
}
