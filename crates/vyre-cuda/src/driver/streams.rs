//! Streams of a context.

use cudarc::driver::sys::CUstream_flags;

use super::library::{Driver, Failure, Handle, StreamHandle};

/// Streams of a context. They are destroyed with it.
#[derive(Clone, Copy)]
pub(crate) struct Streams {
    /// Executes all commands and transfers, in order.
    pub(crate) main: StreamHandle,
    /// Writes cancel words while a kernel runs on the main stream.
    pub(crate) side: StreamHandle,
    /// Captures commands into graphs. It executes nothing.
    pub(crate) capture: StreamHandle,
}

impl Streams {
    /// Creates the streams in the context that is current on this thread.
    pub(crate) fn create(driver: &Driver) -> Result<Streams, Failure> {
        Ok(Streams { main: create(driver)?, side: create(driver)?, capture: create(driver)? })
    }
}

#[expect(unsafe_code, reason = "the driver is a C library")]
fn create(driver: &Driver) -> Result<StreamHandle, Failure> {
    let mut stream = std::ptr::null_mut();
    let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
    // SAFETY: a context is current on this thread; the pointer is valid for a write of a handle.
    Failure::check(unsafe { (driver.cuStreamCreate)(&raw mut stream, flags) })?;
    Ok(Handle(stream))
}
