//! Command lists: work that a device does without a round trip to the host.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use vyre_ir::spelling::nearest;
use vyre_ir::{BufferAccess, BufferDecl, Name};

use crate::buffer::{Buffer, DeviceId};
use crate::error::{BindingError, Error, Resource};
use crate::grid::Grid;
use crate::limits::{Limits, check_limit};
use crate::pipeline::{Interface, Pipeline};

/// Buffers of a dispatch, by slot.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    slots: BTreeMap<u32, Buffer>,
}

impl Bindings {
    /// Creates bindings without buffers.
    #[must_use]
    pub fn new() -> Bindings {
        Bindings::default()
    }

    /// Binds a buffer to a slot.
    #[must_use]
    pub fn with(mut self, binding: u32, buffer: &Buffer) -> Bindings {
        self.slots.insert(binding, buffer.clone());
        self
    }

    /// Binds buffers by the names that a program declares. Every bound buffer of the program must occur once.
    ///
    /// ```
    /// use vyre_ir::{OpTable, text};
    /// use vyre_runtime::{Bindings, Device, PipelineOptions, ReferenceDevice};
    ///
    /// let parsed = text::parse("workgroup_size 1; buffer out: read_write u32 @0; entry { out[0] = 7; }").expect("parses");
    /// let ops = OpTable::default();
    /// let program = parsed.validate(&ops).expect("is valid");
    /// let device = ReferenceDevice::new();
    /// let pipeline = device.create_pipeline(&program, &PipelineOptions::default())?;
    /// let buffer = device.create_buffer(4)?;
    /// assert!(Bindings::named(&pipeline, [("out", &buffer)]).is_ok());
    ///
    /// let error = Bindings::named(&pipeline, [("uot", &buffer)]).unwrap_err();
    /// assert_eq!(error.to_string(), "the program has no buffer `uot` to bind; did you mean `out`? It has `out`");
    /// # Ok::<(), vyre_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BindingError::UnknownName`], [`BindingError::Repeated`], [`BindingError::Missing`], or
    /// [`BindingError::PartialElement`] for a buffer whose size is no whole number of the elements that the program
    /// declares.
    pub fn named<'b>(
        pipeline: &Pipeline,
        buffers: impl IntoIterator<Item = (&'b str, &'b Buffer)>,
    ) -> Result<Bindings, Error> {
        let declared = &pipeline.interface().buffers;
        let mut bindings = Bindings::new();
        for (name, buffer) in buffers {
            let Some(found) = declared.iter().find(|declared| declared.name == *name) else {
                let known: Vec<Name> = declared.iter().map(|declared| declared.name.clone()).collect();
                let similar = nearest(name, known.iter().map(Name::as_str)).map(Name::from);
                return Err(BindingError::UnknownName { name: name.to_owned(), similar, known }.into());
            };
            let (name, element) = (&found.name, found.element);
            if !buffer.size().is_multiple_of(element.element_bytes() as u64) {
                let (name, bytes) = (name.clone(), buffer.size());
                return Err(BindingError::PartialElement { name, bytes, element }.into());
            }
            if bindings.slots.insert(found.binding, buffer.clone()).is_some() {
                return Err(BindingError::Repeated { name: name.clone() }.into());
            }
        }
        match declared.iter().find(|declared| !bindings.slots.contains_key(&declared.binding)) {
            Some(BufferDecl { name, binding, .. }) => {
                Err(BindingError::Missing { name: name.clone(), binding: *binding }.into())
            }
            None => Ok(bindings),
        }
    }

    /// The buffer in a slot.
    #[must_use]
    pub fn get(&self, binding: u32) -> Option<&Buffer> {
        self.slots.get(&binding)
    }

    /// Binds buffers to the slots 0, 1, 2, ...
    #[must_use]
    pub fn in_order<'b>(buffers: impl IntoIterator<Item = &'b Buffer>) -> Bindings {
        (0..).zip(buffers).fold(Bindings::new(), |bindings, (slot, buffer)| bindings.with(slot, buffer))
    }

    /// The slots and their buffers, by ascending slot.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Buffer)> {
        self.slots.iter().map(|(&binding, buffer)| (binding, buffer))
    }

    /// The buffers, by ascending slot.
    pub fn buffers(&self) -> impl Iterator<Item = &Buffer> {
        self.slots.values()
    }

    /// Checks that the buffers are those that a program needs, and that their sizes are within the limits.
    ///
    /// # Errors
    ///
    /// The first slot that is missing, superfluous, aliased, too large, or too small for the fixed values.
    pub fn check(&self, interface: &Interface, limits: &Limits) -> Result<(), Error> {
        let mut declared = BTreeMap::new();
        for buffer in &interface.buffers {
            let Some(bound) = self.slots.get(&buffer.binding) else {
                return Err(BindingError::Missing { name: buffer.name.clone(), binding: buffer.binding }.into());
            };
            check_limit(Resource::BufferBytes, bound.size(), limits.buffer_bytes)?;
            if buffer.access == BufferAccess::Uniform {
                // Compiled code relies on the limit that all devices share.
                check_limit(Resource::UniformBytes, bound.size(), limits.uniform_bytes.min(Limits::UNIFORM_BYTES))?;
            }
            let wanted = interface.fixed_bytes.get(&buffer.binding).copied().unwrap_or_default();
            if bound.size() < wanted {
                let (name, binding, bytes) = (buffer.name.clone(), buffer.binding, bound.size());
                return Err(BindingError::TooSmall { name, binding, bytes, wanted }.into());
            }
            declared.insert(buffer.binding, buffer.access);
        }
        // By buffer id: the first slot with that buffer, and the first writable one.
        let mut seen: HashMap<u64, (u32, Option<(u32, BufferAccess)>)> = HashMap::new();
        for (&binding, buffer) in &self.slots {
            let Some(&access) = declared.get(&binding) else {
                return Err(BindingError::Superfluous { binding }.into());
            };
            let written = access.is_writable().then_some((binding, access));
            match seen.entry(buffer.id()) {
                Entry::Vacant(free) => {
                    free.insert((binding, written));
                }
                Entry::Occupied(known) => {
                    let &(first, earlier) = known.get();
                    if let Some((slot, access)) = earlier.or(written) {
                        let first = if slot == binding { first } else { slot };
                        return Err(BindingError::Aliased { first, second: binding, access }.into());
                    }
                }
            }
        }
        Ok(())
    }
}

