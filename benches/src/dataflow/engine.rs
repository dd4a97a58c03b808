//! The engine on a device of its own.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};
use vyre_dataflow::cost::Machine;
use vyre_dataflow::{Dataflow, DataflowError, Finding, Options, Strategy, Summary};
use vyre_graph::generate::{rmat, roles};
use vyre_graph::{CsrView, ValidGraph};

use super::digest::Expected;
use super::workload::sources_of;
use crate::device::{DeviceRequest, description};

/// Engine with the thread pool that prepares its graphs.
pub struct Engine {
    dataflow: Dataflow,
    pool: ThreadPool,
    options: Options,
    /// Time of the compilation, after [`warm_up`](Engine::warm_up).
    pub first_use: Option<Duration>,
}

/// Times and summary of one run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Time from the graph in memory, which is valid, to the last finding.
    pub time: Duration,
    /// Time in which the device ran commands.
    pub device_time: Option<Duration>,
    /// Time of the same search on the loaded graph; only for fewer than [`LOADED_SEARCH_SOURCES`] sources.
    pub loaded_time: Option<Duration>,
    /// Summary of the engine.
    pub summary: Summary,
}

/// Below this number of sources, the time to load the graph dominates.
pub const LOADED_SEARCH_SOURCES: usize = 8;

impl Engine {
    /// Opens a new device for an engine.
    ///
    /// # Errors
    ///
    /// There is no such device.
    pub fn new(request: DeviceRequest, options: &Options) -> Result<Engine, String> {
        let pool = ThreadPoolBuilder::new().num_threads(request.threads).build().map_err(|error| error.to_string())?;
        let device = request.open().map_err(|error| error.to_string())?;
        let machine = Machine::typical(pool.current_num_threads());
        let dataflow = Dataflow::new(device).with_machine(machine).with_device_time();
        Ok(Engine { dataflow, pool, options: options.clone(), first_use: None })
    }

    /// Name of the device, with its driver.
    #[must_use]
    pub fn description(&self) -> String {
        description(&**self.dataflow.device())
    }

    /// Number of threads that prepare graphs.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Compiles the programs of a strategy for this number of sources, on a graph so small that its search hardly counts.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn warm_up(&mut self, strategy: Option<Strategy>, sources: usize) -> Result<(), String> {
        let mut tiny = rmat(12, 16, 0x5EED_0001).map_err(|error| error.to_string())?;
        roles(&mut tiny, 0x5EED_0010);
        let sources = sources_of(tiny.view(), sources.min(1024))?;
        let mut options = self.options.clone();
        options.strategy = options.strategy.or(strategy);
        let time = || self.run(tiny.view(), &sources, &options, |_| {}).map(|run| run.time);
        let first = time()?;
        let mut later = time()?;
        for _ in 0..4 {
            later = later.min(time()?);
        }
        self.first_use = Some(first.saturating_sub(later));
        Ok(())
    }

    fn run(
        &self,
        graph: CsrView<'_>,
        sources: &[u32],
        options: &Options,
        mut receive: impl FnMut(&[Finding]) + Send,
    ) -> Result<Run, String> {
        let graph = ValidGraph::new(graph).map_err(|error| error.to_string())?;
        let run = self.pool.install(|| {
            let start = Instant::now();
            let loaded = self.dataflow.load_valid(graph);
            let summary = loaded.stream(sources, options, |findings| {
                receive(findings);
                ControlFlow::Continue(())
            })?;
            let time = start.elapsed();
            let mut loaded_time = None;
            if sources.len() < LOADED_SEARCH_SOURCES {
                let start = Instant::now();
                loaded.stream(sources, options, |_| ControlFlow::Continue(()))?;
                loaded_time = Some(start.elapsed());
            }
            Ok(Run { time, device_time: summary.device_time, loaded_time, summary })
        });
        run.map_err(|error: DataflowError| error.to_string())
    }

    /// Runs once and counts the findings.
    ///
    /// # Errors
    ///
    /// The device fails, or an option does not fit.
    pub fn count(&self, graph: CsrView<'_>, sources: &[u32]) -> Result<Run, String> {
        let mut counted = 0;
        let run = self.run(graph, sources, &self.options, |findings| counted += findings.len() as u64)?;
        match run.summary.findings == counted {
            true => Ok(run),
            false => Err(format!("{} findings were emitted, but the summary has {}", counted, run.summary.findings)),
        }
    }

    /// Runs once and records the findings.
    ///
    /// # Errors
    ///
    /// As [`count`](Engine::count), or the findings are not in order.
    pub fn find(&self, graph: CsrView<'_>, sources: &[u32]) -> Result<(Expected, Run), String> {
        let mut expected = Expected::new(sources.len());
        let mut last = None;
        let mut is_ordered = true;
        let run = self.run(graph, sources, &self.options, |findings| {
            for finding in findings {
                let found = (finding.source, finding.sink, finding.depth);
                is_ordered &= last < Some(found);
                last = Some(found);
                expected.add(finding.source_index as usize, found);
            }
        })?;
        if is_ordered { Ok((expected, run)) } else { Err("findings are not in order".to_owned()) }
    }
}
