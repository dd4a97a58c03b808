//! Stream-ordered memory pool of a context.
//!
//! A private pool keeps its reserve apart from other users of the device. Memory of a pool belongs to the device, not to a
//! context, so the pool records the addresses in use: teardown must free them.

use std::collections::BTreeSet;
use std::sync::Mutex;

use cudarc::driver::sys::{
    CUmemAllocationHandleType, CUmemAllocationType, CUmemLocation, CUmemLocationType, CUmemPool_attribute,
    CUmemPoolProps,
};

use super::gpu::Gpu;
use super::library::{Failure, Handle, PoolHandle};

/// Fraction of the device's memory that a pool may keep in reserve: one half.
const RESERVE_DIVISOR: u64 = 2;

/// Memory pool of a context.
pub(crate) struct MemoryPool {
    pub(crate) raw: PoolHandle,
    /// Addresses that were allocated and not freed.
    pub(crate) allocated: Mutex<BTreeSet<u64>>,
}

impl MemoryPool {
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(crate) fn create(gpu: &Gpu) -> Result<MemoryPool, Failure> {
        let properties = CUmemPoolProps {
            allocType: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
            location: CUmemLocation { type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: gpu.device },
            win32SecurityAttributes: std::ptr::null_mut(),
            reserved: [0; 64],
        };
        let mut pool = std::ptr::null_mut();
        // SAFETY: the properties are fully initialized and their reserved bytes are zero; the pointer is valid for a write
        // of a handle.
        Failure::check(unsafe { (gpu.driver.cuMemPoolCreate)(&raw mut pool, &raw const properties) })?;
        let mut reserve_bytes = gpu.memory_bytes / RESERVE_DIVISOR;
        let threshold = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD as u32;
        // SAFETY: the value of this attribute is a 64-bit integer. A failure to set it costs time and nothing else.
        unsafe { (gpu.driver.cuMemPoolSetAttribute)(pool, threshold, (&raw mut reserve_bytes).cast()) };
        Ok(MemoryPool { raw: Handle(pool), allocated: Mutex::default() })
    }
}