/// Command of a device.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Command {
    /// Runs a program over a grid of workgroups.
    Dispatch {
        /// The program.
        pipeline: Pipeline,
        /// Its buffers.
        bindings: Bindings,
        /// The number of workgroups on each axis; 0 on any axis runs none.
        grid: [u32; 3],
    },
    /// Fills a range of a buffer with a byte.
    Fill {
        /// The buffer.
        buffer: Buffer,
        /// The first byte.
        offset: u64,
        /// The number of bytes.
        length: u64,
        /// The byte.
        byte: u8,
    },
    /// Copies between buffers, or within one.
    Copy {
        /// The buffer that is read.
        source: Buffer,
        /// The first byte that is read.
        source_offset: u64,
        /// The buffer that is written.
        target: Buffer,
        /// The first byte that is written.
        target_offset: u64,
        /// The number of bytes.
        length: u64,
    },
    /// Records the time at which the device reaches this command.
    Timestamp,
    /// Repeats commands.
    Repeat {
        /// The number of iterations.
        count: u32,
        /// The commands of an iteration.
        commands: CommandList,
    },
}

impl Command {
    /// Fills a whole buffer with a byte.
    #[must_use]
    pub fn fill_all(buffer: &Buffer, byte: u8) -> Command {
        Command::Fill { buffer: buffer.clone(), offset: 0, length: buffer.size(), byte }
    }
}

/// Sequence of commands, which a device runs in order without a round trip to the host.
///
/// A list can run any number of times. Clones share pipelines and buffers.
#[derive(Clone, Debug, Default)]
pub struct CommandList {
    commands: Vec<Command>,
}

impl CommandList {
    /// Creates an empty list.
    #[must_use]
    pub fn new() -> CommandList {
        CommandList::default()
    }

    /// Appends a command.
    pub fn push(&mut self, command: Command) {
        self.commands.push(command);
    }

