//! When commands of a list were reached.

use vyre_runtime::Error;

use crate::context::Current;
use crate::event::Event;

/// Times that the device has taken.
#[derive(Default)]
pub(crate) struct Timestamps<'c> {
    /// The moment of the last one.
    last: Option<Event<'c>>,
    times: Times,
}

/// Nanoseconds since the first time. The driver gives the time between two moments with few digits, so each is counted from
/// the one before it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Times {
    all: Vec<u64>,
}

impl Times {
    /// Adds a time that is so much later than the last one; the first is the start.
    fn add(&mut self, later: u64) {
        let time = self.all.last().map_or(0, |last| last.saturating_add(later));
        self.all.push(time);
    }
}

impl<'c> Timestamps<'c> {
    /// Adds moments that have come.
    pub(crate) fn add(&mut self, current: &Current<'_>, moments: Vec<Event<'c>>) -> Result<(), Error> {
        for moment in moments {
            let later = self.last.as_ref().map_or(Ok(0), |last| current.between(last, &moment))?;
            self.times.add(later);
            self.last = Some(moment);
        }
        Ok(())
    }

    /// Nanoseconds since the first time.
    pub(crate) fn take(&mut self) -> Vec<u64> {
        self.last = None;
        std::mem::take(&mut self.times.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_from_the_first() {
        let mut times = Times::default();
        for later in [123, 0, 5, 1_000_000_000_000, 1] {
            times.add(later);
        }
        assert_eq!(times.all, [0, 0, 5, 1_000_000_000_005, 1_000_000_000_006]);
        times.add(u64::MAX);
        assert_eq!(times.all.last(), Some(&u64::MAX));
    }
}
