//! Adapters of this machine and their limits.

use vyre_runtime::{Error, Limits};
use wgpu::{Adapter, Backends, DeviceType, Instance, InstanceDescriptor, InstanceFlags};

/// Percentage of device memory beyond which wgpu refuses allocations, so that drivers do not abort.
const MAX_MEMORY_PERCENT: u8 = 97;

/// Lists the adapters with compute shaders, the fastest kind first.
///
/// # Errors
///
/// [`Error::NoGpuAdapter`] if there is none.
pub(crate) fn adapters() -> Result<Vec<Adapter>, Error> {
    let mut descriptor = InstanceDescriptor::new_without_display_handle();
    descriptor.backends = Backends::VULKAN | Backends::METAL | Backends::DX12;
    // Neither validation layers nor debug names.
    descriptor.flags = InstanceFlags::empty();
    descriptor.memory_budget_thresholds.for_resource_creation = Some(MAX_MEMORY_PERCENT);
    let instance = Instance::new(descriptor);
    let mut adapters = pollster::block_on(instance.enumerate_adapters(Backends::all()));
    adapters.retain(|adapter| {
        let capabilities = adapter.get_downlevel_capabilities();
        capabilities.flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS)
    });
    adapters.sort_by_key(|adapter| rank(adapter.get_info().device_type));
    if adapters.is_empty() { Err(Error::NoGpuAdapter) } else { Ok(adapters) }
}

/// Sort key of a kind of adapter.
fn rank(kind: DeviceType) -> u8 {
    match kind {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other => 3,
        DeviceType::Cpu => 4,
    }
}

/// Limits of an adapter, as programs see them.
pub(crate) fn limits(adapter: &wgpu::Limits) -> Limits {
    // Buffers are padded to whole vectors, and a binding covers the whole buffer.
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
