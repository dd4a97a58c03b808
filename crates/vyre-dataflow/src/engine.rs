//! The engine: graphs on a device, and analyses of them.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use vyre_graph::{CsrView, role_of};
use vyre_runtime::{Device, RunOptions};

use super::analysis::Analysis;
use super::error::DataflowError;
use super::explain::Explanation;
use super::finding::Finding;
use super::options::Options;
use super::runner::Runner;
use super::walk::WalkGraph;
use super::witness::witnesses;

/// Analyses graphs on a device. Programs are compiled when they are first needed, and kept.
pub struct Dataflow {
    pub(crate) bench: Runner,
    progress: Option<Box<dyn Fn(Progress) + Send + Sync>>,
}

/// How far an analysis has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// How many sources are done.
    pub done: u64,
    /// How many there are.
    pub total: u64,
    /// How many findings there are so far.
    pub findings: u64,
}

/// What an analysis has to say beside its findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// How many findings there are.
    pub findings: u64,
    /// What was chosen, and why.
    pub explanation: Explanation,
    /// How long the device ran, where that is measured.
    pub device_time: Option<Duration>,
}

impl Dataflow {
    /// Analyses on this device.
    #[must_use]
    pub fn new(device: Arc<dyn Device>) -> Dataflow {
        Dataflow { bench: Runner::new(device), progress: None }
    }

    /// The same with a deadline, a token to cancel runs with, or a search for races.
    #[must_use]
    pub fn with_run_options(mut self, options: RunOptions) -> Dataflow {
        self.bench.bench.run_options = options;
        self
    }

    /// The same, telling how far an analysis has come.
    #[must_use]
    pub fn with_progress(mut self, progress: impl Fn(Progress) + Send + Sync + 'static) -> Dataflow {
        self.progress = Some(Box::new(progress));
        self
    }

    /// The same with the programs that suit GPUs, or with those that suit CPUs, whatever the device. Both find the same.
    #[must_use]
    pub fn with_gpu_programs(mut self, is_wide: bool) -> Dataflow {
        self.bench.is_wide = is_wide;
        self
    }

    /// The same, measuring how long the device runs.
    #[must_use]
    pub fn with_device_time(mut self) -> Dataflow {
        self.bench.is_timed = true;
        self
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Arc<dyn Device> {
        self.bench.device()
    }

    pub(crate) fn tell(&self, progress: Progress) {
        if let Some(tell) = &self.progress {
            tell(progress);
        }
    }

    /// Checks a graph, for any number of analyses.
    ///
    /// # Errors
    ///
    /// A graph that is not valid.
    pub fn load<'g>(&'g self, graph: CsrView<'g>) -> Result<Loaded<'g>, DataflowError> {
        graph.validate()?;
        Ok(Loaded { engine: self, graph, whole: OnceLock::new() })
    }
}

/// A valid graph that can be analysed.
pub struct Loaded<'g> {
    engine: &'g Dataflow,
    graph: CsrView<'g>,
    whole: OnceLock<Whole>,
}

/// A graph of which nothing was dropped, on the device.
pub(crate) struct Whole {
    pub(crate) there: WalkGraph,
    /// The sinks, ascending.
    pub(crate) sinks: Vec<u32>,
}

impl Whole {
    fn new(bench: &Runner, graph: CsrView<'_>) -> Result<Whole, DataflowError> {
        let is_sink = |&node: &u32| role_of(graph.node_data[node as usize]).is_sink();
        let sinks: Vec<u32> = (0..graph.node_count() as u32).filter(is_sink).collect();
        Ok(Whole { there: WalkGraph::new(bench, graph, &sinks)?, sinks })
    }
}

impl<'g> Loaded<'g> {
    pub(crate) fn engine(&self) -> &'g Dataflow {
        self.engine
    }

    /// The graph.
    #[must_use]
    pub fn view(&self) -> CsrView<'g> {
        self.graph
    }

    /// The whole graph, brought to the device when it is first needed.
    pub(crate) fn whole(&self) -> Result<&Whole, DataflowError> {
        if let Some(whole) = self.whole.get() {
            return Ok(whole);
        }
        let made = Whole::new(&self.engine.bench, self.graph)?;
        Ok(self.whole.get_or_init(|| made))
    }

    /// The findings, complete and in order.
    ///
    /// # Errors
    ///
    /// Sources or options that do not fit the graph, more findings than there is room for, or a failure of the device.
    pub fn taint(&self, sources: &[u32], options: &Options) -> Result<(Vec<Finding>, Summary), DataflowError> {
        let limit = options.max_findings.unwrap_or(u64::MAX);
        let mut collected = Vec::new();
        let summary = self.stream(sources, options, |findings| {
            if collected.len() as u64 + findings.len() as u64 <= limit {
                collected.extend_from_slice(findings);
            }
            ControlFlow::Continue(())
        })?;
        if summary.findings > limit {
            return Err(DataflowError::TooManyFindings { found: summary.findings, limit });
        }
        Ok((collected, summary))
    }

    /// Hands the findings on, batch by batch. The batches follow each other in order, so that all findings together are in
    /// order, and no more than a batch is in memory. `receive` may end the analysis.
    ///
    /// # Errors
    ///
    /// As [`taint`](Loaded::taint), but for the number of findings; [`DataflowError::Stopped`] where `receive` ended it.
    pub fn stream(
        &self,
        sources: &[u32],
        options: &Options,
        receive: impl FnMut(&[Finding]) -> ControlFlow<()>,
    ) -> Result<Summary, DataflowError> {
        Analysis::new(self, sources, options, receive)?.run()
    }

    /// For each finding a shortest way from its source to its sink, both included. Among shortest ways it is always the same one.
    ///
    /// # Errors
    ///
    /// As [`taint`](Loaded::taint). A finding that this analysis does not have gets no way, which is an error too.
    pub fn witnesses(&self, findings: &[Finding], options: &Options) -> Result<Vec<Vec<u32>>, DataflowError> {
        witnesses(&self.engine.bench, self.graph, findings, options)
    }
}
