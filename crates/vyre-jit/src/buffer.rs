//! Buffers: memory that machine code reads and writes.

use std::alloc::{Layout, alloc_zeroed};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

use vyre_memory::advise_huge_pages;
use vyre_runtime::shell::Backoff;
use vyre_runtime::{Error, RunOptions};

/// The unit of allocation, which keeps every element aligned.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct Unit([u32; 4]);

/// Memory begins with a cache line, so that rows of 64 bytes are in one.
const CACHE_LINE: usize = 64;
/// What may lie before its beginning.
const SPARE_UNITS: usize = CACHE_LINE / size_of::<Unit>() - 1;

/// Memory of a size that is a multiple of 16, aligned to a cache line, zero at first.
pub(crate) struct Memory {
    /// The contents, which are touched through the pointer alone.
    address: *mut u8,
    units: *mut [Unit],
}

// SAFETY: this is an address and a size; who may read and write what is there is decided by the owner, see `Storage`.
#[expect(unsafe_code, reason = "machine code writes through a pointer")]
unsafe impl Sync for Memory {}
// SAFETY: as above.
#[expect(unsafe_code, reason = "machine code writes through a pointer")]
unsafe impl Send for Memory {}

impl Drop for Memory {
    #[expect(unsafe_code, reason = "memory that is touched through a pointer is released by hand")]
    fn drop(&mut self) {
        // SAFETY: the pointer came from a box and is released once.
        drop(unsafe { Box::from_raw(self.units) });
    }
}

impl Memory {
    pub(crate) fn new(bytes: u64) -> Result<Memory, Error> {
        let failed = || Error::out_of_host_memory(bytes);
        let count = usize::try_from(bytes.div_ceil(16)).map_err(|_| failed())?;
        let units = zeroed(count + SPARE_UNITS).ok_or_else(failed)?;
        let start: *mut u8 = units.cast();
        Ok(Memory { address: start.wrapping_add(start.align_offset(CACHE_LINE)), units })
    }

    /// Fills the memory with what is no number that anybody expects.
    #[cfg(debug_assertions)]
    #[expect(unsafe_code, reason = "memory that is touched through a pointer")]
    pub(crate) fn spoil(&mut self) {
        // SAFETY: the memory is owned, has this size, and any bytes are valid in it.
        unsafe { std::ptr::write_bytes(self.units.cast::<Unit>(), 0xa5, self.units.len()) };
    }

    pub(crate) fn bytes(&self) -> u64 {
        (self.units.len() - SPARE_UNITS) as u64 * 16
    }

    /// Where it is.
    pub(crate) fn address(&self) -> *mut u8 {
        self.address
    }
}

/// Zeros that nobody has to write: the system gives them page by page when they are first touched.
#[expect(unsafe_code, reason = "memory that is zero from the start has no safe constructor that can fail")]
fn zeroed(count: usize) -> Option<*mut [Unit]> {
    if count == 0 {
        return Some(Box::into_raw(Box::default()));
    }
    let layout = Layout::array::<Unit>(count).ok()?;
    // SAFETY: the layout has a size.
    let start = unsafe { alloc_zeroed(layout) };
    if start.is_null() {
        return None;
    }
    advise_huge_pages(start, layout.size());
    Some(std::ptr::slice_from_raw_parts_mut(start.cast(), count))
}

/// A buffer of the device.
pub(crate) struct Storage {
    memory: Memory,
    bytes: usize,
    /// Held for reading by runs that use the buffer, since those share it among their threads, and for writing by the
    /// host while it reads or writes bytes.
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

    /// Keeps the host from touching the bytes. While it does, this waits, unless the run is to end.
    pub(crate) fn lend(&self, options: &RunOptions) -> Result<RwLockReadGuard<'_, ()>, Error> {
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

    fn own(&self) -> RwLockWriteGuard<'_, ()> {
        self.in_use.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the bytes to `access`, while no run uses them.
    #[expect(unsafe_code, reason = "bytes are made of the memory of machine code")]
    pub(crate) fn with_bytes<T>(&self, access: impl FnOnce(&mut [u8]) -> T) -> T {
        let guard = self.own();
        // SAFETY: the memory has at least this many initialised bytes, and the lock keeps runs and other hosts away.
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.address(), self.bytes) };
        let result = access(bytes);
        drop(guard);
        result
    }
}
