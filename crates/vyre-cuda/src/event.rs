//! Moments in a stream.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use cudarc::driver::sys::CUevent_flags;
use vyre_runtime::Error;

use crate::context::{Context, Current, locked};
use crate::driver::{Driver, EventHandle, Failure, Handle, NOT_READY, SUCCESS, StreamHandle};

/// How long a thread asks again and again whether a moment has come, before it sleeps until then.
pub(crate) const SPIN: Duration = Duration::from_micros(100);

/// Events that are free to be used. They are destroyed with their context.
#[derive(Default)]
pub(crate) struct Events {
    plain: Mutex<Vec<EventHandle>>,
    timed: Mutex<Vec<EventHandle>>,
}

impl Events {
    /// A new event. A context is that of this thread.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(crate) fn create(&self, driver: &Driver, is_timed: bool) -> Result<EventHandle, Failure> {
        let mut event = std::ptr::null_mut();
        let blocking = CUevent_flags::CU_EVENT_BLOCKING_SYNC as u32;
        let flags = if is_timed { blocking } else { blocking | CUevent_flags::CU_EVENT_DISABLE_TIMING as u32 };
        // SAFETY: a context is that of this thread; the event is written to a handle.
        Failure::check(unsafe { (driver.cuEventCreate)(&raw mut event, flags) })?;
        Ok(Handle(event))
    }

    fn free(&self, is_timed: bool) -> &Mutex<Vec<EventHandle>> {
        if is_timed { &self.timed } else { &self.plain }
    }
}

/// A moment in a stream, which goes back to the free ones when it is dropped.
pub(crate) struct Event<'c> {
    context: &'c Context,
    pub(crate) raw: EventHandle,
    is_timed: bool,
}

impl Drop for Event<'_> {
    fn drop(&mut self) {
        locked(self.context.events.free(self.is_timed)).push(self.raw);
    }
}

impl<'c> Current<'c> {
    /// The moment when everything that was added to a stream so far is done.
    pub(crate) fn moment(&self, stream: StreamHandle, is_timed: bool) -> Result<Event<'c>, Error> {
        let context = self.context;
        let free = locked(context.events.free(is_timed)).pop();
        let raw = match free {
            Some(raw) => raw,
            None => {
                let created = context.events.create(self.driver(), is_timed);
                created.map_err(|failure| context.failed("making an event", failure))?
            }
        };
        let event = Event { context, raw, is_timed };
        self.record(event.raw, stream)?;
        Ok(event)
    }

    /// Makes an event the moment when everything that was added to a stream so far is done.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(crate) fn record(&self, event: EventHandle, stream: StreamHandle) -> Result<(), Error> {
        // SAFETY: both belong to the context, which is that of this thread.
        self.check("recording an event", unsafe { (self.driver().cuEventRecord)(event.0, stream.0) })
    }

    /// Whether a moment has come. That it never comes is told here, too, and ends the context.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(crate) fn has_come(&self, event: EventHandle) -> Result<bool, Error> {
        // SAFETY: the event belongs to the context, which is that of this thread.
        match unsafe { (self.driver().cuEventQuery)(event.0) } {
            SUCCESS => Ok(true),
            NOT_READY => Ok(false),
            status => Err(self.context.broken(Failure { status })),
        }
    }

    /// Waits for a moment, however long it takes.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(crate) fn wait(&self, event: EventHandle) -> Result<(), Error> {
        let start = Instant::now();
        while start.elapsed() < SPIN {
            if self.has_come(event)? {
                return Ok(());
            }
            std::hint::spin_loop();
        }
        // SAFETY: the event belongs to the context, which is that of this thread.
        let status = unsafe { (self.driver().cuEventSynchronize)(event.0) };
        Failure::check(status).map_err(|failure| self.context.broken(failure))
    }

    /// Nanoseconds between two moments that have come.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(crate) fn between(&self, first: &Event<'_>, second: &Event<'_>) -> Result<u64, Error> {
        let mut milliseconds = 0.0_f32;
        // SAFETY: both belong to the context, which is that of this thread, and take the time; the result is written to a
        // number.
        let status = unsafe { (self.driver().cuEventElapsedTime)(&raw mut milliseconds, first.raw.0, second.raw.0) };
        self.check("taking the time", status)?;
        Ok(nanoseconds(milliseconds))
    }
}

/// A time of the driver in whole nanoseconds.
fn nanoseconds(milliseconds: f32) -> u64 {
    (f64::from(milliseconds) * 1e6).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_whole_nanoseconds() {
        assert_eq!(nanoseconds(0.0), 0);
        assert_eq!(nanoseconds(-1.0), 0, "time does not run back");
        assert_eq!(nanoseconds(0.001_5), 1_500);
        assert_eq!(nanoseconds(2.5), 2_500_000);
    }
}
