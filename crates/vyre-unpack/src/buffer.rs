//! Buffers of decoded data: in memory, or in a temporary file if they are large.
//!
//! A temporary file is mapped into memory. Decoders write to it and readers slice it like memory, but the system can move its
//! pages to disk, so that the memory of the process does not grow with its output.

use std::sync::Arc;

use bytes::Bytes;
use vyre_memory::{ScratchFile, try_zeroed_bytes};

use crate::buffer_memory::{BufferMemory, Lease};
use crate::problem::ProblemKind;

/// Size up to which a buffer is in memory whatever the others occupy: a map of its own would cost more.
pub(crate) const MIN_FILE_BYTES: usize = 1 << 20;
/// Size up to which the memory of a finished buffer is not counted.
const MAX_UNCOUNTED_BYTES: usize = 16 << 10;

/// A buffer of decoded data.
pub(crate) struct Buffer {
    storage: Storage,
    length: usize,
    /// Bytes from here on are zero.
    dirty: usize,
    lease: Lease,
}

/// Zeroed bytes of some capacity.
enum Storage {
    Memory(Vec<u8>),
    File(ScratchFile),
}

/// Bytes in memory, with their share of the memory.
struct LeasedBytes {
    bytes: Vec<u8>,
    _lease: Lease,
}

impl AsRef<[u8]> for LeasedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Buffer {
    /// An empty buffer.
    pub(crate) fn new(memory: &Arc<BufferMemory>) -> Buffer {
        Buffer { storage: Storage::Memory(Vec::new()), length: 0, dirty: 0, lease: Lease::new(memory) }
    }

    /// A buffer of zeros. Fails with the problem if the system refuses the space.
    pub(crate) fn zeroed(memory: &Arc<BufferMemory>, length: u64) -> Result<Buffer, ProblemKind> {
        let mut buffer = Buffer::new(memory);
        let size = usize::try_from(length).map_err(|_| ProblemKind::OutOfMemory { bytes: length })?;
        buffer.reserve(size, size)?;
        buffer.resize(size);
        Ok(buffer)
    }

    /// Number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    fn all(&self) -> &[u8] {
        match &self.storage {
            Storage::Memory(bytes) => bytes,
            Storage::File(file) => file.bytes(),
        }
    }

    fn all_mut(&mut self) -> &mut [u8] {
        match &mut self.storage {
            Storage::Memory(bytes) => bytes,
            Storage::File(file) => file.bytes_mut(),
        }
    }

    /// The bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.all().get(..self.length).unwrap_or_default()
    }

    /// The bytes.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        let length = self.length;
        self.all_mut().get_mut(..length).unwrap_or_default()
    }

    /// Makes room for `needed` bytes in all, or for `wanted` bytes if the system has them. Fails with the problem if the system
    /// refuses the space; the bytes are kept or lost as a whole then.
    pub(crate) fn reserve(&mut self, needed: usize, wanted: usize) -> Result<(), ProblemKind> {
        if needed <= self.all().len() {
            return Ok(());
        }
        let wanted = wanted.max(needed);
        let reserved = if let Storage::File(file) = &mut self.storage {
            file.resize(wanted).or_else(|_| file.resize(needed))
        } else if self.grow_in_memory(wanted) || self.grow_in_memory(needed) {
            Ok(())
        } else {
            self.move_to_file(needed, wanted)
        };
        self.length = self.length.min(self.all().len());
        reserved.map_err(|error| ProblemKind::OutOfStorage { bytes: needed as u64, error: error.kind() })
    }

    /// Grows to a capacity in memory. Returns false if the buffer must be in a file or the system refuses the memory.
    fn grow_in_memory(&mut self, capacity: usize) -> bool {
        let before = self.lease.bytes();
        if capacity <= MIN_FILE_BYTES {
            self.lease.resize(capacity as u64);
        } else if !self.lease.try_resize(capacity as u64) {
            return false;
        }
        if self.length == 0 {
            self.storage = Storage::Memory(Vec::new());
        }
        let Some(mut bytes) = try_zeroed_bytes(capacity) else {
            self.lease.resize(before);
            return false;
        };
        bytes[..self.length].copy_from_slice(self.bytes());
        self.storage = Storage::Memory(bytes);
        self.dirty = self.length;
        true
    }

    fn move_to_file(&mut self, needed: usize, wanted: usize) -> std::io::Result<()> {
        let mut file = ScratchFile::new(self.lease.memory().directory())?;
        file.resize(wanted).or_else(|_| file.resize(needed))?;
        file.bytes_mut()[..self.length].copy_from_slice(self.bytes());
        self.storage = Storage::File(file);
        self.dirty = self.length;
        self.lease.resize(0);
        Ok(())
    }

    /// Changes the number of bytes, at most to the reserved size. New bytes are zero.
    pub(crate) fn resize(&mut self, length: usize) {
        let (start, end) = (self.length, self.dirty.min(length));
        if let Some(used) = self.all_mut().get_mut(start..end) {
            used.fill(0);
        }
        self.length = length.min(self.all().len());
        self.dirty = self.dirty.max(self.length);
    }

    /// Appends bytes, for which there must be room.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        let (start, end) = (self.length, self.length + bytes.len());
        self.length = end;
        self.dirty = self.dirty.max(end);
        self.bytes_mut()[start..].copy_from_slice(bytes);
    }

    /// The bytes, read-only.
    pub(crate) fn finish(mut self) -> Bytes {
        match self.storage {
            Storage::File(file) => Bytes::from_owner(file.freeze(self.length)),
            Storage::Memory(mut bytes) => {
                bytes.truncate(self.length);
                if bytes.capacity() - bytes.len() > 4096 + bytes.len() / 16 {
                    bytes.shrink_to_fit();
                }
                if bytes.len() <= MAX_UNCOUNTED_BYTES {
                    return bytes.into();
                }
                self.lease.resize(bytes.capacity() as u64);
                Bytes::from_owner(LeasedBytes { bytes, _lease: self.lease })
            }
        }
    }
}

