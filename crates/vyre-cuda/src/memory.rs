//! Memory of the device.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use cudarc::driver::sys::{
    CUmemAllocationHandleType, CUmemAllocationType, CUmemLocation, CUmemLocationType, CUmemPool_attribute,
    CUmemPoolProps,
};
use vyre_runtime::Error;

use crate::adapter::Gpu;
use crate::context::{Context, Current, locked};
use crate::driver::{Failure, Handle, PoolHandle, SUCCESS};

/// How much of the memory of a device a pool may keep for the next buffers: half of it.
const KEPT_PART: u64 = 2;

/// How long memory that is about to be free is waited for, where there is not enough.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Memory of the device, which is free again when this is dropped and what was added to the stream before is done.
pub(crate) struct Memory {
    /// It is freed with its context, whoever still has it.
    pub(crate) home: Weak<Context>,
    pub(crate) address: u64,
}

/// A pool of its own, so that what it keeps is no business of others who use the device.
#[expect(unsafe_code, reason = "the driver is a C library")]
pub(crate) fn create_pool(gpu: &Gpu) -> Result<PoolHandle, Failure> {
    let properties = CUmemPoolProps {
        allocType: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        handleTypes: CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
        location: CUmemLocation { type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: gpu.device },
        win32SecurityAttributes: std::ptr::null_mut(),
        reserved: [0; 64],
    };
    let mut pool = std::ptr::null_mut();
    // SAFETY: the properties are whole, what is reserved in them is zero; the pool is written to a handle.
    Failure::check(unsafe { (gpu.driver.cuMemPoolCreate)(&raw mut pool, &raw const properties) })?;
    let mut kept = gpu.memory / KEPT_PART;
    let threshold = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD as u32;
    // SAFETY: the value of this attribute is a number of 64 bits. That it cannot be set only costs time.
    unsafe { (gpu.driver.cuMemPoolSetAttribute)(pool, threshold, (&raw mut kept).cast()) };
    Ok(Handle(pool))
}

impl Current<'_> {
    /// Memory with anything in it. `context` is that of this thread.
    pub(crate) fn allocate(&self, context: &Arc<Context>, bytes: u64) -> Result<Memory, Error> {
        let size = usize::try_from(bytes).map_err(|_| no_memory(bytes, 0))?;
        let address = match self.try_allocate(size) {
            Err(failure) if failure.is_out_of_memory() => {
                self.gather_memory();
                self.try_allocate(size)
            }
            outcome => outcome,
        };
        let address = address.map_err(|failure| {
            if failure.is_out_of_memory() {
                return no_memory(bytes, self.free_memory());
            }
            self.context.failed("allocating memory", failure)
        })?;
        if self.context.pool.is_some() {
            locked(&self.context.pooled).insert(address);
        }
        Ok(Memory { home: Arc::downgrade(context), address })
    }

    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn try_allocate(&self, size: usize) -> Result<u64, Failure> {
        let (driver, mut address) = (self.driver(), 0);
        // SAFETY: pool and stream belong to the context, which is that of this thread; the address is written to a number.
        Failure::check(unsafe {
            match self.context.pool {
                Some(pool) => (driver.cuMemAllocFromPoolAsync)(&raw mut address, size, pool.0, self.context.main.0),
                None => (driver.cuMemAlloc_v2)(&raw mut address, size),
            }
        })?;
        Ok(address)
    }

    /// Gives what the pool keeps back to the device, so that it can be had in another size.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn gather_memory(&self) {
        let Some(pool) = self.context.pool else { return };
        let (driver, start) = (self.driver(), Instant::now());
        // What is freed in the order of the stream is free when the stream has come there.
        // SAFETY: the stream belongs to the context, which is that of this thread.
        while unsafe { (driver.cuStreamQuery)(self.context.main.0) } != SUCCESS && start.elapsed() < LONGEST_WAIT {
            std::thread::sleep(Duration::from_micros(50));
        }
        // SAFETY: the pool belongs to the context.
        unsafe { (driver.cuMemPoolTrimTo)(pool.0, 0) };
    }

    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn free_memory(&self) -> u64 {
        let (mut free, mut total) = (0, 0);
        // SAFETY: a context is that of this thread; both are written to numbers.
        let status = unsafe { (self.driver().cuMemGetInfo_v2)(&raw mut free, &raw mut total) };
        if status == SUCCESS { free as u64 } else { 0 }
    }

    /// Gives memory back.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn free(&self, address: u64) {
        let (driver, context) = (self.driver(), self.context);
        // SAFETY: the memory belongs to the context and is given back once, by the only one who had it; commands that use
        // it were added to the stream before, or the driver waits for them.
        let status = unsafe {
            match context.pool {
                Some(_) => {
                    // Whoever clears the context away must not free it a second time.
                    locked(&context.pooled).remove(&address);
                    (driver.cuMemFreeAsync)(address, context.main.0)
                }
                None => (driver.cuMemFree_v2)(address),
            }
        };
        // Nobody can be told, but a fault of a kernel may show here first.
        let _ = self.check("freeing memory", status);
    }
}

fn no_memory(wanted: u64, free: u64) -> Error {
    let message = format!("{wanted} bytes of memory were wanted, and {free} bytes are free on the device");
    Error::Backend { message }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // With a context that is gone its memory is gone, too; that of one that is lost is freed with it.
        let Some(context) = self.home.upgrade() else { return };
        if let Ok(current) = context.enter() {
            current.free(self.address);
        }
    }
}
