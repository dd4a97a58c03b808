//! Pool of events.

use std::sync::Mutex;

use vyre_runtime::Error;

use crate::driver::context::Current;
use crate::driver::library::{EventHandle, StreamHandle};
use crate::driver::streams::create_event;
use crate::sync::lock;

/// Free events of a context, without and with timing.
#[derive(Default)]
pub(crate) struct EventPool {
    untimed: Mutex<Vec<EventHandle>>,
    timed: Mutex<Vec<EventHandle>>,
}

/// Recorded event. Dropping it returns it to its pool.
pub(crate) struct Event<'p> {
    pool: &'p EventPool,
    pub(crate) raw: EventHandle,
    is_timed: bool,
}

impl EventPool {
    /// Records an event: it completes when all earlier commands of the stream are complete.
    pub(crate) fn record<'p>(
        &'p self,
        current: &Current<'_>,
        stream: StreamHandle,
        is_timed: bool,
    ) -> Result<Event<'p>, Error> {
        let free = lock(self.free(is_timed)).pop();
        let raw = match free {
            Some(raw) => raw,
            None => {
                let created = create_event(current.driver(), is_timed);
                created.map_err(|failure| current.context.failed("cuEventCreate", failure))?
            }
        };
        let event = Event { pool: self, raw, is_timed };
        current.record(event.raw, stream)?;
        Ok(event)
    }

    fn free(&self, is_timed: bool) -> &Mutex<Vec<EventHandle>> {
        if is_timed { &self.timed } else { &self.untimed }
    }
}

impl Drop for Event<'_> {
    fn drop(&mut self) {
        lock(self.pool.free(self.is_timed)).push(self.raw);
    }
}
