//! Staging memory that a device keeps between transfers.

use std::collections::VecDeque;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

use vyre_memory::Team;

use crate::mapping::Mapping;

/// Maximum number of copying threads. More threads exceed the bandwidth of the memory and of the link.
const MAX_THREADS: usize = 10;

/// Staging memory and copying threads of a device.
pub(crate) struct StagingMemory {
    pub(crate) team: Team,
    /// Buffers of large uploads. A transfer locks them while it lasts, and leaves none after a failure.
    pub(crate) uploads: Mutex<VecDeque<UploadBuffer>>,
    /// Buffers of large downloads, likewise.
    pub(crate) downloads: Mutex<Vec<wgpu::Buffer>>,
    /// Buffer of small downloads, likewise.
    pub(crate) small_download: Mutex<Option<wgpu::Buffer>>,
    /// Approximate number of bytes of small uploads since the last wait for them.
    pub(crate) small_uploads: AtomicU64,
}

/// Buffer for uploads that the host can write now or after the device has finished with it.
pub(crate) struct UploadBuffer {
    pub(crate) buffer: wgpu::Buffer,
    /// Mapping that has been requested. `None` if the buffer is mapped.
    pub(crate) mapping: Option<Mapping>,
}

impl StagingMemory {
    pub(crate) fn new() -> StagingMemory {
        StagingMemory {
            team: Team::new("vyre-wgpu-copy", MAX_THREADS),
            uploads: Mutex::default(),
            downloads: Mutex::default(),
            small_download: Mutex::default(),
            small_uploads: AtomicU64::new(0),
        }
    }
}

/// Locks a mutex and ignores poisoning: a panic leaves the data of this crate's transfers consistent.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
