//! Representation of buffers.

use wgpu::BufferUsages;

use crate::bind_groups::BindGroupCache;

/// Usages of the buffers of programs, without mappings.
pub(crate) const STORAGE_USAGES: BufferUsages =
    BufferUsages::STORAGE.union(BufferUsages::COPY_SRC).union(BufferUsages::COPY_DST);

/// Buffer of a program.
pub(crate) struct Storage {
    pub(crate) buffer: wgpu::Buffer,
    /// Identity in the cache of bind groups.
    pub(crate) id: u64,
    groups: BindGroupCache,
}

impl Storage {
    pub(crate) fn new(buffer: wgpu::Buffer, groups: &BindGroupCache) -> Storage {
        Storage { buffer, id: groups.fresh_id(), groups: groups.clone() }
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        self.groups.remove(self.id);
    }
}
