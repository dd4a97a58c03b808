//! Graphs and words on a device.

use std::sync::Arc;

use vyre_graph::CsrView;
use vyre_ir::{OpTable, Program};
use vyre_runtime::{Buffer, CommandList, Device, Pipeline, RunOptions, Session};

use super::error::GraphError;

/// Runs graph ops on a device. Programs are compiled when they are first needed, and kept.
pub struct GraphOps {
    bench: Session<&'static str>,
    progress: Option<Box<dyn Fn(Progress) + Send + Sync>>,
}

/// How far an op has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// What is counted: `sources`, `levels` or `iterations`.
    pub unit: &'static str,
    /// How many are done.
    pub done: u64,
    /// How many there are, where that is known.
    pub total: Option<u64>,
}

impl Progress {
    pub(crate) fn new(unit: &'static str, done: u64, total: Option<u64>) -> Progress {
        Progress { unit, done, total }
    }
}

impl GraphOps {
    /// Graph ops on this device.
    #[must_use]
    pub fn new(device: Arc<dyn Device>) -> GraphOps {
        GraphOps { bench: Session::new(device), progress: None }
    }

    /// The same with a deadline, a token to cancel runs with, or a search for races.
    #[must_use]
    pub fn with_run_options(mut self, options: RunOptions) -> GraphOps {
        self.bench.run_options = options;
        self
    }

    /// The same, telling how far an op has come.
    #[must_use]
    pub fn with_progress(mut self, progress: impl Fn(Progress) + Send + Sync + 'static) -> GraphOps {
        self.progress = Some(Box::new(progress));
        self
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Arc<dyn Device> {
        self.bench.device()
    }

    /// Checks a graph and brings it to the device, where any number of ops can use it.
    ///
    /// # Errors
    ///
    /// A graph that is not valid, or that does not fit the device.
    pub fn load<'g>(&'g self, graph: CsrView<'g>) -> Result<GraphOnDevice<'g>, GraphError> {
        graph.validate()?;
        Ok(GraphOnDevice { ops: self, host: graph, edges: self.edges(graph)?, labels: self.words(graph.node_data)? })
    }

    pub(crate) fn edges(&self, graph: CsrView<'_>) -> Result<Edges, GraphError> {
        Ok(Edges { offsets: self.words(graph.offsets)?, targets: self.words(graph.targets)? })
    }

    pub(crate) fn tell(&self, progress: Progress) {
        if let Some(tell) = &self.progress {
            tell(progress);
        }
    }

    /// A buffer with these words.
    pub(crate) fn words(&self, words: &[u32]) -> Result<Buffer, GraphError> {
        Ok(self.bench.words(words)?)
    }

    /// A buffer of so many zero words.
    pub(crate) fn zeros(&self, words: u64) -> Result<Buffer, GraphError> {
        Ok(self.bench.zeros(words)?)
    }

    /// Writes words to the start of a buffer.
    pub(crate) fn write(&self, buffer: &Buffer, words: &[u32]) -> Result<(), GraphError> {
        Ok(self.bench.write(buffer, words)?)
    }

    /// The words of a buffer.
    pub(crate) fn read(&self, buffer: &Buffer) -> Result<Vec<u32>, GraphError> {
        Ok(self.bench.read(buffer)?)
    }

    /// The pipeline of a program of this library, by its name.
    pub(crate) fn pipeline(&self, name: &'static str, program: fn() -> Program) -> Result<Pipeline, GraphError> {
        Ok(self.bench.pipeline(name, &OpTable::default(), program)?)
    }

    pub(crate) fn run(&self, commands: &CommandList) -> Result<(), GraphError> {
        let report = self.bench.run(commands)?;
        match report.races.races.first() {
            Some(race) => Err(GraphError::Race { race: race.to_string() }),
            None => Ok(()),
        }
    }
}

/// Workgroups of `size` for so many items.
pub(crate) fn groups(items: usize, size: u32) -> [u32; 3] {
    [(items as u64).div_ceil(u64::from(size)) as u32, 1, 1]
}

/// The edges of a graph on a device.
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
    /// The graph.
    #[must_use]
    pub fn view(&self) -> CsrView<'g> {
        self.host
    }

    /// Fails at a source that is not a node.
    pub(crate) fn check_sources(&self, sources: &[u32]) -> Result<(), GraphError> {
        let nodes = self.host.node_count();
        match sources.iter().position(|&node| node as usize >= nodes) {
            Some(position) => Err(GraphError::Source { position, node: sources[position], nodes }),
            None => Ok(()),
        }
    }
}
