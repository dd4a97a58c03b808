//! Execution of command lists: a runner of programs that reports races as errors and measures device time.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use vyre_runtime::{Command, CommandList, Device, KeyedRunner, RunReport};

use crate::cost::Machine;
use crate::error::DataflowError;
use crate::strides::{MAX_CPU_WORKGROUPS, MAX_GPU_WORKGROUPS};

/// Runner of the programs of the engine on one device.
pub(crate) struct Executor {
    pub(crate) runner: KeyedRunner<String>,
    /// True if the engine measures device time.
    pub(crate) is_timed: bool,
    nanoseconds: AtomicU64,
    /// True if the engine uses the programs for GPUs, false if it uses those for CPUs.
    pub(crate) uses_gpu_programs: bool,
    /// True if the engine may search in plain code on the host.
    pub(crate) allows_host_search: bool,
    /// Speed of the machine, by which the engine chooses.
    pub(crate) machine: Machine,
}

impl Executor {
    pub(crate) fn new(device: Arc<dyn Device>) -> Executor {
        let uses_gpu_programs = device.is_throughput_oriented();
        // Only the reference interpreter checks for races. A request of it means its own result.
        let allows_host_search = !uses_gpu_programs && !device.limits().can_check_races;
        Executor {
            runner: KeyedRunner::new(device),
            is_timed: false,
            nanoseconds: AtomicU64::new(0),
            uses_gpu_programs,
            allows_host_search,
            machine: Machine::default(),
        }
    }

    /// Runs commands and waits for them.
    ///
    /// # Errors
    ///
    /// A failure of the device, or the first race that it reports.
    pub(crate) fn run(&self, commands: &CommandList) -> Result<(), DataflowError> {
        let report = if self.is_timed {
            let mut timed = CommandList::new();
            timed.push(Command::Timestamp);
            timed.push(Command::Repeat { count: 1, commands: commands.clone() });
            timed.push(Command::Timestamp);
            let report = self.runner.run(&timed)?;
            if let [first, .., last] = report.timestamps[..] {
                self.nanoseconds.fetch_add(last - first, Ordering::Relaxed);
            }
            report
        } else {
            self.runner.run(commands)?
        };
        check_races(report)
    }

    /// Runs commands that belong to no analysis, so their device time is not measured.
    ///
    /// # Errors
    ///
    /// As [`run`](Executor::run).
    pub(crate) fn run_untimed(&self, commands: &CommandList) -> Result<(), DataflowError> {
        check_races(self.runner.run(commands)?)
    }

    /// Number of workgroups that share `positions` positions in a stride loop.
    pub(crate) fn workgroups(&self, positions: u32) -> u32 {
        let most = if self.uses_gpu_programs { MAX_GPU_WORKGROUPS } else { MAX_CPU_WORKGROUPS };
        positions.clamp(1, most)
    }

    /// Name of the backend by which the cost model knows the device. None for a GPU that was not measured.
    pub(crate) fn calibrated_backend(&self) -> Option<&str> {
        if !self.uses_gpu_programs {
            return Some("cpu");
        }
        let (name, driver) = (self.device().name(), self.device().driver());
        let speed = self.machine.devices.iter().find(|speed| speed.name == name && speed.driver == driver);
        speed.map(|speed| &*speed.backend)
    }

    /// Ends the analysis with an error if it was cancelled or its deadline has passed.
    pub(crate) fn check_deadline(&self) -> Result<(), DataflowError> {
        Ok(self.runner.run_options.check()?)
    }

    /// Takes the device time since the last call. None if it is not measured.
    pub(crate) fn take_device_time(&self) -> Option<Duration> {
        let nanoseconds = self.nanoseconds.swap(0, Ordering::Relaxed);
        self.is_timed.then(|| Duration::from_nanos(nanoseconds))
    }
}

/// Returns the first race of a run as an error.
fn check_races(report: RunReport) -> Result<(), DataflowError> {
    match report.races.races.into_iter().next() {
        Some(race) => Err(DataflowError::Race(Box::new(race))),
        None => Ok(()),
    }
}

impl Deref for Executor {
    type Target = KeyedRunner<String>;

    fn deref(&self) -> &KeyedRunner<String> {
        &self.runner
    }
}
