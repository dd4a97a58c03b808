//! Measurement of the constants of the cost model: small analyses of generated graphs with each strategy.

use std::sync::Arc;
use std::time::Duration;

use vyre_graph::generate::{GenerateError, calls, rmat, roles, sources};
use vyre_graph::{CsrGraph, CsrView, ValidGraph};
use vyre_runtime::Device;

use crate::algorithm_calibration::{AlgorithmGraphs, MeasureError, measure_on_host, measure_ops};
use crate::cost::{DeviceSpeed, HostSpeed, Machine, PRUNED_STEPS, Workload};
use crate::engine::Dataflow;
use crate::error::DataflowError;
use crate::options::Options;
use crate::report::Summary;
use crate::stages::Stage;
use crate::strategies::Strategy;

/// Number of runs of a measurement; the fastest counts.
const RUNS: usize = 3;
/// Sources of a batch of the bit-parallel strategy.
const BIT_SOURCES: usize = 1024;
/// Number of searches of the per-source strategy that a GPU runs at a time.
const GPU_LANES: usize = 1024;
const SEED: u64 = 0x5EED_0001;

/// Generated graphs of calibrations.
pub struct CalibrationGraphs {
    /// Few levels, 16 edges per node, in the caches.
    small: CsrGraph,
    /// Few levels, 16 edges per node, so large that all threads copy it.
    shallow: CsrGraph,
    /// Many programs that share a library.
    programs: CsrGraph,
    /// One program with many levels, beyond the caches.
    deep: CsrGraph,
    /// For graph algorithms.
    algorithms: AlgorithmGraphs,
}

impl CalibrationGraphs {
    /// Generates the graphs, which takes about a second.
    ///
    /// # Errors
    ///
    /// None: the sizes are constants that generators accept.
    pub fn new() -> Result<CalibrationGraphs, GenerateError> {
        let with_roles = |graph: Result<CsrGraph, GenerateError>| {
            graph.map(|mut graph| {
                roles(&mut graph, SEED);
                graph
            })
        };
        Ok(CalibrationGraphs {
            small: with_roles(rmat(12, 16, SEED))?,
            shallow: with_roles(rmat(18, 16, SEED))?,
            programs: with_roles(calls(1 << 18, 1 << 13, SEED))?,
            deep: with_roles(calls(1 << 19, 1 << 19, SEED))?,
            algorithms: AlgorithmGraphs::new(18)?,
        })
    }
}

/// Measures plain code on the host. The device is not used. The time of a start is that of a typical machine.
///
/// # Errors
///
/// A failure of the engine.
pub fn measure_host(device: Arc<dyn Device>, graphs: &CalibrationGraphs) -> Result<HostSpeed, MeasureError> {
    let engine = Dataflow::new(device);
    let mut host = Machine::default().host;
    let step_ns = |graph: &CsrGraph, times: u32| -> Result<f64, DataflowError> {
        let measured = Measured::new(&engine, graph.view(), 1);
        let mut time = Duration::MAX;
        for _ in 0..times {
            time = time.min(measured.run(Strategy::Host, false)?.stages.time(Stage::Search));
        }
        Ok(nanoseconds(time) / measured.workload.steps())
    };
    host.cached_step_ns = step_ns(&graphs.small, 9)?;
    // The model interpolates between 2^15 and 2^20 nodes.
    let at_size = step_ns(&graphs.deep, 3)?;
    let beyond_caches = ((graphs.deep.node_count() as f64).log2() - 15.0) / 5.0;
    host.memory_step_ns =
        (host.cached_step_ns + (at_size - host.cached_step_ns) / beyond_caches).max(host.cached_step_ns);
    host.algorithms = measure_on_host(&graphs.algorithms)?;
    host.clamp();
    Ok(host)
}

