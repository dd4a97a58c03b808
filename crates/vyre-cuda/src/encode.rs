//! Command lists on their way into streams.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;

use vyre_runtime::{Bindings, Buffer, Command, CommandList, Error, Pipeline};

use crate::arguments::{Arguments, BoundBuffer, length};
use crate::buffer::Storage;
use crate::context::{Context, Current, locked};
use crate::driver::StreamHandle;
use crate::graph::{Graph, Known};
use crate::moves::move_within;
use crate::parts::parts;
use crate::pipeline::{Compiled, named};
use crate::programs::{Program, Programs};
use crate::queue::Launch;
use crate::segment::{
    Rounds, Size, TIMESTAMP_COST, cost_of_bytes, does_nothing, is_worth_a_graph, key, leading, overlap, rounds,
};
use crate::turn::Turn;

/// Adds the commands of a run.
pub(crate) struct Encoder<'r> {
    context: &'r Arc<Context>,
    current: &'r Current<'r>,
    programs: &'r Programs,
    pub(crate) turn: Turn<'r>,
    /// Whether commands become part of a graph.
    is_capturing: bool,
    /// Whether the list may come again.
    is_repeated: bool,
    /// By their address: dispatches of lists that come again.
    prepared: HashMap<usize, Prepared<'r>>,
    /// Pointers to the arguments of a launch.
    pointers: Vec<*mut c_void>,
}

/// A dispatch that is ready.
struct Prepared<'r> {
    program: &'r Program,
    arguments: Arguments,
    grid: [u32; 3],
}

