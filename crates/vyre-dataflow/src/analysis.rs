//! Choice of the search strategy: sample, estimate, strategy.
//!
//! The decisions of an analysis, in this order:
//!
//! 1. A transfer function that depends on the source or carries facts needs a search for each source. Any other is applied once
//!    to each edge, which filters the edges.
//! 2. The caller requests a strategy, or the engine chooses one: the first that suits a sample of the sources, or on a CPU the search
//!    in plain code on the host if the cost model estimates that it is faster.
//! 3. Pruning, if the strategy always prunes or the searches traverse more edges than pruning costs.
//! 4. If the strategy gives up, the fallback searches the same prepared graph.

use std::cell::Cell;

use vyre_ir::spelling::counted;
use vyre_memory::join;

use crate::cost::{CostEstimate, Workload, estimates, pruning_pays};
use crate::device_graph::LoadedGraph;
use crate::edge_filter;
use crate::emitter::Receiver;
use crate::error::DataflowError;
use crate::executor::Executor;
use crate::options::Options;
use crate::output::Output;
use crate::preparation::prepare_valid;
use crate::report::{ProgressCallback, Summary};
use crate::request::{check, check_device_memory};
use crate::sample::Sample;
use crate::search::{Outcome, Pruning, Search};
use crate::stages::Stage;
use crate::starts::{StartNodes, Starts};
use crate::strategies::{FALLBACK, Strategy, host_search_bytes, search_with_transfer, suited};
use crate::transfer::Transfer;

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
    /// Estimate of the cost model, if it compared candidates.
    estimate: Option<CostEstimate>,
}

impl<'a> Analysis<'a> {
    /// Runs the analysis from all sources and passes the findings to `receive`.
    pub(crate) fn run(&self, sources: &[u32], receive: &mut Receiver<'_>) -> Result<Summary, DataflowError> {
        let Analysis { executor, options, .. } = *self;
        let graph = self.loaded.view();
        check(graph, sources, options)?;
        let starts = Starts::new(sources, options.facts.as_deref());
        let mut output = Output::new(executor, graph, &starts, self.progress, receive);
        output.report_progress();
        output.explanation.push(format!(
            "graph: {}, {}; {}{}",
            counted(graph.node_count(), "node"),
            counted(graph.edge_count(), "edge"),
            counted(sources.len(), "source"),
            match starts.len() {
                distinct if distinct == sources.len() => String::new(),
                distinct => format!(", {distinct} of them distinct"),
            }
        ));
        let mut estimate = None;
        if starts.len() > 0 {
            match &options.transfer {
                Some(transfer) if transfer.carries_facts() || transfer.uses_source() => {
                    self.check_device_memory()?;
                    self.run_with_transfer(transfer, &starts, &mut output)?;
                }
                Some(transfer) => {
                    self.check_device_memory()?;
                    // The filter needs the memory, and the preparation of a filtered graph frees it anyway.
                    self.loaded.kept.clear();
                    let passes = edge_filter::apply(executor, graph, transfer)?;
                    let blocked = passes.iter().filter(|&&word| word == 0).count();
                    output.explanation.push(format!(
                        "transfer function: independent of source and facts, so it filters the edges before the search; it \
                         blocks {blocked} of {}",
                        passes.len()
                    ));
                    self.run_strategy(Some(&passes), &starts, &mut output)?;
                }
                None => estimate = self.run_strategy(None, &starts, &mut output)?,
            }
        }
        Ok(Summary { estimate, ..output.finish()? })
    }

