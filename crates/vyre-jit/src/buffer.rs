//! Memory that machine code reads and writes.

use std::alloc::{Layout, alloc_zeroed};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

use vyre_memory::advise_huge_pages;
use vyre_runtime::shell::Backoff;
use vyre_runtime::{Error, RunOptions};

/// The unit of allocation, which keeps every element aligned.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct Unit([u32; 4]);

/// Alignment of memory, the size of a cache line.
const CACHE_LINE: usize = 64;
/// Maximum number of units before the aligned start.
const SPARE_UNITS: usize = CACHE_LINE / size_of::<Unit>() - 1;

/// Zero-initialised memory whose size is a multiple of 16, aligned to a cache line.
pub(crate) struct Memory {
    /// Aligned start. The contents are accessed only through this pointer.
    address: *mut u8,
    units: *mut [Unit],
}

// SAFETY: this is an address and a size; the owner synchronises accesses, see `Storage`.
#[expect(unsafe_code, reason = "machine code writes through a pointer")]
unsafe impl Sync for Memory {}
// SAFETY: as above.
#[expect(unsafe_code, reason = "machine code writes through a pointer")]
unsafe impl Send for Memory {}

impl Drop for Memory {
    #[expect(unsafe_code, reason = "frees memory that is held by a raw pointer")]
    fn drop(&mut self) {
        // SAFETY: the pointer came from a box and is freed once.
        drop(unsafe { Box::from_raw(self.units) });
    }
}

impl Memory {
    /// Allocates memory of at least `bytes` bytes.
    pub(crate) fn new(bytes: u64) -> Result<Memory, Error> {
        let failed = || Error::out_of_host_memory(bytes);
        let count = usize::try_from(bytes.div_ceil(16)).map_err(|_| failed())?;
        let units = zeroed(count + SPARE_UNITS).ok_or_else(failed)?;
        let start: *mut u8 = units.cast();
        Ok(Memory { address: start.wrapping_add(start.align_offset(CACHE_LINE)), units })
    }

    /// Fills the memory with a pattern that exposes uses of uninitialised memory.
    #[cfg(debug_assertions)]
    #[expect(unsafe_code, reason = "writes through a raw pointer")]
    pub(crate) fn poison(&mut self) {
        // SAFETY: the memory is owned, has this size, and any bytes are valid in it.
        unsafe { std::ptr::write_bytes(self.units.cast::<Unit>(), 0xa5, self.units.len()) };
    }

    /// Size in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        (self.units.len() - SPARE_UNITS) as u64 * 16
    }

    /// Address of the first byte.
    pub(crate) fn address(&self) -> *mut u8 {
        self.address
    }
}

/// Allocates zeroed units. The operating system provides zero pages on first access.
#[expect(unsafe_code, reason = "a fallible allocation of zeroed memory has no safe constructor")]
fn zeroed(count: usize) -> Option<*mut [Unit]> {
    if count == 0 {
        return Some(Box::into_raw(Box::default()));
    }
    let layout = Layout::array::<Unit>(count).ok()?;
    // SAFETY: the size of the layout is not 0.
    let start = unsafe { alloc_zeroed(layout) };
    if start.is_null() {
        return None;
    }
    advise_huge_pages(start, layout.size());
    Some(std::ptr::slice_from_raw_parts_mut(start.cast(), count))
}

/// Contents of a buffer of the device.
pub(crate) struct Storage {
    memory: Memory,
    bytes: usize,
    /// Runs hold it shared, since they access the buffer concurrently. The host holds it exclusively while it reads or writes
    /// bytes.
    in_use: RwLock<()>,
}

impl Storage {
    pub(crate) fn new(bytes: u64) -> Result<Storage, Error> {
        let size = usize::try_from(bytes).map_err(|_| Error::out_of_host_memory(bytes))?;
        Ok(Storage { memory: Memory::new(bytes)?, bytes: size, in_use: RwLock::new(()) })
    }

    pub(crate) fn address(&self) -> *mut u8 {
        self.memory.address()
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    /// Locks the buffer for a run, which excludes the host. Waiting ends if the run is cancelled.
    pub(crate) fn lock_for_run(&self, options: &RunOptions) -> Result<RwLockReadGuard<'_, ()>, Error> {
        if !options.can_stop() {
            return Ok(self.in_use.read().unwrap_or_else(PoisonError::into_inner));
        }
        let mut backoff = Backoff::new();
        loop {
            match self.in_use.try_read() {
                Ok(guard) => return Ok(guard),
                Err(TryLockError::Poisoned(guard)) => return Ok(guard.into_inner()),
                Err(TryLockError::WouldBlock) => {
                    options.check()?;
                    backoff.wait();
                }
            }
        }
    }

    fn lock_for_host(&self) -> RwLockWriteGuard<'_, ()> {
        self.in_use.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `access` with the bytes, while no run uses them.
    #[expect(unsafe_code, reason = "creates a slice from the address of the memory")]
    pub(crate) fn with_bytes<T>(&self, access: impl FnOnce(&mut [u8]) -> T) -> T {
        let guard = self.lock_for_host();
        // SAFETY: the memory has at least this many initialised bytes, and the lock excludes runs and other host accesses.
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.address(), self.bytes) };
        let result = access(bytes);
        drop(guard);
        result
    }
}
