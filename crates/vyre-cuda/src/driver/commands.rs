//! Asynchronous commands of a stream: fills, copies and kernel launches.

use std::ffi::c_void;

use vyre_runtime::Error;

use super::context::Current;
use super::library::{FunctionHandle, StreamHandle};

/// Launch of a kernel: the function, the grid and block sizes, and the dynamic shared memory.
pub(crate) struct Launch {
    pub(crate) function: FunctionHandle,
    pub(crate) blocks: [u32; 3],
    pub(crate) threads: [u32; 3],
    pub(crate) shared_bytes: u32,
}

#[expect(unsafe_code, reason = "the driver is a C library")]
impl Current<'_> {
    /// Fills a range of device memory. The range must lie in memory of the context that has not been freed.
    pub(crate) fn fill(&self, stream: StreamHandle, address: u64, bytes: u64, byte: u8) -> Result<(), Error> {
        // SAFETY: the range lies in allocated memory of the context, which is current on this thread; the stream belongs to
        // the same context, and memory is freed in stream order.
        let status = unsafe { (self.driver().cuMemsetD8Async)(address, byte, bytes as usize, stream.0) };
        self.check("cuMemsetD8Async", status)
    }

    /// Copies device memory. The ranges must not overlap, and both must lie in memory of the context that has not been
    /// freed.
    pub(crate) fn copy(&self, stream: StreamHandle, source: u64, target: u64, bytes: u64) -> Result<(), Error> {
        // SAFETY: as in `fill`, for both ranges.
        let status = unsafe { (self.driver().cuMemcpyDtoDAsync_v2)(target, source, bytes as usize, stream.0) };
        self.check("cuMemcpyDtoDAsync", status)
    }

    /// Copies host memory to the device. `source` must point to this many bytes of pinned memory, which must not change
    /// until the copy is complete.
    pub(crate) fn upload(
        &self,
        stream: StreamHandle,
        source: *const c_void,
        target: u64,
        bytes: usize,
    ) -> Result<(), Error> {
        // SAFETY: the caller guarantees the source; the target is as in `fill`.
        let status = unsafe { (self.driver().cuMemcpyHtoDAsync_v2)(target, source, bytes, stream.0) };
        self.check("cuMemcpyHtoDAsync", status)
    }

    /// Copies device memory to the host. `target` must point to this many bytes of pinned memory, which must not be
    /// accessed until the copy is complete.
    pub(crate) fn download(
        &self,
        stream: StreamHandle,
        source: u64,
        target: *mut c_void,
        bytes: usize,
    ) -> Result<(), Error> {
        // SAFETY: the caller guarantees the target; the source is as in `fill`.
        let status = unsafe { (self.driver().cuMemcpyDtoHAsync_v2)(target, source, bytes, stream.0) };
        self.check("cuMemcpyDtoHAsync", status)
    }

    /// Launches a kernel. `arguments` has one pointer per parameter, to the value of the argument.
    pub(crate) fn launch(
        &self,
        stream: StreamHandle,
        launch: &Launch,
        arguments: &mut [*mut c_void],
    ) -> Result<(), Error> {
        let ([x, y, z], [width, height, depth]) = (launch.blocks, launch.threads);
        let (function, shared) = (launch.function.0, launch.shared_bytes);
        let arguments = arguments.as_mut_ptr();
        // SAFETY: the function belongs to a module of the context, which is current on this thread, and has these
        // parameters; the driver copies the arguments before the call returns. Kernels access only elements in range of the
        // buffers that they are passed: emitted guards compare each index with the length of its buffer.
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
        self.check("cuLaunchKernel", status)
    }
}
