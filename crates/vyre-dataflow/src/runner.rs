//! Runs commands for the engine.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use vyre_runtime::{Command, CommandList, Device, Session};

use super::error::DataflowError;

/// A workbench whose runs are looked through for races, and timed where that is wanted.
pub(crate) struct Runner {
    pub(crate) bench: Session<String>,
    /// Whether the time that the device takes is measured.
    pub(crate) is_timed: bool,
    nanoseconds: AtomicU64,
    /// Whether programs are those that suit GPUs.
    pub(crate) is_wide: bool,
}

impl Runner {
    pub(crate) fn new(device: Arc<dyn Device>) -> Runner {
        let is_wide = device.is_throughput_oriented();
        Runner { bench: Session::new(device), is_timed: false, nanoseconds: AtomicU64::new(0), is_wide }
    }

    /// Runs commands.
    pub(crate) fn run(&self, commands: &CommandList) -> Result<(), DataflowError> {
        let report = if self.is_timed {
            let mut timed = CommandList::new();
            timed.push(Command::Timestamp);
            timed.push(Command::Repeat { count: 1, commands: commands.clone() });
            timed.push(Command::Timestamp);
            let report = self.bench.run(&timed)?;
            if let [first, .., last] = report.timestamps[..] {
                self.nanoseconds.fetch_add(last - first, Ordering::Relaxed);
            }
            report
        } else {
            self.bench.run(commands)?
        };
        match report.races.races.first() {
            Some(race) => Err(DataflowError::Race { race: race.to_string() }),
            None => Ok(()),
        }
    }

    /// How long the device has run since this was asked last, where that is measured.
    pub(crate) fn device_time(&self) -> Option<Duration> {
        let nanoseconds = self.nanoseconds.swap(0, Ordering::Relaxed);
        self.is_timed.then(|| Duration::from_nanos(nanoseconds))
    }
}

impl Deref for Runner {
    type Target = Session<String>;

    fn deref(&self) -> &Session<String> {
        &self.bench
    }
}
