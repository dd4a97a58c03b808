//! The reference interpreter: the oracle that every other backend is compared with.
//!
//! It walks the tree, shares no code with lowering, keeps nothing between dispatches and is written to be read. It runs on
//! any machine, slowly.

mod expression;
mod machine;
mod memory;
mod race_check;
mod value;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use vyre_ir::{OpTable, Program, Specialization, ValidProgram};

use crate::commands::{Bindings, Command, CommandList};
use crate::device::{
    Backend, Buffer, Device, DeviceId, Limits, Pipeline, PipelineOptions, RunOptions, RunReport, within,
};
use crate::error::{Error, Resource};
use memory::Memory;

/// The backend of the reference interpreter, with one device.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReferenceBackend;

impl Backend for ReferenceBackend {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error> {
        Ok(vec![Arc::new(ReferenceDevice::new())])
    }
}

/// The reference interpreter as a device.
#[derive(Debug)]
pub struct ReferenceDevice {
    id: DeviceId,
    limits: Limits,
}

impl Default for ReferenceDevice {
    fn default() -> ReferenceDevice {
        ReferenceDevice::new()
    }
}

/// A buffer of the interpreter.
struct HostBuffer {
    device: DeviceId,
    bytes: Mutex<Vec<u8>>,
}

/// A pipeline of the interpreter: the program as it is.
struct TreeProgram {
    device: DeviceId,
    program: Program,
    ops: OpTable,
    fixed: Specialization,
}

