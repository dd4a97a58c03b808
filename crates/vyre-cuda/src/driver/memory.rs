//! Device memory, allocated and freed in stream order where the device supports it.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use vyre_runtime::{Error, MemoryKind};

use super::context::{Context, Current};
use super::library::{Failure, SUCCESS, StreamHandle};
use crate::sync::lock;

/// Maximum time for which an allocation waits for memory that is about to be freed.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Interval between two checks of that wait.
const POLL_INTERVAL: Duration = Duration::from_micros(50);

/// Allocation of device memory. Dropping it frees the memory after all earlier commands of its stream; commands of other
/// streams that use it must be complete.
pub(crate) struct DeviceMemory {
    /// Context that owns the memory. The memory is freed with it at the latest.
    pub(crate) context: Weak<Context>,
    pub(crate) address: u64,
    /// Stream in whose order the memory is allocated and freed.
    stream: StreamHandle,
}

impl Current<'_> {
    /// Allocates uninitialised memory in the order of a stream. `context` must be the current one.
    pub(crate) fn allocate(
        &self,
        context: &Arc<Context>,
        stream: StreamHandle,
        bytes: u64,
    ) -> Result<DeviceMemory, Error> {
        let size = usize::try_from(bytes).map_err(|_| no_memory(bytes, 0))?;
        let address = match self.try_allocate(stream, size) {
            Err(failure) if failure.is_out_of_memory() => {
                self.trim_pool();
                self.try_allocate(stream, size)
            }
            outcome => outcome,
        };
        let address = address.map_err(|failure| {
            if failure.is_out_of_memory() {
                return no_memory(bytes, self.free_memory());
            }
            self.context.failed("cuMemAlloc", failure)
        })?;
        if let Some(pool) = &self.context.pool {
            lock(&pool.allocated).insert(address);
        }
        Ok(DeviceMemory { context: Arc::downgrade(context), address, stream })
    }

    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn try_allocate(&self, stream: StreamHandle, size: usize) -> Result<u64, Failure> {
        let (driver, mut address) = (self.driver(), 0);
        // SAFETY: pool and stream belong to the context, which is current on this thread; the pointer is valid for a write
        // of an address.
        Failure::check(unsafe {
            match &self.context.pool {
                Some(pool) => (driver.cuMemAllocFromPoolAsync)(&raw mut address, size, pool.raw.0, stream.0),
                None => (driver.cuMemAlloc_v2)(&raw mut address, size),
            }
        })?;
        Ok(address)
    }

    /// Returns the pool's reserve to the device, so that it can be allocated in another size.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn trim_pool(&self) {
        let Some(pool) = &self.context.pool else { return };
        let (driver, start) = (self.driver(), Instant::now());
        let streams = [self.context.streams.main, self.context.streams.upload];
        // SAFETY: the stream belongs to the context, which is current on this thread.
        let is_idle = |stream: &StreamHandle| unsafe { (driver.cuStreamQuery)(stream.0) } == SUCCESS;
        // Memory that is freed in stream order is available when the stream has reached the free.
        while !streams.iter().all(is_idle) && start.elapsed() < MAX_WAIT {
            std::thread::sleep(POLL_INTERVAL);
        }
        // SAFETY: the pool belongs to the context.
        unsafe { (driver.cuMemPoolTrimTo)(pool.raw.0, 0) };
    }

    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn free_memory(&self) -> u64 {
        let (mut free, mut total) = (0, 0);
        // SAFETY: a context is current on this thread; both pointers are valid for writes of integers.
        let status = unsafe { (self.driver().cuMemGetInfo_v2)(&raw mut free, &raw mut total) };
        if status == SUCCESS { free as u64 } else { 0 }
    }

    /// Frees memory of this context.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn free(&self, stream: StreamHandle, address: u64) {
        let (driver, context) = (self.driver(), self.context);
        // SAFETY: the memory belongs to the context, and its only owner frees it once; commands that use it come earlier in
        // the stream or are complete, or the driver waits for them.
        let status = unsafe {
            match &context.pool {
                Some(pool) => {
                    // The teardown of the context must not free it a second time.
                    lock(&pool.allocated).remove(&address);
                    (driver.cuMemFreeAsync)(address, stream.0)
                }
                None => (driver.cuMemFree_v2)(address),
            }
        };
        // A drop cannot report the error, but a kernel fault may appear here first, and then marks the context as lost.
        let _ = self.check("cuMemFree", status);
    }
}

fn no_memory(wanted: u64, free: u64) -> Error {
    Error::OutOfMemory { memory: MemoryKind::Device, bytes: Some(wanted), free: Some(free) }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        // The memory of a destroyed context is already freed; that of a lost context is freed by its teardown.
        let Some(context) = self.context.upgrade() else { return };
        if let Ok(current) = context.enter() {
            current.free(self.stream, self.address);
        }
    }
}
