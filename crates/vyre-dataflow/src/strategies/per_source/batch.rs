//! Device state and host loop of the queue-based BFS.

use vyre_ir::OpTable;
use vyre_runtime::{Bindings, Buffer, Command, CommandList, Pipeline};

use super::bfs;
use super::bitset_bfs::{self, Bits, STATE_WORDS};
use super::memory::{QueueMemory, Shape};
use crate::device_graph::{DeviceGraph, SINK, STOP};
use crate::error::DataflowError;
use crate::executor::Executor;
use crate::preparation::DROPPED;
use crate::transfer::Transfer;

/// Number of sources with which every workgroup of a GPU has a search to do; with fewer, workgroups are larger.
const MANY_SOURCES: u32 = 256;
/// Number of units of a dispatch for each workgroup. Short dispatches let the host check the deadline.
const UNITS_PER_WORKGROUP: u32 = 4;
/// Number of units of a dispatch for each workgroup if searches end at a region, so they are short.
pub(super) const SHORT_UNITS_PER_WORKGROUP: u32 = 16;

/// Unit of work of a workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unit {
    /// One source, with one bit for each node.
    Source,
    /// A word of bits for each node.
    Word(Bits),
}

impl Unit {
    /// Number of sources of a unit.
    pub(crate) fn sources(self) -> u64 {
        if self == Unit::Word(Bits::Sources) { 32 } else { 1 }
    }

    /// Number of words of a unit in the buffer of starts.
    fn start_words(self) -> usize {
        match self {
            Unit::Source => 1,
            Unit::Word(Bits::Sources) => 32,
            Unit::Word(Bits::Facts) => 2,
        }
    }
}

/// Searches of a batch on a device.
pub(crate) struct QueueBfs<'e> {
    executor: &'e Executor,
    graph: &'e DeviceGraph,
    metadata: Buffer,
    memory: QueueMemory,
    pipeline: Pipeline,
}

/// Access lists of the sources of a dispatch, for searches that end at a region.
pub(crate) struct AccessLists {
    /// Number of records of each source.
    pub(crate) counts: Buffer,
    /// Records of two words: number of an access node, and depth.
    pub(crate) lists: Buffer,
}

/// Searches of one dispatch that have ended at a region.
pub(crate) struct EndedSearches<'p> {
    pub(crate) count: u32,
    pub(crate) params: &'p Buffer,
    pub(crate) access: &'p AccessLists,
    pub(crate) depths: &'p Buffer,
}

/// Computes the depths of sinks in a region from the access lists of searches that ended there.
pub(crate) trait Completion {
    /// Device memory in bytes.
    fn bytes(&self) -> u64;

    /// Appends the commands for the searches of one dispatch.
    fn push_commands(&self, commands: &mut CommandList, searches: &EndedSearches<'_>);
}

/// A transfer function with its metadata.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransferInput<'t> {
    pub(crate) transfer: &'t Transfer,
    /// A word for each edge if `by_edge`, else for each node.
    pub(crate) metadata: &'t [u32],
    pub(crate) by_edge: bool,
}

/// Memory of the searches in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// Visited set or state of a slot.
    pub(crate) state: u64,
    /// Queues of a slot.
    pub(crate) queue: u64,
    /// Access lists of a slot.
    pub(crate) lists: u64,
    /// Depths of a source.
    pub(crate) row: u64,
}

impl Sizes {
    pub(crate) fn of(unit: Unit, graph: &DeviceGraph, is_gpu: bool) -> Sizes {
        let (nodes, sinks) = (u64::from(graph.nodes), u64::from(graph.sinks));
        let bits_state = (nodes + 1) * u64::from(STATE_WORDS);
        let lists = graph.access.as_ref().map_or(0, |access| u64::from(access.count));
        let lists = 2 * lists * u64::from(SHORT_UNITS_PER_WORKGROUP);
        match unit {
            Unit::Source => {
                Sizes { state: if is_gpu { nodes / 32 } else { nodes } + 1, queue: nodes + 1, lists, row: sinks }
            }
            Unit::Word(Bits::Sources) => Sizes { state: bits_state, queue: (nodes + 1) * 2, lists, row: sinks },
            Unit::Word(Bits::Facts) => Sizes { state: bits_state, queue: (nodes + 1) * 2, lists, row: 2 * sinks },
        }
    }

    /// Words of a slot.
    pub(crate) fn slot(&self) -> u64 {
        self.state + self.queue + self.lists
    }

    /// Words of the largest part of a slot.
    pub(crate) fn largest(&self) -> u64 {
        self.state.max(self.queue).max(self.lists)
    }
}

