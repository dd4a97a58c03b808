//! Choice of the search strategy: sample, estimate, strategy.
//!
//! The decisions of an analysis, in this order:
//!
//! 1. A transfer function that depends on the source or carries facts needs a search for each source. Any other is applied once
//!    to each edge, which filters the edges.
//! 2. The caller requests a strategy, or a sample of the sources yields an estimate from which the engine chooses one.
//! 3. Pruning, if the strategy always prunes or the searches traverse more edges than pruning costs.
//! 4. If the strategy gives up, the fallback searches the same prepared graph.

use vyre_graph::CsrView;
use vyre_ir::spelling::counted;

use crate::device_graph::LoadedGraph;
use crate::edge_filter;
use crate::emitter::Receiver;
use crate::error::DataflowError;
use crate::executor::Executor;
use crate::options::Options;
use crate::output::Output;
use crate::preparation::prepare_valid;
use crate::report::{ProgressCallback, Summary};
use crate::request::check;
use crate::sample::Sample;
use crate::search::{Estimate, Outcome, Search};
use crate::stages::Stage;
use crate::starts::Starts;
use crate::strategies::{Strategy, search_with_transfer};
use crate::transfer::Transfer;

/// Minimum number of distinct starts for which a sample pays.
const MIN_SAMPLED_STARTS: u64 = 8;
/// Cost of transposing an edge, in traversed edges.
const TRANSPOSE_COST: u64 = 24;
/// Strategy of small analyses, and of those whose strategy gives up.
const FALLBACK: Strategy = Strategy::PerSource;

/// Graph, device and callbacks of an analysis.
pub(crate) struct Analysis<'a> {
    pub(crate) executor: &'a Executor,
    pub(crate) loaded: &'a LoadedGraph<'a>,
    pub(crate) progress: Option<&'a ProgressCallback>,
    pub(crate) options: &'a Options,
}

/// A strategy with the estimates that led to it.
struct Choice {
    strategy: Strategy,
    /// Number of edges that all searches together traverse.
    traversed_edges: u64,
    /// Mean number of nodes that a search reaches, if a sample was taken.
    reached: Option<u64>,
}

impl<'a> Analysis<'a> {
    /// Runs the analysis from all sources and passes the findings to `receive`.
    pub(crate) fn run(&self, sources: &[u32], receive: &mut Receiver<'_>) -> Result<Summary, DataflowError> {
        let Analysis { executor, options, .. } = *self;
        let graph = self.loaded.view();
        check(graph, sources, options, executor.device().limits())?;
        let starts = Starts::new(sources, options.facts.as_deref());
        let mut output = Output::new(executor, graph, &starts, self.progress, receive);
        output.report_progress();
        output.explanation.push(format!(
            "graph: {}, {}; {}, {} of them distinct",
            counted(graph.node_count(), "node"),
            counted(graph.edge_count(), "edge"),
            counted(sources.len(), "source"),
            starts.len()
        ));
        if starts.len() > 0 {
            match &options.transfer {
                Some(transfer) if transfer.carries_facts() || transfer.uses_source() => {
                    self.run_with_transfer(transfer, &starts, &mut output)?;
                }
                Some(transfer) => {
                    let passes = edge_filter::apply(executor, graph, transfer)?;
                    let blocked = passes.iter().filter(|&&word| word == 0).count();
                    output.explanation.push(format!(
                        "transfer function: independent of source and facts, so it filters the edges before the search; it \
                         blocks {blocked} of {}",
                        passes.len()
                    ));
                    self.run_strategy(Some(&passes), &starts, &mut output)?;
                }
                None => self.run_strategy(None, &starts, &mut output)?,
            }
        }
        output.finish()
    }

    /// Searches with a transfer function whose result may differ for each source.
    fn run_with_transfer(
        &self,
        transfer: &Transfer,
        starts: &Starts,
        output: &mut Output<'_>,
    ) -> Result<(), DataflowError> {
        let reason = match transfer.carries_facts() {
            true => "the transfer function carries facts",
            false => "the transfer function depends on the source",
        };
        output.explanation.push(format!("strategy: {FALLBACK}, because {reason}"));
        if self.options.is_tuned() {
            output.explanation.push("other requests are ignored: only this strategy evaluates such a function");
        }
        output.enter(Stage::Load);
        search_with_transfer(&self.search(starts, None, false), transfer, output)
    }

