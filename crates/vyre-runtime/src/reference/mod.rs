//! Reference interpreter: a lockstep (SIMT) tree interpreter with active masks, the test oracle of all other backends.
//!
//! It shares no code with lowering, caches nothing between dispatches and favours clarity over speed. All invocations of a
//! workgroup execute a statement together; a mask marks the active ones, so divergence is a change of the mask.

mod expression;
mod machine;
mod memory;
mod race_check;
mod value;

use std::sync::Arc;

use vyre_ir::{OpTable, Program, Specialization, ValidProgram};

use crate::buffer::{Buffer, DeviceId};
use crate::commands::{Bindings, CommandList};
use crate::device::{Backend, Device};
use crate::error::Error;
use crate::host::{self, HostBuffer, HostDevice, LockedBuffers};
use crate::limits::Limits;
use crate::pipeline::{Pipeline, PipelineOptions};
use crate::run::{RunOptions, RunReport};
use crate::shell::DeviceShell;
use memory::Memory;

/// Backend of the reference interpreter, with one device.
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

/// Device of the reference interpreter.
#[derive(Debug)]
pub struct ReferenceDevice {
    shell: DeviceShell,
}

impl Default for ReferenceDevice {
    fn default() -> ReferenceDevice {
        ReferenceDevice::new()
    }
}

/// Representation of a pipeline: the program itself.
struct TreeProgram {
    program: Program,
    ops: OpTable,
    fixed: Specialization,
}

impl ReferenceDevice {
    /// Creates a device with limits that every machine meets.
    #[must_use]
    pub fn new() -> ReferenceDevice {
        let mut limits = Limits::new(1 << 32, 1 << 28, 1 << 16);
        limits.can_cancel = true;
        limits.can_check_races = true;
        ReferenceDevice::with_limits(limits)
    }

    /// Creates a device with the limits of another device.
    #[must_use]
    pub fn with_limits(limits: Limits) -> ReferenceDevice {
        ReferenceDevice { shell: DeviceShell::new(limits) }
    }
}

impl Device for ReferenceDevice {
    fn name(&self) -> String {
        "reference interpreter".to_owned()
    }

    fn id(&self) -> DeviceId {
        self.shell.id()
    }

    fn limits(&self) -> &Limits {
        self.shell.limits()
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        HostBuffer::create(&self.shell, bytes)
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        host::write(self, buffer, offset, bytes)
    }

    fn read_at(&self, buffer: &Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
        host::read_at(self, buffer, offset, target)
    }

    fn read(&self, buffer: &Buffer) -> Result<Vec<u8>, Error> {
        host::read(self, buffer)
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        self.shell.create_pipeline(program, options, || {
            Ok(TreeProgram {
                program: program.program().clone(),
                ops: program.ops().clone(),
                fixed: options.specialization.clone(),
            })
        })
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        host::run(self, commands, options)
    }
}

impl HostDevice for ReferenceDevice {
    fn shell(&self) -> &DeviceShell {
        &self.shell
    }

    fn with_bytes(&self, buffer: &Buffer, access: &mut dyn FnMut(&mut [u8])) -> Result<(), Error> {
        access(&mut self.shell.contents::<HostBuffer>(buffer)?.lock());
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
        let code: &TreeProgram = self.shell.code(pipeline)?;
        let LockedBuffers { storage, slots } = LockedBuffers::new(&self.shell, bindings)?;
        let memory = Memory::new(&code.program.buffers, storage, &slots, &code.fixed);
        let races = machine::dispatch(&code.program, &code.ops, memory, grid, options)?;
        report.races.merge(races);
        Ok(())
    }
}
