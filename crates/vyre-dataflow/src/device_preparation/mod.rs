//! Preparation of graphs on a device: pruning, renumbering and transposition.
//!
//! The result is what [`prepare`](crate::preparation::prepare) computes on the host, except that nodes are ordered by classes of
//! in-degrees (powers of two) and that edges of a node have no particular order. The host reads a few counts only.

mod programs;

pub(crate) use self::programs::role;

use rayon::prelude::*;
use vyre_graph::{CsrView, role_of};
use vyre_ir::OpTable;
use vyre_memory::{join, map_on_threads};
use vyre_runtime::{Bindings, Buffer, Command, CommandList, Error, Pipeline};

use self::programs::{CHUNK, CLASSES, MIN_SLICED, WORKGROUP, state};
use crate::device_scan::{self, push_scan};
use crate::error::DataflowError;
use crate::executor::Executor;
use crate::preparation::PreparedGraph;
use crate::uploaded_graph::UploadedGraph;

/// Number of rounds of backward reachability in a submission. Most shallow graphs have no more.
const ROUNDS: u32 = 8;
/// Maximum number of rounds. Each visits all nodes, so deep graphs are better prepared on the host.
const MAX_ROUNDS: u32 = 64;

/// A graph on a device as it was loaded.
struct RawGraph {
    nodes: u32,
    uploaded: UploadedGraph,
    /// Ids of the sinks, ascending.
    sinks: Vec<u32>,
}

impl RawGraph {
    /// Uploads a graph unless it is uploaded, and lists its sinks.
    ///
    /// # Errors
    ///
    /// Exhausted memory, or a failure of the device.
    fn new(
        executor: &Executor,
        graph: CsrView<'_>,
        uploaded: Option<UploadedGraph>,
    ) -> Result<RawGraph, DataflowError> {
        let is_sink = |&node: &u32| role_of(graph.node_data[node as usize]).is_sink();
        Ok(RawGraph {
            nodes: graph.node_count() as u32,
            uploaded: uploaded.map_or_else(|| UploadedGraph::new(executor, graph), Ok)?,
            sinks: (0..graph.node_count() as u32).into_par_iter().filter(is_sink).collect(),
        })
    }
}

/// A prepared graph on a device.
pub(crate) struct DevicePrepared {
    /// Number of nodes that remain.
    pub(crate) nodes: u32,
    /// Number of edges that remain.
    pub(crate) edges: u32,
    /// Offsets and targets of the outgoing edges.
    pub(crate) forward: [Buffer; 2],
    /// Offsets and sources of the incoming edges. Edges from the first 1/64 of the nodes come first.
    pub(crate) incoming: [Buffer; 2],
    /// Begin of the incoming edges of each of the first nodes, which are those with many of them, and the end of the last.
    pub(crate) first_offsets: Vec<u32>,
    /// New id of each original node, or [`DROPPED`](crate::preparation::DROPPED).
    pub(crate) new_ids: Buffer,
    /// New ids of the sinks, in ascending order of their original ids.
    pub(crate) sinks: Buffer,
    /// Original ids of the sinks, ascending.
    pub(crate) original_sinks: Vec<u32>,
}

impl DevicePrepared {
    /// Number of sinks.
    pub(crate) fn sink_count(&self) -> u64 {
        self.sinks.size() / 4
    }

    /// Uploads a graph that was prepared on the host, or takes its memory on a CPU. Its nodes are in descending order of in-degree.
    ///
    /// # Errors
    ///
    /// Exhausted memory, or a failure of the device.
    pub(crate) fn upload(executor: &Executor, graph: PreparedGraph) -> Result<DevicePrepared, DataflowError> {
        let original_sinks = graph.original_sinks();
        let incoming = graph.backward.expect("the graph is prepared with a transposed graph");
        let nodes = graph.original_ids.len();
        let degree = |node: usize| incoming.offsets[node + 1] - incoming.offsets[node];
        let sliced = match executor.uses_gpu_programs {
            true => (0..nodes).take_while(|&node| degree(node) >= MIN_SLICED).count(),
            false => 0,
        };
        Ok(DevicePrepared {
            nodes: nodes as u32,
            edges: graph.forward.edge_count() as u32,
            forward: [executor.take_words(graph.forward.offsets)?, executor.take_words(graph.forward.targets)?],
            first_offsets: incoming.offsets[..=sliced].to_vec(),
            incoming: [executor.take_words(incoming.offsets)?, executor.take_words(incoming.targets)?],
            new_ids: executor.take_words(graph.new_ids)?,
            sinks: executor.take_words(graph.sinks)?,
            original_sinks,
        })
    }
}

