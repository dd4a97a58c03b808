//! Estimated times of graph algorithms: plain code on the host beside the op on each device.
//!
//! A step is an edge, or half a node. The time of a step belongs to a graph of 2^18 nodes; smaller graphs fit the caches better. Ops
//! whose time depends on the number of levels of the graph, which is known only afterwards, have a lower bound for an estimate. They
//! are never chosen.

use std::fmt;
use std::time::Duration;

use vyre_graph::CsrView;
use vyre_ir::units::duration;

use super::algorithm::Algorithm;
use super::machine::{DeviceSpeed, HostSpeed, Machine};
use super::model::{milliseconds, stages};
use super::workload::{Workload, largest_array};
use crate::stages::{Stage, Stages};

/// Number of nodes of the graph on which algorithms are measured.
const MEASURED_NODES: u64 = 1 << 18;
/// Minimum number of sources for each thread that share searches on the host.
const MIN_SHARED: f64 = 6.0;
/// Number of sources of a shared search.
const SHARED_SOURCES: f64 = 64.0;
/// Exponent by which the speed of independent searches grows with the number of threads.
const SEARCH_EXPONENT: f64 = 0.9;

/// Size of a request of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlgorithmWorkload {
    algorithm: Algorithm,
    nodes: u64,
    edges: u64,
    /// Number of sources; 1 if the algorithm has none.
    sources: f64,
    /// Number of steps of one source or iteration.
    steps: f64,
    /// Number of iterations.
    iterations: f64,
}

impl AlgorithmWorkload {
    /// An algorithm on a whole graph, with at most so many iterations.
    #[must_use]
    pub fn new(algorithm: Algorithm, graph: CsrView<'_>, iterations: u32) -> AlgorithmWorkload {
        let (nodes, edges) = (graph.node_count() as u64, graph.edge_count() as u64);
        let steps = (edges + 2 * nodes) as f64;
        AlgorithmWorkload { algorithm, nodes, edges, sources: 1.0, steps, iterations: f64::from(iterations.max(1)) }
    }

    /// Searches from sources, of which some are sampled.
    #[must_use]
    pub fn search(workload: &Workload) -> AlgorithmWorkload {
        let sources = workload.starts as f64;
        AlgorithmWorkload {
            algorithm: Algorithm::Search,
            nodes: workload.nodes,
            edges: workload.edges,
            sources,
            steps: workload.steps() / sources.max(1.0),
            iterations: 1.0,
        }
    }

    /// Bytes of the largest array that any device needs for the request: the targets of the edges, or 64 bits for each node.
    #[must_use]
    pub fn largest_array(&self) -> u64 {
        largest_array(self.nodes, self.edges)
    }
}

/// Estimated time of an algorithm on the host, or of its op on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AlgorithmEstimate {
    /// Name of the backend.
    pub backend: String,
    /// True for plain code on the host, false for the op.
    pub is_host: bool,
    /// False for an estimate that is only a lower bound, so it decides nothing.
    pub is_candidate: bool,
    /// Time of the start of a process and its device.
    pub start: Duration,
    /// Time of each stage.
    pub stages: Stages,
}

impl AlgorithmEstimate {
    /// Time of the start and of all stages.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.start.saturating_add(self.stages.total())
    }
}

/// Prints the candidate and its times: `host on cpu 31 ms (start 6 ms, search 25 ms)`.
impl fmt::Display for AlgorithmEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AlgorithmEstimate { backend, is_host, is_candidate, start, stages } = self;
        let method = if *is_host { "host" } else { "op" };
        let bound = if *is_candidate { "" } else { "at least " };
        write!(f, "{method} on {backend} {bound}{} (start {}", duration(self.total()), duration(*start))?;
        match stages.total().is_zero() {
            true => f.write_str(")"),
            false => write!(f, ", {stages})"),
        }
    }
}

/// Estimates for the host and for each device of the machine. Candidates come first, the best at the begin.
#[must_use]
pub fn algorithm_estimates(workload: &AlgorithmWorkload, machine: &Machine) -> Vec<AlgorithmEstimate> {
    let host = AlgorithmEstimate {
        backend: "cpu".to_owned(),
        is_host: true,
        is_candidate: true,
        start: milliseconds(machine.host.start_ms),
        stages: stages([(Stage::Search, host_ns(workload, &machine.host))]),
    };
    let ops = machine.devices.iter().map(|device| AlgorithmEstimate {
        backend: device.backend.clone(),
        is_host: false,
        is_candidate: workload.algorithm.has_known_cost(),
        start: milliseconds(device.start_ms),
        stages: op_stages(workload, device, &machine.host),
    });
    let mut all: Vec<AlgorithmEstimate> = std::iter::once(host).chain(ops).collect();
    all.sort_by_key(|estimate| (!estimate.is_candidate, estimate.total()));
    all
}

