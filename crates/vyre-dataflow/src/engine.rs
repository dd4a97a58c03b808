//! The engine: a device with compiled programs.

use std::sync::Arc;

use vyre_graph::{CsrView, ValidGraph};
use vyre_runtime::{Device, RunOptions};

use crate::cost::Machine;
use crate::device_graph::LoadedGraph;
use crate::device_validation::{MIN_ON_DEVICE, validate_on_device};
use crate::error::DataflowError;
use crate::executor::Executor;
use crate::loaded::Loaded;
use crate::report::{Progress, ProgressCallback};

/// Dataflow engine on one device. It compiles programs on first use and keeps them.
pub struct Dataflow {
    executor: Executor,
    progress: Option<Box<ProgressCallback>>,
}

impl Dataflow {
    /// Creates an engine on a device.
    #[must_use]
    pub fn new(device: Arc<dyn Device>) -> Dataflow {
        Dataflow { executor: Executor::new(device), progress: None }
    }

    /// Sets the deadline, the cancellation token and race checking of runs.
    #[must_use]
    pub fn with_run_options(mut self, options: RunOptions) -> Dataflow {
        self.executor.runner.run_options = options;
        self
    }

    /// Sets a callback that receives the progress of analyses.
    #[must_use]
    pub fn with_progress(mut self, progress: impl Fn(Progress) + Send + Sync + 'static) -> Dataflow {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Selects the programs for GPUs or those for CPUs, whatever the device. Both have the same findings.
    #[must_use]
    pub fn with_gpu_programs(mut self, uses_gpu_programs: bool) -> Dataflow {
        self.executor.uses_gpu_programs = uses_gpu_programs;
        self
    }

    /// Allows or forbids the search in plain code on the host, which replaces the device where it is faster. By default it is allowed
    /// on the CPU, and forbidden on GPUs and on the reference interpreter.
    #[must_use]
    pub fn with_host_search(mut self, is_allowed: bool) -> Dataflow {
        self.executor.allows_host_search = is_allowed;
        self
    }

    /// Sets the speed of the machine, by which the engine chooses between the host and strategies of the device. The default is that
    /// of a typical machine.
    #[must_use]
    pub fn with_machine(mut self, machine: Machine) -> Dataflow {
        self.executor.machine = machine;
        self
    }

    /// Measures device time, which [`Summary::device_time`](crate::Summary::device_time) reports.
    #[must_use]
    pub fn with_device_time(mut self) -> Dataflow {
        self.executor.is_timed = true;
        self
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Arc<dyn Device> {
        self.executor.device()
    }

    /// Validates a graph for any number of analyses. A GPU validates a large graph, which it keeps for the first analysis.
    ///
    /// # Errors
    ///
    /// A graph that is not valid, or a failure of the device.
    pub fn load<'g>(&'g self, graph: CsrView<'g>) -> Result<Loaded<'g>, DataflowError> {
        let is_large = graph.node_count().saturating_add(graph.edge_count()) >= MIN_ON_DEVICE;
        if self.executor.uses_gpu_programs
            && is_large
            && let Some(uploaded) = validate_on_device(&self.executor, graph)?
        {
            let loaded = self.load_valid(ValidGraph::from_checked(graph, None));
            loaded.graph.kept.put(uploaded);
            return Ok(loaded);
        }
        Ok(self.load_valid(ValidGraph::new(graph)?))
    }

    /// Takes a graph that was validated, as [`read_graph`](vyre_graph::read_graph) does. Analyses use its index if it has one.
    pub fn load_valid<'g>(&'g self, graph: ValidGraph<'g>) -> Loaded<'g> {
        Loaded { executor: &self.executor, progress: self.progress.as_deref(), graph: LoadedGraph::new(graph) }
    }
}
