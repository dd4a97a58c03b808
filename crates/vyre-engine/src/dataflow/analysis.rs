//! One analysis: what is done in which order, and what was chosen.

use std::ops::ControlFlow;

use vyre_graph::{CsrView, Role, role_of};
use vyre_runtime::{Buffer, Error};

use super::contract::contract;
use super::distances::{Distances, Layout as DistanceLayout};
use super::emit::Emitter;
use super::engine::{Dataflow, Loaded, Progress, Summary};
use super::error::DataflowError;
use super::explain::Explanation;
use super::filter;
use super::finding::Finding;
use super::options::{Options, Path};
use super::prepare::{Order, Prepared, prepare};
use super::request::{Start, Starts, check, fits};
use super::rows::{MOST_WORDS, Rows, Sizes as RowSizes};
use super::sample::Sample;
use super::transfer::{Metadata, Transfer};
use super::walk::{Applied, Bits, Sizes, Unit, Walk, WalkGraph};

/// The memory that is used at a time unless the caller says otherwise.
const MEMORY: u64 = 2 << 30;
/// Fewer sources than this are searched one by one: nothing that is prepared for them pays.
const FEW: u64 = 8;
/// How many times as long it takes to turn an edge round as to follow it.
const TURNING: u64 = 24;
/// The same for dropping nodes and contracting chains.
const SHORTENING: u64 = 16;
/// As many sources should share distances.
const SHARING: u64 = 32;
/// A visit of a node with its distances takes about as long as so many visits of nodes of one search.
const VISIT: u64 = 8;
/// The most sources whose depths are in memory at a time.
const MOST_SOURCES: u64 = 4096;

/// An analysis that is being done.
pub(crate) struct Analysis<'a, R> {
    loaded: &'a Loaded<'a>,
    engine: &'a Dataflow,
    graph: CsrView<'a>,
    options: &'a Options,
    starts: Starts,
    emitter: Emitter<R>,
    /// Findings of a node whose starts are not all done.
    pending: Vec<Finding>,
    explanation: Explanation,
    max_depth: u32,
    memory: u64,
    sources: u64,
    done: u64,
}

/// How to go through the graph.
struct Choice {
    path: Path,
    /// About how many edges all searches together follow.
    work: u64,
    /// How many nodes a search reaches, where a sample has shown it.
    reached: Option<u64>,
}

/// How a batch's depths lie in memory.
#[derive(Clone, Copy)]
enum Layout {
    /// A depth for each source and sink.
    Depths,
    /// A depth and a word of facts for each.
    Facts,
}

