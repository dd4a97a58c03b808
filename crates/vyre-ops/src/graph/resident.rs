//! Graphs and words on a device.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use vyre_graph::CsrView;
use vyre_ir::{OpTable, Program, validate};
use vyre_runtime::{Bindings, Buffer, Command, CommandList, Device, Pipeline, PipelineOptions, RunOptions};

use super::error::GraphError;

/// Runs graph ops on a device. Programs are compiled when they are first needed, and kept.
pub struct GraphOps {
    device: Arc<dyn Device>,
    run_options: RunOptions,
    progress: Option<Box<dyn Fn(Progress) + Send + Sync>>,
    pipelines: Mutex<HashMap<&'static str, Pipeline>>,
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
        GraphOps { device, run_options: RunOptions::default(), progress: None, pipelines: Mutex::default() }
    }

    /// The same with a deadline, a token to cancel runs with, or a search for races.
    #[must_use]
    pub fn with_run_options(mut self, options: RunOptions) -> GraphOps {
        self.run_options = options;
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
        &self.device
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
        let buffer = self.zeros(words.len() as u64)?;
        self.write(&buffer, words)?;
        Ok(buffer)
    }

    /// A buffer of so many zero words.
    pub(crate) fn zeros(&self, words: u64) -> Result<Buffer, GraphError> {
        Ok(self.device.create_buffer(words.saturating_mul(4))?)
    }

    /// Writes words to the start of a buffer.
    pub(crate) fn write(&self, buffer: &Buffer, words: &[u32]) -> Result<(), GraphError> {
        // In parts, so that a large graph is not in memory a third time.
        const PART: usize = 1 << 20;
        for (part, words) in words.chunks(PART).enumerate() {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            self.device.write(buffer, (part * PART * 4) as u64, &bytes)?;
        }
        Ok(())
    }

    /// The words of a buffer.
    pub(crate) fn read(&self, buffer: &Buffer) -> Result<Vec<u32>, GraphError> {
        let bytes = self.device.read(buffer)?;
        let (words, _) = bytes.as_chunks::<4>();
        Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    /// The pipeline of a program of this library, by its name.
    pub(crate) fn pipeline(&self, name: &'static str, program: fn() -> Program) -> Result<Pipeline, GraphError> {
        let known = || self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = known().get(name) {
            return Ok(pipeline.clone());
        }
        let program = program();
        let table = OpTable::default();
        let valid = validate(&program, &table).expect("the tests validate all programs of this library");
        let pipeline = self.device.create_pipeline(&valid, &PipelineOptions::default())?;
        known().insert(name, pipeline.clone());
        Ok(pipeline)
    }

    pub(crate) fn run(&self, commands: &CommandList) -> Result<(), GraphError> {
        let report = self.device.run(commands, &self.run_options)?;
        match report.races.races.first() {
            Some(race) => Err(GraphError::Race { race: race.to_string() }),
            None => Ok(()),
        }
    }
}

/// The buffers in the slots 0, 1, 2, ...
pub(crate) fn bind<'b>(buffers: impl IntoIterator<Item = &'b Buffer>) -> Bindings {
    (0..).zip(buffers).fold(Bindings::new(), |bindings, (slot, buffer)| bindings.with(slot, buffer))
}

/// Fills a whole buffer with a byte.
pub(crate) fn fill(buffer: &Buffer, byte: u8) -> Command {
    Command::Fill { buffer: buffer.clone(), offset: 0, length: buffer.size(), byte }
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
