//! Options and reports of runs, and cooperative cancellation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::races::RaceReport;

/// Options of [`Device::run`](crate::Device::run).
///
/// ```
/// use std::time::Duration;
/// use vyre_runtime::{CancelToken, RunOptions};
///
/// let token = CancelToken::default();
/// let options = RunOptions::default().with_timeout(Duration::from_secs(5)).with_cancel(token.clone());
/// assert!(options.check().is_ok());
/// token.cancel();
/// assert!(options.check().is_err());
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RunOptions {
    /// Token that stops the run, on devices with [`Limits::can_cancel`](crate::Limits::can_cancel).
    pub cancel: Option<CancelToken>,
    /// Time at which the run stops, to the same extent.
    pub deadline: Option<Instant>,
    /// Requests a check for data races, on devices that support it.
    pub check_races: bool,
    /// Maximum number of steps of a dispatch on the reference device: evaluations of statements and expressions by single
    /// invocations. Other devices do not count steps. Unlike a deadline it stops a program at the same place on every machine.
    pub max_steps: Option<u64>,
}

impl RunOptions {
    /// Sets the token that stops the run.
    #[must_use]
    pub fn with_cancel(mut self, token: CancelToken) -> RunOptions {
        self.cancel = Some(token);
        self
    }

    /// Sets the time at which the run stops.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Instant) -> RunOptions {
        self.deadline = Some(deadline);
        self
    }

    /// Sets the deadline to the time that is `timeout` from now. A time beyond the range of the clock is no deadline.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> RunOptions {
        self.deadline = Instant::now().checked_add(timeout);
        self
    }

    /// Requests or skips the check for data races.
    #[must_use]
    pub fn with_race_check(mut self, check_races: bool) -> RunOptions {
        self.check_races = check_races;
        self
    }

    /// Sets the maximum number of steps of a dispatch on the reference device.
    #[must_use]
    pub fn with_max_steps(mut self, max_steps: u64) -> RunOptions {
        self.max_steps = Some(max_steps);
        self
    }

    /// Checks that the run may continue.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`] or [`Error::DeadlineExceeded`].
    pub fn check(&self) -> Result<(), Error> {
        if self.cancel.as_ref().is_some_and(CancelToken::is_cancelled) {
            return Err(Error::Cancelled);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Error::DeadlineExceeded);
        }
        Ok(())
    }

    /// True if the run has a token or a deadline, so that [`check`](RunOptions::check) may fail.
    #[must_use]
    pub fn can_stop(&self) -> bool {
        self.cancel.is_some() || self.deadline.is_some()
    }
}

/// Cancellation token: stops runs from any thread.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    cancelled: Arc<AtomicBool>,
}

impl CancelToken {
    /// Stops the runs that have this token.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Reports whether the token was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// Report of a run that succeeded.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RunReport {
    /// Times of the timestamp commands, in nanoseconds since the first.
    pub timestamps: Vec<u64>,
    /// Data races, if the run checked for them.
    pub races: RaceReport,
}
