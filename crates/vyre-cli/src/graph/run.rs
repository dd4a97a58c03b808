//! Graph ops on the selected device.

use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use vyre::graph::CsrView;
use vyre::ops::graph::{GraphAlgorithms, GraphError, GraphOps};
use vyre::runtime::{Device, Error};
use vyre::select::{AUTO, CPU, Selected};

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
    /// True if the host runs the algorithms that are faster there.
    uses_host: bool,
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
    pub(crate) fn new(selected: Selected, args: &DeviceArgs, limit: TimeLimit, quiet: bool, bar: &Bar) -> Runner {
        let Selected { backend, device, .. } = selected;
        let name = announce(backend, &device, quiet);
        let progress_bar = bar.clone();
        enter(Phase::Running);
        let options = limit.run_options(&*device, quiet);
        let ops =
            GraphOps::new(device).with_run_options(options).with_progress(move |progress| progress_bar.op(progress));
        bar.working("running");
        let uses_host = backend == CPU || args.backend == AUTO && !ops.device().is_throughput_oriented();
        Runner { ops, backend, device: name, limit, bar: bar.clone(), uses_host }
    }

    /// Validates a graph. On the CPU, its algorithms run on the host where that is faster than the op. A request of the reference
    /// interpreter means its result, so it runs the ops.
    pub(crate) fn algorithms<'g>(&'g self, graph: CsrView<'g>) -> Result<GraphAlgorithms<'g>, GraphError> {
        self.ops.algorithms(graph, self.uses_host)
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
