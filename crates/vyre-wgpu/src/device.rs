//! A GPU as a device.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use vyre_ir::ValidProgram;
use vyre_runtime::{
    Buffer, CommandList, Device, DeviceId, Error, Limits, Pipeline, PipelineOptions, Resource, RunOptions, RunReport,
};
use wgpu::{Adapter, AdapterInfo, DeviceType};

use crate::adapter::{adapters, limits};
use crate::buffer::Storage;
use crate::encode;
use crate::opened::Opened;
use crate::pipeline::{Compiled, compile};
use crate::transfer;

/// How GPUs are used.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WgpuOptions {
    /// Whether kernels are optimized.
    pub optimize: bool,
    /// Where compiled shaders are kept for the next process, on drivers that can; nowhere without this.
    pub cache_folder: Option<PathBuf>,
}

impl Default for WgpuOptions {
    fn default() -> WgpuOptions {
        WgpuOptions { optimize: true, cache_folder: None }
    }
}

impl WgpuOptions {
    /// The same with kernels optimized or compiled as they were lowered.
    #[must_use]
    pub fn with_optimizer(self, optimize: bool) -> WgpuOptions {
        WgpuOptions { optimize, ..self }
    }

    /// The same with compiled shaders kept in a folder, which is made where it is missing.
    #[must_use]
    pub fn with_cache_folder(self, folder: impl Into<PathBuf>) -> WgpuOptions {
        WgpuOptions { cache_folder: Some(folder.into()), ..self }
    }
}

/// A GPU, or a driver that computes on the CPU in its place. It is opened when it is first used.
pub struct WgpuDevice {
    id: DeviceId,
    adapter: Adapter,
    info: AdapterInfo,
    limits: Limits,
    options: WgpuOptions,
    opened: OnceLock<Result<Opened, Error>>,
}

impl WgpuDevice {
    /// The GPUs of this machine: those on cards of their own first, drivers that compute on the CPU last.
    ///
    /// # Errors
    ///
    /// [`Error::NoGpuAdapter`] if there is none.
    pub fn all(options: &WgpuOptions) -> Result<Vec<WgpuDevice>, Error> {
        let device = |adapter: Adapter| WgpuDevice {
            id: DeviceId::fresh(),
            info: adapter.get_info(),
            limits: limits(&adapter.limits()),
            options: options.clone(),
            opened: OnceLock::new(),
            adapter,
        };
        Ok(adapters()?.into_iter().map(device).collect())
    }

    /// What wgpu knows of the adapter.
    #[must_use]
    pub fn adapter(&self) -> &AdapterInfo {
        &self.info
    }

    fn opened(&self) -> Result<&Opened, Error> {
        let opened = self.opened.get_or_init(|| Opened::new(self.id, &self.adapter, &self.options));
        opened.as_ref().map_err(Clone::clone)
    }

    fn storage<'b>(&self, buffer: &'b Buffer) -> Result<&'b Storage, Error> {
        buffer.contents::<Storage>().filter(|storage| storage.device == self.id).ok_or(Error::ForeignObject)
    }

    fn compiled<'p>(&self, pipeline: &'p Pipeline) -> Result<&'p Compiled, Error> {
        pipeline.code::<Compiled>().filter(|code| code.device == self.id).ok_or(Error::ForeignObject)
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

    fn is_wide(&self) -> bool {
        true
    }

    fn id(&self) -> DeviceId {
        self.id
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        let limit = self.limits.buffer_bytes;
        if bytes > limit {
            return Err(Error::ResourceExceeded { resource: Resource::BufferBytes, wanted: bytes, limit });
        }
        let opened = self.opened()?;
        let buffer = opened.buffer(Storage::padded(bytes), transfer::STORAGE_USAGES)?;
        Ok(Buffer::new(bytes, Arc::new(Storage::new(self.id, buffer, &opened.groups))))
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let storage = self.storage(buffer)?;
        buffer.check_range(offset, bytes.len() as u64)?;
        transfer::write(self.opened()?, storage, buffer.size(), offset, bytes)
    }

    fn read(&self, buffer: &Buffer) -> Result<Vec<u8>, Error> {
        let storage = self.storage(buffer)?;
        transfer::read(self.opened()?, &storage.buffer, buffer.size())
    }

    fn read_into(&self, buffer: &Buffer, target: &mut [u8]) -> Result<(), Error> {
        let storage = self.storage(buffer)?;
        buffer.check_range(0, target.len() as u64)?;
        transfer::read_into(self.opened()?, &storage.buffer, target)
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        options.check_program(program)?;
        self.limits.check_program(program)?;
        let compiled = compile(self.opened()?, program, options, self.options.optimize)?;
        Ok(Pipeline::new(program, options, Arc::new(compiled)))
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        commands.check(&self.limits)?;
        commands.check_owners(|buffer| self.storage(buffer).map(|_| ()), |code| self.compiled(code).map(|_| ()))?;
        if options.check_races {
            return Err(Error::CannotCheckRaces);
        }
        encode::run(self.opened()?, commands, options)
    }
}

#[cfg(test)]
mod on_gpu {
    use vyre_ir::{OpTable, text};
    use vyre_runtime::Bindings;

    use super::*;

    /// A device that is gone, as after a driver was restarted or a card was taken out.
    #[test]
    fn a_lost_device_is_an_error_everywhere() {
        let devices = WgpuDevice::all(&WgpuOptions::default()).unwrap_or_else(|error| panic!("{error}"));
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

        device.opened().expect("it is open").device.destroy();
        let said = |outcome: Result<(), Error>| match outcome {
            Err(Error::Backend { message }) => println!("{message}"),
            other => panic!("{other:?}"),
        };
        said(device.run(&commands, &RunOptions::default()).map(|_| ()));
        said(device.create_buffer(64).map(|_| ()));
        said(device.write(&buffer, 0, &[1; 64]));
        said(device.write(&buffer, 1, &[1; 2]));
        said(device.read(&buffer).map(|_| ()));
        said(device.create_pipeline(&valid, &options).map(|_| ()));
    }

    #[test]
    fn memory_that_is_used_up_is_an_error() {
        let devices = WgpuDevice::all(&WgpuOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        let device = devices.into_iter().next().expect("an adapter");
        let opened = device.opened().expect("it opens");
        // More than an adapter takes, past what the device would refuse by itself.
        let outcome = opened.buffer(1 << 60, transfer::STORAGE_USAGES).map(|_| ());
        assert!(matches!(&outcome, Err(Error::Backend { .. })), "{outcome:?}");
        assert_eq!(device.create_buffer(16).map(|buffer| buffer.size()), Ok(16), "the device goes on");
    }
}
