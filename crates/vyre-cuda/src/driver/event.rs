//! Events: completion marks in a stream.

use std::time::{Duration, Instant};

use vyre_runtime::Error;

use super::context::Current;
use super::library::{EventHandle, Failure, NOT_READY, SUCCESS, StreamHandle};
use crate::sync::lock;

/// Pauses of the processor between two queries of an event: about a microsecond.
const SPINS_PER_QUERY: u32 = 32;

/// Time for which a thread polls before it sleeps.
pub(crate) const SPIN_TIME: Duration = Duration::from_micros(100);

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
            // The driver's calls exclude each other, and other threads submit meanwhile.
            (0..SPINS_PER_QUERY).for_each(|_| std::hint::spin_loop());
        }
        // SAFETY: the event belongs to the context, which is current on this thread.
        let status = unsafe { (self.driver().cuEventSynchronize)(event.0) };
        Failure::check(status).map_err(|failure| self.context.lost_by(failure))
    }

    /// Marks the end of the upload stream. [`wait_for_uploads`](Current::wait_for_uploads) waits for all that precedes it.
    pub(crate) fn mark_upload(&self) -> Result<(), Error> {
        let order = &self.context.upload_order;
        let mut is_pending = lock(&order.is_pending);
        // A failed record leaves an earlier position in the event, which must not be taken for this one.
        self.record(order.event, self.context.streams.upload)?;
        *is_pending = true;
        Ok(())
    }

    /// Makes later commands of a stream wait for the marked uploads. The host does not wait.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(crate) fn wait_for_uploads(&self, stream: StreamHandle) -> Result<(), Error> {
        let order = &self.context.upload_order;
        let mut is_pending = lock(&order.is_pending);
        if !*is_pending {
            return Ok(());
        }
        if self.is_complete(order.event)? {
            *is_pending = false;
            return Ok(());
        }
        // SAFETY: stream and event belong to the context, which is current on this thread; 0 is the default of the flags.
        let status = unsafe { (self.driver().cuStreamWaitEvent)(stream.0, order.event.0, 0) };
        self.check("cuStreamWaitEvent", status)
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
