//! Graph ops on the selected device.

use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use vyre::ops::graph::{GraphError, GraphOps};
use vyre::runtime::{Device, Error};
use vyre::select::Selected;

use super::progress::Bar;
use crate::args::DeviceArgs;
use crate::interrupt::end_on_interrupt;
use crate::output::{duration, print_note, visible};
use crate::termination::{Phase, enter};
use crate::time_limit::TimeLimit;

/// Graph ops on a device, with messages for their errors.
pub(crate) struct Runner {
    pub(crate) ops: GraphOps,
    pub(crate) backend: &'static str,
    pub(crate) device: String,
    limit: TimeLimit,
    bar: Bar,
}

impl Runner {
    /// Starts the time limit of a command, which includes reading, and installs the handler of Ctrl-C.
    pub(crate) fn start(args: &DeviceArgs) -> TimeLimit {
        // Without the handler, the system ends the process.
        let _ = end_on_interrupt();
        TimeLimit::start(args.timeout, |phase, timeout| match phase {
            Phase::Running => {
                format!("deadline exceeded: the op took longer than {}, see --timeout", duration(timeout))
            }
            _ => unfinished(phase, timeout),
        })
    }

    /// Prints the device and begins the run.
    pub(crate) fn new(selected: Selected, limit: TimeLimit, quiet: bool, bar: &Bar) -> Runner {
        let Selected { backend, device, .. } = selected;
        let name = announce(backend, &device, quiet);
        let progress_bar = bar.clone();
        enter(Phase::Running);
        let options = limit.run_options(&*device, quiet);
        let ops =
            GraphOps::new(device).with_run_options(options).with_progress(move |progress| progress_bar.op(progress));
        bar.working("running");
        Runner { ops, backend, device: name, limit, bar: bar.clone() }
    }

    /// Ends the time limit, clears the bar and converts the error of an op to a message.
    pub(crate) fn finish<T>(&self, result: Result<T, GraphError>) -> anyhow::Result<T> {
        self.bar.clear();
        if let Err(GraphError::Device(error)) = &result {
            self.limit.device_error(error);
        }
        enter(Phase::Writing);
        result.map_err(|error| match &error {
            GraphError::Device(Error::ResourceExceeded { .. }) if self.backend != "cpu" => {
                anyhow!("the graph does not fit device `{}`: {error}; try `--backend cpu`", visible(&self.device))
            }
            GraphError::QueueOverflow { .. } => anyhow!("{error}; use a longer --queue, or leave it out"),
            GraphError::MemoryLimit { sufficient, .. } => anyhow!("{error}; use `--memory {sufficient}`"),
            GraphError::TooManyFindings { .. } => anyhow!("{error}; see --max-findings"),
            _ => anyhow!("{error}"),
        })
    }
}

/// Message for a phase before the run that the time limit ends.
pub(super) fn unfinished(phase: Phase, timeout: Duration) -> String {
    format!("deadline exceeded: {} was not finished after {}, see --timeout", phase.subject(), duration(timeout))
}

/// Prints the backend and the device. Returns the name of the device.
pub(super) fn announce(backend: &str, device: &Arc<dyn Device>, quiet: bool) -> String {
    let name = device.name();
    if !quiet {
        print_note(&format!("running on backend `{backend}`: {}", visible(&name)));
    }
    name
}
