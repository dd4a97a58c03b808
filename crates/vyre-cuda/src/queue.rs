//! What is added to streams: fills, copies and launches.

use std::ffi::c_void;

use vyre_runtime::Error;

use crate::context::Current;
use crate::driver::{FunctionHandle, StreamHandle};

/// A launch of a kernel.
pub(crate) struct Launch {
    pub(crate) function: FunctionHandle,
    pub(crate) blocks: [u32; 3],
    pub(crate) threads: [u32; 3],
    pub(crate) shared_bytes: u32,
}

#[expect(unsafe_code, reason = "the driver is a C library")]
impl Current<'_> {
    /// Fills bytes of the device. They lie in memory of the context that has not been given back.
    pub(crate) fn fill(&self, stream: StreamHandle, address: u64, bytes: u64, byte: u8) -> Result<(), Error> {
        // SAFETY: the range lies in memory of the context, which is that of this thread, as the stream is; it is given back
        // in the order of the stream.
        let status = unsafe { (self.driver().cuMemsetD8Async)(address, byte, bytes as usize, stream.0) };
        self.check("filling a buffer", status)
    }

    /// Copies bytes of the device that do not overlap. Both ranges lie in memory of the context that has not been given
    /// back.
    pub(crate) fn copy(&self, stream: StreamHandle, source: u64, target: u64, bytes: u64) -> Result<(), Error> {
        // SAFETY: as above, for both ranges.
        let status = unsafe { (self.driver().cuMemcpyDtoDAsync_v2)(target, source, bytes as usize, stream.0) };
        self.check("copying a buffer", status)
    }

    /// Copies bytes of the host to the device. What `source` points to must be memory of the driver's, stay as it is until
    /// the copy is done, and have this many bytes.
    pub(crate) fn upload(
        &self,
        stream: StreamHandle,
        source: *const c_void,
        target: u64,
        bytes: usize,
    ) -> Result<(), Error> {
        // SAFETY: as the caller promises for the source, and as above for the target.
        let status = unsafe { (self.driver().cuMemcpyHtoDAsync_v2)(target, source, bytes, stream.0) };
        self.check("writing to the device", status)
    }

    /// Copies bytes of the device to the host. What `target` points to must be memory of the driver's that nobody looks at
    /// until the copy is done, and have room for this many bytes.
    pub(crate) fn download(
        &self,
        stream: StreamHandle,
        source: u64,
        target: *mut c_void,
        bytes: usize,
    ) -> Result<(), Error> {
        // SAFETY: as the caller promises for the target, and as above for the source.
        let status = unsafe { (self.driver().cuMemcpyDtoHAsync_v2)(target, source, bytes, stream.0) };
        self.check("reading from the device", status)
    }

    /// Runs a kernel. `arguments` points to what the kernel is passed, one pointer for each of its parameters.
    pub(crate) fn launch(
        &self,
        stream: StreamHandle,
        launch: &Launch,
        arguments: &mut [*mut c_void],
    ) -> Result<(), Error> {
        let ([x, y, z], [width, height, depth]) = (launch.blocks, launch.threads);
        let (function, shared) = (launch.function.0, launch.shared_bytes);
        let arguments = arguments.as_mut_ptr();
        // SAFETY: the function belongs to a module of the context, which is that of this thread, and has these parameters;
        // they are copied before the call ends. Kernels only access what is in range of the buffers that they are passed,
        // or nothing: guards are emitted, with lengths that are those of the buffers.
        let status = unsafe {
            (self.driver().cuLaunchKernel)(
                function,
                x,
                y,
                z,
                width,
                height,
                depth,
                shared,
                stream.0,
                arguments,
                std::ptr::null_mut(),
            )
        };
        self.check("launching a program", status)
    }
}
