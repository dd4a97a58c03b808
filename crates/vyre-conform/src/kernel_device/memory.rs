//! Memory of a dispatch. Indices must be in range.

use std::sync::MutexGuard;

use vyre_kernel::{BufferId, Key};

/// All buffers of a dispatch.
pub(super) struct Memory<'m> {
    /// Contents of bound buffers. A buffer that is bound in two slots appears once.
    pub(super) storage: Vec<MutexGuard<'m, Vec<u8>>>,
    /// Contents of workgroup buffers.
    pub(super) workgroup: Vec<Vec<u8>>,
    /// Locations by buffer of the kernel.
    pub(super) regions: Vec<Region>,
}

/// Location of a buffer of the kernel.
#[derive(Clone, Copy)]
pub(super) struct Region {
    pub(super) contents: Contents,
    pub(super) element_bytes: usize,
}

#[derive(Clone, Copy)]
pub(super) enum Contents {
    Storage(usize),
    Workgroup(usize),
}

impl Memory<'_> {
    /// Clears workgroup memory. Returns its size in bytes.
    pub(super) fn start_workgroup(&mut self) -> usize {
        for buffer in &mut self.workgroup {
            buffer.fill(0);
        }
        self.workgroup.iter().map(Vec::len).sum()
    }

    fn bytes(&self, region: Region) -> &[u8] {
        match region.contents {
            Contents::Storage(at) => &self.storage[at],
            Contents::Workgroup(at) => &self.workgroup[at],
        }
    }

    fn bytes_mut(&mut self, region: Region) -> &mut [u8] {
        match region.contents {
            Contents::Storage(at) => &mut self.storage[at],
            Contents::Workgroup(at) => &mut self.workgroup[at],
        }
    }

    /// Number of elements, rounded down.
    pub(super) fn length(&self, buffer: BufferId) -> u32 {
        let region = self.regions[buffer.position()];
        u32::try_from(self.bytes(region).len() / region.element_bytes).unwrap_or(u32::MAX)
    }

    /// Bytes of an element.
    pub(super) fn element(&self, buffer: BufferId, index: u32) -> &[u8] {
        let region = self.regions[buffer.position()];
        &self.bytes(region)[index as usize * region.element_bytes..][..region.element_bytes]
    }

    /// Mutable bytes of an element.
    pub(super) fn element_mut(&mut self, buffer: BufferId, index: u32) -> &mut [u8] {
        let region = self.regions[buffer.position()];
        &mut self.bytes_mut(region)[index as usize * region.element_bytes..][..region.element_bytes]
    }
}

/// A word of an element.
pub(super) fn word(element: &[u8], at: usize) -> u32 {
    let bytes = &element[at * 4..][..4];
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// Sets a word of an element.
pub(super) fn set_word(element: &mut [u8], at: usize, word: u32) {
    element[at * 4..][..4].copy_from_slice(&word.to_le_bytes());
}
