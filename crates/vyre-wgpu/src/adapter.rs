//! The GPUs of this machine.

use std::sync::Arc;

use vyre_runtime::{Backend, Device, Error, Limits};
use wgpu::{Adapter, Backends, DeviceType, Instance, InstanceDescriptor, InstanceFlags};

use vyre_runtime::shell::GpuOptions;

use crate::device::WgpuDevice;

/// The GPUs of this machine.
#[derive(Clone, Debug, Default)]
pub struct WgpuBackend {
    options: GpuOptions,
}

impl WgpuBackend {
    /// GPUs that are used in this way.
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

/// The adapters that compute, the fastest kind first.
pub(crate) fn adapters() -> Result<Vec<Adapter>, Error> {
    let mut descriptor = InstanceDescriptor::new_without_display_handle();
    descriptor.backends = Backends::VULKAN | Backends::METAL | Backends::DX12;
    // Neither validation layers nor debug names, which have no place in what users run.
    descriptor.flags = InstanceFlags::empty();
    descriptor.memory_budget_thresholds.for_resource_creation = Some(97);
    let instance = Instance::new(descriptor);
    let mut adapters = pollster::block_on(instance.enumerate_adapters(Backends::all()));
    adapters.retain(|adapter| {
        let capabilities = adapter.get_downlevel_capabilities();
        capabilities.flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS)
    });
    adapters.sort_by_key(|adapter| rank(adapter.get_info().device_type));
    if adapters.is_empty() { Err(Error::NoGpuAdapter) } else { Ok(adapters) }
}

fn rank(kind: DeviceType) -> u8 {
    match kind {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other => 3,
        DeviceType::Cpu => 4,
    }
}

/// The limits of an adapter, as programs see them.
pub(crate) fn limits(adapter: &wgpu::Limits) -> Limits {
    // Buffers are padded to whole vectors, and all of a buffer is bound.
    let buffer_bytes = adapter.max_buffer_size.min(adapter.max_storage_buffer_binding_size) / 16 * 16;
    let mut limits = Limits::new(
        buffer_bytes,
        u64::from(adapter.max_compute_workgroup_storage_size),
        u64::from(adapter.max_compute_invocations_per_workgroup),
    );
    limits.workgroup_size = [
        adapter.max_compute_workgroup_size_x,
        adapter.max_compute_workgroup_size_y,
        adapter.max_compute_workgroup_size_z,
    ]
    .map(u64::from);
    limits.accessed_buffers = u64::from(adapter.max_storage_buffers_per_shader_stage);
    limits
}
