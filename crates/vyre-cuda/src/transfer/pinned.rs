//! Page-locked host memory, which the device accesses directly.

use std::ptr::NonNull;

use crate::driver::library::{Driver, Failure, OUT_OF_MEMORY};

/// Pinned host memory. It is freed with its context.
pub(crate) struct Pinned {
    start: NonNull<u8>,
}

#[expect(unsafe_code, reason = "the memory comes from a C library")]
// SAFETY: this is the only owner of the memory.
unsafe impl Send for Pinned {}

#[expect(unsafe_code, reason = "the memory comes from a C library")]
// SAFETY: a shared reference gives access to the address only.
unsafe impl Sync for Pinned {}

impl Pinned {
    /// Allocates uninitialised memory in the context that is current on this thread.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(crate) fn new(driver: &Driver, bytes: usize) -> Result<Pinned, Failure> {
        let mut start = std::ptr::null_mut();
        // SAFETY: a context is current on this thread; the pointer is valid for a write of an address.
        Failure::check(unsafe { (driver.cuMemHostAlloc)(&raw mut start, bytes, 0) })?;
        let start = NonNull::new(start.cast()).ok_or(Failure { status: OUT_OF_MEMORY })?;
        Ok(Pinned { start })
    }

    pub(crate) fn address(&self) -> *mut u8 {
        self.start.as_ptr()
    }
}
