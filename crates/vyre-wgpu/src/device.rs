//! GPU as a device of the runtime.

use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{Builder, JoinHandle};

use vyre_ir::ValidProgram;
use vyre_runtime::shell::{DeviceShell, GpuOptions, padded_bytes};
use vyre_runtime::{
    Buffer, CommandList, Device, DeviceId, Error, Limits, Pipeline, PipelineOptions, RunOptions, RunReport,
};
use wgpu::{Adapter, AdapterInfo, BufferUsages, DeviceType};

use crate::adapter::{adapters, limits};
use crate::buffer::Storage;
use crate::compile::compile;
use crate::copies::{ByteRange, CopyPrograms, write};
use crate::direct::mappable_usages;
use crate::handles::GpuHandles;
use crate::run::run;
use crate::staging::{read, read_at};
use crate::staging_memory::lock;

/// A GPU, or a driver that computes on the CPU in its place. The first use opens the adapter.
pub struct WgpuDevice {
    shell: DeviceShell,
    info: AdapterInfo,
    opener: Arc<Opener>,
    copy_programs: CopyPrograms,
    /// Thread that opens the adapter ahead of its use.
    preparing: Mutex<Option<JoinHandle<()>>>,
}

/// Part of a device that opens its adapter.
struct Opener {
    id: DeviceId,
    adapter: Adapter,
    options: GpuOptions,
    /// Usages that let the host map buffers.
    mappable: BufferUsages,
    handles: OnceLock<Result<GpuHandles, Error>>,
}

impl Opener {
    /// Handles of the adapter, which the first call opens. Other threads wait meanwhile.
    fn handles(&self) -> Result<&GpuHandles, Error> {
        let open = || GpuHandles::new(self.id, &self.adapter, &self.options, self.mappable);
        let handles = self.handles.get_or_init(open);
        handles.as_ref().map_err(Clone::clone)
    }
}

impl WgpuDevice {
    /// Lists the GPUs of this machine: discrete ones first, drivers that compute on the CPU last.
    ///
    /// # Errors
    ///
    /// [`Error::NoGpuAdapter`] if there is none.
    pub fn all(options: &GpuOptions) -> Result<Vec<WgpuDevice>, Error> {
        let device = |adapter: Adapter| {
            let shell = DeviceShell::new(limits(&adapter.limits()));
            let (info, id) = (adapter.get_info(), shell.id());
            let mappable = mappable_usages(info.device_type, adapter.features());
            let opener = Opener { id, adapter, options: options.clone(), mappable, handles: OnceLock::new() };
            let (copy_programs, preparing) = (CopyPrograms::default(), Mutex::default());
            WgpuDevice { shell, info, opener: Arc::new(opener), copy_programs, preparing }
        };
        Ok(adapters()?.into_iter().map(device).collect())
    }

    /// Transfers all bytes through staging memory, as on a discrete GPU. Has no effect after the first use of the device.
    #[must_use]
    pub fn with_staging(mut self) -> WgpuDevice {
        if let Some(opener) = Arc::get_mut(&mut self.opener) {
            opener.mappable = BufferUsages::empty();
        }
        self
    }

    /// Description of the adapter.
    #[must_use]
    pub fn adapter(&self) -> &AdapterInfo {
        &self.info
    }

    /// Handles of the adapter, which the first call opens.
    fn handles(&self) -> Result<&GpuHandles, Error> {
        self.opener.handles()
    }
}

impl Drop for WgpuDevice {
    fn drop(&mut self) {
        // The process may end after this, and a driver must not end while a thread is in it.
        if let Some(thread) = lock(&self.preparing).take() {
            let _ = thread.join();
        }
    }
}

impl Device for WgpuDevice {
    fn name(&self) -> String {
        self.info.name.clone()
    }

    fn driver(&self) -> Option<String> {
        let AdapterInfo { driver, driver_info, backend, .. } = &self.info;
        let parts = [driver.as_str(), driver_info.as_str()];
        let named: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        Some(format!("{} through {backend:?}", if named.is_empty() { "a driver".to_owned() } else { named.join(" ") }))
    }

    fn is_software(&self) -> bool {
        self.info.device_type == DeviceType::Cpu
    }