/// Measures the engine on a device. `start` is the time of a command with the smallest analysis on it.
///
/// # Errors
///
/// A failure of the device.
pub fn measure_device(
    backend: &str,
    device: Arc<dyn Device>,
    host: &HostSpeed,
    start: Duration,
    graphs: &CalibrationGraphs,
) -> Result<DeviceSpeed, MeasureError> {
    let mut speed = Machine::typical(host.threads).devices.remove(0);
    speed.backend = backend.to_owned();
    (speed.name, speed.driver) = (device.name(), device.driver());
    speed.start_ms = start.as_secs_f64() * 1e3;
    let is_gpu = device.is_throughput_oriented();
    let searches = if is_gpu { GPU_LANES } else { 64 };
    if is_gpu {
        speed.lanes = GPU_LANES as f64;
    }
    speed.algorithms = measure_ops(Arc::clone(&device), &graphs.algorithms, searches, speed.lanes)?;
    let engine = Dataflow::new(device).with_host_search(false);

    let tiny = Measured::new(&engine, graphs.small.view(), 32).run(Strategy::BitParallel, true)?;
    let few = Measured::new(&engine, graphs.shallow.view(), 32);
    let many = Measured::new(&engine, graphs.shallow.view(), BIT_SOURCES);
    let (few_run, many_run) = (few.run(Strategy::BitParallel, true)?, many.run(Strategy::BitParallel, true)?);
    let edges = few.workload.edges as f64;
    let time = |summary: &Summary, stage| nanoseconds(summary.stages.time(stage));
    let levels = few.workload.levels();
    let level_ns = time(&tiny, Stage::Search) / levels;
    speed.level_us = level_ns / 1e3;
    speed.order_edge_ns = time(&many_run, Stage::Prepare) / edges;
    speed.load_edge_ns = time(&many_run, Stage::Load) / (2.0 * edges);
    let words = (BIT_SOURCES / 32) as f64;
    let (few_search, many_search) = (time(&few_run, Stage::Search), time(&many_run, Stage::Search));
    speed.bit_word_ns = ((many_search - few_search) / (edges * (words - 1.0))).max(0.0);
    speed.bit_edge_ns = ((few_search - levels * level_ns) / edges - speed.bit_word_ns).max(0.0);
    let output = time(&many_run, Stage::Read) + time(&many_run, Stage::Collect);
    speed.output_ns = output / (many.workload.starts * many.workload.sinks).max(1) as f64;

    let programs = Measured::new(&engine, graphs.programs.view(), searches);
    let run = programs.run(Strategy::PerSource, true)?;
    speed.prune_edge_ns = time(&run, Stage::Prepare) / programs.workload.edges as f64;
    let cached = |nodes| host.step_ns(nodes) / host.memory_step_ns;
    let lanes = speed.lanes.min(searches as f64);
    let steps = programs.workload.steps() * PRUNED_STEPS * cached(programs.workload.nodes);
    // On a GPU the latency of levels dominates, and the time of a step contains it.
    speed.step_ns = time(&run, Stage::Search) * lanes / steps;
    if !is_gpu {
        // A batch of 64 sources runs on one thread.
        let deep = Measured::new(&engine, graphs.deep.view(), 64);
        let run = deep.run_once(Strategy::Distances, true)?;
        speed.distance_step_ns = time(&run, Stage::Search) / (deep.workload.steps() * cached(deep.workload.nodes));
    }
    speed.clamp();
    Ok(speed)
}

fn nanoseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}

/// An analysis that is measured.
struct Measured<'m> {
    engine: &'m Dataflow,
    graph: CsrView<'m>,
    sources: Vec<u32>,
    workload: Workload,
}

impl<'m> Measured<'m> {
    fn new(engine: &'m Dataflow, graph: CsrView<'m>, count: usize) -> Measured<'m> {
        // The generated graphs have more eligible nodes than any measurement has sources.
        let sources = sources(graph, count, SEED + count as u64).unwrap_or_default();
        let workload = Workload::new(graph, &sources, None);
        Measured { engine, graph, sources, workload }
    }

    /// The fastest of some runs, after one that compiles.
    fn run(&self, strategy: Strategy, prune: bool) -> Result<Summary, DataflowError> {
        let mut fastest = self.run_once(strategy, prune)?;
        for _ in 0..RUNS {
            let run = self.run_once(strategy, prune)?;
            if run.stages.total() < fastest.stages.total() {
                fastest = run;
            }
        }
        Ok(fastest)
    }

    fn run_once(&self, strategy: Strategy, prune: bool) -> Result<Summary, DataflowError> {
        let options = Options::default().with_strategy(strategy).with_prune(prune);
        let receive = |_: &[_]| std::ops::ControlFlow::Continue(());
        // The upload is part of the preparation, as for a file that was read. `load` would upload the graph before.
        let graph = ValidGraph::new(self.graph)?;
        self.engine.load_valid(graph).stream(&self.sources, &options, receive)
    }
}

#[cfg(test)]
mod tests {
    use vyre_jit::{JitDevice, JitOptions};

    use super::*;

    #[test]
    fn constants_are_positive() {
        let mut graphs = CalibrationGraphs::new().expect("graphs");
        // Small graphs, since the test is about the formulas.
        (graphs.shallow, graphs.programs) = (graphs.small.clone(), graphs.small.clone());
        graphs.deep = calls(2000, 2000, SEED).expect("a graph");
        graphs.algorithms = AlgorithmGraphs::new(10).expect("graphs");
        roles(&mut graphs.deep, SEED);
        let device = || Arc::new(JitDevice::new(&JitOptions::default()).expect("a device"));
        let host = measure_host(device(), &graphs).expect("a measurement");
        assert!(host.cached_step_ns > 0.0 && host.memory_step_ns >= host.cached_step_ns, "{host:?}");
        let speed = measure_device("cpu", device(), &host, Duration::from_millis(7), &graphs).expect("a measurement");
        assert_eq!((&*speed.backend, speed.start_ms), ("cpu", 7.0));
        assert!(speed.constants().iter().all(|(_, value)| value.is_finite() && *value > 0.0), "{speed:?}");
        assert!(host.constants().iter().all(|(_, value)| value.is_finite() && *value > 0.0), "{host:?}");
        assert!(speed.order_edge_ns > 0.0 && speed.step_ns > 0.0, "{speed:?}");
    }
}
