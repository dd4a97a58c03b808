//! CUDA backend: the NVIDIA GPUs of this machine.

use std::sync::Arc;

use vyre_runtime::shell::GpuOptions;
use vyre_runtime::{Backend, Device, Error};

use super::cuda_device::CudaDevice;

/// The NVIDIA GPUs of this machine.
#[derive(Clone, Debug, Default)]
pub struct CudaBackend {
    options: GpuOptions,
}

impl CudaBackend {
    /// Creates a backend whose devices use these options.
    #[must_use]
    pub fn new(options: GpuOptions) -> CudaBackend {
        CudaBackend { options }
    }
}

impl Backend for CudaBackend {
    fn name(&self) -> &'static str {
        "cuda"
    }

    fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error> {
        let devices = CudaDevice::all(&self.options)?;
        Ok(devices.into_iter().map(|device| Arc::new(device) as Arc<dyn Device>).collect())
    }
}
