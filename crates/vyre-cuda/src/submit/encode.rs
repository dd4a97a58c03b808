//! Encoder: adds the commands of a list to streams, one by one or as graphs.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;

use vyre_runtime::shell::split_grid;
use vyre_runtime::{Bindings, Buffer, Command, CommandList, Error, Pipeline, element_count};

use super::graph_cache::Lookup;
use super::grid::{blocks, max_workgroups};
use super::programs::{Program, Programs};
use super::queue::SubmissionQueue;
use super::segment::{
    RepeatPlan, SegmentSize, TIMESTAMP_COST, cost_of_bytes, is_worth_a_graph, key, leading_segment, overlap,
    plan_repeat,
};
use super::submission::Submission;
use crate::compile::arguments::{Arguments, BoundBuffer};
use crate::compile::program::{CompiledProgram, with_program};
use crate::driver::commands::Launch;
use crate::driver::context::{Context, Current};
use crate::driver::graph::Graph;
use crate::driver::library::StreamHandle;
use crate::sync::lock;
use crate::transfer::buffer::Storage;
use crate::transfer::copies::copy_overlapping;

/// Encoder of a run's commands.
pub(crate) struct Encoder<'r> {
    queue: &'r SubmissionQueue,
    current: &'r Current<'r>,
    programs: &'r Programs,
    pub(crate) submission: Submission<'r>,
    /// True while commands are captured into a graph.
    is_capturing: bool,
    /// True within a repetition, whose commands are encoded several times.
    is_repeated: bool,
    /// Prepared dispatches of repetitions, by the address of the command.
    prepared: HashMap<usize, Prepared<'r>>,
    /// Pointers to the arguments of a launch.
    pointers: Vec<*mut c_void>,
}

/// Dispatch whose arguments are known.
struct Prepared<'r> {
    program: &'r Program,
    arguments: Arguments,
    grid: [u32; 3],
}

