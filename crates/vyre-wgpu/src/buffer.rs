//! Buffers.

use crate::bind::BindGroups;

/// What a buffer is here.
pub(crate) struct Storage {
    pub(crate) buffer: wgpu::Buffer,
    /// What tells it apart from the other buffers of the device.
    pub(crate) id: u64,
    /// The bind groups that are to be forgotten with it.
    groups: BindGroups,
}

impl Storage {
    pub(crate) fn new(buffer: wgpu::Buffer, groups: &BindGroups) -> Storage {
        Storage { buffer, id: groups.fresh_id(), groups: groups.clone() }
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        self.groups.forget(self.id);
    }
}