/// Bytes that others hold, with their share of the memory.
struct LeasedSlice {
    bytes: Bytes,
    _lease: Lease,
}

impl AsRef<[u8]> for LeasedSlice {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Bytes that count as a buffer; none if the memory for buffers does not allow it.
pub(crate) fn leased(bytes: &Bytes, memory: &Arc<BufferMemory>) -> Option<Bytes> {
    let mut lease = Lease::new(memory);
    lease.try_resize(bytes.len() as u64).then(|| Bytes::from_owner(LeasedSlice { bytes: bytes.clone(), _lease: lease }))
}

/// Moves bytes to a temporary file that they share. Bytes that are in a file already are copied too. Nothing changes if the
/// system refuses the file.
pub(crate) fn move_to_file(all: &mut [&mut Bytes], memory: &BufferMemory) {
    if all.is_empty() {
        return;
    }
    let total: usize = all.iter().map(|bytes| bytes.len()).sum();
    let moved = ScratchFile::new(memory.directory()).and_then(|mut file| {
        file.resize(total)?;
        let mut rest = file.bytes_mut();
        for bytes in &*all {
            let (slot, after) = rest.split_at_mut(bytes.len());
            slot.copy_from_slice(bytes);
            rest = after;
        }
        Ok(Bytes::from_owner(file.freeze(total)))
    });
    let Ok(mut moved) = moved else { return };
    for bytes in all {
        **bytes = moved.split_to(bytes.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(allowed: u64) -> Arc<BufferMemory> {
        Arc::new(BufferMemory::new(allowed))
    }

    fn is_in_file(buffer: &Buffer) -> bool {
        matches!(buffer.storage, Storage::File(_))
    }

    #[test]
    fn large_buffers_are_in_files() {
        let memory = memory(4 << 20);
        let first = Buffer::zeroed(&memory, 3 << 20).expect("there is memory");
        assert!(!is_in_file(&first));
        let second = Buffer::zeroed(&memory, 2 << 20).expect("there is space");
        assert!(is_in_file(&second));
        drop(first);
        let third = Buffer::zeroed(&memory, 2 << 20).expect("there is memory");
        assert!(!is_in_file(&third));
        let bytes = third.finish();
        let part = bytes.slice(5..6);
        drop(bytes);
        // A slice keeps the whole buffer.
        assert!(is_in_file(&Buffer::zeroed(&memory, 3 << 20).expect("there is space")));
        drop(part);
        assert!(!is_in_file(&Buffer::zeroed(&memory, 3 << 20).expect("there is memory")));
    }

    #[test]
    fn buffers_move_to_a_file_as_they_grow() {
        let memory = memory(0);
        let mut buffer = Buffer::new(&memory);
        let part: Vec<u8> = (0..100_000u32).map(|number| number as u8).collect();
        for _ in 0..30 {
            buffer.reserve(buffer.len() + part.len(), 0).expect("there is space");
            buffer.append(&part);
        }
        assert!(is_in_file(&buffer));
        buffer.resize(150_000);
        buffer.resize(250_000);
        assert!(buffer.bytes()[150_000..].iter().all(|&byte| byte == 0));
        let expected = [&part[..], &part[..50_000], &[0; 100_000]].concat();
        assert!(buffer.finish() == expected);
        assert!(!memory.is_exhausted());
    }

    #[test]
    fn bytes_move_to_a_common_file() {
        let memory = memory(0);
        let mut one = Buffer::zeroed(&memory, 500_000).expect("there is memory").finish();
        let (mut two, mut empty) = (Bytes::from_static(b"two"), Bytes::new());
        assert!(memory.is_exhausted());
        move_to_file(&mut [&mut one, &mut two, &mut empty], &memory);
        assert!(!memory.is_exhausted());
        assert_eq!((one.len(), &two[..], &empty[..]), (500_000, &b"two"[..], &b""[..]));
    }
}