/// Time of a step relative to the graph on which it was measured.
fn scale(nodes: u64, host: &HostSpeed) -> f64 {
    host.step_ns(nodes) / host.step_ns(MEASURED_NODES)
}

fn host_ns(workload: &AlgorithmWorkload, host: &HostSpeed) -> f64 {
    let AlgorithmWorkload { algorithm, nodes, sources, steps, iterations, .. } = *workload;
    let step_ns = host.algorithms.step_ns(algorithm) * scale(nodes, host);
    if algorithm != Algorithm::Search {
        return steps * iterations * step_ns;
    }
    let parallel = (host.threads as f64).min(sources).max(1.0).powf(SEARCH_EXPONENT);
    let by_queues = sources * steps * host.step_ns(nodes) / parallel;
    if sources < MIN_SHARED * host.threads as f64 {
        return by_queues;
    }
    let rounds = ((sources / SHARED_SOURCES).ceil() / host.threads as f64).ceil();
    by_queues.min(rounds * steps * step_ns)
}

fn op_stages(workload: &AlgorithmWorkload, device: &DeviceSpeed, host: &HostSpeed) -> Stages {
    let AlgorithmWorkload { algorithm, nodes, edges, sources, steps, iterations } = *workload;
    let step_ns = device.algorithms.step_ns(algorithm) * scale(nodes, host);
    let search = match algorithm {
        Algorithm::Search => sources * steps * step_ns / device.lanes.min(sources).max(1.0),
        _ => steps * iterations * step_ns + iterations * device.level_us * 1e3,
    };
    stages([(Stage::Load, (edges + nodes) as f64 * device.load_edge_ns), (Stage::Search, search)])
}

#[cfg(test)]
mod tests {
    use vyre_graph::generate::rmat;

    use super::*;
    use crate::cost::AlgorithmSpeed;

    fn workload(algorithm: Algorithm) -> AlgorithmWorkload {
        AlgorithmWorkload::new(algorithm, rmat(10, 8, 3).expect("a graph").view(), 20)
    }

    #[test]
    fn a_typical_machine_uses_the_host() {
        for threads in [1, 2, 16] {
            let machine = Machine::typical(threads);
            for algorithm in Algorithm::ALL {
                for factor in [1.0, 1e3] {
                    let mut workload = workload(algorithm);
                    workload.steps *= factor;
                    for sources in [1.0, 100.0, 10_000.0] {
                        workload.sources = if algorithm == Algorithm::Search { sources } else { 1.0 };
                        let best = algorithm_estimates(&workload, &machine).swap_remove(0);
                        assert!(best.is_host && best.is_candidate, "{algorithm:?} on {threads} threads: {best}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_fast_device_is_chosen_only_where_its_cost_is_known() {
        let mut machine = Machine::typical(2);
        let mut gpu = machine.devices[0].clone();
        gpu.backend = "cuda".to_owned();
        gpu.algorithms = AlgorithmSpeed::new([0.01; Algorithm::ALL.len()]);
        (gpu.level_us, gpu.load_edge_ns, gpu.lanes) = (1.0, 0.1, 1024.0);
        machine.devices.push(gpu);
        for algorithm in Algorithm::ALL {
            let mut workload = workload(algorithm);
            (workload.steps, workload.sources) = (1e9, 1e3);
            let best = algorithm_estimates(&workload, &machine).swap_remove(0);
            assert_eq!(best.backend == "cuda", algorithm.has_known_cost(), "{best}");
        }
    }

    #[test]
    fn estimates_grow_with_sources_and_iterations() {
        let machine = Machine::typical(2);
        let mut search = workload(Algorithm::Search);
        let mut last = Duration::ZERO;
        for sources in [1.0, 4.0, 64.0, 130.0, 1000.0] {
            search.sources = sources;
            let time = algorithm_estimates(&search, &machine)[0].total();
            assert!(time >= last, "{sources} sources");
            last = time;
        }
        let mut ranks = workload(Algorithm::PageRank);
        let few = algorithm_estimates(&ranks, &machine)[0].total();
        ranks.iterations *= 10.0;
        assert!(algorithm_estimates(&ranks, &machine)[0].total() > few);
    }
}
