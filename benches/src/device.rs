//! Devices that reports run on.

use std::sync::Arc;

use vyre_cuda::{CudaDevice, GpuOptions};
use vyre_ir::{OpTable, text};
use vyre_jit::{JitDevice, JitOptions};
use vyre_runtime::{Device, Pipeline, PipelineOptions};
use vyre_wgpu::WgpuDevice;

use crate::error::Error;

/// Kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Backend {
    /// The CPU, through machine code of Cranelift
    Cpu,
    /// NVIDIA GPUs, through CUDA
    Cuda,
    /// GPUs through Vulkan, Metal or Direct3D
    Wgpu,
}

impl Backend {
    /// Name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Backend::Cpu => "CPU",
            Backend::Cuda => "CUDA",
            Backend::Wgpu => "wgpu",
        }
    }
}

/// Device that a report asks for.
#[derive(Clone, Copy, Debug)]
pub struct DeviceRequest {
    /// Kind of device.
    pub backend: Backend,
    /// Position of the GPU among those of the backend.
    pub gpu: usize,
    /// Number of threads of the host; 0 is one per core.
    pub threads: usize,
}

impl DeviceRequest {
    /// Opens a new device, which has no compiled program.
    ///
    /// # Errors
    ///
    /// There is no such device.
    pub fn open(self) -> Result<Arc<dyn Device>, Error> {
        fn nth<D: Device + 'static>(mut devices: Vec<D>, position: usize) -> Result<Arc<dyn Device>, Error> {
            match devices.len() {
                count if position >= count => {
                    Err(Error::unavailable(format!("there is no GPU {position}; {count} are numbered from 0")))
                }
                _ => Ok(Arc::new(devices.swap_remove(position))),
            }
        }
        match self.backend {
            Backend::Cpu => Ok(Arc::new(JitDevice::new(&JitOptions::default().with_threads(self.threads))?)),
            Backend::Cuda => nth(CudaDevice::all(&GpuOptions::default())?, self.gpu),
            Backend::Wgpu => nth(WgpuDevice::all(&GpuOptions::default())?, self.gpu),
        }
    }
}

/// Name of a device with the version of its driver.
#[must_use]
pub fn description(device: &dyn Device) -> String {
    match device.driver() {
        Some(driver) => format!("{}, {driver}", device.name()),
        None => device.name().to_owned(),
    }
}

/// Parses a program in text form.
pub(crate) fn parse_program(name: &str, source: &str) -> Result<text::Parsed, Error> {
    text::parse(source).map_err(|error| invalid(name, error.to_string()))
}

/// Validates a program that calls no ops and builds its pipeline.
pub(crate) fn build_pipeline(device: &dyn Device, name: &str, parsed: &text::Parsed) -> Result<Pipeline, Error> {
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).map_err(|errors| {
        let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
        invalid(name, messages.join("; "))
    })?;
    Ok(device.create_pipeline(&valid, &PipelineOptions::default())?)
}

fn invalid(name: &str, message: String) -> Error {
    Error::InvalidProgram { program: name.to_owned(), message }
}