/// Programs of a preparation.
#[derive(Clone, Copy)]
struct Programs<'e> {
    executor: &'e Executor,
    prunes: bool,
    is_filtered: bool,
}

impl Programs<'_> {
    const NAMES: [&'static str; 9] =
        ["begin", "reach", "round", "degrees", "count_classes", "number_nodes", "summarize", "fill_edges", "map_nodes"];

    /// The compiled program with this name.
    fn pipeline(&self, name: &str) -> Result<Pipeline, DataflowError> {
        let Programs { executor, prunes, is_filtered } = *self;
        let program = || match name {
            "begin" => programs::begin(prunes),
            "reach" => programs::reach(is_filtered),
            "round" => programs::round(),
            "degrees" => programs::degrees(is_filtered),
            "count_classes" => programs::count_classes(),
            "number_nodes" => programs::number_nodes(),
            "summarize" => programs::summarize(),
            "fill_edges" => programs::fill_edges(is_filtered),
            _ => programs::map_nodes(),
        };
        let key = format!("prepare.{name}.{prunes}.{is_filtered}");
        Ok(executor.pipeline(key, &OpTable::default(), program)?)
    }
}

/// Compiles the programs of the preparation, each on a thread of its own.
///
/// # Errors
///
/// A failure of the compiler.
pub(crate) fn compile(executor: &Executor, prunes: bool, is_filtered: bool) -> Result<(), DataflowError> {
    let programs = Programs { executor, prunes, is_filtered };
    let own = || map_on_threads(Programs::NAMES, |name| programs.pipeline(name).map(drop));
    let (scan, own) = join(|| device_scan::compile(executor), own);
    own.into_iter().chain([scan]).collect()
}

/// Removes edges that leave sanitizers or have a 0 in `passes`, and with `prunes` all nodes that reach no sink. Renumbers the others.
/// `uploaded` is the graph if the device has it already. Returns None if backward reachability from the sinks takes too many rounds, or the memory of the device does not hold the
/// graph in both forms.
///
/// # Errors
///
/// A failure of the device.
pub(crate) fn prepare_on_device(
    executor: &Executor,
    graph: CsrView<'_>,
    uploaded: Option<UploadedGraph>,
    passes: Option<&[u32]>,
    prunes: bool,
) -> Result<Option<DevicePrepared>, DataflowError> {
    let prepared = RawGraph::new(executor, graph, uploaded).and_then(|raw| prepare_raw(executor, raw, passes, prunes));
    match prepared {
        Err(DataflowError::Device(Error::ResourceExceeded { .. })) => Ok(None),
        prepared => prepared,
    }
}