    fn is_throughput_oriented(&self) -> bool {
        true
    }

    fn id(&self) -> DeviceId {
        self.shell.id()
    }

    fn limits(&self) -> &Limits {
        self.shell.limits()
    }

    fn prepare(&self) {
        let mut preparing = lock(&self.preparing);
        if preparing.is_none() {
            let opener = Arc::clone(&self.opener);
            let thread = Builder::new().name("vyre-wgpu-open".to_owned());
            // The call that needs the device reports the error. Without a thread it opens the adapter itself.
            *preparing = thread.spawn(move || drop(opener.handles().map(|_| ()))).ok();
        }
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        self.shell.create_buffer(bytes, || {
            let handles = self.handles()?;
            let buffer = handles.buffer(padded_bytes(bytes), handles.storage_usages)?;
            Ok(Storage::new(buffer, &handles.groups))
        })
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let (storage, length) = (self.shell.contents(buffer)?, bytes.len() as u64);
        buffer.check_range(offset, length)?;
        let target = ByteRange { storage, buffer_size: buffer.size(), offset, length };
        write(self.handles()?, &self.copy_programs, target, bytes)
    }

    fn read_at(&self, buffer: &Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
        let storage: &Storage = self.shell.contents(buffer)?;
        buffer.check_range(offset, target.len() as u64)?;
        read_at(self.handles()?, &storage.buffer, offset, target)
    }

    fn read(&self, buffer: &Buffer) -> Result<Vec<u8>, Error> {
        let storage: &Storage = self.shell.contents(buffer)?;
        read(self.handles()?, &storage.buffer, buffer.size())
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        let compiled = || compile(self.handles()?, program, options, self.opener.options.optimize);
        self.shell.create_pipeline(program, options, compiled)
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        self.shell.check_run(commands, options)?;
        run(self.handles()?, &self.copy_programs, commands, options)
    }
}

#[cfg(test)]
mod on_gpu {
    use vyre_ir::{OpTable, text};
    use vyre_runtime::Bindings;

    use super::*;

    /// Loss as after a driver reset or the removal of a card.
    #[test]
    fn every_call_on_a_lost_device_reports_the_loss() {
        let devices = WgpuDevice::all(&GpuOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        let device = devices.into_iter().next().expect("an adapter");
        let parsed =
            text::parse("workgroup_size 1; buffer b: read_write u32 @0; entry { b[0] = 7; }").expect("it parses");
        let ops = OpTable::default();
        let valid = parsed.validate(&ops).expect("it is valid");
        let options = PipelineOptions::default();
        let pipeline = device.create_pipeline(&valid, &options).expect("it compiles");
        let buffer = device.create_buffer(64).expect("a buffer");
        let mut commands = CommandList::new();
        commands.dispatch(&pipeline, &Bindings::new().with(0, &buffer), [1, 1, 1]);
        device.run(&commands, &RunOptions::default()).expect("it runs");

        device.handles().expect("it is open").device.destroy();
        let assert_lost = |outcome: Result<(), Error>| match outcome {
            Err(error @ Error::DeviceLost { .. }) => println!("{error}"),
            other => panic!("{other:?}"),
        };
        assert_lost(device.run(&commands, &RunOptions::default()).map(|_| ()));
        assert_lost(device.create_buffer(64).map(|_| ()));
        assert_lost(device.write(&buffer, 0, &[1; 64]));
        assert_lost(device.write(&buffer, 1, &[1; 2]));
        assert_lost(device.read(&buffer).map(|_| ()));
        assert_lost(device.create_pipeline(&valid, &options).map(|_| ()));
    }

    #[test]
    fn exhausted_memory_is_an_error() {
        let devices = WgpuDevice::all(&GpuOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        let device = devices.into_iter().next().expect("an adapter");
        let handles = device.handles().expect("it opens");
        // Beyond the limits of every adapter; `create_buffer` would check them.
        let outcome = handles.buffer(1 << 60, handles.storage_usages).map(|_| ());
        assert!(matches!(&outcome, Err(Error::OutOfMemory { .. } | Error::Driver { .. })), "{outcome:?}");
        assert_eq!(device.create_buffer(16).map(|buffer| buffer.size()), Ok(16), "the device remains usable");
    }
}