impl<'e> QueueBfs<'e> {
    /// Compiles the program, and allocates the memory unless `kept` has it.
    pub(crate) fn new(
        executor: &'e Executor,
        graph: &'e DeviceGraph,
        transfer: Option<TransferInput<'_>>,
        shape: Shape,
        kept: Option<QueueMemory>,
    ) -> Result<QueueBfs<'e>, DataflowError> {
        let is_gpu = executor.uses_gpu_programs;
        let Shape { unit, sources, has_access, .. } = shape;
        let metadata = transfer.map_or(&[][..], |input| input.metadata);
        let invocations = if !is_gpu {
            1
        } else if sources < MANY_SOURCES {
            executor.device().limits().workgroup_invocations.min(1024) as u32
        } else {
            256
        };
        let function = transfer.map(|input| input.transfer);
        let by_edge = transfer.is_some_and(|input| input.by_edge);
        let none = OpTable::default();
        let table = function.map_or(&none, Transfer::table);
        let key = match function {
            None if has_access => format!("queue_bfs.{unit:?}.{invocations}.access"),
            None => format!("queue_bfs.{unit:?}.{invocations}"),
            // The text of a function identifies it.
            Some(function) => {
                let text = vyre_ir::text::print(function.program());
                format!("queue_bfs.{unit:?}.{invocations}.{by_edge}.{text}")
            }
        };
        let pipeline = executor.pipeline(key, table, || match unit {
            Unit::Source => bfs::program(invocations, function, by_edge, has_access),
            Unit::Word(bits) => bitset_bfs::program(invocations, bits, function, by_edge),
        })?;
        // Memory of another shape is freed before new memory is allocated.
        let memory = match kept.filter(|kept| kept.shape() == shape) {
            Some(kept) => kept,
            None => QueueMemory::new(executor, shape)?,
        };
        Ok(QueueBfs { executor, graph, metadata: executor.words(metadata)?, memory, pipeline })
    }

    /// Searches from these nodes, one for each source, and fills [`depths`](QueueBfs::depths). Sources whose node was removed
    /// reach nothing. `facts` has a word for each source. Searches that end at a region need a completion.
    pub(crate) fn run(
        &self,
        starts: &[u32],
        facts: &[u32],
        max_depth: u32,
        completion: Option<&dyn Completion>,
    ) -> Result<(), DataflowError> {
        let QueueBfs { executor, memory, .. } = self;
        let Shape { unit, slots, .. } = memory.shape();
        // A source that is a sink does not report itself, so its entry has no sink mark, unless its facts are reported.
        let entry = |start: u32| self.graph.entry(start, STOP);
        let sources: Vec<u32> = match unit {
            Unit::Source => starts.iter().map(|&start| entry(start)).collect(),
            Unit::Word(Bits::Sources) => {
                let mut padded: Vec<u32> = starts.iter().map(|&start| entry(start)).collect();
                padded.resize(starts.len().next_multiple_of(32), DROPPED);
                padded
            }
            Unit::Word(Bits::Facts) => {
                let pairs = starts.iter().zip(facts);
                pairs.flat_map(|(&start, &facts)| [self.graph.entry(start, STOP | SINK), facts]).collect()
            }
        };
        let start_words = unit.start_words();
        let mut commands = CommandList::new();
        commands.push(Command::fill_all(&memory.depths, 0));
        executor.run(&commands)?;
        let per_workgroup = if memory.access.is_some() { SHORT_UNITS_PER_WORKGROUP } else { UNITS_PER_WORKGROUP };
        let units = (slots * per_workgroup) as usize;
        let max_records = self.graph.access.as_ref().map_or(0, |access| access.count);
        for (part, sources) in sources.chunks(units * start_words).enumerate() {
            let count = (sources.len() / start_words) as u32;
            let first = (part * units) as u32;
            let stamp = memory.claim_stamps(executor, count)?;
            let params = [count, self.graph.nodes, max_depth, self.graph.sinks, first, stamp, max_records];
            let (starts, params) = (executor.words(sources)?, executor.words(&params)?);
            let DeviceGraph { offsets, targets, sink_columns, .. } = self.graph;
            let QueueMemory { counter, state, queues, depths, .. } = memory;
            let mut buffers =
                vec![offsets, targets, sink_columns, &starts, &self.metadata, &params, counter, state, queues, depths];
            let mut commands = CommandList::new();
            commands.push(Command::fill_all(counter, 0));
            if let (Some(graph), Some(lists)) = (&self.graph.access, &memory.access) {
                commands.push(Command::fill_all(&lists.counts, 0));
                buffers.extend([&graph.records, &lists.counts, &lists.lists]);
            }
            commands.dispatch(&self.pipeline, &Bindings::in_order(buffers), [count.min(slots), 1, 1]);
            if let (Some(completion), Some(access)) = (completion, &memory.access) {
                completion.push_commands(&mut commands, &EndedSearches { count, params: &params, access, depths });
            }
            executor.run(&commands)?;
        }
        Ok(())
    }

    /// Depth matrix of the last run.
    pub(crate) fn depths(&self) -> &Buffer {
        &self.memory.depths
    }

    /// The memory, for a later analysis.
    pub(crate) fn into_memory(self) -> QueueMemory {
        self.memory
    }
}
