//! wgpu backend: the GPUs of this machine.

use std::sync::Arc;

use vyre_runtime::shell::GpuOptions;
use vyre_runtime::{Backend, Device, Error};

use crate::device::WgpuDevice;

/// The GPUs of this machine, through Vulkan, Metal and DirectX 12.
#[derive(Clone, Debug, Default)]
pub struct WgpuBackend {
    options: GpuOptions,
}

impl WgpuBackend {
    /// Creates a backend whose devices use these options.
    #[must_use]
    pub fn new(options: GpuOptions) -> WgpuBackend {
        WgpuBackend { options }
    }
}

impl Backend for WgpuBackend {
    fn name(&self) -> &'static str {
        "wgpu"
    }

    fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error> {
        let devices = WgpuDevice::all(&self.options)?;
        Ok(devices.into_iter().map(|device| Arc::new(device) as Arc<dyn Device>).collect())
    }
}
