//! Formulas of the cost model: seconds of each stage of an analysis.

use std::time::Duration;

use super::machine::{DeviceSpeed, HostSpeed};
use super::workload::Workload;
use crate::stages::{Stage, Stages};
use crate::strategies::{REGION_SEARCHES, SWEEP_COST, SWEPT_SINKS, Strategy};

/// Cost of transposing an edge on the host, in edges that a CPU traverses.
const TRANSPOSE_COST: u64 = 24;
/// The same, in edges that a GPU traverses.
const GPU_TRANSPOSE_COST: u64 = 512;
/// Steps of searches that end at a shared region, relative to complete ones.
const SHARED_STEPS: f64 = 0.5;
/// Steps of a search in a pruned graph, relative to the whole graph.
pub(crate) const PRUNED_STEPS: f64 = 0.8;
/// Maximum number of sources of a batch of the bit-parallel strategy.
const MAX_BIT_SOURCES: f64 = 1024.0;
/// Exponent by which the speed of independent searches grows with the number of threads.
const SEARCH_EXPONENT: f64 = 0.9;

const NANOSECOND: f64 = 1e-9;

/// Reports whether searches traverse so many edges that pruning on the host saves time.
pub(crate) fn pruning_pays(traversed_edges: u64, edges: u64, uses_gpu_programs: bool) -> bool {
    let cost = if uses_gpu_programs { GPU_TRANSPOSE_COST } else { TRANSPOSE_COST };
    traversed_edges > cost.saturating_mul(edges)
}

/// Stages of the search in plain code on the host.
pub(crate) fn host_stages(workload: &Workload, host: &HostSpeed) -> Stages {
    let parallel = (host.threads as f64).min(workload.starts as f64).max(1.0).powf(SEARCH_EXPONENT);
    let search = workload.steps() * host.step_ns(workload.nodes) / parallel;
    stages([(Stage::Search, search)])
}

/// Stages of a strategy on a device. The number of steps on a small graph is cheaper by the same factor as on the host.
pub(crate) fn device_stages(workload: &Workload, strategy: Strategy, device: &DeviceSpeed, host: &HostSpeed) -> Stages {
    let (edges, starts) = (workload.edges as f64, workload.starts as f64);
    let output = starts * workload.sinks as f64 * device.output_ns;
    let cached = host.step_ns(workload.nodes) / host.memory_step_ns;
    let levels = workload.levels() * device.level_us * 1e3;
    match strategy {
        Strategy::BitParallel => {
            let batches = (starts / MAX_BIT_SOURCES).ceil();
            let words = (starts / 32.0).ceil();
            stages([
                (Stage::Prepare, edges * device.order_edge_ns),
                (Stage::Load, 2.0 * edges * device.load_edge_ns),
                (Stage::Search, edges * (batches * device.bit_edge_ns + words * device.bit_word_ns) + batches * levels),
                (Stage::Collect, output),
            ])
        }
        Strategy::Distances => stages([
            (Stage::Prepare, edges * device.prune_edge_ns),
            (Stage::Load, edges * device.load_edge_ns),
            (
                Stage::Search,
                workload.steps() * cached * device.distance_step_ns / device.lanes.min((starts / 64.0).ceil()).max(1.0),
            ),
            (Stage::Collect, output),
        ]),
        Strategy::SharedRegion => stages([
            (Stage::Prepare, region_ns(workload, host)),
            (Stage::Load, edges * device.load_edge_ns),
            (
                Stage::Search,
                workload.steps() * cached * SHARED_STEPS * device.step_ns / device.lanes.min(starts).max(1.0),
            ),
            (Stage::Collect, output),
        ]),
        Strategy::Words | Strategy::PerSource | Strategy::Host => {
            let traversed = workload.estimate(false).map_or(u64::MAX, |estimate| estimate.traversed_edges());
            let prunes = pruning_pays(traversed, workload.edges, device.backend != "cpu");
            let steps = workload.steps() * if prunes { PRUNED_STEPS } else { 1.0 };
            stages([
                (Stage::Prepare, if prunes { edges * device.prune_edge_ns } else { 0.0 }),
                (Stage::Load, edges * device.load_edge_ns),
                (Stage::Search, steps * cached * device.step_ns / device.lanes.min(starts).max(1.0)),
                (Stage::Collect, output),
            ])
        }
    }
}

/// Time of finding a shared region and of its distance table, on the threads of the host. As many of the sinks are in the region as of
/// the nodes.
fn region_ns(workload: &Workload, host: &HostSpeed) -> f64 {
    let Some(sample) = workload.sample else { return 0.0 };
    let (nodes, edges) = (workload.nodes as f64, workload.edges as f64);
    let share = sample.shared as f64 / nodes.max(1.0);
    let groups = (share * workload.sinks as f64 / SWEPT_SINKS as f64).ceil();
    let parallel = |tasks: f64| (host.threads as f64).min(tasks).max(1.0).powf(SEARCH_EXPONENT);
    let searches = workload.steps() / (workload.starts as f64).max(1.0) * REGION_SEARCHES as f64;
    let sweeps = groups * SWEEP_COST as f64 * share * (edges + 2.0 * nodes);
    searches * host.step_ns(workload.nodes) / parallel(REGION_SEARCHES as f64)
        + edges * host.cached_step_ns / parallel(f64::INFINITY)
        + sweeps * host.cached_step_ns / parallel(groups)
}

/// A time in milliseconds.
pub(super) fn milliseconds(time: f64) -> Duration {
    Duration::try_from_secs_f64(time / 1e3).unwrap_or_default()
}

/// Stages from their nanoseconds.
pub(super) fn stages<const N: usize>(nanoseconds: [(Stage, f64); N]) -> Stages {
    let mut stages = Stages::default();
    for (stage, time) in nanoseconds {
        stages.set(stage, Duration::try_from_secs_f64(time * NANOSECOND).unwrap_or(Duration::MAX / 16));
    }
    stages
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Machine;
    use crate::sample::Sample;

    #[test]
    fn the_estimate_of_a_shared_region_contains_its_table() {
        let prepare = |sinks, shared, threads| {
            let sample = Sample { sources: 8, levels: 60, reached: 64_000, edges: 190_000, complete: 8, shared };
            let (nodes, edges, starts) = (1_000_000, 3_000_000, 1_024);
            let workload = Workload { nodes, edges, starts, sinks, sample: Some(sample) };
            let machine = Machine::typical(threads);
            device_stages(&workload, Strategy::SharedRegion, &machine.devices[0], &machine.host).time(Stage::Prepare)
        };
        let usual = prepare(10_000, 52_000, 1);
        assert!(usual > Duration::from_millis(50) && usual < Duration::from_millis(500), "{usual:?}");
        assert!(prepare(100_000, 52_000, 1) > 5 * usual);
        assert!(prepare(10_000, 26_000, 1) < usual);
        assert!(prepare(10_000, 52_000, 8) < usual / 3);
    }
}