fn prepare_raw(
    executor: &Executor,
    raw: RawGraph,
    passes: Option<&[u32]>,
    prunes: bool,
) -> Result<Option<DevicePrepared>, DataflowError> {
    let programs = Programs { executor, prunes, is_filtered: passes.is_some() };
    let passes = passes.map(|passes| executor.words(passes)).transpose()?;
    let nodes = u64::from(raw.nodes);
    let chunks = raw.nodes.div_ceil(CHUNK);
    let bitmap = || executor.zeros(nodes.div_ceil(32));
    let (kept, next) = (bitmap()?, bitmap()?);
    let (state, added) = (executor.zeros(state::WORDS as u64)?, executor.zeros(1)?);
    let (in_degrees, out_degrees) = (executor.zeros(nodes)?, executor.zeros(nodes)?);
    let counters = executor.zeros(u64::from(CLASSES * chunks) + 1)?;
    let new_ids = executor.zeros(nodes)?;
    let (in_offsets, out_offsets) = (executor.zeros(nodes + 1)?, executor.zeros(nodes + 1)?);
    let graph = || raw.uploaded.buffers().into_iter().chain(&passes);
    let by_node = [executor.workgroups(raw.nodes), 1, 1];
    let by_chunk = [executor.workgroups(chunks.div_ceil(WORKGROUP)), 1, 1];

    let mut begin = CommandList::new();
    let words = [executor.workgroups(raw.nodes.div_ceil(32 * WORKGROUP)), 1, 1];
    begin.dispatch(&programs.pipeline("begin")?, &Bindings::in_order([&raw.uploaded.node_data, &kept, &next]), words);
    let mut rounds = CommandList::new();
    let reached = graph().chain([&kept, &state, &next, &added]);
    rounds.dispatch(&programs.pipeline("reach")?, &Bindings::in_order(reached), by_node);
    rounds.push(Command::Copy {
        source: next.clone(),
        source_offset: 0,
        target: kept.clone(),
        target_offset: 0,
        length: next.size(),
    });
    rounds.dispatch(&programs.pipeline("round")?, &Bindings::in_order([&added, &state]), [1, 1, 1]);
    let mut numbering = CommandList::new();
    for buffer in [&in_degrees, &counters, &in_offsets, &out_offsets] {
        numbering.push(Command::fill_all(buffer, 0));
    }
    let counted = graph().chain([&kept, &out_degrees, &in_degrees]);
    numbering.dispatch(&programs.pipeline("degrees")?, &Bindings::in_order(counted), by_node);
    let classes = Bindings::in_order([&kept, &in_degrees, &counters]);
    numbering.dispatch(&programs.pipeline("count_classes")?, &classes, by_chunk);
    push_scan(executor, &mut numbering, &counters, CLASSES * chunks + 1)?;
    let numbered =
        Bindings::in_order([&kept, &in_degrees, &out_degrees, &counters, &new_ids, &in_offsets, &out_offsets]);
    numbering.dispatch(&programs.pipeline("number_nodes")?, &numbered, by_chunk);
    push_scan(executor, &mut numbering, &in_offsets, raw.nodes + 1)?;
    push_scan(executor, &mut numbering, &out_offsets, raw.nodes + 1)?;
    let summarized = Bindings::in_order([&counters, &in_offsets, &state]);
    numbering.dispatch(&programs.pipeline("summarize")?, &summarized, [1, 1, 1]);

    // Without pruning, the first round ends the reachability.
    let mut commands = begin;
    let mut submitted = 0;
    let counts = loop {
        commands.push(Command::Repeat { count: ROUNDS, commands: rounds.clone() });
        commands.push(Command::Repeat { count: 1, commands: numbering.clone() });
        executor.run(&commands)?;
        let counts = executor.read(&state)?;
        if counts[state::IS_DONE as usize] != 0 {
            break counts;
        }
        submitted += ROUNDS;
        if submitted > MAX_ROUNDS {
            return Ok(None);
        }
        commands = CommandList::new();
    };
    let count = |at: u32| counts[at as usize];
    let edges_before = raw.uploaded.targets.size() / 4;
    if u64::from(count(state::EDGES)) > edges_before || count(state::KEPT).max(count(state::SLICED)) > raw.nodes {
        return Err(contradiction("more nodes or edges are kept than the graph has"));
    }
    let edges = u64::from(count(state::EDGES));
    let (out_targets, in_sources) = (executor.zeros(edges)?, executor.zeros(edges)?);
    let (fronts, backs) = (executor.zeros(nodes)?, executor.zeros(nodes)?);
    let mut filling = CommandList::new();
    for (target, source_offset) in [(&fronts, 0), (&backs, 4)] {
        filling.push(Command::Copy {
            source: in_offsets.clone(),
            source_offset,
            target: target.clone(),
            target_offset: 0,
            length: 4 * nodes,
        });
    }
    let filled = [&kept, &new_ids, &out_offsets, &state, &out_targets, &fronts, &backs, &in_sources];
    filling.dispatch(&programs.pipeline("fill_edges")?, &Bindings::in_order(graph().chain(filled)), by_node);
    let (original_sinks, sinks) = (executor.words(&raw.sinks)?, executor.zeros(raw.sinks.len() as u64)?);
    let mapped = Bindings::in_order([&original_sinks, &new_ids, &sinks]);
    let grid = [executor.workgroups((raw.sinks.len() as u32).div_ceil(WORKGROUP)), 1, 1];
    filling.dispatch(&programs.pipeline("map_nodes")?, &mapped, grid);
    executor.run(&filling)?;
    let sliced = u64::from(count(state::SLICED));
    let first_offsets = executor.device().read_range::<u32>(&in_offsets, 0..sliced + 1)?;
    if !first_offsets.is_sorted() || first_offsets.last().is_some_and(|&last| u64::from(last) > edges) {
        return Err(contradiction("offsets of incoming edges do not rise to the number of edges"));
    }
    Ok(Some(DevicePrepared {
        nodes: count(state::KEPT),
        edges: count(state::EDGES),
        first_offsets,
        forward: [out_offsets, out_targets],
        incoming: [in_offsets, in_sources],
        new_ids,
        sinks,
        original_sinks: raw.sinks,
    }))
}

fn contradiction(what: &'static str) -> DataflowError {
    DataflowError::Device(Error::InconsistentResult { what })
}
