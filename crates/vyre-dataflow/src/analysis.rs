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
use super::options::{Options, Strategy};
use super::prepare::{Order, Prepared, prepare};
use super::request::{MEMORY, Start, Starts, check, fits};
use super::rows::{MOST_WORDS, Rows, Sizes as RowSizes};
use super::sample::Sample;
use super::transfer::{Metadata, Transfer};
use super::walk::{Applied, Bits, Sizes, Unit, Walk, WalkGraph};

/// Fewer sources than this are searched one by one: nothing that is prepared for them pays.
const FEW: u64 = 8;
/// How many times as long it takes to turn an edge round as to follow it.
const TURNING: u64 = 24;
/// With more levels than this in the first batch, rows were a bad choice.
const MOST_LEVELS: u32 = 256;
/// The same as [`TURNING`] for dropping nodes and contracting chains.
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
    /// What the starts of a node have found, as long as they are not all done.
    pending: Vec<(Start, Vec<u32>)>,
    explanation: Explanation,
    max_depth: u32,
    memory: u64,
    sources: u64,
    done: u64,
}

/// How to go through the graph.
struct Choice {
    strategy: Strategy,
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
            emitter: Emitter::new(receive, engine.bench.run_options.clone()),
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
        self.check_time()?;
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
        let Choice { strategy, work, reached } = self.choose();
        self.check_time()?;
        // To turn the graph round takes about as long as to follow each edge this often.
        let pays = work > TURNING * self.graph.edge_count() as u64;
        let prune = self.options.prune.unwrap_or(strategy == Strategy::BitParallel || pays);
        let is_search = !matches!(strategy, Strategy::BitParallel | Strategy::Distances);
        if !prune && passes.is_none() && is_search {
            self.explanation.say(match self.options.prune {
                Some(_) => "pruning: none, as was asked for",
                None => "pruning: none, because that would take longer than it saves",
            });
            let whole = self.loaded.whole()?;
            return self.walk(&whole.there, None, &whole.sinks, unit_of(strategy), None);
        }
        let order = if strategy == Strategy::BitParallel { Order::ByIncoming } else { Order::Kept };
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
        match strategy {
            Strategy::BitParallel if self.rows(&prepared)? => Ok(()),
            Strategy::Distances if self.distances(&prepared, prune, reached)? => Ok(()),
            _ => {
                let there = WalkGraph::new(&self.engine.bench, prepared.forward.view(), &prepared.sinks)?;
                let sinks: Vec<u32> = prepared.sink_nodes().collect();
                self.walk(&there, Some(&prepared.place), &sinks, unit_of(strategy), None)
            }
        }
    }

    /// How to go through the graph, and about how many edges all searches together follow.
    fn choose(&mut self) -> Choice {
        let count = self.starts.starts.len() as u64;
        let unknown = count * self.graph.edge_count() as u64;
        if let Some(strategy) = self.options.strategy {
            self.explanation.say(format!("strategy: {strategy}, as was asked for"));
            return Choice { strategy, work: unknown, reached: None };
        }
        if count < FEW {
            self.explanation.say(format!("strategy: {}, because there are few sources", Strategy::PerSource));
            return Choice { strategy: Strategy::PerSource, work: unknown, reached: None };
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
        let (strategy, why) = if sample.is_shallow() {
            (Strategy::BitParallel, "searches take few levels, as far as the sample has seen")
        } else if can_share && count * edges > SHORTENING * self.graph.edge_count() as u64 {
            (Strategy::Distances, "there are many levels, and sources reach most of the graph")
        } else {
            (Strategy::PerSource, "with so many levels, sources meet most nodes at depths of their own")
        };
        self.explanation.say(format!("strategy: {strategy}, because {why}"));
        Choice { strategy, work: count * edges, reached: Some(reached) }
    }

    /// Bit-parallel, in batches that fit the memory. Unless it was asked for, nothing is done where it does not fit, or where the
    /// first batch has too many levels.
    fn rows(&mut self, prepared: &Prepared) -> Result<bool, DataflowError> {
        let limits = self.engine.device().limits();
        let count = self.starts.starts.len();
        let mut words = (count.div_ceil(32) as u32).next_power_of_two().min(MOST_WORDS);
        while words > 1 && !Rows::sizes(prepared, words).fit(self.memory, limits.buffer_bytes) {
            words /= 2;
        }
        let sizes = Rows::sizes(prepared, words);
        let is_asked_for = self.options.strategy.is_some();
        if !is_asked_for && !sizes.fit(self.memory, limits.buffer_bytes) {
            self.explanation.say("strategy: per-source after all, because rows do not fit the memory");
            return Ok(false);
        }
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
            let most_levels = if is_asked_for || first > 0 { u32::MAX } else { MOST_LEVELS };
            let Some(levelled) = rows.run(prepared, &starts, self.max_depth, most_levels)? else {
                self.explanation
                    .say("strategy: per-source after all, because there are more levels than the sample has seen");
                return Ok(false);
            };
            dense += levelled.dense;
            thin += levelled.thin;
            self.emit(&sinks, batch, rows.depths(), Layout::Depths)?;
        }
        self.explanation.say(format!("levels: {dense} dense, {thin} thin"));
        Ok(true)
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
        let limit = device.limits().buffer_bytes.min(RowSizes::MOST);
        let sources = ((self.memory / 4).min(limit) / row.max(1)).clamp(1, 1024).min(count as u64);
        let fits = row <= limit && 8 * graph.targets.len() as u64 <= limit;
        let layout = DistanceLayout::fitting(&**device, &graph, sources, threads, self.memory);
        let Some(layout) = layout.filter(|_| fits) else {
            let smallest = DistanceLayout { per_lane: 1, ..DistanceLayout::default() };
            let wanted = Distances::bytes(&graph, smallest, 1);
            if self.options.strategy.is_none() {
                self.explanation.say("strategy: per-source after all, because distances do not fit the memory");
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
                self.explanation.say("strategy: per-source after all, because distances changed too often");
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
        self.explanation.say(format!("strategy: {}, because {why}", Strategy::PerSource));
        let Options { strategy, levels, prune, contract, .. } = self.options;
        if strategy.is_some() || levels.is_some() || prune.is_some() || contract.is_some() {
            self.explanation.say("what else was asked for is left aside: a search for each source has no choice");
        }
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
        // Programs count words with 32 bits.
        let limit = self.engine.device().limits().buffer_bytes.min(RowSizes::MOST);
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

    /// Hands on what a batch has found. What belongs to a node is handed on when all its starts are done.
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
            let row = words[at * width..(at + 1) * width].iter().map(|word| u32::from_le_bytes(*word)).collect();
            self.pending.push((start, row));
            self.done += self.starts.positions(start).len() as u64;
            // Starts at one node with other facts follow each other, and their findings are in order together.
            let next = self.starts.starts.get(number + 1);
            if next.is_none_or(|next| next.node != start.node) {
                self.hand_on(sinks, layout)?;
            }
        }
        self.tell();
        Ok(())
    }

    /// Hands on the findings of a node, sink by sink, for each of its starts and each of their positions.
    fn hand_on(&mut self, sinks: &[u32], layout: Layout) -> Result<(), DataflowError> {
        let starts = std::mem::take(&mut self.pending);
        let mut of_sink = Vec::new();
        for (at, &sink) in sinks.iter().enumerate() {
            for (start, row) in &starts {
                let (depth, facts) = match layout {
                    Layout::Depths => (row[at], start.facts),
                    Layout::Facts => (row[2 * at], row[2 * at + 1]),
                };
                let is_itself = sink == start.node;
                let is_found = match is_itself {
                    true => role_of(self.graph.node_data[sink as usize]) == Role::SourceAndSink,
                    false => depth != 0,
                };
                if is_found {
                    // A source that carries no facts along has those that it began with.
                    let (depth, facts) = if is_itself { (0, facts | start.facts) } else { (depth, facts) };
                    let source = start.node;
                    let finding = |&source_index| Finding { source, sink, depth, source_index, facts };
                    of_sink.extend(self.starts.positions(*start).iter().map(finding));
                }
            }
            if starts.len() > 1 {
                of_sink.sort_unstable();
            }
            of_sink.drain(..).try_for_each(|finding| self.emitter.push(finding))?;
        }
        Ok(())
    }
}

/// What a workgroup does at a time on a strategy.
fn unit_of(strategy: Strategy) -> Unit {
    if strategy == Strategy::Words { Unit::Word(Bits::Sources) } else { Unit::Source }
}
