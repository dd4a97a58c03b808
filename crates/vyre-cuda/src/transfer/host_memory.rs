//! Host memory of callers that the device accesses directly.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Weak};

use vyre_memory::{Pages, Team};
use vyre_runtime::{Error, HostMemory};

use super::pinned::register;
use crate::driver::context::Context;

/// Registered memory of a caller.
///
/// Transfers from and to it are complete when their call returns, so nothing accesses it when it is dropped. A context
/// that is lost may still access it.
struct RegisteredPages {
    /// `None` only while the memory is dropped.
    pages: Option<Pages>,
    context: Weak<Context>,
}

/// Allocates host memory and registers it with the driver. A driver that refuses to register memory leaves it pageable, and
/// transfers of it go through the staging memory.
pub(crate) fn host_memory(context: &Arc<Context>, team: &Team, bytes: u64) -> Result<HostMemory, Error> {
    let no_memory = || Error::out_of_host_memory(bytes);
    let size = usize::try_from(bytes).map_err(|_| no_memory())?;
    let mut pages = Pages::new(size).map_err(|_| no_memory())?;
    pages.touch(team);
    let current = context.enter()?;
    if size == 0 || register(&current, &mut pages).is_err() {
        return Ok(HostMemory::new(pages));
    }
    context.host_ranges.insert(&pages);
    Ok(HostMemory::new(RegisteredPages { pages: Some(pages), context: Arc::downgrade(context) }))
}

impl Deref for RegisteredPages {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.pages.as_deref().unwrap_or_default()
    }
}

impl DerefMut for RegisteredPages {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.pages.as_deref_mut().unwrap_or_default()
    }
}

impl Drop for RegisteredPages {
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn drop(&mut self) {
        // A destroyed context has released the memory.
        let (Some(context), Some(mut pages)) = (self.context.upgrade(), self.pages.take()) else { return };
        context.host_ranges.remove(&pages);
        let is_released = context.enter().is_ok_and(|current| {
            // SAFETY: the memory was registered with this context, which is current on this thread, and its only owner
            // unregisters it once. No transfer uses it: each one borrows the memory until it is complete.
            unsafe { (current.driver().cuMemHostUnregister)(pages.as_mut_ptr().cast()) == 0 }
        });
        if !is_released {
            context.host_ranges.own(pages);
        }
    }
}
