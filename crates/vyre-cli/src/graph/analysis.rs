//! The dataflow engine on the selected device.

use std::time::Duration;

use anyhow::anyhow;
use vyre::engine::dataflow::{Dataflow, DataflowError};
use vyre::runtime::{CancelToken, Error};
use vyre::select::Selected;

use super::progress::Bar;
use super::run::{announce, run_options};
use crate::args::DeviceArgs;
use crate::output::visible;

/// The dataflow engine on a device, with messages for its errors.
pub(crate) struct DataflowRunner {
    pub(crate) engine: Dataflow,
    pub(crate) backend: &'static str,
    pub(crate) device: String,
    timeout: Option<Duration>,
}

impl DataflowRunner {
    /// Prints the device and starts the time limit. Runs stop when the token is cancelled.
    pub(crate) fn new(
        selected: Selected,
        args: &DeviceArgs,
        quiet: bool,
        bar: &Bar,
        cancel: CancelToken,
    ) -> DataflowRunner {
        let Selected { backend, device, .. } = selected;
        let name = announce(backend, &device, quiet);
        let mut options = run_options(args.timeout, &device, quiet);
        options.cancel = Some(cancel);
        let progress_bar = bar.clone();
        let engine = Dataflow::new(device)
            .with_run_options(options)
            .with_progress(move |progress| progress_bar.analysis(progress));
        DataflowRunner { engine, backend, device: name, timeout: args.timeout }
    }

    /// Enables the measurement of device time.
    pub(crate) fn with_device_time(mut self, is_enabled: bool) -> DataflowRunner {
        if is_enabled {
            self.engine = self.engine.with_device_time();
        }
        self
    }

    /// Message for a failure.
    pub(crate) fn explain(&self, error: &DataflowError) -> anyhow::Error {
        match (error, self.timeout) {
            (DataflowError::Device(Error::DeadlineExceeded), Some(timeout)) => {
                anyhow!("deadline exceeded: the analysis took longer than {timeout:?}, see --timeout")
            }
            (DataflowError::Device(Error::ResourceExceeded { .. }), _) if self.backend != "cpu" => {
                anyhow!("the graph does not fit device `{}`: {error}; try `--backend cpu`", visible(&self.device))
            }
            (DataflowError::DoesNotFit { .. }, _) => anyhow!("{error}; see --memory"),
            _ => anyhow!("{error}"),
        }
    }
}
