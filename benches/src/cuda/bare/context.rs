//! A GPU, its context and a stream.

use std::ffi::{CStr, c_char};
use std::ptr;
use std::time::Duration;

use cudarc::driver::sys;

use crate::cuda::error::Error;

/// A GPU with a stream of its own in its primary context, which the backend may use too; nothing switches between contexts
/// then.
pub struct BareCuda {
    device: sys::CUdevice,
    context: sys::CUcontext,
    pub(super) stream: sys::CUstream,
    start: sys::CUevent,
    end: sys::CUevent,
}

/// Turns what a function of the driver returns into an error that names the function.
pub(super) fn succeeded(call: &'static str, result: sys::CUresult) -> Result<(), Error> {
    match result {
        sys::CUresult::CUDA_SUCCESS => Ok(()),
        failure => Err(Error::Driver { call, message: format!("{failure:?}") }),
    }
}

fn no_cuda(message: impl Into<String>) -> Error {
    Error::NoCuda { message: message.into() }
}

impl BareCuda {
    /// How many GPUs the driver has.
    ///
    /// # Errors
    ///
    /// [`Error::NoCuda`] where there is no driver, or where it does not work.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub fn count() -> Result<usize, Error> {
        // SAFETY: this only looks for the driver's library, whose initializers are trusted.
        if !unsafe { sys::is_culib_present() } {
            return Err(no_cuda("NVIDIA's driver is not installed"));
        }
        // SAFETY: the library is there, and 0 is the only value that is allowed.
        let initialized = succeeded("cuInit", unsafe { sys::cuInit(0) });
        initialized.map_err(|error| no_cuda(format!("the driver does not start ({error})")))?;
        let mut count = 0;
        // SAFETY: the pointer is to a number on the stack.
        succeeded("cuDeviceGetCount", unsafe { sys::cuDeviceGetCount(&mut count) })?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// Opens the GPU at this position.
    ///
    /// # Errors
    ///
    /// [`Error::NoCuda`] where there is none, or what the driver says.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub fn open(position: usize) -> Result<BareCuda, Error> {
        let count = BareCuda::count()?;
        if position >= count {
            return Err(no_cuda(format!(
                "there is no GPU {position}; they are numbered from 0, and there are {count}"
            )));
        }
        let mut device = 0;
        let ordinal = i32::try_from(position).unwrap_or(i32::MAX);
        // SAFETY: the driver is initialized, and the pointer is to a value on the stack; so below.
        succeeded("cuDeviceGet", unsafe { sys::cuDeviceGet(&mut device, ordinal) })?;
        let mut context = ptr::null_mut();
        // SAFETY: the device is one that the driver gave.
        succeeded("cuDevicePrimaryCtxRetain", unsafe { sys::cuDevicePrimaryCtxRetain(&mut context, device) })?;
        let mut cuda =
            BareCuda { device, context, stream: ptr::null_mut(), start: ptr::null_mut(), end: ptr::null_mut() };
        cuda.enter()?;
        let flags = sys::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the context is current; so below.
        succeeded("cuStreamCreate", unsafe { sys::cuStreamCreate(&mut cuda.stream, flags) })?;
        for event in [&mut cuda.start, &mut cuda.end] {
            // SAFETY: as above; an event without flags takes the time.
            succeeded("cuEventCreate", unsafe { sys::cuEventCreate(event, 0) })?;
        }
        Ok(cuda)
    }

    /// What the GPU is called.
    #[must_use]
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub fn name(&self) -> String {
        let mut name = [0 as c_char; 256];
        // SAFETY: the length is that of the array less one, so that a zero stays at its end.
        let result = unsafe { sys::cuDeviceGetName(name.as_mut_ptr(), 255, self.device) };
        if succeeded("cuDeviceGetName", result).is_err() {
            return "a GPU without a name".to_owned();
        }
        // SAFETY: the array ends with a zero, whatever the driver has written.
        unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned()
    }

    /// The version of CUDA that the driver is for, as `13.0`.
    #[must_use]
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub fn cuda_version(&self) -> String {
        let mut version = 0;
        // SAFETY: the pointer is to a number on the stack, which stays 0 if the call fails.
        unsafe { sys::cuDriverGetVersion(&mut version) };
        format!("{}.{}", version / 1000, version % 1000 / 10)
    }

    /// Makes the context that of this thread. Whoever else uses the driver on it may have changed that.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(super) fn enter(&self) -> Result<(), Error> {
        // SAFETY: the context is retained until this value is dropped.
        succeeded("cuCtxSetCurrent", unsafe { sys::cuCtxSetCurrent(self.context) })
    }

    /// Waits until the stream has done everything.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(super) fn wait(&self) -> Result<(), Error> {
        // SAFETY: the stream lives as long as this value.
        succeeded("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(self.stream) })
    }

    /// Does what `enqueue` puts on the stream, and waits for it.
    pub(in crate::cuda) fn run(&self, enqueue: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
        self.enter()?;
        enqueue()?;
        self.wait()
    }

    /// How long the GPU takes for what `enqueue` puts on the stream, by events before and after.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(in crate::cuda) fn time(&self, enqueue: impl FnOnce() -> Result<(), Error>) -> Result<Duration, Error> {
        self.enter()?;
        // SAFETY: events and stream live as long as this value and are of one context; so below.
        succeeded("cuEventRecord", unsafe { sys::cuEventRecord(self.start, self.stream) })?;
        enqueue()?;
        // SAFETY: as above.
        succeeded("cuEventRecord", unsafe { sys::cuEventRecord(self.end, self.stream) })?;
        self.wait()?;
        let mut milliseconds = 0.0_f32;
        // SAFETY: as above; both events have been recorded, and the pointer is to a number on the stack.
        let result = unsafe { sys::cuEventElapsedTime(&mut milliseconds, self.start, self.end) };
        succeeded("cuEventElapsedTime", result)?;
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1e3))
    }
}

impl Drop for BareCuda {
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn drop(&mut self) {
        // Nobody can be told of a failure, and the process is about to end.
        let _ = self.enter();
        for event in [self.start, self.end] {
            if !event.is_null() {
                // SAFETY: the event was made by this value, and nothing uses it any more.
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