    fn check_device_memory(&self) -> Result<(), DataflowError> {
        check_device_memory(self.loaded.view(), self.options, self.executor.device().limits())
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

    /// Chooses a strategy, prepares the graph and searches. `passes` has a 0 for each edge that is blocked for all sources. Returns
    /// the estimate of the choice.
    fn run_strategy(
        &self,
        passes: Option<&[u32]>,
        starts: &Starts,
        output: &mut Output<'_>,
    ) -> Result<Option<CostEstimate>, DataflowError> {
        let mut choice = self.choose(passes.is_some(), starts, output);
        let estimate = choice.estimate.take();
        self.search_by(choice, passes, starts, output)?;
        Ok(estimate)
    }

    /// Prepares the graph for the chosen strategy and searches.
    fn search_by(
        &self,
        choice: Choice,
        passes: Option<&[u32]>,
        starts: &Starts,
        output: &mut Output<'_>,
    ) -> Result<(), DataflowError> {
        let graph = self.loaded.view();
        let Choice { strategy, traversed_edges, reached, .. } = choice;
        if strategy != Strategy::Host {
            self.check_device_memory()?;
        }
        self.executor.check_deadline()?;
        if !matches!(strategy, Strategy::BitParallel | Strategy::PerSource | Strategy::Words) {
            // Other searches need the memory for themselves. These strategies use it, or free it.
            self.loaded.kept.clear();
        }
        let mut implementation = strategy.implementation();
        let mut preparation = implementation.preparation();
        let prune = self.options.prune.unwrap_or(match preparation.pruning {
            Pruning::Always => true,
            Pruning::IfItPays => {
                pruning_pays(traversed_edges, graph.edge_count() as u64, self.executor.uses_gpu_programs)
            }
            Pruning::Never => false,
        });
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
            if let Outcome::GaveUp(reason) = in_place.search_in_place(&search, output)? {
                output.explanation.push(format!("strategy: {FALLBACK}, because {reason}"));
                output.enter(Stage::Choose);
                return self.search_by(Choice { strategy: FALLBACK, ..choice }, passes, starts, output);
            }
            return Ok(());
        }
        output.enter(Stage::Prepare);
        if self.executor.uses_gpu_programs
            && let Some(on_device) = implementation.on_device()
        {
            match on_device.search_on_device(&search, passes, prune, output)? {
                Some(Outcome::Complete) => return Ok(()),
                Some(Outcome::GaveUp(reason)) => {
                    output.explanation.push(format!("strategy: {FALLBACK}, because {reason}"));
                    implementation = FALLBACK.implementation();
                    preparation = implementation.preparation();
                }
                None => {}
            }
            output.enter(Stage::Prepare);
        }
        // Compilers block a thread, so they get a thread of their own instead of one that the preparation shares.
        let (compiled, prepared) = join(
            || implementation.compile(&search),
            || prepare_valid(self.loaded.valid(), passes, prune, preparation.order),
        );
        compiled?;
        let kept = [prepared.node_count(), prepared.forward.edge_count()];
        output.explain_pruning(prune.then_some(kept), graph, prepared.sinks.len());
        self.executor.check_deadline()?;
        output.enter(Stage::Load);
        if let Outcome::GaveUp(reason) = implementation.search(&search, prepared, output)? {
            output.explanation.push(format!("strategy: {FALLBACK}, because {reason}"));
            // The search has taken the memory of the prepared graph. It seldom gives up.
            let fallback = FALLBACK.implementation();
            output.enter(Stage::Prepare);
            let prepared = prepare_valid(self.loaded.valid(), passes, prune, fallback.preparation().order);
            output.enter(Stage::Load);
            fallback.search(&search, prepared, output)?;
        }
        Ok(())
    }

    /// Chooses the strategy: that of the caller, or that with the smallest estimate.
    fn choose(&self, is_filtered: bool, starts: &Starts, output: &mut Output<'_>) -> Choice {
        let graph = self.loaded.view();
        let bound = starts.len() as u64 * graph.edge_count() as u64;
        let without_sample = |strategy| Choice { strategy, traversed_edges: bound, reached: None, estimate: None };
        if let Some(strategy) = self.options.strategy {
            output.explanation.push(format!("strategy: {strategy}, as requested"));
            return without_sample(strategy);
        }
        let fits_host = host_search_bytes(graph.node_count()) <= self.options.memory_limit();
        let Executor { allows_host_search, uses_gpu_programs, ref machine, .. } = *self.executor;
        let is_plain = !is_filtered && !self.options.is_tuned();
        let can_use_host = allows_host_search && !uses_gpu_programs && is_plain && fits_host;
        let is_earlier = Cell::new(false);
        let max_depth = self.options.depth_limit();
        let take = |nodes: StartNodes<'_>| {
            let (sample, is_known) = self.loaded.sample(max_depth, || Sample::new(graph, nodes, max_depth));
            is_earlier.set(is_known);
            sample
        };
        let measure = || Workload::of_starts(graph, starts, take);
        let workload = self.options.workload.unwrap_or_else(measure);
        let is_estimated = can_use_host || uses_gpu_programs && machine.is_calibrated && is_plain;
        let candidates = if is_estimated { estimates(&workload, machine) } else { Vec::new() };
        for estimate in &candidates {
            output.explanation.push(format!("estimate: {estimate}"));
        }
        // Candidates of other backends were not chosen, so the best of this device remains.
        let backend = self.executor.calibrated_backend();
        let best = candidates.into_iter().find(|estimate| Some(&*estimate.backend) == backend);
        let Some(estimate) = workload.estimate(uses_gpu_programs) else {
            let strategy = if can_use_host { Strategy::Host } else { FALLBACK };
            output.explanation.push(format!("strategy: {strategy}, because there are few sources"));
            return Choice { estimate: best.filter(|best| best.strategy == strategy), ..without_sample(strategy) };
        };
        let Sample { sources, levels, reached, complete, shared, .. } = estimate.sample;
        let origin = if is_earlier.get() { ", of an earlier analysis" } else { "" };
        output.explanation.push(format!(
            "sample: searches from {} reach {} on average in up to {} ({complete} of them complete{origin}) and have {}",
            counted(sources, "source"),
            counted(reached, "node"),
            counted(levels, "level"),
            counted(shared, "shared node")
        ));
        let (strategy, reason) = match &best {
            Some(best) if best.strategy == Strategy::Host => {
                (Strategy::Host, "its estimate is the smallest on the CPU")
            }
            _ => suited(&estimate),
        };
        output.explanation.push(format!("strategy: {strategy}, because {reason}"));
        Choice { strategy, traversed_edges: estimate.traversed_edges(), reached: Some(reached), estimate: best }
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
