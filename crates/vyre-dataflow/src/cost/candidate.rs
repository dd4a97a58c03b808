//! Candidates of a choice, with their estimated times.

use std::fmt;
use std::time::Duration;

use vyre_ir::units::duration;

use super::machine::Machine;
use super::model::{device_stages, host_stages, milliseconds};
use super::workload::Workload;
use crate::stages::Stages;
use crate::strategies::{FALLBACK, Strategy, suited};

/// Estimated time of one way to answer a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CostEstimate {
    /// Name of the backend.
    pub backend: String,
    /// Strategy of the search.
    pub strategy: Strategy,
    /// Time of the start of a process and its device.
    pub start: Duration,
    /// Time of each stage of the analysis.
    pub stages: Stages,
}

impl CostEstimate {
    /// Time of the start and of all stages.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.start.saturating_add(self.stages.total())
    }
}

/// Prints the candidate and its times: `bit-parallel on cpu 31 ms (start 16 ms, prepare 10 ms, search 5 ms)`.
impl fmt::Display for CostEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CostEstimate { backend, strategy, start, stages } = self;
        write!(f, "{strategy} on {backend} {} (start {}", duration(self.total()), duration(*start))?;
        match stages.total().is_zero() {
            true => f.write_str(")"),
            false => write!(f, ", {stages})"),
        }
    }
}

/// Estimates for all candidates of a request, the best first: the search in plain code, and each device of the machine with the
/// strategy that suits it.
#[must_use]
pub fn estimates(workload: &Workload, machine: &Machine) -> Vec<CostEstimate> {
    let host = CostEstimate {
        backend: "cpu".to_owned(),
        strategy: Strategy::Host,
        start: milliseconds(machine.host.start_ms),
        stages: host_stages(workload, &machine.host),
    };
    let on_devices = machine.devices.iter().map(|device| {
        let uses_gpu_programs = device.backend != "cpu";
        let strategy = workload.estimate(uses_gpu_programs).map_or(FALLBACK, |estimate| suited(&estimate).0);
        CostEstimate {
            backend: device.backend.clone(),
            strategy,
            start: milliseconds(device.start_ms),
            stages: device_stages(workload, strategy, device, &machine.host),
        }
    });
    let mut all: Vec<CostEstimate> = std::iter::once(host).chain(on_devices).collect();
    all.sort_by_key(CostEstimate::total);
    all
}

#[cfg(test)]
mod tests {
    use vyre_graph::CsrGraph;
    use vyre_graph::generate::{calls, rmat, roles, sources};

    use super::*;
    use crate::cost::DeviceSpeed;

    fn workload(mut graph: CsrGraph, count: usize) -> Workload {
        roles(&mut graph, 1);
        let sources = sources(graph.view(), count, 2).expect("enough sources");
        Workload::new(graph.view(), &sources, None)
    }

    /// A GPU that starts slowly and searches fast.
    fn gpu() -> DeviceSpeed {
        let mut gpu = Machine::typical(16).devices.remove(0);
        gpu.backend = "cuda".to_owned();
        gpu.start_ms = 330.0;
        (gpu.bit_edge_ns, gpu.bit_word_ns, gpu.step_ns, gpu.lanes) = (0.1, 0.005, 100.0, 1024.0);
        gpu
    }

    #[test]
    fn few_sources_are_searched_on_the_host() {
        let mut machine = Machine::typical(2);
        machine.devices.push(gpu());
        for count in [1, 4, 8] {
            let graph = rmat(12, 16, 3).expect("a graph");
            let best = estimates(&workload(graph, count), &machine).swap_remove(0);
            assert_eq!((&*best.backend, best.strategy), ("cpu", Strategy::Host), "{count} sources");
        }
    }

    #[test]
    fn estimates_grow_with_the_number_of_sources() {
        let machine = Machine::typical(2);
        let graph = calls(20_000, 2_000, 3).expect("a graph");
        let total = |count| -> Vec<(Strategy, Duration)> {
            let mut all = estimates(&workload(graph.clone(), count), &machine);
            all.sort_by_key(|estimate| estimate.strategy.name());
            all.iter().map(|estimate| (estimate.strategy, estimate.total())).collect()
        };
        for ((_, few), (_, many)) in total(64).into_iter().zip(total(1024)) {
            assert!(few < many);
        }
    }

    #[test]
    fn a_gpu_is_chosen_where_its_start_is_small_beside_the_search() {
        let mut machine = Machine::typical(2);
        machine.devices.push(gpu());
        let mut large = workload(rmat(12, 16, 3).expect("a graph"), 1024);
        (large.nodes, large.edges) = (large.nodes << 9, large.edges << 9);
        assert_eq!(estimates(&large, &machine)[0].backend, "cuda");
        machine.devices.pop();
        assert_eq!(estimates(&large, &machine)[0].backend, "cpu");
    }

    #[test]
    fn an_estimate_prints_its_stages() {
        let mut machine = Machine::typical(1);
        machine.host.start_ms = 5.0;
        let graph = CsrGraph { offsets: vec![0], targets: Vec::new(), node_data: Vec::new() };
        let nothing = Workload::new(graph.view(), &[], None);
        assert_eq!(estimates(&nothing, &machine)[0].to_string(), "host on cpu 5 ms (start 5 ms)");
    }
}
