//! Events: completion marks in a stream.

use std::time::{Duration, Instant};

use cudarc::driver::sys::CUevent_flags;
use vyre_runtime::Error;

use super::context::Current;
use super::library::{Driver, EventHandle, Failure, Handle, NOT_READY, SUCCESS, StreamHandle};

/// Time for which a thread polls before it sleeps.
pub(crate) const SPIN_TIME: Duration = Duration::from_micros(100);

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

impl Current<'_> {
    /// Records an event: it completes when all earlier commands of the stream are complete.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(crate) fn record(&self, event: EventHandle, stream: StreamHandle) -> Result<(), Error> {
        // SAFETY: both belong to the context, which is current on this thread.
        self.check("cuEventRecord", unsafe { (self.driver().cuEventRecord)(event.0, stream.0) })
    }

    /// Reports whether an event is complete. An error means that it never will be, and marks the context as lost.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(crate) fn is_complete(&self, event: EventHandle) -> Result<bool, Error> {
        // SAFETY: the event belongs to the context, which is current on this thread.
        match unsafe { (self.driver().cuEventQuery)(event.0) } {
            SUCCESS => Ok(true),
            NOT_READY => Ok(false),
            status => Err(self.context.lost_by(Failure { status })),
        }
    }

    /// Waits for an event without a time limit.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(crate) fn wait(&self, event: EventHandle) -> Result<(), Error> {
        let start = Instant::now();
        while start.elapsed() < SPIN_TIME {
            if self.is_complete(event)? {
                return Ok(());
            }
            std::hint::spin_loop();
        }
        // SAFETY: the event belongs to the context, which is current on this thread.
        let status = unsafe { (self.driver().cuEventSynchronize)(event.0) };
        Failure::check(status).map_err(|failure| self.context.lost_by(failure))
    }

    /// Nanoseconds between two complete events with timing.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(crate) fn elapsed_nanoseconds(&self, first: EventHandle, second: EventHandle) -> Result<u64, Error> {
        let mut milliseconds = 0.0_f32;
        // SAFETY: both events belong to the context, which is current on this thread, and were created with timing; the
        // pointer is valid for a write of a float.
        let status = unsafe { (self.driver().cuEventElapsedTime)(&raw mut milliseconds, first.0, second.0) };
        self.check("cuEventElapsedTime", status)?;
        Ok(nanoseconds(milliseconds))
    }
}

/// Converts the driver's milliseconds to whole nanoseconds.
fn nanoseconds(milliseconds: f32) -> u64 {
    (f64::from(milliseconds) * 1e6).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_whole_nanoseconds() {
        assert_eq!(nanoseconds(0.0), 0);
        assert_eq!(nanoseconds(-1.0), 0, "durations are not negative");
        assert_eq!(nanoseconds(0.001_5), 1_500);
        assert_eq!(nanoseconds(2.5), 2_500_000);
    }
}