    /// Appends a dispatch of a program whose buffers are bound by name, over a [`Grid`].
    ///
    /// # Errors
    ///
    /// Those of [`Bindings::named`]; [`Error::ResourceExceeded`] for a grid beyond [`Limits::GRID_INVOCATIONS`].
    pub fn dispatch_named<'b>(
        &mut self,
        pipeline: &Pipeline,
        buffers: impl IntoIterator<Item = (&'b str, &'b Buffer)>,
        grid: Grid,
    ) -> Result<(), Error> {
        let bindings = Bindings::named(pipeline, buffers)?;
        let grid = grid.workgroups(pipeline.interface().workgroup_size)?;
        self.push(Command::Dispatch { pipeline: pipeline.clone(), bindings, grid });
        Ok(())
    }

    /// Appends a dispatch over a grid of workgroups.
    pub fn dispatch(&mut self, pipeline: &Pipeline, bindings: &Bindings, grid: [u32; 3]) {
        self.push(Command::Dispatch { pipeline: pipeline.clone(), bindings: bindings.clone(), grid });
    }

    /// The commands, in order.
    #[must_use]
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// True if the list changes no buffer and records no timestamp.
    #[must_use]
    pub fn is_noop(&self) -> bool {
        // Recursion is bounded: the host nests lists, external input cannot.
        self.commands.iter().all(|command| match command {
            Command::Dispatch { grid, .. } => grid.contains(&0),
            Command::Fill { length, .. } | Command::Copy { length, .. } => *length == 0,
            Command::Timestamp => false,
            Command::Repeat { count, commands } => *count == 0 || commands.is_noop(),
        })
    }

    /// Checks bindings, grids and ranges, before any command runs.
    ///
    /// # Errors
    ///
    /// The first command that does not match its buffers or the limits.
    pub fn check(&self, limits: &Limits) -> Result<(), Error> {
        let mut pending = vec![self];
        while let Some(list) = pending.pop() {
            for command in &list.commands {
                match command {
                    Command::Dispatch { pipeline, bindings, grid } => {
                        bindings.check(pipeline.interface(), limits)?;
                        for (axis, (&groups, &size)) in
                            grid.iter().zip(&pipeline.interface().workgroup_size).enumerate()
                        {
                            let invocations = u64::from(groups) * u64::from(size);
                            check_limit(Resource::GridInvocations { axis }, invocations, Limits::GRID_INVOCATIONS)?;
                        }
                    }
                    Command::Fill { buffer, offset, length, byte: _ } => buffer.check_range(*offset, *length)?,
                    Command::Copy { source, source_offset, target, target_offset, length } => {
                        source.check_range(*source_offset, *length)?;
                        target.check_range(*target_offset, *length)?;
                    }
                    Command::Timestamp => {}
                    Command::Repeat { count: _, commands } => pending.push(commands),
                }
            }
        }
        Ok(())
    }

    /// Checks that a device owns all buffers and pipelines.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignObject`].
    pub fn check_owner(&self, device: DeviceId) -> Result<(), Error> {
        let check = |owner: DeviceId| if owner == device { Ok(()) } else { Err(Error::ForeignObject) };
        self.visit_objects(|buffer| check(buffer.device()), |pipeline| check(pipeline.device()))
    }

    /// Visits the buffers and pipelines of all commands, nested lists last.
    ///
    /// # Errors
    ///
    /// The first error of a visitor, which ends the traversal.
    pub fn visit_objects(
        &self,
        mut on_buffer: impl FnMut(&Buffer) -> Result<(), Error>,
        mut on_pipeline: impl FnMut(&Pipeline) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut pending = vec![self];
        while let Some(list) = pending.pop() {
            for command in &list.commands {
                match command {
                    Command::Dispatch { pipeline, bindings, grid: _ } => {
                        on_pipeline(pipeline)?;
                        bindings.buffers().try_for_each(&mut on_buffer)?;
                    }
                    Command::Fill { buffer, .. } => on_buffer(buffer)?,
                    Command::Copy { source, target, .. } => {
                        on_buffer(source)?;
                        on_buffer(target)?;
                    }
                    Command::Timestamp => {}
                    Command::Repeat { count: _, commands } => pending.push(commands),
                }
            }
        }
        Ok(())
    }
}
