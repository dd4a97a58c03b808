//! Buffers.

use vyre_runtime::DeviceId;

use crate::bind::BindGroups;

/// What a buffer is here.
pub(crate) struct Storage {
    pub(crate) device: DeviceId,
    pub(crate) buffer: wgpu::Buffer,
    /// What tells it apart from the other buffers of the device.
    pub(crate) id: u64,
    /// The bind groups that are to be forgotten with it.
    groups: BindGroups,
}

impl Storage {
    /// Buffers have whole vectors, and at least one: every binding has an element 0, whatever the type of its elements.
    /// What lies behind the end of the program's buffer is never seen.
    pub(crate) const fn padded(bytes: u64) -> u64 {
        let padded = bytes.saturating_add(15) / 16 * 16;
        if padded == 0 { 16 } else { padded }
    }

    pub(crate) fn new(device: DeviceId, buffer: wgpu::Buffer, groups: &BindGroups) -> Storage {
        Storage { device, buffer, id: groups.fresh_id(), groups: groups.clone() }
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        self.groups.forget(self.id);
    }
}
