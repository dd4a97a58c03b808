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

use vyre_ir::{OpTable, Program, Specialization, ValidProgram};

use crate::commands::{Bindings, CommandList};
use crate::device::{
    Backend, Buffer, Device, DeviceId, Limits, Pipeline, PipelineOptions, RunOptions, RunReport, within,
};
use crate::error::{Error, Resource};
use crate::host::{self, HostDevice};
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
        host::write(self, buffer, offset, bytes)
    }

    fn read(&self, buffer: &Buffer) -> Result<Vec<u8>, Error> {
        host::read(self, buffer)
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
        host::run(self, commands, options)
    }
}

impl HostDevice for ReferenceDevice {
    fn check_buffer(&self, buffer: &Buffer) -> Result<(), Error> {
        self.host(buffer).map(|_| ())
    }

    fn check_pipeline(&self, pipeline: &Pipeline) -> Result<(), Error> {
        self.tree(pipeline).map(|_| ())
    }

    fn with_bytes(&self, buffer: &Buffer, access: &mut dyn FnMut(&mut [u8])) -> Result<(), Error> {
        access(&mut lock(&self.host(buffer)?.bytes));
        Ok(())
    }

    fn dispatch(
        &self,
        pipeline: &Pipeline,
        bindings: &Bindings,
        grid: [u32; 3],
        options: &RunOptions,
        report: &mut RunReport,
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
        report.races.merge(races);
        Ok(())
    }
}
