//! Estimates of a graph algorithm, the choice by them, and the times of its stages.

use std::time::Instant;

use vyre::engine::dataflow::Stage;
use vyre::engine::dataflow::cost::{AlgorithmEstimate, AlgorithmWorkload, Machine, algorithm_estimates};
use vyre::select::{AUTO, CPU};

use super::stages::times_line;
use crate::args::DeviceArgs;
use crate::output::print_note;

/// Note about the origin of estimates.
pub(crate) fn estimates_note(is_calibrated: bool) -> &'static str {
    match is_calibrated {
        true => "estimates: from the calibration of this machine",
        false => "estimates: of a typical machine without a GPU; `vyre devices --calibrate` measures this one",
    }
}

/// Estimates of the ways to compute a result, and what happens.
pub(crate) struct Plan {
    estimates: Vec<AlgorithmEstimate>,
    is_calibrated: bool,
    is_explained: bool,
    begin: Instant,
    /// End of the start, and of the algorithm.
    ends: Vec<Instant>,
    uses_host: bool,
    backend: &'static str,
}

impl Plan {
    /// Estimates a request, which begins now.
    pub(crate) fn new(is_explained: bool) -> Plan {
        let (estimates, ends) = (Vec::new(), Vec::new());
        Plan {
            estimates,
            is_calibrated: false,
            is_explained,
            begin: Instant::now(),
            ends,
            uses_host: true,
            backend: CPU,
        }
    }

    /// Sets the estimates of a request.
    pub(crate) fn estimate(&mut self, workload: &AlgorithmWorkload, machine: &Machine) {
        self.estimates = algorithm_estimates(workload, machine);
        self.is_calibrated = machine.is_calibrated;
    }

    /// True if estimates are printed.
    pub(crate) fn is_explained(&self) -> bool {
        self.is_explained
    }

    /// Backends whose estimates decide, the best first.
    pub(crate) fn backends(&self) -> Vec<String> {
        let candidates = self.estimates.iter().filter(|estimate| estimate.is_candidate);
        candidates.map(|estimate| estimate.backend.clone()).collect()
    }

    /// Chooses between plain code and the op on the backend that was opened. The op runs on a named backend other than the CPU, on a
    /// GPU, and where its estimate is the smaller one.
    pub(crate) fn choose(&mut self, backend: &'static str, args: &DeviceArgs, is_gpu: bool) -> bool {
        let is_host_backend = backend == CPU || args.backend == AUTO && !is_gpu;
        let best = self.estimates.iter().find(|estimate| estimate.is_candidate && estimate.backend == CPU);
        self.uses_host = is_host_backend && best.is_none_or(|best| best.is_host);
        self.backend = backend;
        self.uses_host
    }

    /// Ends a stage.
    pub(crate) fn end_stage(&mut self) {
        self.ends.push(Instant::now());
    }

    /// Prints the estimates and the times of the stages.
    pub(crate) fn print(&self) {
        if !self.is_explained {
            return;
        }
        for estimate in &self.estimates {
            print_note(&format!("estimate: {estimate}"));
        }
        if !self.estimates.is_empty() {
            print_note(estimates_note(self.is_calibrated));
        }
        let method = if self.uses_host { "plain code on the host" } else { "the op" };
        print_note(&format!("method: {method} on {}", self.backend));
        print_note(&self.stages());
    }

    /// Times of the stages beside their estimates.
    fn stages(&self) -> String {
        let is_used =
            |estimate: &&AlgorithmEstimate| estimate.is_host == self.uses_host && estimate.backend == self.backend;
        let estimate = self.estimates.iter().find(is_used);
        let load_and_search =
            |estimate: &AlgorithmEstimate| estimate.stages.time(Stage::Load) + estimate.stages.time(Stage::Search);
        let estimated = [estimate.map(|estimate| estimate.start), estimate.map(load_and_search), None];
        let mut begin = self.begin;
        let named = ["start", "run", "write"].into_iter().zip(estimated).zip(&self.ends);
        times_line(
            "stages",
            named.map(|((name, estimated), &end)| (name, end - std::mem::replace(&mut begin, end), estimated)),
        )
    }
}