impl<'a, R: FnMut(&[Finding]) -> ControlFlow<()>> Analysis<'a, R> {
    pub(crate) fn new(
        loaded: &'a Loaded<'a>,
        sources: &[u32],
        options: &'a Options,
        receive: R,
    ) -> Result<Analysis<'a, R>, DataflowError> {
        let (engine, graph) = (loaded.engine(), loaded.view());
        check(graph, sources, options, engine.device().limits())?;
        Ok(Analysis {
            loaded,
            engine,
            graph,
            options,
            starts: Starts::new(sources, options.facts.as_deref()),
            emitter: Emitter::new(receive),
            pending: Vec::new(),
            explanation: Explanation::default(),
            max_depth: options.max_depth.unwrap_or(u32::MAX),
            memory: options.memory.unwrap_or(MEMORY),
            sources: sources.len() as u64,
            done: 0,
        })
    }

    /// Does it.
    pub(crate) fn run(mut self) -> Result<Summary, DataflowError> {
        self.tell();
        self.explanation.say(format!(
            "graph: {} nodes, {} edges; {} sources, {} of them different",
            self.graph.node_count(),
            self.graph.edge_count(),
            self.sources,
            self.starts.starts.len()
        ));
        if !self.starts.starts.is_empty() {
            match &self.options.transfer {
                Some(transfer) if transfer.carries_facts() || transfer.uses_source() => self.by_source(transfer)?,
                Some(transfer) => {
                    let passes = filter::apply(&self.engine.bench, self.graph, transfer)?;
                    let blocked = passes.iter().filter(|&&word| word == 0).count();
                    self.explanation.say(format!(
                        "transfer function: looks at no source and no facts, so it was applied once to each edge; {blocked} of {} \
                         are blocked",
                        passes.len()
                    ));
                    self.alike(Some(&passes))?;
                }
                None => self.alike(None)?,
            }
        }
        self.emitter.flush()?;
        let device_time = self.engine.bench.device_time();
        Ok(Summary { findings: self.emitter.total, explanation: self.explanation, device_time })
    }

    fn tell(&self) {
        self.engine.tell(Progress { done: self.done, total: self.sources, findings: self.emitter.total });
    }

    /// Ends the analysis if it is to end.
    fn check_time(&self) -> Result<(), Error> {
        self.engine.bench.run_options.check()
    }

    /// An analysis whose edges let all sources through alike.
    fn alike(&mut self, passes: Option<&[u32]>) -> Result<(), DataflowError> {
        let Choice { path, work, reached } = self.choose();
        self.check_time()?;
        // To turn the graph round takes about as long as to follow each edge this often.
        let pays = work > TURNING * self.graph.edge_count() as u64;
        let prune = self.options.prune.unwrap_or(path == Path::BitParallel || pays);
        if !prune && passes.is_none() && path != Path::BitParallel {
            self.explanation.say("pruning: none, because that would take longer than it saves");
            let whole = self.loaded.whole()?;
            return self.walk(&whole.there, None, &whole.sinks, unit_of(path), None);
        }
        let order = if path == Path::BitParallel { Order::ByIncoming } else { Order::Kept };
        let prepared = prepare(self.graph, passes, prune, order);
        if prune {
            self.explanation.say(format!(
                "pruning: {} of {} nodes and {} of {} edges can lead to one of {} sinks; the others were dropped",
                prepared.node_count(),
                self.graph.node_count(),
                prepared.forward.edge_count(),
                self.graph.edge_count(),
                prepared.sinks.len()
            ));
        } else {
            self.explanation.say("pruning: none");
        }
        self.check_time()?;
        match path {
            Path::BitParallel => self.rows(&prepared),
            Path::Distances if self.distances(&prepared, prune, reached)? => Ok(()),
            _ => {
                let there = WalkGraph::new(&self.engine.bench, prepared.forward.view(), &prepared.sinks)?;
                let sinks: Vec<u32> = prepared.sink_nodes().collect();
                self.walk(&there, Some(&prepared.place), &sinks, unit_of(path), None)
            }
        }
    }

    /// How to go through the graph, and about how many edges all searches together follow.
    fn choose(&mut self) -> Choice {
        let count = self.starts.starts.len() as u64;
        let unknown = count * self.graph.edge_count() as u64;
        if let Some(path) = self.options.path {
            self.explanation.say(format!("path: {path}, as was asked for"));
            return Choice { path, work: unknown, reached: None };
        }
        if count < FEW {
            self.explanation.say(format!("path: {}, because there are few sources", Path::PerSource));
            return Choice { path: Path::PerSource, work: unknown, reached: None };
        }
        let nodes = self.starts.starts.iter().map(|start| start.node);
        let sample = Sample::new(self.graph, nodes, self.max_depth);
        let Sample { sources, levels, reached, edges, complete } = sample;
        self.explanation.say(format!(
            "sample: {sources} sources reach {reached} nodes in up to {levels} levels ({complete} of the searches went to their end)"
        ));
        let nodes = self.graph.node_count() as u64;
        // Distances of all nodes are kept, so that most of them should be reached; and preparing them takes its time.
        let can_share = !self.engine.bench.is_wide && 4 * reached >= nodes && count >= SHARING;
        let (path, why) = if sample.is_shallow() {
            (Path::BitParallel, "all sources together take few levels")
        } else if can_share && count * edges > SHORTENING * self.graph.edge_count() as u64 {
            (Path::Distances, "there are many levels, and sources reach most of the graph")
        } else {
            (Path::PerSource, "with so many levels, sources meet most nodes at depths of their own")
        };
        self.explanation.say(format!("path: {path}, because {why}"));
        Choice { path, work: count * edges, reached: Some(reached) }
    }

    /// Bit-parallel, in batches that fit the memory.
    fn rows(&mut self, prepared: &Prepared) -> Result<(), DataflowError> {
        let limits = self.engine.device().limits();
        let count = self.starts.starts.len();
        let mut words = (count.div_ceil(32) as u32).next_power_of_two().min(MOST_WORDS);
        while words > 1 && !Rows::sizes(prepared, words).fit(self.memory, limits.buffer_bytes) {
            words /= 2;
        }
        let sizes = Rows::sizes(prepared, words);
        fits("the rows", sizes.all, self.memory)?;
        fits("the rows", sizes.largest, limits.buffer_bytes.min(RowSizes::MOST))?;
        let per_batch = words as usize * 32;
        self.say_batches(per_batch, sizes.all);
        let rows = Rows::new(&self.engine.bench, prepared, words, self.options.levels)?;
        let sinks: Vec<u32> = prepared.sink_nodes().collect();
        let (mut dense, mut thin) = (0, 0);
        for first in (0..count).step_by(per_batch) {
            let batch = first..count.min(first + per_batch);
            let starts = self.placed(Some(&prepared.place), batch.clone());
            let levelled = rows.run(prepared, &starts, self.max_depth)?;
            dense += levelled.dense;
            thin += levelled.thin;
            self.emit(&sinks, batch, rows.depths(), Layout::Depths)?;
        }
        self.explanation.say(format!("levels: {dense} dense, {thin} thin"));
        Ok(())
    }

    /// With distances, in batches that fit the memory. Where the first batch takes too long, nothing is done.
    fn distances(&mut self, prepared: &Prepared, is_pruned: bool, reached: Option<u64>) -> Result<bool, DataflowError> {
        let mut is_start = vec![false; self.graph.node_count()];
        self.starts.starts.iter().for_each(|start| is_start[start.node as usize] = true);
        // Nodes that reach no sink may go round in circles, which contraction does not expect.
        let contracts = is_pruned && self.options.contract != Some(false);
        let graph = contract(prepared, |node| !contracts || is_start[node as usize]);
        self.check_time()?;
        let kept = graph.node_count();
        self.explanation.say(match contracts {
            true => format!("contraction: {kept} of {} nodes are left", prepared.node_count()),
            false => "contraction: none".to_owned(),
        });
        let count = self.starts.starts.len();
        let device = self.engine.device();
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8) as u32;
        let row = 4 * graph.sinks.len() as u64;
        let sources = (self.memory / 4 / row.max(1)).clamp(1, 1024).min(count as u64);
        let Some(layout) = DistanceLayout::fitting(&**device, &graph, sources, threads, self.memory) else {
            let smallest = DistanceLayout { per_lane: 1, ..DistanceLayout::default() };
            let wanted = Distances::bytes(&graph, smallest, 1);
            if self.options.path.is_none() {
                self.explanation.say("path: per-source after all, because distances do not fit the memory");
                return Ok(false);
            }
            return Err(DataflowError::DoesNotFit { what: "the distances", wanted, limit: self.memory });
        };
        self.say_batches(sources as usize, Distances::bytes(&graph, layout, sources));
        let distances = Distances::new(&self.engine.bench, &graph, layout, sources as u32)?;
        let mut visits = 0;
        for first in (0..count).step_by(sources as usize) {
            let batch = first..count.min(first + sources as usize);
            let starts = self.placed(Some(&graph.place), batch.clone());
            let most = match reached {
                Some(reached) if first == 0 => batch.len() as u64 * reached / VISIT,
                _ => u64::MAX,
            };
            let Some(visited) = distances.run(&starts, self.max_depth, most)? else {
                self.explanation.say("path: per-source after all, because distances changed too often");
                return Ok(false);
            };
            visits += visited.visits;
            let sinks: Vec<u32> = graph.sink_nodes().collect();
            self.emit(&sinks, batch, distances.depths(), Layout::Depths)?;
        }
        self.explanation.say(format!("visits: {visits} of nodes, for {count} sources"));
        Ok(true)
    }

    /// An analysis whose edges may let each source through differently.
    fn by_source(&mut self, transfer: &Transfer) -> Result<(), DataflowError> {
        let (unit, why) = match transfer.carries_facts() {
            true => (Unit::Word(Bits::Facts), "the transfer function carries facts"),
            false => (Unit::Source, "the transfer function looks at the source"),
        };
        self.explanation.say(format!("path: {}, because {why}", Path::PerSource));
        let (metadata, by_edge) = match &transfer.metadata {
            Metadata::NodeData => (self.graph.node_data, false),
            Metadata::Nodes(words) => (&words[..], false),
            Metadata::Edges(words) => (&words[..], true),
        };
        let whole = self.loaded.whole()?;
        self.walk(&whole.there, None, &whole.sinks, unit, Some(Applied { transfer, metadata, by_edge }))
    }

    /// Source by source, or word by word, in batches that fit the memory.
    fn walk(
        &mut self,
        there: &WalkGraph,
        place: Option<&[u32]>,
        sinks: &[u32],
        unit: Unit,
        applied: Option<Applied<'_>>,
    ) -> Result<(), DataflowError> {
        let limit = self.engine.device().limits().buffer_bytes;
        let sizes = Sizes::of(unit, there, self.engine.bench.is_wide);
        let [slot, row] = [4 * (sizes.slot[0] + sizes.slot[1]), 4 * sizes.row];
        let largest = 4 * sizes.slot[0].max(sizes.slot[1]);
        fits("the queue of a search", largest, limit)?;
        let count = self.starts.starts.len() as u64;
        let least = if unit == Unit::Word(Bits::Sources) { 32 } else { 1 };
        fits("a search", slot + row * least, self.memory)?;
        fits("the depths of a search", row * least, limit)?;
        // Half of the memory for depths, the rest for searches side by side.
        let sources = (self.memory / 2).min(limit).checked_div(row).unwrap_or(u64::MAX);
        let sources = (sources / least * least).clamp(least, MOST_SOURCES).min(count.next_multiple_of(least));
        let most_slots = if self.engine.bench.is_wide {
            1024
        } else {
            std::thread::available_parallelism().map_or(1, usize::from) as u64
        };
        let slots = ((self.memory - row * sources) / slot).min(limit / largest).min((1 << 32) / (largest / 4).max(1));
        let slots = slots.clamp(1, most_slots).min(sources.div_ceil(least));
        self.say_batches(sources as usize, slot * slots + row * sources);
        let walk = Walk::new(&self.engine.bench, there, unit, applied, sources as u32, slots as u32)?;
        let layout = if unit == Unit::Word(Bits::Facts) { Layout::Facts } else { Layout::Depths };
        for first in (0..count as usize).step_by(sources as usize) {
            let batch = first..(count as usize).min(first + sources as usize);
            let starts = self.placed(place, batch.clone());
            let facts: Vec<u32> = self.starts.starts[batch.clone()].iter().map(|start| start.facts).collect();
            walk.run(&starts, Some(&facts), self.max_depth)?;
            self.emit(sinks, batch, walk.depths(), layout)?;
        }
        Ok(())
    }

    fn say_batches(&mut self, sources: usize, bytes: u64) {
        let count = self.starts.starts.len().div_ceil(sources.max(1));
        let mebibytes = bytes.div_ceil(1 << 20);
        self.explanation.say(format!("batches: {count} of up to {sources} sources, {mebibytes} MiB each"));
    }

    /// The nodes of some starts, with the numbers that they have in the graph that is left.
    fn placed(&self, place: Option<&[u32]>, batch: std::ops::Range<usize>) -> Vec<u32> {
        let number = |start: &Start| place.map_or(start.node, |place| place[start.node as usize]);
        self.starts.starts[batch].iter().map(number).collect()
    }

    /// Hands on what a batch has found.
    fn emit(
        &mut self,
        sinks: &[u32],
        batch: std::ops::Range<usize>,
        depths: &Buffer,
        layout: Layout,
    ) -> Result<(), DataflowError> {
        let bytes = self.engine.device().read(depths)?;
        let (words, _) = bytes.as_chunks::<4>();
        let width = match layout {
            Layout::Depths => sinks.len(),
            Layout::Facts => 2 * sinks.len(),
        };
        for (at, number) in batch.enumerate() {
            let start = self.starts.starts[number];
            let row = &words[at * width..(at + 1) * width];
            self.findings_of(start, sinks, row, layout);
            self.done += self.starts.positions(start).len() as u64;
            // Starts at one node with other facts follow each other; together their findings are in order.
            let next = self.starts.starts.get(number + 1);
            if next.is_none_or(|next| next.node != start.node) {
                self.hand_on()?;
            }
        }
        self.tell();
        Ok(())
    }

    fn hand_on(&mut self) -> Result<(), DataflowError> {
        self.pending.sort_unstable();
        for finding in self.pending.drain(..) {
            self.emitter.push(finding)?;
        }
        Ok(())
    }

    /// Adds the findings of a start, for each of its positions.
    fn findings_of(&mut self, start: Start, sinks: &[u32], row: &[[u8; 4]], layout: Layout) {
        let word = |at: usize| u32::from_le_bytes(row[at]);
        for (at, &sink) in sinks.iter().enumerate() {
            let (depth, facts) = match layout {
                Layout::Depths => (word(at), start.facts),
                Layout::Facts => (word(2 * at), word(2 * at + 1)),
            };
            let is_itself = sink == start.node;
            let is_found = if is_itself {
                role_of(self.graph.node_data[sink as usize]) == Role::SourceAndSink
            } else {
                depth != 0
            };
            if is_found {
                // A source that carries no facts along has those that it began with.
                let facts = if is_itself { facts | start.facts } else { facts };
                let depth = if is_itself { 0 } else { depth };
                let finding = |&source_index| Finding { source: start.node, sink, depth, source_index, facts };
                self.pending.extend(self.starts.positions(start).iter().map(finding));
            }
        }
    }
}

/// What a workgroup does at a time on a path.
fn unit_of(path: Path) -> Unit {
    if path == Path::Words { Unit::Word(Bits::Sources) } else { Unit::Source }
}
