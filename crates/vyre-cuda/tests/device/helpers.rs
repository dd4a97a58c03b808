//! What all tests of a device need.

use vyre_cuda::{CudaDevice, CudaOptions};
use vyre_ir::{OpTable, text};
use vyre_runtime::{Bindings, Buffer, CommandList, Device, Error, Pipeline, PipelineOptions, RunOptions, words};

pub(crate) fn device() -> CudaDevice {
    device_with(&CudaOptions::default())
}

pub(crate) fn device_with(options: &CudaOptions) -> CudaDevice {
    let devices = CudaDevice::all(options).unwrap_or_else(|error| panic!("{error}"));
    devices.into_iter().nth(vyre_conform::settings::gpu()).expect("a GPU at this position")
}

pub(crate) fn try_pipeline(device: &dyn Device, source: &str) -> Result<Pipeline, Error> {
    let parsed = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    device.create_pipeline(&valid, &PipelineOptions::default())
}

pub(crate) fn pipeline(device: &dyn Device, source: &str) -> Pipeline {
    try_pipeline(device, source).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn buffer(device: &dyn Device, bytes: u64) -> Buffer {
    device.create_buffer(bytes).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn contents(device: &dyn Device, buffer: &Buffer) -> Vec<u32> {
    words(&device.read(buffer).unwrap_or_else(|error| panic!("{error}")))
}

pub(crate) fn run_once(device: &dyn Device, source: &str, buffers: &[&Buffer], grid: [u32; 3]) {
    let pipeline = pipeline(device, source);
    let bindings = buffers.iter().zip(0..).fold(Bindings::new(), |all, (buffer, slot)| all.with(slot, buffer));
    let mut commands = CommandList::new();
    commands.dispatch(&pipeline, &bindings, grid);
    device.run(&commands, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
}
