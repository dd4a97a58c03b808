//! Memory of a dispatch: bound buffers and the memory of the running workgroup.

use std::collections::HashMap;
use std::sync::MutexGuard;

use vyre_ir::{AtomicOp, BufferAccess, BufferDecl, Specialization};

use super::value::Value;

/// Buffers of a dispatch.
pub(super) struct Memory<'m> {
    /// Contents of bound buffers. A buffer that is bound to two slots occurs once.
    storage: Vec<MutexGuard<'m, Vec<u8>>>,
    /// Contents of workgroup buffers.
    workgroup: Vec<Vec<u8>>,
    regions: HashMap<&'m str, Region<'m>>,
    /// Fixed values, which override the contents of uniform buffers.
    fixed: &'m Specialization,
}

/// Buffer of the program and the location of its contents.
#[derive(Clone, Copy)]
pub(super) struct Region<'m> {
    pub(super) decl: &'m BufferDecl,
    pub(super) contents: Contents,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Contents {
    Storage(usize),
    Workgroup(usize),
}

impl<'m> Memory<'m> {
    /// Creates the memory of a program. `slots` gives the position in `storage` by slot.
    pub(super) fn new(
        buffers: &'m [BufferDecl],
        storage: Vec<MutexGuard<'m, Vec<u8>>>,
        slots: &HashMap<u32, usize>,
        fixed: &'m Specialization,
    ) -> Memory<'m> {
        let mut memory = Memory { storage, workgroup: Vec::new(), regions: HashMap::new(), fixed };
        for decl in buffers {
            let contents = if decl.access == BufferAccess::Workgroup {
                memory.workgroup.push(vec![0; decl.count as usize * decl.element.min_bytes()]);
                Contents::Workgroup(memory.workgroup.len() - 1)
            } else {
                // Bindings were checked before the dispatch.
                Contents::Storage(slots.get(&decl.binding).copied().unwrap_or_default())
            };
            memory.regions.insert(&decl.name, Region { decl, contents });
        }
        memory
    }

    /// Clears workgroup memory, and returns its size in bytes.
    pub(super) fn start_workgroup(&mut self) -> usize {
        for buffer in &mut self.workgroup {
            buffer.fill(0);
        }
        self.workgroup.iter().map(Vec::len).sum()
    }

    /// Buffer with this name.
    pub(super) fn region(&self, name: &str) -> Option<Region<'m>> {
        self.regions.get(name).copied()
    }

    fn bytes(&self, region: Region<'_>) -> &[u8] {
        match region.contents {
            Contents::Storage(index) => &self.storage[index],
            Contents::Workgroup(index) => &self.workgroup[index],
        }
    }

    fn bytes_mut(&mut self, region: Region<'_>) -> &mut [u8] {
        match region.contents {
            Contents::Storage(index) => &mut self.storage[index],
            Contents::Workgroup(index) => &mut self.workgroup[index],
        }
    }

    /// Number of whole elements; of words for a buffer of bytes.
    pub(super) fn length(&self, region: Region<'_>) -> u32 {
        let size = element_size(region);
        u32::try_from(self.bytes(region).len() / size).unwrap_or(u32::MAX)
    }

    pub(super) fn load(&self, region: Region<'_>, index: u32) -> Value {
        let element = region.decl.element;
        if index >= self.length(region) {
            return Value::zero(element);
        }
        if region.decl.access == BufferAccess::Uniform
            && let Some(fixed) = self.fixed.get(region.decl.binding, index)
        {
            let mut words = [0; 4];
            words[..fixed.len()].copy_from_slice(fixed);
            return Value::from_words(element, words);
        }
        let start = index as usize * element_size(region);
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(self.bytes(region)[start..][..element_size(region)].chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        Value::from_words(element, words)
    }

    pub(super) fn store(&mut self, region: Region<'_>, index: u32, value: Value) {
        if index >= self.length(region) {
            return;
        }
        let size = element_size(region);
        let start = index as usize * size;
        for (bytes, word) in self.bytes_mut(region)[start..][..size].chunks_exact_mut(4).zip(value.words()) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }

    /// Applies an atomic operation and returns its result.
    pub(super) fn atomic(&mut self, region: Region<'_>, op: AtomicOp, index: u32, expected: u32, value: u32) -> u32 {
        if index >= self.length(region) {
            return 0;
        }
        let before = self.load(region, index).u32();
        let after = match op {
            AtomicOp::Add => before.wrapping_add(value),
            AtomicOp::Or => before | value,
            AtomicOp::And => before & value,
            AtomicOp::Xor => before ^ value,
            AtomicOp::Min => before.min(value),
            AtomicOp::Max => before.max(value),
            AtomicOp::Exchange | AtomicOp::Store => value,
            AtomicOp::CompareExchange if before == expected => value,
            AtomicOp::CompareExchange | AtomicOp::Load => before,
        };
        self.store(region, index, Value::U32(after));
        if op == AtomicOp::Store { 0 } else { before }
    }
}

/// Size of an element in bytes.
pub(super) fn element_size(region: Region<'_>) -> usize {
    region.decl.element.element_bytes()
}
