//! Backoff: polling that spins first and then sleeps for exponentially increasing pauses.

use std::time::{Duration, Instant};

/// First pause after spinning.
const FIRST_PAUSE: Duration = Duration::from_micros(10);

/// Maximum pause, which bounds the delay until a token or a deadline is noticed.
const MAX_PAUSE: Duration = Duration::from_millis(1);

/// State of a polling loop.
#[derive(Clone, Debug)]
pub struct Backoff {
    spin_until: Option<Instant>,
    pause: Duration,
}

impl Backoff {
    /// Backoff that sleeps from the start.
    #[must_use]
    pub fn new() -> Backoff {
        Backoff { spin_until: None, pause: FIRST_PAUSE }
    }

    /// Backoff that spins for a while first, for events that usually occur within microseconds.
    #[must_use]
    pub fn spinning(spin: Duration) -> Backoff {
        Backoff { spin_until: Instant::now().checked_add(spin), pause: FIRST_PAUSE }
    }

    /// Waits before the next poll.
    pub fn wait(&mut self) {
        if let Some(end) = self.spin_until {
            if Instant::now() < end {
                std::hint::spin_loop();
                return;
            }
            self.spin_until = None;
        }
        std::thread::sleep(self.pause);
        self.pause = (self.pause * 2).min(MAX_PAUSE);
    }
}

impl Default for Backoff {
    fn default() -> Backoff {
        Backoff::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_maximum() {
        let mut backoff = Backoff::new();
        for expected in [10, 20, 40] {
            assert_eq!(backoff.pause, Duration::from_micros(expected));
            backoff.wait();
        }
        (0..6).for_each(|_| backoff.wait());
        assert_eq!(backoff.pause, MAX_PAUSE);
    }
}
