//! A GPU as a device.

use std::sync::OnceLock;

use vyre_ir::ValidProgram;
use vyre_runtime::shell::{DeviceShell, GpuOptions, padded_bytes};
use vyre_runtime::{
    Buffer, CommandList, Device, DeviceId, Error, Limits, Pipeline, PipelineOptions, RunOptions, RunReport,
};
use wgpu::{Adapter, AdapterInfo, DeviceType};

use crate::adapter::{adapters, limits};
use crate::buffer::Storage;
use crate::encode;
use crate::opened::Opened;
use crate::pipeline::compile;
use crate::transfer;

/// A GPU, or a driver that computes on the CPU in its place. It is opened when it is first used.
pub struct WgpuDevice {
    shell: DeviceShell,
    adapter: Adapter,
    info: AdapterInfo,
    options: GpuOptions,
    opened: OnceLock<Result<Opened, Error>>,
}

impl WgpuDevice {
    /// The GPUs of this machine: those on cards of their own first, drivers that compute on the CPU last.
    ///
    /// # Errors
    ///
    /// [`Error::NoGpuAdapter`] if there is none.
    pub fn all(options: &GpuOptions) -> Result<Vec<WgpuDevice>, Error> {
        let device = |adapter: Adapter| WgpuDevice {
            shell: DeviceShell::new(limits(&adapter.limits())),
            info: adapter.get_info(),
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
        let opened = self.opened.get_or_init(|| Opened::new(self.shell.id(), &self.adapter, &self.options));
        opened.as_ref().map_err(Clone::clone)
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

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        self.shell.create_buffer(bytes, || {
            let opened = self.opened()?;
            let buffer = opened.buffer(padded_bytes(bytes), transfer::STORAGE_USAGES)?;
            Ok(Storage::new(buffer, &opened.groups))
        })
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let storage: &Storage = self.shell.contents(buffer)?;
        buffer.check_range(offset, bytes.len() as u64)?;
        transfer::write(self.opened()?, storage, buffer.size(), offset, bytes)
    }

    fn read(&self, buffer: &Buffer) -> Result<Vec<u8>, Error> {
        let storage: &Storage = self.shell.contents(buffer)?;
        transfer::read(self.opened()?, &storage.buffer, buffer.size())
    }

    fn read_into(&self, buffer: &Buffer, target: &mut [u8]) -> Result<(), Error> {
        let storage: &Storage = self.shell.contents(buffer)?;
        buffer.check_range(0, target.len() as u64)?;
        transfer::read_into(self.opened()?, &storage.buffer, target)
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        let compiled = || compile(self.opened()?, program, options, self.options.optimize);
        self.shell.create_pipeline(program, options, compiled)
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        self.shell.check_run(commands, options)?;
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

        device.opened().expect("it is open").device.destroy();
        let said = |outcome: Result<(), Error>| match outcome {
            Err(error @ Error::DeviceLost { .. }) => println!("{error}"),
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
        let devices = WgpuDevice::all(&GpuOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        let device = devices.into_iter().next().expect("an adapter");
        let opened = device.opened().expect("it opens");
        // More than an adapter takes, past what the device would refuse by itself.
        let outcome = opened.buffer(1 << 60, transfer::STORAGE_USAGES).map(|_| ());
        assert!(matches!(&outcome, Err(Error::OutOfMemory { .. } | Error::Driver { .. })), "{outcome:?}");
        assert_eq!(device.create_buffer(16).map(|buffer| buffer.size()), Ok(16), "the device goes on");
    }
}