    /// Chooses a strategy, prepares the graph and searches. `passes` has a 0 for each edge that is blocked for all sources.
    fn run_strategy(
        &self,
        passes: Option<&[u32]>,
        starts: &Starts,
        output: &mut Output<'_>,
    ) -> Result<(), DataflowError> {
        let graph = self.loaded.view();
        let Choice { strategy, traversed_edges, reached } = self.choose(starts, output);
        self.executor.check_deadline()?;
        let implementation = strategy.implementation();
        let preparation = implementation.preparation();
        let pays = traversed_edges > TRANSPOSE_COST * graph.edge_count() as u64;
        let prune = self.options.prune.unwrap_or(preparation.prunes_by_default || pays);
        let search = self.search(starts, reached, prune && self.options.contract != Some(false));
        if !prune
            && passes.is_none()
            && let Some(in_place) = implementation.in_place()
        {
            output.explanation.push(match self.options.prune {
                Some(_) => "pruning: none, as requested",
                None => "pruning: none, because it would take longer than it saves",
            });
            output.enter(Stage::Load);
            return in_place.search_in_place(&search, output);
        }
        output.enter(Stage::Prepare);
        // Compilers block a thread, so they get a thread of their own instead of one that the preparation shares.
        let (prepared, compiled) = std::thread::scope(|scope| {
            let compiling = scope.spawn(|| implementation.compile(&search));
            let prepared = prepare_valid(self.loaded.valid(), passes, prune, preparation.order);
            (prepared, compiling.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        compiled?;
        output.explanation.push(match prune {
            true => format!(
                "pruning: {} of {} and {} of {} can reach one of {}; the others are removed",
                prepared.node_count(),
                counted(graph.node_count(), "node"),
                prepared.forward.edge_count(),
                counted(graph.edge_count(), "edge"),
                counted(prepared.sinks.len(), "sink")
            ),
            false => "pruning: none".to_owned(),
        });
        self.executor.check_deadline()?;
        output.enter(Stage::Load);
        if let Outcome::GaveUp(reason) = implementation.search(&search, &prepared, output)? {
            output.explanation.push(format!("strategy: {FALLBACK}, because {reason}"));
            FALLBACK.implementation().search(&search, &prepared, output)?;
        }
        Ok(())
    }

    /// Chooses the strategy: that of the caller, or the first of the table that suits the estimate.
    fn choose(&self, starts: &Starts, output: &mut Output<'_>) -> Choice {
        let graph = self.loaded.view();
        let count = starts.len() as u64;
        let bound = count * graph.edge_count() as u64;
        if let Some(strategy) = self.options.strategy {
            output.explanation.push(format!("strategy: {strategy}, as requested"));
            return Choice { strategy, traversed_edges: bound, reached: None };
        }
        if count < MIN_SAMPLED_STARTS {
            output.explanation.push(format!("strategy: {FALLBACK}, because there are few sources"));
            return Choice { strategy: FALLBACK, traversed_edges: bound, reached: None };
        }
        let estimate = self.estimate(graph, starts);
        let Sample { sources, levels, reached, complete, .. } = estimate.sample;
        output.explanation.push(format!(
            "sample: searches from {} reach {} on average in up to {} ({complete} of them complete)",
            counted(sources, "source"),
            counted(reached, "node"),
            counted(levels, "level")
        ));
        let suits = |&strategy: &Strategy| Some((strategy, strategy.implementation().suits(&estimate)?));
        let (strategy, reason) = Strategy::ALL.iter().find_map(suits).unwrap_or((FALLBACK, "no other strategy suits"));
        output.explanation.push(format!("strategy: {strategy}, because {reason}"));
        Choice { strategy, traversed_edges: estimate.traversed_edges(), reached: Some(reached) }
    }

    /// Samples the searches.
    fn estimate(&self, graph: CsrView<'_>, starts: &Starts) -> Estimate {
        let nodes = starts.starts.iter().map(|start| start.node);
        Estimate {
            sample: Sample::new(graph, nodes, self.options.depth_limit()),
            starts: starts.len() as u64,
            nodes: graph.node_count() as u64,
            edges: graph.edge_count() as u64,
            uses_gpu_programs: self.executor.uses_gpu_programs,
        }
    }

    fn search<'s>(&'s self, starts: &'s Starts, reached: Option<u64>, can_contract: bool) -> Search<'s> {
        Search {
            executor: self.executor,
            loaded: self.loaded,
            starts,
            max_depth: self.options.depth_limit(),
            memory: self.options.memory_limit(),
            is_requested: self.options.strategy.is_some(),
            reached,
            levels: self.options.levels,
            can_contract,
        }
    }
}
