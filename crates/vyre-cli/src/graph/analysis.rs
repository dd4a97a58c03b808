//! The dataflow engine on the selected device.

use anyhow::anyhow;
use vyre::engine::dataflow::cost::Machine;
use vyre::engine::dataflow::{Dataflow, DataflowError};
use vyre::runtime::{CancelToken, Error};
use vyre::select::Selected;

use super::progress::Bar;
use super::run::{announce, unfinished};
use crate::args::DeviceArgs;
use crate::output::{duration, visible};
use crate::termination::{Phase, enter};
use crate::time_limit::TimeLimit;

/// The dataflow engine on a device, with messages for its errors.
pub(crate) struct DataflowRunner {
    pub(crate) engine: Dataflow,
    pub(crate) backend: &'static str,
    pub(crate) device: String,
    /// Maximum size of a buffer of the device.
    buffer_bytes: u64,
    limit: TimeLimit,
}

impl DataflowRunner {
    /// Starts the time limit of a command, which includes reading.
    pub(crate) fn start(args: &DeviceArgs) -> TimeLimit {
        TimeLimit::start(args.timeout, |phase, timeout| match phase {
            Phase::Running => {
                format!("deadline exceeded: the analysis took longer than {}, see --timeout", duration(timeout))
            }
            _ => unfinished(phase, timeout),
        })
    }

    /// Prints the device and begins the run. Runs stop when the token is cancelled. The engine chooses by the speed of the machine.
    pub(crate) fn new(
        selected: Selected,
        machine: Machine,
        limit: TimeLimit,
        quiet: bool,
        bar: &Bar,
        cancel: CancelToken,
    ) -> DataflowRunner {
        let Selected { backend, device, .. } = selected;
        let name = announce(backend, &device, quiet);
        enter(Phase::Running);
        let buffer_bytes = device.limits().buffer_bytes;
        let mut options = limit.run_options(&*device, quiet);
        options.cancel = Some(cancel);
        let progress_bar = bar.clone();
        let engine = Dataflow::new(device)
            .with_machine(machine)
            .with_run_options(options)
            .with_progress(move |progress| progress_bar.analysis(progress));
        bar.working("preparing");
        DataflowRunner { engine, backend, device: name, buffer_bytes, limit }
    }

    /// Enables the measurement of device time.
    pub(crate) fn with_device_time(mut self, is_enabled: bool) -> DataflowRunner {
        if is_enabled {
            self.engine = self.engine.with_device_time();
        }
        self
    }

    /// Message for a failure. Terminates the process if the device may be busy or lost.
    pub(crate) fn explain(&self, error: &DataflowError) -> anyhow::Error {
        if let DataflowError::Device(error) = error {
            self.limit.device_error(error);
        }
        match error {
            DataflowError::Device(Error::ResourceExceeded { .. }) if self.backend != "cpu" => {
                anyhow!("the graph does not fit device `{}`: {error}; try `--backend cpu`", visible(&self.device))
            }
            DataflowError::DoesNotFit { limit, .. } if self.backend != "cpu" && *limit == self.buffer_bytes => anyhow!(
                "the graph does not fit device `{}`, whose buffers have at most {limit} bytes: {error}; try `--backend cpu`",
                visible(&self.device)
            ),
            DataflowError::DoesNotFit { .. } => anyhow!("{error}; see --memory"),
            _ => anyhow!("{error}"),
        }
    }
}
