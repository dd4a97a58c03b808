//! Streams of a context, and the events in them.

use cudarc::driver::sys::{CUevent_flags, CUstream_flags};

use super::library::{Driver, EventHandle, Failure, Handle, StreamHandle};

/// Streams of a context. They are destroyed with it.
#[derive(Clone, Copy)]
pub(crate) struct Streams {
    /// Executes all commands, in order.
    pub(crate) main: StreamHandle,
    /// Allocates, clears and frees buffers and uploads to them, in order, while the main stream executes commands.
    pub(crate) upload: StreamHandle,
    /// Downloads, while the main stream executes commands.
    pub(crate) download: StreamHandle,
    /// Writes cancel words while a kernel runs on the main stream.
    pub(crate) side: StreamHandle,
    /// Captures commands into graphs. It executes nothing.
    pub(crate) capture: StreamHandle,
}

impl Streams {
    /// Creates the streams in the context that is current on this thread.
    pub(crate) fn create(driver: &Driver) -> Result<Streams, Failure> {
        Ok(Streams {
            main: create(driver)?,
            upload: create(driver)?,
            download: create(driver)?,
            side: create(driver)?,
            capture: create(driver)?,
        })
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

/// Creates an event in the context that is current on this thread. The event is destroyed with that context.
#[expect(unsafe_code, reason = "the driver is a C library")]
pub(crate) fn create_event(driver: &Driver, is_timed: bool) -> Result<EventHandle, Failure> {
    let mut event = std::ptr::null_mut();
    let blocking = CUevent_flags::CU_EVENT_BLOCKING_SYNC as u32;
    let flags = if is_timed { blocking } else { blocking | CUevent_flags::CU_EVENT_DISABLE_TIMING as u32 };
    // SAFETY: a context is current on this thread; the pointer is valid for a write of a handle.
    Failure::check(unsafe { (driver.cuEventCreate)(&raw mut event, flags) })?;
    Ok(Handle(event))
}
