//! Graphs on a device, and the programs that run on them.

use std::sync::Arc;

use vyre_graph::CsrView;
use vyre_ir::{OpTable, Program};
use vyre_runtime::{Buffer, CommandList, Device, KeyedRunner, Pipeline, RunOptions};

use super::error::GraphError;

/// Runs graph ops on a device. Each program is compiled at its first use and kept.
pub struct GraphOps {
    runner: KeyedRunner<&'static str>,
    progress: Option<Observer>,
}

/// Observer of progress.
pub(crate) type Observer = Arc<dyn Fn(Progress) + Send + Sync>;

/// Progress of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Unit of the counts: `sources`, `levels` or `iterations`.
    pub unit: &'static str,
    /// Number of finished units.
    pub done: u64,
    /// Number of all units, if it is known.
    pub total: Option<u64>,
}

impl Progress {
    pub(crate) fn new(unit: &'static str, done: u64, total: Option<u64>) -> Progress {
        Progress { unit, done, total }
    }
}

impl GraphOps {
    /// Creates graph ops for a device.
    #[must_use]
    pub fn new(device: Arc<dyn Device>) -> GraphOps {
        GraphOps { runner: KeyedRunner::new(device), progress: None }
    }

    /// Sets a deadline, a cancellation token, or race detection.
    #[must_use]
    pub fn with_run_options(mut self, options: RunOptions) -> GraphOps {
        self.runner.run_options = options;
        self
    }

    /// Sets an observer of the progress of ops.
    #[must_use]
    pub fn with_progress(mut self, progress: impl Fn(Progress) + Send + Sync + 'static) -> GraphOps {
        self.progress = Some(Arc::new(progress));
        self
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Arc<dyn Device> {
        self.runner.device()
    }

    /// Validates a graph and uploads it to the device, where any number of ops can use it.
    ///
    /// # Errors
    ///
    /// The graph is not valid, or does not fit the memory of the device.
    pub fn load<'g>(&'g self, graph: CsrView<'g>) -> Result<GraphOnDevice<'g>, GraphError> {
        graph.validate()?;
        self.load_valid(graph)
    }

    /// Uploads a graph that was validated.
    pub(crate) fn load_valid<'g>(&'g self, graph: CsrView<'g>) -> Result<GraphOnDevice<'g>, GraphError> {
        Ok(GraphOnDevice {
            ops: self,
            host: graph,
            edges: self.upload_edges(graph)?,
            labels: self.upload(graph.node_data)?,
        })
    }

    /// Uploads the edges of a graph.
    pub(crate) fn upload_edges(&self, graph: CsrView<'_>) -> Result<Edges, GraphError> {
        Ok(Edges { offsets: self.upload(graph.offsets)?, targets: self.upload(graph.targets)? })
    }

    /// Deadline and cancellation token of runs.
    pub(crate) fn run_options(&self) -> &RunOptions {
        &self.runner.run_options
    }

    /// Observer of the progress of ops.
    pub(crate) fn observer(&self) -> Option<Observer> {
        self.progress.clone()
    }

    pub(crate) fn report(&self, progress: Progress) {
        if let Some(observer) = &self.progress {
            observer(progress);
        }
    }

    /// Creates a buffer with these words.
    pub(crate) fn upload(&self, words: &[u32]) -> Result<Buffer, GraphError> {
        Ok(self.runner.words(words)?)
    }

    /// Creates a buffer with this number of zero words.
    pub(crate) fn zeroed(&self, words: u64) -> Result<Buffer, GraphError> {
        Ok(self.runner.zeros(words)?)
    }

    /// Writes words to the start of a buffer.
    pub(crate) fn write(&self, buffer: &Buffer, words: &[u32]) -> Result<(), GraphError> {
        Ok(self.runner.write(buffer, words)?)
    }

    /// Reads the words of a buffer.
    pub(crate) fn read(&self, buffer: &Buffer) -> Result<Vec<u32>, GraphError> {
        Ok(self.runner.read(buffer)?)
    }

    /// Pipeline of a program of this library, by its name.
    pub(crate) fn pipeline(&self, name: &'static str, program: fn() -> Program) -> Result<Pipeline, GraphError> {
        Ok(self.runner.pipeline(name, &OpTable::default(), program)?)
    }

    pub(crate) fn run(&self, commands: &CommandList) -> Result<(), GraphError> {
        let report = self.runner.run(commands)?;
        match report.races.races.first() {
            Some(race) => Err(GraphError::Race { race: race.to_string() }),
            None => Ok(()),
        }
    }
}

/// Grid with an invocation for each item, in workgroups of `size`.
pub(crate) fn grid_for(items: usize, size: u32) -> [u32; 3] {
    [(items as u64).div_ceil(u64::from(size)) as u32, 1, 1]
}

/// Edges of a graph on a device.
#[derive(Clone)]
pub(crate) struct Edges {
    pub(crate) offsets: Buffer,
    pub(crate) targets: Buffer,
}

/// A valid graph on a device. Its methods are the graph ops.
pub struct GraphOnDevice<'g> {
    pub(crate) ops: &'g GraphOps,
    pub(crate) host: CsrView<'g>,
    pub(crate) edges: Edges,
    pub(crate) labels: Buffer,
}

impl<'g> GraphOnDevice<'g> {
    /// View of the graph in host memory.
    #[must_use]
    pub fn view(&self) -> CsrView<'g> {
        self.host
    }
}

/// Checks that all sources are nodes.
pub(crate) fn check_sources(graph: CsrView<'_>, sources: &[u32]) -> Result<(), GraphError> {
    let nodes = graph.node_count();
    match sources.iter().position(|&node| node as usize >= nodes) {
        Some(position) => Err(GraphError::Source { position, node: sources[position], nodes }),
        None => Ok(()),
    }
}
