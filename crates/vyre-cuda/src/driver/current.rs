//! The thread's stack of current contexts.

use cudarc::driver::sys::CUctx_flags;

use super::gpu::Gpu;
use super::library::{ContextHandle, Driver, Failure, Handle};

/// Makes a context current on this thread. The context must not have been destroyed.
#[expect(unsafe_code, reason = "the driver is a C library")]
pub(crate) fn push(driver: &Driver, raw: ContextHandle) -> Result<(), Failure> {
    // SAFETY: the caller guarantees that the context exists.
    Failure::check(unsafe { (driver.cuCtxPushCurrent_v2)(raw.0) })
}

/// Restores the context that was current before the last [`push`] of this thread.
#[expect(unsafe_code, reason = "the driver is a C library")]
pub(crate) fn pop(driver: &Driver) {
    let mut popped = std::ptr::null_mut();
    // SAFETY: this thread has pushed a context; the pointer is valid for a write of a handle.
    unsafe { (driver.cuCtxPopCurrent_v2)(&raw mut popped) };
}

/// Creates a context that is current on no thread.
#[expect(unsafe_code, reason = "the driver is a C library")]
pub(crate) fn create(gpu: &Gpu) -> Result<ContextHandle, Failure> {
    let mut raw = std::ptr::null_mut();
    // Threads that wait sleep: short waits are polled before the driver is asked to wait.
    let flags = CUctx_flags::CU_CTX_SCHED_BLOCKING_SYNC as u32;
    // SAFETY: the device is one that the driver returned; the pointer is valid for a write of a handle.
    Failure::check(unsafe { (gpu.driver.cuCtxCreate_v2)(&raw mut raw, flags, gpu.device) })?;
    // The driver makes a new context current.
    pop(gpu.driver);
    Ok(Handle(raw))
}
