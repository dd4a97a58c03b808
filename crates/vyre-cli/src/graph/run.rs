//! Graph ops on the selected device.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use vyre::engine::dataflow::cost::AlgorithmWorkload;
use vyre::graph::CsrView;
use vyre::ops::graph::{GraphAlgorithms, GraphError, GraphOps};
use vyre::runtime::{Device, Error};
use vyre::select::Selected;

use super::explain::Plan;
use super::open::DeviceChoice;
use super::progress::Bar;
use crate::args::DeviceArgs;
use crate::interrupt::end_on_interrupt;
use crate::output::{duration, print_note, visible};
use crate::termination::{Phase, enter};
use crate::time_limit::TimeLimit;

/// Graph algorithms on the host or on a device, with messages for their errors.
pub(crate) struct Runner {
    ops: GraphOps,
    pub(crate) backend: &'static str,
    pub(crate) device: String,
    limit: TimeLimit,
    bar: Bar,
    /// True if algorithms run in plain code on the host.
    uses_host: bool,
    plan: RefCell<Plan>,
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

    /// Chooses by the estimates of a request, prints the device and begins the run. Without a request there are no estimates.
    pub(crate) fn new(
        mut choice: DeviceChoice,
        workload: Option<&AlgorithmWorkload>,
        mut plan: Plan,
        args: &DeviceArgs,
        limit: TimeLimit,
        quiet: bool,
        bar: &Bar,
    ) -> anyhow::Result<Runner> {
        if let Some(workload) = workload {
            plan.estimate(workload, &choice.machine);
        }
        let largest_array = workload.map_or(0, AlgorithmWorkload::largest_array);
        let Selected { backend, device, .. } = choice.select(args, plan.backends(), largest_array, bar)?;
        if let Some(workload) = workload {
            // A device that is not used has no estimate.
            plan.estimate(workload, &choice.machine);
        }
        let uses_host = plan.choose(backend, args, device.is_throughput_oriented());
        let name = announce(backend, &device, quiet);
        let progress_bar = bar.clone();
        plan.end_stage();
        enter(Phase::Running);
        let options = limit.run_options(&*device, quiet);
        let ops =
            GraphOps::new(device).with_run_options(options).with_progress(move |progress| progress_bar.op(progress));
        bar.working("running");
        Ok(Runner { ops, backend, device: name, limit, bar: bar.clone(), uses_host, plan: RefCell::new(plan) })
    }

    /// Validates a graph. On the CPU, its algorithms run in plain code on the host where that is faster than the op. A request of the
    /// reference interpreter means its result, so it runs the ops.
    pub(crate) fn algorithms<'g>(&'g self, graph: CsrView<'g>) -> Result<GraphAlgorithms<'g>, GraphError> {
        self.ops.algorithms(graph, self.uses_host)
    }

    /// Ends the time limit, clears the bar and converts the error of an op to a message.
    pub(crate) fn finish<T>(&self, result: Result<T, GraphError>) -> anyhow::Result<T> {
        self.begin_writing();
        if let Err(GraphError::Device(error)) = &result {
            self.limit.device_error(error);
        }
        enter(Phase::Writing);
        self.or_explain(result)
    }

    /// A value, or the message for its error. The run goes on.
    pub(crate) fn or_explain<T>(&self, result: Result<T, GraphError>) -> anyhow::Result<T> {
        result.map_err(|error| self.explain(&error))
    }

    /// Ends the run and clears the bar.
    pub(crate) fn begin_writing(&self) {
        self.bar.clear();
        self.plan.borrow_mut().end_stage();
    }

    /// Prints the estimates and the times of all stages, if they are requested.
    pub(crate) fn end(&self) {
        let mut plan = self.plan.borrow_mut();
        plan.end_stage();
        plan.print();
    }

    /// Message for the error of an algorithm.
    pub(crate) fn explain(&self, error: &GraphError) -> anyhow::Error {
        match error {
            GraphError::Device(Error::ResourceExceeded { .. }) if self.backend != "cpu" => {
                anyhow!("the graph does not fit device `{}`: {error}; try `--backend cpu`", visible(&self.device))
            }
            GraphError::QueueOverflow { .. } => anyhow!("{error}; use a longer --queue, or leave it out"),
            GraphError::MemoryLimit { sufficient, .. } => anyhow!("{error}; use `--memory {sufficient}`"),
            GraphError::TooManyFindings { .. } => anyhow!("{error}; see --max-findings"),
            GraphError::Device(Error::DeadlineExceeded) => self.limit.error(Phase::Running),
            _ => anyhow!("{error}"),
        }
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
