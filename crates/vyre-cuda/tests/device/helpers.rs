//! Helpers of the device tests.

use vyre_cuda::{CudaDevice, GpuOptions};

pub(crate) use vyre_conform::device_checks::{buffer, contents, pipeline, run_once, with_workgroup_memory};

pub(crate) fn device() -> CudaDevice {
    device_with(&GpuOptions::default())
}

pub(crate) fn device_with(options: &GpuOptions) -> CudaDevice {
    let devices = CudaDevice::all(options).unwrap_or_else(|error| panic!("{error}"));
    devices.into_iter().nth(vyre_conform::settings::gpu()).expect("a GPU at this position")
}
