//! Timestamps that the device takes.

use vyre_runtime::Error;

use super::events::Event;
use crate::driver::context::Current;

/// Timestamps of a run.
#[derive(Default)]
pub(crate) struct Timestamps<'c> {
    /// Event of the last timestamp.
    last: Option<Event<'c>>,
    times: Times,
}

/// Nanoseconds since the first timestamp.
///
/// The driver returns the time between two events as a float of 32 bits, so each timestamp is measured from the previous
/// one.
#[derive(Debug, Default, PartialEq, Eq)]
struct Times {
    all: Vec<u64>,
}

impl Times {
    /// Adds a timestamp that is `elapsed` nanoseconds after the last one. The first one is 0.
    fn add(&mut self, elapsed: u64) {
        let time = self.all.last().map_or(0, |last| last.saturating_add(elapsed));
        self.all.push(time);
    }
}

impl<'c> Timestamps<'c> {
    /// Adds the timestamps of complete events.
    pub(crate) fn add(&mut self, current: &Current<'_>, events: Vec<Event<'c>>) -> Result<(), Error> {
        for event in events {
            let elapsed = self.last.as_ref().map_or(Ok(0), |last| current.elapsed_nanoseconds(last.raw, event.raw))?;
            self.times.add(elapsed);
            self.last = Some(event);
        }
        Ok(())
    }

    /// Removes and returns the timestamps.
    pub(crate) fn take(&mut self) -> Vec<u64> {
        self.last = None;
        std::mem::take(&mut self.times.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_relative_to_the_first() {
        let mut times = Times::default();
        for elapsed in [123, 0, 5, 1_000_000_000_000, 1] {
            times.add(elapsed);
        }
        assert_eq!(times.all, [0, 0, 5, 1_000_000_000_005, 1_000_000_000_006]);
        times.add(u64::MAX);
        assert_eq!(times.all.last(), Some(&u64::MAX));
    }
}
