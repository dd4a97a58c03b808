//! Memory of the GPU, and pinned memory of the host.

use std::ffi::c_void;
use std::ptr;

use cudarc::driver::sys;

use super::context::{BareCuda, check};
use crate::error::Error;

/// Memory of the GPU.
pub(in crate::cuda) struct BareBuffer<'c> {
    cuda: &'c BareCuda,
    pub(super) address: sys::CUdeviceptr,
    bytes: usize,
}

impl<'c> BareBuffer<'c> {
    /// Allocates `bytes` bytes, at least one, with undefined contents.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(in crate::cuda) fn new(cuda: &'c BareCuda, bytes: u64) -> Result<BareBuffer<'c>, Error> {
        cuda.enter()?;
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).max(1);
        let mut address = 0;
        // SAFETY: the context is current, and the pointer is to a value on the stack.
        check("cuMemAlloc", unsafe { sys::cuMemAlloc_v2(&mut address, bytes) })?;
        Ok(BareBuffer { cuda, address, bytes })
    }

    fn check_range(&self, offset: u64, length: usize) -> Result<(), Error> {
        let end = usize::try_from(offset).ok().and_then(|offset| offset.checked_add(length));
        if end.is_none_or(|end| end > self.bytes) {
            let message = format!("{length} bytes from {offset} do not fit a buffer of {}", self.bytes);
            return Err(Error::Driver { call: "copy", message });
        }
        Ok(())
    }

    /// Writes bytes and waits.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(in crate::cuda) fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.check_range(offset, bytes.len())?;
        self.cuda.enter()?;
        let source = bytes.as_ptr().cast::<c_void>();
        // SAFETY: the range lies within the buffer, and the slice is alive until the call returns, which waits for the copy.
        check("cuMemcpyHtoD", unsafe { sys::cuMemcpyHtoD_v2(self.address + offset, source, bytes.len()) })
    }

    /// Reads the first bytes and waits.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(in crate::cuda) fn read(&self, bytes: &mut [u8]) -> Result<(), Error> {
        self.check_range(0, bytes.len())?;
        self.cuda.enter()?;
        let target = bytes.as_mut_ptr().cast::<c_void>();
        // SAFETY: the buffer has this number of bytes, and the slice is alive until the call returns, which waits for the copy.
        check("cuMemcpyDtoH", unsafe { sys::cuMemcpyDtoH_v2(target, self.address, bytes.len()) })
    }

    /// Enqueues a fill of all bytes with zeros.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(in crate::cuda) fn enqueue_clear(&self) -> Result<(), Error> {
        // SAFETY: the buffer has this number of bytes, and it is not freed before the stream has finished.
        let result = unsafe { sys::cuMemsetD8Async(self.address, 0, self.bytes, self.cuda.stream) };
        check("cuMemsetD8Async", result)
    }

    /// Enqueues a copy of all bytes to a buffer of the same size.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(in crate::cuda) fn enqueue_copy_to(&self, target: &BareBuffer<'_>) -> Result<(), Error> {
        target.check_range(0, self.bytes)?;
        let stream = self.cuda.stream;
        // SAFETY: both buffers have this number of bytes, and they are not freed before the stream has finished.
        let result = unsafe { sys::cuMemcpyDtoDAsync_v2(target.address, self.address, self.bytes, stream) };
        check("cuMemcpyDtoDAsync", result)
    }

    /// Enqueues a copy of pinned memory to the first bytes.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(in crate::cuda) fn enqueue_upload(&self, source: &PinnedMemory<'_>) -> Result<(), Error> {
        self.check_range(0, source.bytes)?;
        let stream = self.cuda.stream;
        // SAFETY: both have this number of bytes, and they are not freed before the stream has finished.
        let result = unsafe { sys::cuMemcpyHtoDAsync_v2(self.address, source.address, source.bytes, stream) };
        check("cuMemcpyHtoDAsync", result)
    }

    /// Enqueues a copy of the first bytes to pinned memory.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(in crate::cuda) fn enqueue_download(&self, target: &mut PinnedMemory<'_>) -> Result<(), Error> {
        self.check_range(0, target.bytes)?;
        let stream = self.cuda.stream;
        // SAFETY: both have this number of bytes, and they are not freed before the stream has finished; nothing reads the target.
        let result = unsafe { sys::cuMemcpyDtoHAsync_v2(target.address, self.address, target.bytes, stream) };
        check("cuMemcpyDtoHAsync", result)
    }
}

impl Drop for BareBuffer<'_> {
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn drop(&mut self) {
        // A failure cannot be reported from here.
        let _ = self.cuda.enter();
        // After a failure between enqueueing and waiting, the stream may still use the buffer.
        let _ = self.cuda.wait();
        // SAFETY: the address is that of an allocation, which is no longer used.
        let _ = unsafe { sys::cuMemFree_v2(self.address) };
    }
}

/// Pinned memory of the host, which the GPU copies from and to without staging.
pub(in crate::cuda) struct PinnedMemory<'c> {
    cuda: &'c BareCuda,
    address: *mut c_void,
    bytes: usize,
}

impl<'c> PinnedMemory<'c> {
    /// Allocates `bytes` zeros.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(in crate::cuda) fn new(cuda: &'c BareCuda, bytes: usize) -> Result<PinnedMemory<'c>, Error> {
        cuda.enter()?;
        let mut address = ptr::null_mut();
        // SAFETY: the context is current, and the pointer is to a value on the stack.
        check("cuMemAllocHost", unsafe { sys::cuMemAllocHost_v2(&mut address, bytes) })?;
        // SAFETY: the allocation has this number of bytes and is not used by anyone else.
        unsafe { ptr::write_bytes(address.cast::<u8>(), 0, bytes) };
        Ok(PinnedMemory { cuda, address, bytes })
    }
}

impl Drop for PinnedMemory<'_> {
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn drop(&mut self) {
        // As for buffers.
        let _ = self.cuda.enter();
        let _ = self.cuda.wait();
        // SAFETY: the address is that of an allocation, which is no longer used.
        let _ = unsafe { sys::cuMemFreeHost(self.address) };
    }
}
