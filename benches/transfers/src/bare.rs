//! The peer: copies between pinned memory and device memory by the CUDA driver alone.

use std::error::Error;
use std::ptr;
use std::time::{Duration, Instant};

use cudarc::driver::sys;

/// Device memory, pinned memory of the same size, and a stream, in the primary context of the first GPU.
pub(crate) struct BareCopies {
    stream: sys::CUstream,
    context: sys::CUcontext,
    device_memory: sys::CUdeviceptr,
    pinned: *mut u8,
    bytes: usize,
}

fn check(call: &'static str, result: sys::CUresult) -> Result<(), Box<dyn Error>> {
    match result {
        sys::CUresult::CUDA_SUCCESS => Ok(()),
        failure => Err(format!("{call}: {failure:?}").into()),
    }
}

#[expect(unsafe_code, reason = "the driver is a C library")]
impl BareCopies {
    /// Allocates the memory. `None` if there is no driver or no GPU.
    pub(crate) fn new(bytes: usize) -> Result<Option<BareCopies>, Box<dyn Error>> {
        // SAFETY: the call loads the library of the driver, whose initializers are trusted.
        if !unsafe { sys::is_culib_present() } {
            return Ok(None);
        }
        let (mut count, mut device) = (0, 0);
        // SAFETY: 0 is the only valid flag word, and the pointer is to a number on the stack.
        let initialized = unsafe { (sys::cuInit(0), sys::cuDeviceGetCount(&mut count)) };
        if initialized != (sys::CUresult::CUDA_SUCCESS, sys::CUresult::CUDA_SUCCESS) || count == 0 {
            return Ok(None);
        }
        let (mut context, mut stream) = (ptr::null_mut(), ptr::null_mut());
        let (mut device_memory, mut pinned) = (0, ptr::null_mut());
        // SAFETY: every pointer is to a value on the stack, and the context is current for the calls that need one.
        unsafe {
            check("cuDeviceGet", sys::cuDeviceGet(&mut device, 0))?;
            check("cuDevicePrimaryCtxRetain", sys::cuDevicePrimaryCtxRetain(&mut context, device))?;
            check("cuCtxSetCurrent", sys::cuCtxSetCurrent(context))?;
            let flags = sys::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32;
            check("cuStreamCreate", sys::cuStreamCreate(&mut stream, flags))?;
            check("cuMemAlloc", sys::cuMemAlloc_v2(&mut device_memory, bytes))?;
            check("cuMemHostAlloc", sys::cuMemHostAlloc(&mut pinned, bytes, 0))?;
            ptr::write_bytes(pinned.cast::<u8>(), 1, bytes);
        }
        Ok(Some(BareCopies { stream, context, device_memory, pinned: pinned.cast(), bytes }))
    }

    /// Time of a copy from pinned memory to the device.
    pub(crate) fn upload(&self) -> Result<Duration, Box<dyn Error>> {
        self.time("cuMemcpyHtoDAsync", || {
            // SAFETY: both ranges have this size, and the call below waits for the copy.
            unsafe {
                sys::cuMemcpyHtoDAsync_v2(self.device_memory, self.pinned.cast_const().cast(), self.bytes, self.stream)
            }
        })
    }

    /// Time of a copy from the device to pinned memory.
    pub(crate) fn download(&self) -> Result<Duration, Box<dyn Error>> {
        self.time("cuMemcpyDtoHAsync", || {
            // SAFETY: as above.
            unsafe { sys::cuMemcpyDtoHAsync_v2(self.pinned.cast(), self.device_memory, self.bytes, self.stream) }
        })
    }

    fn time(&self, call: &'static str, copy: impl FnOnce() -> sys::CUresult) -> Result<Duration, Box<dyn Error>> {
        // SAFETY: the context exists while this value does.
        check("cuCtxSetCurrent", unsafe { sys::cuCtxSetCurrent(self.context) })?;
        let start = Instant::now();
        check(call, copy())?;
        // SAFETY: the stream belongs to the context.
        check("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(self.stream) })?;
        Ok(start.elapsed())
    }
}

impl Drop for BareCopies {
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn drop(&mut self) {
        // SAFETY: the objects belong to the context, and nothing uses them any more.
        unsafe {
            let _ = sys::cuCtxSetCurrent(self.context);
            let _ = sys::cuMemFree_v2(self.device_memory);
            let _ = sys::cuMemFreeHost(self.pinned.cast());
            let _ = sys::cuStreamDestroy_v2(self.stream);
        }
    }
}