impl<'r> Encoder<'r> {
    pub(crate) fn new(
        queue: &'r SubmissionQueue,
        current: &'r Current<'r>,
        programs: &'r Programs,
        submission: Submission<'r>,
    ) -> Encoder<'r> {
        Encoder {
            queue,
            current,
            programs,
            submission,
            is_capturing: false,
            is_repeated: false,
            prepared: HashMap::new(),
            pointers: Vec::new(),
        }
    }

    fn context(&self) -> &'r Arc<Context> {
        &self.queue.context
    }

    /// Adds the commands of a list. This recurses as deep as lists nest, which the host decides, not external input.
    pub(crate) fn list(&mut self, list: &CommandList) -> Result<(), Error> {
        let mut rest = list.commands();
        while let [first, others @ ..] = rest {
            let (segment, size) = leading_segment(rest);
            if segment.is_empty() {
                self.command(first)?;
                rest = others;
            } else {
                self.segment(segment, size)?;
                rest = &rest[segment.len()..];
            }
        }
        Ok(())
    }

    /// Adds commands that can form a graph: as a graph if they were submitted before, one by one otherwise.
    fn segment(&mut self, commands: &[Command], size: SegmentSize) -> Result<(), Error> {
        if !is_worth_a_graph(size) {
            return self.each(commands);
        }
        let Some(key) = key(commands, 1, self.submission.cancel_word()) else { return self.each(commands) };
        let found = lock(&self.queue.graphs).look_up(&key);
        let graph = match found {
            Lookup::New => None,
            Lookup::Seen => self.build(key, commands, 1)?,
            Lookup::Graph(graph) => Some(graph),
        };
        match graph {
            Some(graph) => self.launch_graph(&graph, size),
            None => self.each(commands),
        }
    }

    /// Adds commands one by one.
    fn each(&mut self, commands: &[Command]) -> Result<(), Error> {
        commands.iter().try_for_each(|command| self.command(command))
    }

    fn command(&mut self, command: &Command) -> Result<(), Error> {
        match command {
            Command::Dispatch { pipeline, bindings, grid } => {
                // A repeated dispatch is prepared once. Lists are borrowed for the run, so the address identifies it.
                let address = std::ptr::from_ref(command).addr();
                let mut prepared = match self.prepared.remove(&address) {
                    Some(prepared) => prepared,
                    None => self.prepare(pipeline, bindings, *grid)?,
                };
                self.dispatch(&mut prepared)?;
                if self.is_repeated {
                    self.prepared.insert(address, prepared);
                }
                Ok(())
            }
            Command::Fill { length: 0, .. } | Command::Copy { length: 0, .. } => Ok(()),
            Command::Fill { buffer, offset, length, byte } => {
                let target = self.address(buffer)? + offset;
                self.reserve(cost_of_bytes(*length))?;
                self.current.fill(self.stream(), target, *length, *byte)
            }
            Command::Copy { source, source_offset, target, target_offset, length } => {
                let overlaps = overlap((source, *source_offset), (target, *target_offset), *length);
                let (source, target) = (self.address(source)? + source_offset, self.address(target)? + target_offset);
                self.reserve(cost_of_bytes(*length))?;
                if overlaps {
                    return copy_overlapping(self.context(), self.current, source, target, *length);
                }
                self.current.copy(self.stream(), source, target, *length)
            }
            Command::Timestamp => {
                self.reserve(TIMESTAMP_COST)?;
                self.submission.timestamp()
            }
            Command::Repeat { count, commands } => {
                let was_repeated = std::mem::replace(&mut self.is_repeated, true);
                let outcome = self.repeat(*count, commands);
                self.is_repeated = was_repeated;
                outcome
            }
            // An unknown command must not be skipped.
            _ => Err(Error::UnsupportedCommand),
        }
    }

    fn repeat(&mut self, count: u32, list: &CommandList) -> Result<(), Error> {
        // The count may be large even if the commands have no effect.
        if list.is_noop() {
            return Ok(());
        }
        if self.is_capturing {
            return (0..count).try_for_each(|_| self.each(list.commands()));
        }
        let Some(RepeatPlan { size, iterations_per_graph, launches, remainder }) = plan_repeat(count, list) else {
            return (0..count).try_for_each(|_| self.list(list));
        };
        self.repeat_graph(list, size, iterations_per_graph, launches)?;
        if is_worth_a_graph(size.times(u64::from(remainder))) {
            return self.repeat_graph(list, size, remainder, 1);
        }
        (0..remainder).try_for_each(|_| self.each(list.commands()))
    }

    /// Launches a graph of several iterations of a list several times. `size` is that of one iteration.
    fn repeat_graph(
        &mut self,
        list: &CommandList,
        size: SegmentSize,
        iterations: u32,
        launches: u32,
    ) -> Result<(), Error> {
        let commands = list.commands();
        let graph = match key(commands, iterations, self.submission.cancel_word()) {
            Some(key) => {
                let found = lock(&self.queue.graphs).look_up(&key);
                match found {
                    Lookup::Graph(graph) => Some(graph),
                    Lookup::New | Lookup::Seen => self.build(key, commands, iterations)?,
                }
            }
            None => None,
        };
        match graph {
            Some(graph) => {
                let size = size.times(u64::from(iterations));
                (0..launches).try_for_each(|_| self.launch_graph(&graph, size))
            }
            None => (0..launches).try_for_each(|_| (0..iterations).try_for_each(|_| self.each(commands))),
        }
    }

    /// Builds a graph of several iterations of commands. `None` if the device lacks the memory for it.
    fn build(&mut self, key: Vec<u64>, commands: &[Command], iterations: u32) -> Result<Option<Arc<Graph>>, Error> {
        self.reserve(0)?;
        let kernels = self.programs.kernels();
        let was_repeated = std::mem::replace(&mut self.is_repeated, true);
        self.is_capturing = true;
        let (current, context) = (self.current, self.context());
        let graph = current.capture(context, kernels, || (0..iterations).try_for_each(|_| self.each(commands)));
        self.is_capturing = false;
        self.is_repeated = was_repeated;
        let Some(graph) = graph? else { return Ok(None) };
        let graph = Arc::new(graph);
        let evicted = lock(&self.queue.graphs).insert(key, &graph);
        // The cache is unlocked again when the graph is destroyed.
        drop(evicted);
        Ok(Some(graph))
    }

    fn launch_graph(&mut self, graph: &Arc<Graph>, size: SegmentSize) -> Result<(), Error> {
        self.reserve(size.cost)?;
        self.submission.keep_alive(graph);
        self.current.launch_graph(graph)
    }

    /// Prepares a dispatch.
    fn prepare(&self, pipeline: &Pipeline, bindings: &Bindings, grid: [u32; 3]) -> Result<Prepared<'r>, Error> {
        let compiled = pipeline.code::<CompiledProgram>(pipeline.device())?;
        let program = self.programs.get(compiled)?;
        let mut buffers = Vec::with_capacity(compiled.elements.len());
        for (decl, &element) in pipeline.interface().buffers.iter().zip(&compiled.elements) {
            let buffer = bindings.get(decl.binding).ok_or(Error::ForeignObject)?;
            buffers.push(BoundBuffer { address: self.address(buffer)?, length: element_count(buffer.size(), element) });
        }
        let arguments = Arguments::new(&program.variant.ptx.parameters, &buffers, grid, self.submission.cancel_word())?;
        Ok(Prepared { program, arguments, grid })
    }

    /// Adds a dispatch, as one launch per grid part.
    fn dispatch(&mut self, prepared: &mut Prepared<'r>) -> Result<(), Error> {
        let Prepared { program, arguments, grid } = prepared;
        let ptx = &program.variant.ptx;
        for part in split_grid(*grid, max_workgroups(ptx.groups_per_block)) {
            self.reserve(1)?;
            arguments.begin_at(part.first);
            arguments.pointers(&mut self.pointers);
            let launch = Launch {
                function: program.kernel.function,
                blocks: blocks(part.count, ptx.groups_per_block),
                threads: ptx.block,
                shared_bytes: ptx.dynamic_shared_bytes,
            };
            let launched = self.current.launch(self.stream(), &launch, &mut self.pointers);
            launched.map_err(|error| with_program(&program.name, error))?;
        }
        Ok(())
    }

    /// Makes room in the batch for a command, unless it is captured.
    fn reserve(&mut self, cost: u64) -> Result<(), Error> {
        if self.is_capturing { Ok(()) } else { self.submission.reserve(cost) }
    }

    /// Stream that receives the commands.
    fn stream(&self) -> StreamHandle {
        let streams = &self.context().streams;
        if self.is_capturing { streams.capture } else { streams.main }
    }

    fn address(&self, buffer: &Buffer) -> Result<u64, Error> {
        buffer.contents::<Storage>(buffer.device())?.address_in(self.context())
    }
}
