//! Host memory into which a device is read, kept for the next call.
//!
//! Pinning memory takes longer than a transfer, so the memory of results returns here when their last reader drops them.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use vyre_runtime::{Device, Error, HostMemory};

/// Maximum number of bytes that are kept, and maximum size of pinned memory.
const MAX_KEPT_BYTES: usize = 1 << 30;

/// Memory that is not in use.
#[derive(Default)]
pub(crate) struct ReadbackPool {
    free: Mutex<Vec<HostMemory>>,
}

/// Memory in use, which returns to its pool.
struct Pooled {
    memory: Option<HostMemory>,
    pool: Arc<ReadbackPool>,
}

impl AsRef<[u8]> for Pooled {
    fn as_ref(&self) -> &[u8] {
        self.memory.as_deref().unwrap_or_default()
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        self.pool.put_back(self.memory.take());
    }
}

impl ReadbackPool {
    /// Memory of at least `bytes` bytes, with any content.
    ///
    /// # Errors
    ///
    /// The system has neither pinned nor ordinary memory, or the device is lost.
    pub(crate) fn take(&self, device: &dyn Device, bytes: u64) -> Result<HostMemory, Error> {
        let fits = |memory: &HostMemory| memory.len() as u64 >= bytes;
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = free.iter().position(fits) {
            return Ok(free.swap_remove(found));
        }
        // Too small memory would be kept beside the new one.
        free.clear();
        drop(free);
        // Pinned memory is scarcer than memory.
        match bytes <= MAX_KEPT_BYTES as u64 {
            true => device.host_memory(bytes).or_else(|_| HostMemory::pageable(bytes)),
            false => HostMemory::pageable(bytes),
        }
    }

    /// True if there is memory of at least `bytes` bytes.
    pub(crate) fn has(&self, bytes: u64) -> bool {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.iter().any(|memory| memory.len() as u64 >= bytes)
    }

    /// Keeps memory for the next call.
    pub(crate) fn put_back(&self, memory: Option<HostMemory>) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let kept: usize = free.iter().map(|memory| memory.len()).sum();
        free.extend(memory.filter(|memory| kept.saturating_add(memory.len()) <= MAX_KEPT_BYTES));
    }

    /// Memory as bytes that many readers share. It returns to the pool after the last one.
    pub(crate) fn share(self: &Arc<ReadbackPool>, memory: HostMemory) -> Bytes {
        Bytes::from_owner(Pooled { memory: Some(memory), pool: Arc::clone(self) })
    }
}