impl<'r> Encoder<'r> {
    pub(crate) fn new(
        context: &'r Arc<Context>,
        current: &'r Current<'r>,
        programs: &'r Programs,
        turn: Turn<'r>,
    ) -> Encoder<'r> {
        Encoder {
            context,
            current,
            programs,
            turn,
            is_capturing: false,
            is_repeated: false,
            prepared: HashMap::new(),
            pointers: Vec::new(),
        }
    }

    /// Adds the commands of a list. Lists nest as deep as the host has nested them, which is no input from outside.
    pub(crate) fn list(&mut self, list: &CommandList) -> Result<(), Error> {
        let mut rest = list.commands();
        while let [first, others @ ..] = rest {
            let (segment, size) = leading(rest);
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

    /// Adds commands that can be a graph, and are one if they have come before.
    fn segment(&mut self, commands: &[Command], size: Size) -> Result<(), Error> {
        if !is_worth_a_graph(size) {
            return self.each(commands);
        }
        let Some(key) = key(commands, 1, self.turn.word()) else { return self.each(commands) };
        let known = locked(&self.context.graphs).look(&key);
        let graph = match known {
            Known::New => None,
            Known::Seen => self.build(key, commands, 1)?,
            Known::Graph(graph) => Some(graph),
        };
        match graph {
            Some(graph) => self.run_graph(&graph, size),
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
                // A command that is repeated is made ready once; lists are borrowed for the run, so it stays where it is.
                let place = std::ptr::from_ref(command).addr();
                let mut prepared = match self.prepared.remove(&place) {
                    Some(prepared) => prepared,
                    None => self.prepare(pipeline, bindings, *grid)?,
                };
                self.dispatch(&mut prepared)?;
                if self.is_repeated {
                    self.prepared.insert(place, prepared);
                }
                Ok(())
            }
            Command::Fill { length: 0, .. } | Command::Copy { length: 0, .. } => Ok(()),
            Command::Fill { buffer, offset, length, byte } => {
                let target = self.address(buffer)? + offset;
                self.make_room(cost_of_bytes(*length))?;
                self.current.fill(self.stream(), target, *length, *byte)
            }
            Command::Copy { source, source_offset, target, target_offset, length } => {
                let overlaps = overlap((source, *source_offset), (target, *target_offset), *length);
                let (source, target) = (self.address(source)? + source_offset, self.address(target)? + target_offset);
                self.make_room(cost_of_bytes(*length))?;
                if overlaps {
                    return move_within(self.context, self.current, source, target, *length);
                }
                self.current.copy(self.stream(), source, target, *length)
            }
            Command::Timestamp => {
                self.make_room(TIMESTAMP_COST)?;
                self.turn.timestamp()
            }
            Command::Repeat { count, commands } => {
                let was_repeated = std::mem::replace(&mut self.is_repeated, true);
                let outcome = self.repeat(*count, commands);
                self.is_repeated = was_repeated;
                outcome
            }
            // Commands that are not known cannot be left out.
            _ => Err(Error::Backend { message: "a command that this device does not know".to_owned() }),
        }
    }

    fn repeat(&mut self, count: u32, list: &CommandList) -> Result<(), Error> {
        // What does nothing is repeated in no time.
        if does_nothing(list) {
            return Ok(());
        }
        if self.is_capturing {
            return (0..count).try_for_each(|_| self.each(list.commands()));
        }
        let Some(Rounds { size, together, count: runs, rest }) = rounds(count, list) else {
            return (0..count).try_for_each(|_| self.list(list));
        };
        self.rounds(list, size, together, runs)?;
        if is_worth_a_graph(size.times(u64::from(rest))) {
            return self.rounds(list, size, rest, 1);
        }
        (0..rest).try_for_each(|_| self.each(list.commands()))
    }

    /// Adds a list so often as a graph, and runs that so often.
    fn rounds(&mut self, list: &CommandList, size: Size, together: u32, runs: u32) -> Result<(), Error> {
        let commands = list.commands();
        let graph = match key(commands, together, self.turn.word()) {
            Some(key) => {
                let known = locked(&self.context.graphs).look(&key);
                match known {
                    Known::Graph(graph) => Some(graph),
                    Known::New | Known::Seen => self.build(key, commands, together)?,
                }
            }
            None => None,
        };
        match graph {
            Some(graph) => {
                let size = size.times(u64::from(together));
                (0..runs).try_for_each(|_| self.run_graph(&graph, size))
            }
            None => (0..runs).try_for_each(|_| (0..together).try_for_each(|_| self.each(commands))),
        }
    }

    /// Makes a graph of commands that come so often, unless there is no memory for it.
    fn build(&mut self, key: Vec<u64>, commands: &[Command], rounds: u32) -> Result<Option<Arc<Graph>>, Error> {
        self.make_room(0)?;
        let programs = self.programs.loaded();
        let was_repeated = std::mem::replace(&mut self.is_repeated, true);
        self.is_capturing = true;
        let (current, context) = (self.current, self.context);
        let graph = current.captured(context, programs, || (0..rounds).try_for_each(|_| self.each(commands)));
        self.is_capturing = false;
        self.is_repeated = was_repeated;
        let Some(graph) = graph? else { return Ok(None) };
        let graph = Arc::new(graph);
        let gone = locked(&context.graphs).keep(key, &graph);
        drop(gone);
        Ok(Some(graph))
    }

    fn run_graph(&mut self, graph: &Arc<Graph>, size: Size) -> Result<(), Error> {
        self.make_room(size.cost)?;
        self.turn.keep(graph);
        self.current.launch_graph(graph)
    }

    /// Makes a dispatch ready.
    fn prepare(&self, pipeline: &Pipeline, bindings: &Bindings, grid: [u32; 3]) -> Result<Prepared<'r>, Error> {
        let compiled = pipeline.code::<Compiled>().ok_or(Error::ForeignObject)?;
        let program = self.programs.get(compiled)?;
        let mut buffers = Vec::with_capacity(compiled.elements.len());
        for (decl, &element) in pipeline.interface().buffers.iter().zip(&compiled.elements) {
            let buffer = bindings.get(decl.binding).ok_or(Error::ForeignObject)?;
            buffers.push(BoundBuffer { address: self.address(buffer)?, length: length(buffer.size(), element) });
        }
        let arguments = Arguments::new(&program.variant.ptx.parameters, &buffers, grid, self.turn.word())?;
        Ok(Prepared { program, arguments, grid })
    }

    /// Adds a dispatch, in as many parts as launches take.
    fn dispatch(&mut self, prepared: &mut Prepared<'r>) -> Result<(), Error> {
        let Prepared { program, arguments, grid } = prepared;
        let ptx = &program.variant.ptx;
        for part in parts(*grid, ptx.groups_per_block) {
            self.make_room(1)?;
            arguments.begin_at(part.first);
            arguments.pointers(&mut self.pointers);
            let launch = Launch {
                function: program.loaded.function,
                blocks: part.blocks(ptx.groups_per_block),
                threads: ptx.block,
                shared_bytes: ptx.dynamic_shared_bytes,
            };
            let launched = self.current.launch(self.stream(), &launch, &mut self.pointers);
            launched.map_err(|error| named(&program.name, error))?;
        }
        Ok(())
    }

    /// Makes room for a command; in a graph there is room.
    fn make_room(&mut self, cost: u64) -> Result<(), Error> {
        if self.is_capturing { Ok(()) } else { self.turn.make_room(cost) }
    }

    /// Where commands go.
    fn stream(&self) -> StreamHandle {
        if self.is_capturing { self.context.capture } else { self.context.main }
    }

    fn address(&self, buffer: &Buffer) -> Result<u64, Error> {
        buffer.contents::<Storage>().ok_or(Error::ForeignObject)?.address_in(self.context)
    }
}
