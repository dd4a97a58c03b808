//! Graph ops on the selected device.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use vyre::ops::graph::{GraphError, GraphOps};
use vyre::runtime::{Device, Error, RunOptions};
use vyre::select::Selected;

use super::progress::Bar;
use crate::args::DeviceArgs;
use crate::output::{print_note, visible};

/// Graph ops on a device, with messages for their errors.
pub(crate) struct Runner {
    pub(crate) ops: GraphOps,
    pub(crate) backend: &'static str,
    pub(crate) device: String,
    timeout: Option<Duration>,
    bar: Bar,
}

impl Runner {
    /// Prints the device and starts the time limit.
    pub(crate) fn new(selected: Selected, args: &DeviceArgs, quiet: bool, bar: &Bar) -> Runner {
        let Selected { backend, device, .. } = selected;
        let name = announce(backend, &device, quiet);
        let progress_bar = bar.clone();
        let options = run_options(args.timeout, &device, quiet);
        let ops =
            GraphOps::new(device).with_run_options(options).with_progress(move |progress| progress_bar.op(progress));
        Runner { ops, backend, device: name, timeout: args.timeout, bar: bar.clone() }
    }

    /// Clears the bar and converts the error of an op to a message.
    pub(crate) fn finish<T>(&self, result: Result<T, GraphError>) -> anyhow::Result<T> {
        self.bar.clear();
        result.map_err(|error| match (&error, self.timeout) {
            (GraphError::Device(Error::DeadlineExceeded), Some(timeout)) => {
                anyhow!("deadline exceeded: the op took longer than {timeout:?}, see --timeout")
            }
            (GraphError::Device(Error::ResourceExceeded { .. }), _) if self.backend != "cpu" => {
                anyhow!("the graph does not fit device `{}`: {error}; try `--backend cpu`", visible(&self.device))
            }
            (GraphError::QueueOverflow { .. }, _) => anyhow!("{error}; use a longer --queue, or leave it out"),
            (GraphError::MemoryLimit { sufficient, .. }, _) => anyhow!("{error}; use `--memory {sufficient}`"),
            (GraphError::TooManyFindings { .. }, _) => anyhow!("{error}; see --max-findings"),
            _ => anyhow!("{error}"),
        })
    }
}

/// Prints the backend and the device. Returns the name of the device.
pub(super) fn announce(backend: &str, device: &Arc<dyn Device>, quiet: bool) -> String {
    let name = device.name();
    if !quiet {
        print_note(&format!("running on backend `{backend}`: {}", visible(&name)));
    }
    name
}

/// Options of runs with a time limit that starts now.
pub(super) fn run_options(timeout: Option<Duration>, device: &Arc<dyn Device>, quiet: bool) -> RunOptions {
    let mut options = RunOptions::default();
    // A deadline beyond the range of the clock never passes.
    options.deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    if options.deadline.is_some() && !device.limits().can_cancel && !quiet {
        print_note(
            "this device cannot cancel a run: after --timeout the command fails, and the device keeps running for a while",
        );
    }
    options
}
