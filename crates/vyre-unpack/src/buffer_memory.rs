//! Memory that the buffers of a call share.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use vyre_memory::scratch_directory;

/// Memory of decoded data of one call. Buffers beyond it are kept in temporary files.
#[derive(Debug)]
pub(crate) struct BufferMemory {
    used: AtomicU64,
    allowed: u64,
    directory: OnceLock<PathBuf>,
}

impl BufferMemory {
    /// Memory of `allowed` bytes without buffers.
    pub(crate) fn new(allowed: u64) -> BufferMemory {
        BufferMemory { used: AtomicU64::new(0), allowed, directory: OnceLock::new() }
    }

    /// Directory of the temporary files.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.get_or_init(scratch_directory)
    }

    /// True if the buffers occupy more than they may.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.used.load(Ordering::Relaxed) > self.allowed
    }
}

/// Share of the memory that one buffer holds until it is dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    memory: Arc<BufferMemory>,
    bytes: u64,
}

impl Lease {
    /// An empty share.
    pub(crate) fn new(memory: &Arc<BufferMemory>) -> Lease {
        Lease { memory: Arc::clone(memory), bytes: 0 }
    }

    /// The memory that the share is of.
    pub(crate) fn memory(&self) -> &Arc<BufferMemory> {
        &self.memory
    }

    /// Number of bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Changes the share, if the memory allows it.
    pub(crate) fn try_resize(&mut self, bytes: u64) -> bool {
        let more = bytes.saturating_sub(self.bytes);
        let grown = self.memory.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
            used.checked_add(more).filter(|&sum| sum <= self.memory.allowed)
        });
        if grown.is_ok() {
            self.bytes += more;
            self.resize(bytes);
        }
        grown.is_ok()
    }

    /// Changes the share, whatever the memory allows.
    pub(crate) fn resize(&mut self, bytes: u64) {
        if bytes >= self.bytes {
            self.memory.used.fetch_add(bytes - self.bytes, Ordering::Relaxed);
        } else {
            self.memory.used.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.resize(0);
    }
}
