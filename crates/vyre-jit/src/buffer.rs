//! Memory that machine code reads and writes.

use std::alloc::{Layout, alloc_zeroed};
use std::mem::ManuallyDrop;
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

/// Memory of a vector of the host.
struct Words {
    /// Start of the vector. The contents are accessed only through this pointer.
    start: *mut u32,
    length: usize,
    capacity: usize,
}

// SAFETY: this is an address and a size; the owner synchronises accesses, see `Storage`.
#[expect(unsafe_code, reason = "machine code writes through a pointer")]
unsafe impl Sync for Words {}
// SAFETY: as above.
#[expect(unsafe_code, reason = "machine code writes through a pointer")]
unsafe impl Send for Words {}

impl Words {
    /// Takes the memory of a vector. Returns the vector if machine code cannot use its memory, because it is not aligned.
    fn new(words: Vec<u32>) -> Result<Words, Vec<u32>> {
        if !words.as_ptr().addr().is_multiple_of(align_of::<Unit>()) {
            return Err(words);
        }
        let mut words = ManuallyDrop::new(words);
        Ok(Words { start: words.as_mut_ptr(), length: words.len(), capacity: words.capacity() })
    }
}

impl Drop for Words {
    #[expect(unsafe_code, reason = "frees memory that is held by a raw pointer")]
    fn drop(&mut self) {
        // SAFETY: the parts are those of a vector that was not dropped, and they are used once.
        drop(unsafe { Vec::from_raw_parts(self.start, self.length, self.capacity) });
    }
}

/// Owner of the memory of a buffer.
enum Owner {
    Device(Memory),
    Host(Words),
}

/// Contents of a buffer of the device.
pub(crate) struct Storage {
    memory: Owner,
    bytes: usize,
    /// Runs hold it shared, since they access the buffer concurrently. The host holds it exclusively while it reads or writes
    /// bytes.
    in_use: RwLock<()>,
}

impl Storage {
    pub(crate) fn new(bytes: u64) -> Result<Storage, Error> {
        let size = usize::try_from(bytes).map_err(|_| Error::out_of_host_memory(bytes))?;
        Ok(Storage { memory: Owner::Device(Memory::new(bytes)?), bytes: size, in_use: RwLock::new(()) })
    }

    /// Storage of words, without a copy if their memory is aligned.
    pub(crate) fn of_words(words: Vec<u32>) -> Result<Storage, Error> {
        let bytes = size_of_val(&*words);
        match Words::new(words) {
            Ok(words) => Ok(Storage { memory: Owner::Host(words), bytes, in_use: RwLock::new(()) }),
            Err(words) => {
                let storage = Storage::new(bytes as u64)?;
                storage.with_bytes(|target| {
                    for (target, word) in target.chunks_exact_mut(4).zip(&words) {
                        target.copy_from_slice(&word.to_ne_bytes());
                    }
                });
                Ok(storage)
            }
        }
    }

    pub(crate) fn address(&self) -> *mut u8 {
        match &self.memory {
            Owner::Device(memory) => memory.address(),
            Owner::Host(words) => words.start.cast(),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned_words_are_not_copied() {
        let words: Vec<u32> = (0..1_000).collect();
        let address = words.as_ptr().addr();
        let storage = Storage::of_words(words).expect("there is memory");
        assert_eq!(address.is_multiple_of(16), storage.address().addr() == address);
        let expected: Vec<u8> = (0..1_000_u32).flat_map(u32::to_ne_bytes).collect();
        storage.with_bytes(|bytes| assert_eq!(bytes, expected));
    }

    #[test]
    fn words_that_are_not_aligned_are_copied() {
        // The address of an empty vector is its alignment, 4.
        let storage = Storage::of_words(Vec::new()).expect("there is memory");
        assert_eq!((storage.address().addr() % CACHE_LINE, storage.len()), (0, 0));
    }
}
