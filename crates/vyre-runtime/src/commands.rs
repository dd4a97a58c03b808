//! Commands: what a device does in one go, without a round trip to the host.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use vyre_ir::BufferAccess;

use crate::device::{Buffer, Interface, Limits, Pipeline, within};
use crate::error::{BindingError, Error, Resource};

/// Which buffer is in which slot.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    slots: BTreeMap<u32, Buffer>,
}

impl Bindings {
    /// No buffers.
    #[must_use]
    pub fn new() -> Bindings {
        Bindings::default()
    }

    /// The same with a buffer in a slot.
    #[must_use]
    pub fn with(mut self, binding: u32, buffer: &Buffer) -> Bindings {
        self.slots.insert(binding, buffer.clone());
        self
    }

    /// The buffer in a slot.
    #[must_use]
    pub fn get(&self, binding: u32) -> Option<&Buffer> {
        self.slots.get(&binding)
    }

    /// The buffers, by ascending slot.
    pub fn buffers(&self) -> impl Iterator<Item = &Buffer> {
        self.slots.values()
    }

    /// Checks that the buffers are those that a program needs, and that their sizes are within the limits.
    ///
    /// # Errors
    ///
    /// The first slot that is missing, superfluous, aliased, too large or too small for values that are fixed.
    pub fn check(&self, interface: &Interface, limits: &Limits) -> Result<(), Error> {
        let mut declared = BTreeMap::new();
        for buffer in &interface.buffers {
            let Some(bound) = self.slots.get(&buffer.binding) else {
                return Err(BindingError::Missing { name: buffer.name.clone(), binding: buffer.binding }.into());
            };
            within(Resource::BufferBytes, bound.size(), limits.buffer_bytes)?;
            if buffer.access == BufferAccess::Uniform {
                // Compiled code may rely on the limit that all devices have.
                within(Resource::UniformBytes, bound.size(), limits.uniform_bytes.min(Limits::UNIFORM_BYTES))?;
            }
            let wanted = interface.fixed_bytes.get(&buffer.binding).copied().unwrap_or_default();
            if bound.size() < wanted {
                let (name, binding, bytes) = (buffer.name.clone(), buffer.binding, bound.size());
                return Err(BindingError::TooSmall { name, binding, bytes, wanted }.into());
            }
            declared.insert(buffer.binding, buffer.access);
        }
        // By memory: the first slot that has it, and the first of those that can be written.
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

/// Something that a device does.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Command {
    /// Runs a program over a grid of workgroups.
    Dispatch {
        /// The program.
        pipeline: Pipeline,
        /// Its buffers.
        bindings: Bindings,
        /// The number of workgroups on each axis; 0 on one of them runs nothing.
        grid: [u32; 3],
    },
    /// Fills a part of a buffer with a byte.
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
        /// Where from.
        source: Buffer,
        /// The first byte.
        source_offset: u64,
        /// Where to.
        target: Buffer,
        /// The first byte.
        target_offset: u64,
        /// The number of bytes.
        length: u64,
    },
    /// Takes the time.
    Timestamp,
    /// Does commands again and again.
    Repeat {
        /// How often.
        count: u32,
        /// What.
        commands: CommandList,
    },
}

/// Commands in order.
#[derive(Clone, Debug, Default)]
pub struct CommandList {
    commands: Vec<Command>,
}

impl CommandList {
    /// No commands.
    #[must_use]
    pub fn new() -> CommandList {
        CommandList::default()
    }

    /// Adds a command.
    pub fn push(&mut self, command: Command) {
        self.commands.push(command);
    }

    /// Adds a dispatch.
    pub fn dispatch(&mut self, pipeline: &Pipeline, bindings: &Bindings, grid: [u32; 3]) {
        self.push(Command::Dispatch { pipeline: pipeline.clone(), bindings: bindings.clone(), grid });
    }

    /// The commands, in order.
    #[must_use]
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// Checks everything that can be known before anything runs.
    ///
    /// # Errors
    ///
    /// The first command that does not fit its buffers or the limits.
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
                            within(Resource::GridInvocations { axis }, invocations, Limits::GRID_INVOCATIONS)?;
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

    /// Checks that all buffers and pipelines are of one device, which `buffer` and `pipeline` tell.
    ///
    /// # Errors
    ///
    /// The first thing that one of them says.
    pub fn check_owners(
        &self,
        mut buffer: impl FnMut(&Buffer) -> Result<(), Error>,
        mut pipeline: impl FnMut(&Pipeline) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut pending = vec![self];
        while let Some(list) = pending.pop() {
            for command in &list.commands {
                match command {
                    Command::Dispatch { pipeline: owned, bindings, grid: _ } => {
                        pipeline(owned)?;
                        bindings.buffers().try_for_each(&mut buffer)?;
                    }
                    Command::Fill { buffer: owned, .. } => buffer(owned)?,
                    Command::Copy { source, target, .. } => {
                        buffer(source)?;
                        buffer(target)?;
                    }
                    Command::Timestamp => {}
                    Command::Repeat { count: _, commands } => pending.push(commands),
                }
            }
        }
        Ok(())
    }
}
