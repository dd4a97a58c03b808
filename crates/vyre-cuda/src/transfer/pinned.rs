//! Page-locked host memory, which the device accesses directly.

use std::ptr::NonNull;

use vyre_memory::Pages;

use crate::driver::context::Current;
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

    /// Allocates memory of several megabytes. The driver pins huge pages of the process faster than it allocates pages.
    pub(crate) fn large(current: &Current<'_>, bytes: usize) -> Result<Pinned, Failure> {
        let Ok(mut pages) = Pages::new(bytes) else { return Err(Failure { status: OUT_OF_MEMORY }) };
        match register(current, &mut pages) {
            Ok(()) => {
                let start = NonNull::from(&mut pages[..]).cast();
                current.context.host_ranges.own(pages);
                Ok(Pinned { start })
            }
            // Some systems cannot register memory of the process.
            Err(_) => Pinned::new(current.driver(), bytes),
        }
    }

    pub(crate) fn address(&self) -> *mut u8 {
        self.start.as_ptr()
    }
}

/// Registers memory with the driver, which pins its pages.
#[expect(unsafe_code, reason = "the driver is a C library")]
pub(super) fn register(current: &Current<'_>, pages: &mut Pages) -> Result<(), Failure> {
    let (start, bytes) = (pages.as_mut_ptr(), pages.len());
    // SAFETY: a context is current on this thread, and the range is mapped. The owner of the pages unregisters it, or
    // destroys the context, before it frees them.
    Failure::check(unsafe { (current.driver().cuMemHostRegister_v2)(start.cast(), bytes, 0) })
}