fn lock(bytes: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    // A panic elsewhere leaves bytes as they are, which is all that a buffer promises.
    bytes.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ReferenceDevice {
    /// A device with limits that any machine has.
    #[must_use]
    pub fn new() -> ReferenceDevice {
        let mut limits = Limits::new(1 << 32, 1 << 28, 1 << 16);
        limits.can_cancel = true;
        limits.can_check_races = true;
        ReferenceDevice::with_limits(limits)
    }

    /// A device that keeps to these limits, as another device would.
    #[must_use]
    pub fn with_limits(limits: Limits) -> ReferenceDevice {
        ReferenceDevice { id: DeviceId::fresh(), limits }
    }

    fn host<'b>(&self, buffer: &'b Buffer) -> Result<&'b HostBuffer, Error> {
        buffer.contents::<HostBuffer>().filter(|host| host.device == self.id).ok_or(Error::ForeignObject)
    }

    fn tree<'p>(&self, pipeline: &'p Pipeline) -> Result<&'p TreeProgram, Error> {
        pipeline.code::<TreeProgram>().filter(|code| code.device == self.id).ok_or(Error::ForeignObject)
    }

    /// Checks that all buffers and pipelines of a list are of this device.
    fn check_owner(&self, list: &CommandList) -> Result<(), Error> {
        let mut pending = vec![list];
        while let Some(list) = pending.pop() {
            for command in list.commands() {
                match command {
                    Command::Dispatch { pipeline, bindings, grid: _ } => {
                        self.tree(pipeline)?;
                        bindings.buffers().try_for_each(|buffer| self.host(buffer).map(|_| ()))?;
                    }
                    Command::Fill { buffer, .. } => {
                        self.host(buffer)?;
                    }
                    Command::Copy { source, target, .. } => {
                        self.host(source)?;
                        self.host(target)?;
                    }
                    Command::Timestamp => {}
                    Command::Repeat { count: _, commands } => pending.push(commands),
                }
            }
        }
        Ok(())
    }

    fn run_list(&self, list: &CommandList, options: &RunOptions, state: &mut RunState) -> Result<(), Error> {
        for command in list.commands() {
            options.check()?;
            match command {
                Command::Dispatch { pipeline, bindings, grid } => {
                    self.dispatch(pipeline, bindings, *grid, options, state)?;
                }
                Command::Fill { buffer, offset, length, byte } => {
                    let (start, end) = range(*offset, *length);
                    lock(&self.host(buffer)?.bytes)[start..end].fill(*byte);
                }
                Command::Copy { source, source_offset, target, target_offset, length } => {
                    let (start, end) = range(*source_offset, *length);
                    let bytes = lock(&self.host(source)?.bytes)[start..end].to_vec();
                    let (start, end) = range(*target_offset, *length);
                    lock(&self.host(target)?.bytes)[start..end].copy_from_slice(&bytes);
                }
                Command::Timestamp => {
                    let start = *state.start.get_or_insert_with(Instant::now);
                    let elapsed = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
                    state.report.timestamps.push(elapsed);
                }
                // Lists nest as deep as the host has nested them, which is no input from outside.
                Command::Repeat { count, commands } => {
                    for _ in 0..*count {
                        options.check()?;
                        self.run_list(commands, options, state)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn dispatch(
        &self,
        pipeline: &Pipeline,
        bindings: &Bindings,
        grid: [u32; 3],
        options: &RunOptions,
        state: &mut RunState,
    ) -> Result<(), Error> {
        let code = self.tree(pipeline)?;
        // Each buffer is locked once, in a fixed order, though it may be bound in several slots.
        let mut hosts: BTreeMap<usize, &HostBuffer> = BTreeMap::new();
        let mut addresses = Vec::new();
        for decl in &pipeline.interface().buffers {
            if let Some(buffer) = bindings.get(decl.binding) {
                let host = self.host(buffer)?;
                let address = std::ptr::from_ref(host).addr();
                hosts.insert(address, host);
                addresses.push((decl.binding, address));
            }
        }
        let positions: HashMap<usize, usize> = hosts.keys().enumerate().map(|(at, &address)| (address, at)).collect();
        let slots = addresses.into_iter().map(|(binding, address)| (binding, positions[&address])).collect();
        let storage = hosts.values().map(|host| lock(&host.bytes)).collect();
        let memory = Memory::new(&code.program.buffers, storage, &slots, &code.fixed);
        let races = machine::dispatch(&code.program, &code.ops, memory, grid, options)?;
        state.report.races.merge(races);
        Ok(())
    }
}

/// What a run has said so far.
#[derive(Default)]
struct RunState {
    report: RunReport,
    start: Option<Instant>,
}

/// A range that has been checked against the size of a buffer in memory.
fn range(offset: u64, length: u64) -> (usize, usize) {
    (offset as usize, (offset + length) as usize)
}

impl Device for ReferenceDevice {
    fn name(&self) -> String {
        "reference interpreter".to_owned()
    }

    fn id(&self) -> DeviceId {
        self.id
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        within(Resource::BufferBytes, bytes, self.limits.buffer_bytes)?;
        let failed = |_| Error::Backend { message: format!("no memory for a buffer of {bytes} bytes") };
        let size = usize::try_from(bytes).unwrap_or(usize::MAX);
        let mut contents = Vec::new();
        contents.try_reserve_exact(size).map_err(failed)?;
        contents.resize(size, 0);
        Ok(Buffer::new(bytes, Arc::new(HostBuffer { device: self.id, bytes: Mutex::new(contents) })))
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let host = self.host(buffer)?;
        buffer.check_range(offset, bytes.len() as u64)?;
        let (start, end) = range(offset, bytes.len() as u64);
        lock(&host.bytes)[start..end].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&self, buffer: &Buffer) -> Result<Vec<u8>, Error> {
        Ok(lock(&self.host(buffer)?.bytes).clone())
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        options.check_program(program)?;
        self.limits.check_program(program)?;
        let code = TreeProgram {
            device: self.id,
            program: program.program().clone(),
            ops: program.ops().clone(),
            fixed: options.specialization.clone(),
        };
        Ok(Pipeline::new(program, options, Arc::new(code)))
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        commands.check(&self.limits)?;
        self.check_owner(commands)?;
        if options.check_races && !self.limits.can_check_races {
            return Err(Error::CannotCheckRaces);
        }
        let mut state = RunState::default();
        self.run_list(commands, options, &mut state)?;
        Ok(state.report)
    }
}
