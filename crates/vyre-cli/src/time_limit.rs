//! Watchdog timer: ends a command after its time limit, also while a driver or a compiler blocks the main thread.

use std::time::{Duration, Instant};

use anyhow::anyhow;
use vyre::runtime::{Device, Error, RunOptions};

use crate::exit::Outcome;
use crate::output::print_note;
use crate::termination::{self, Phase};

/// Time for a device to notice the deadline of a run and to stop by itself.
const RUN_GRACE: Duration = Duration::from_secs(2);

/// Pause between two attempts to end a command that writes results.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// Message for a time limit that has passed in a phase.
type Message = fn(Phase, Duration) -> String;

/// Time limit of a command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeLimit {
    /// `None` without a limit.
    timeout: Option<Duration>,
    /// `None` without a limit, and for a limit beyond the range of the clock.
    deadline: Option<Instant>,
    message: Message,
}

impl TimeLimit {
    /// Starts the time. A watchdog thread terminates the process if the command is not finished in time, whatever the main
    /// thread waits for. Results that are being written are written to their end.
    pub(crate) fn start(timeout: Option<Duration>, message: Message) -> TimeLimit {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let limit = TimeLimit { timeout, deadline, message };
        if let Some(deadline) = deadline {
            // Without a thread, the deadline depends on the device.
            let watchdog = std::thread::Builder::new().name("vyre-watchdog".to_owned());
            let _ = watchdog.spawn(move || limit.watch(deadline));
        }
        limit
    }

    /// The deadline, for devices that stop by themselves.
    pub(crate) fn deadline(self) -> Option<Instant> {
        self.deadline
    }

    /// Options of runs with this limit. Prints a note if the device cannot keep it.
    pub(crate) fn run_options(self, device: &dyn Device, quiet: bool) -> RunOptions {
        let mut options = RunOptions::default();
        options.deadline = self.deadline;
        if options.deadline.is_some() && !device.limits().can_cancel && !quiet {
            print_note(
                "this device cannot cancel a run: after --timeout the command fails, and the device keeps running for a while",
            );
        }
        options
    }

    /// Error of a deadline that has passed in a phase.
    pub(crate) fn error(self, phase: Phase) -> anyhow::Error {
        anyhow!((self.message)(phase, self.timeout.unwrap_or_default()))
    }

    /// Handles the error of a device. Terminates the process if the device may be busy or lost: its destructors could wait
    /// for it.
    pub(crate) fn device_error(self, error: &Error) {
        match error {
            Error::DeadlineExceeded => termination::fail(&self.error(termination::phase()), Outcome::Failure),
            Error::DeviceLost { .. } => termination::fail(&error.clone().into(), Outcome::Failure),
            _ => {}
        }
    }

    fn watch(self, deadline: Instant) {
        sleep_until(deadline);
        if termination::phase() == Phase::Running {
            sleep_until(deadline + RUN_GRACE);
        }
        loop {
            termination::fail_unless_writing(|phase| self.error(phase), Outcome::Failure);
            std::thread::sleep(RETRY_PAUSE);
        }
    }
}

fn sleep_until(time: Instant) {
    std::thread::sleep(time.saturating_duration_since(Instant::now()));
}
