//! GPU, context and stream.

use std::ffi::{CStr, c_char};
use std::ptr;
use std::time::Duration;

use cudarc::driver::sys;

use crate::error::Error;

/// GPU with a stream in its primary context. The backend may use the same context, so that no switch of contexts is measured.
pub struct BareCuda {
    device: sys::CUdevice,
    context: sys::CUcontext,
    pub(super) stream: sys::CUstream,
    start: sys::CUevent,
    end: sys::CUevent,
}

/// Converts the result of a driver function to an error that names the function.
pub(super) fn check(call: &'static str, result: sys::CUresult) -> Result<(), Error> {
    match result {
        sys::CUresult::CUDA_SUCCESS => Ok(()),
        failure => Err(Error::Driver { call, message: format!("{failure:?}") }),
    }
}

fn no_cuda(message: impl Into<String>) -> Error {
    Error::NoCuda { message: message.into() }
}

impl BareCuda {
    /// Number of GPUs of the driver.
    ///
    /// # Errors
    ///
    /// [`Error::NoCuda`] if there is no working driver.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub fn count() -> Result<usize, Error> {
        // SAFETY: this call only loads the library of the driver, whose initializers are trusted.
        if !unsafe { sys::is_culib_present() } {
            return Err(no_cuda("NVIDIA's driver is not installed"));
        }
        // SAFETY: the library is loaded, and 0 is the only valid argument.
        let initialized = check("cuInit", unsafe { sys::cuInit(0) });
        initialized.map_err(|error| no_cuda(format!("the driver does not start ({error})")))?;
        let mut count = 0;
        // SAFETY: the pointer is to a number on the stack.
        check("cuDeviceGetCount", unsafe { sys::cuDeviceGetCount(&mut count) })?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// Opens the GPU at this position.
    ///
    /// # Errors
    ///
    /// [`Error::NoCuda`] if there is no such GPU, or a failure of the driver.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub fn open(position: usize) -> Result<BareCuda, Error> {
        let count = BareCuda::count()?;
        if position >= count {
            return Err(no_cuda(format!("there is no GPU {position}; {count} are numbered from 0")));
        }
        let mut device = 0;
        let ordinal = i32::try_from(position).unwrap_or(i32::MAX);
        // SAFETY: the driver is initialized, and the pointer is to a value on the stack, here and below.
        check("cuDeviceGet", unsafe { sys::cuDeviceGet(&mut device, ordinal) })?;
        let mut context = ptr::null_mut();
        // SAFETY: the device comes from the driver.
        check("cuDevicePrimaryCtxRetain", unsafe { sys::cuDevicePrimaryCtxRetain(&mut context, device) })?;
        let mut cuda =
            BareCuda { device, context, stream: ptr::null_mut(), start: ptr::null_mut(), end: ptr::null_mut() };
        cuda.enter()?;
        let flags = sys::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the context is current, here and below.
        check("cuStreamCreate", unsafe { sys::cuStreamCreate(&mut cuda.stream, flags) })?;
        for event in [&mut cuda.start, &mut cuda.end] {
            // SAFETY: as above; an event without flags records the time.
            check("cuEventCreate", unsafe { sys::cuEventCreate(event, 0) })?;
        }
        Ok(cuda)
    }

    /// Name of the GPU.
    #[must_use]
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub fn name(&self) -> String {
        let mut name = [0 as c_char; 256];
        // SAFETY: the length is that of the array less one, so that its last byte stays zero.
        let result = unsafe { sys::cuDeviceGetName(name.as_mut_ptr(), 255, self.device) };
        if check("cuDeviceGetName", result).is_err() {
            return "unnamed GPU".to_owned();
        }
        // SAFETY: the last byte of the array is zero.
        unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned()
    }

    /// CUDA version of the driver, such as `13.0`.
    #[must_use]
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub fn cuda_version(&self) -> String {
        let mut version = 0;
        // SAFETY: the pointer is to a number on the stack, which stays 0 if the call fails.
        unsafe { sys::cuDriverGetVersion(&mut version) };
        format!("{}.{}", version / 1000, version % 1000 / 10)
    }

    /// Makes the context current on this thread. The backend may have changed the current context.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(super) fn enter(&self) -> Result<(), Error> {
        // SAFETY: the context is retained until this value is dropped.
        check("cuCtxSetCurrent", unsafe { sys::cuCtxSetCurrent(self.context) })
    }

    /// Waits for all work of the stream.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(super) fn wait(&self) -> Result<(), Error> {
        // SAFETY: the stream lives as long as this value.
        check("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(self.stream) })
    }

    /// Runs the work that `enqueue` puts on the stream, and waits for it.
    pub(in crate::cuda) fn run(&self, enqueue: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
        self.enter()?;
        enqueue()?;
        self.wait()
    }

    /// Time of the work that `enqueue` puts on the stream, by events before and after it.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(in crate::cuda) fn time(&self, enqueue: impl FnOnce() -> Result<(), Error>) -> Result<Duration, Error> {
        self.enter()?;
        // SAFETY: events and stream live as long as this value and belong to one context, here and below.
        check("cuEventRecord", unsafe { sys::cuEventRecord(self.start, self.stream) })?;
        enqueue()?;
        // SAFETY: as above.
        check("cuEventRecord", unsafe { sys::cuEventRecord(self.end, self.stream) })?;
        self.wait()?;
        let mut milliseconds = 0.0_f32;
        // SAFETY: as above; both events have been recorded, and the pointer is to a number on the stack.
        let result = unsafe { sys::cuEventElapsedTime(&mut milliseconds, self.start, self.end) };
        check("cuEventElapsedTime", result)?;
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1e3))
    }
}

impl Drop for BareCuda {
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn drop(&mut self) {
        // A failure cannot be reported from here.
        let _ = self.enter();
        for event in [self.start, self.end] {
            if !event.is_null() {
                // SAFETY: the event was made by this value, and is no longer used.
                let _ = unsafe { sys::cuEventDestroy_v2(event) };
            }
        }
        if !self.stream.is_null() {
            // SAFETY: as for the events.
            let _ = unsafe { sys::cuStreamDestroy_v2(self.stream) };
        }
        // SAFETY: the context was retained once by this value.
        let _ = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}
