use std::sync::Arc;

use vyre_graph::{CsrGraph, Role};
use vyre_jit::{JitDevice, JitOptions};
use vyre_ops::graph::reachable_sinks;
use vyre_runtime::ReferenceDevice;

use super::run::*;
use crate::executor::Executor;
use crate::strategies::contraction::tests::{contracted, deep, graph};

fn cpu(threads: usize) -> Executor {
    let device = JitDevice::new(&JitOptions::default().with_threads(threads)).expect("threads can be started");
    Executor::new(Arc::new(device))
}

fn small(components_each: u32, slots: u32) -> BatchPlan {
    BatchPlan { components_each, slots, bucket_shift: 2, window: 3, visits: 20 }
}

/// Compares with a BFS from each source.
fn check(executor: &Executor, graph: &CsrGraph, sources: &[u32], plan: BatchPlan, max_depth: u32) -> VisitCounts {
    let short = contracted(graph, sources);
    let starts: Vec<u32> = sources.iter().map(|&source| short.new_ids[source as usize]).collect();
    let distances = MultiSourceDistances::new(executor, &short, plan, sources.len() as u32).expect("there is room");
    let visited = distances.run(&starts, max_depth, u64::MAX).expect("runs").expect("is not given up");
    let depths = executor.read(distances.depths()).expect("is read");
    let mut found = Vec::new();
    for (position, &source) in sources.iter().enumerate() {
        let depths = &depths[position * short.sinks.len()..];
        let pairs = short.original_sinks().into_iter().zip(depths).filter(|&(_, &depth)| depth != 0);
        found.extend(pairs.map(|(sink, &depth)| (source, sink, depth, position as u32)));
    }
    found.sort_unstable();
    let wanted: Vec<_> = reachable_sinks(graph.view(), sources, max_depth)
        .into_iter()
        .map(|finding| (finding.source, finding.node, finding.depth, finding.source_index))
        .collect();
    assert_eq!(found, wanted);
    visited
}

#[test]
fn depths_are_correct_on_the_reference_without_races() {
    let mut executor = Executor::new(Arc::new(ReferenceDevice::new()));
    executor.runner.run_options.check_races = true;
    for seed in 0..12 {
        let (graph, sources) = deep(10 + 5 * seed as u32, 7, seed);
        check(&executor, &graph, &sources, small(1, 1 + seed as u32 % 3), u32::MAX);
    }
}

#[test]
fn depths_are_correct_on_the_cpu() {
    let executor = cpu(2);
    let mut visits = 0;
    for seed in 0..120 {
        let components_each = [1, 2, 4, 16][seed as usize % 4];
        let (graph, sources) = deep(20 + 9 * seed as u32, 1 + seed as usize * 2, 1_000 + seed);
        let plan = match seed % 3 {
            0 => BatchPlan { components_each, ..BatchPlan::default() },
            1 => small(components_each, 3),
            _ => BatchPlan { window: 40, ..small(components_each, 2) },
        };
        let max_depth = [u32::MAX, u32::MAX, 1, 7, 25][seed as usize % 5];
        visits += check(&executor, &graph, &sources, plan, max_depth).visits;
    }
    assert!(visits > 50_000, "only {visits} visits");
}

#[test]
fn long_chains_and_empty_inputs() {
    let executor = cpu(1);
    let sink = |node| (node, Role::Sink);
    let chain: Vec<(u32, u32)> = (0..4_999).map(|node| (node, node + 1)).collect();
    let all: Vec<_> = (0..5_000).map(sink).collect();
    check(&executor, &graph(5_000, &chain, &all), &[0, 0, 2_500, 4_999], small(1, 2), u32::MAX);
    check(&executor, &graph(5_000, &chain, &all), &[0, 10], BatchPlan::default(), 100);
    check(&executor, &graph(5_000, &chain, &[sink(0)]), &[0, 7], BatchPlan::default(), u32::MAX);
    check(&executor, &graph(3, &[(0, 1)], &[]), &[0], BatchPlan::default(), u32::MAX);
    check(&executor, &graph(2, &[(0, 1)], &[sink(1)]), &[], BatchPlan::default(), u32::MAX);
    check(&executor, &graph(2, &[(0, 1)], &[sink(1)]), &[0], BatchPlan::default(), 0);
}

#[test]
fn a_run_ends_after_too_many_visits() {
    let executor = cpu(1);
    let (graph, sources) = deep(2_000, 16, 5);
    let visited = check(&executor, &graph, &sources, small(4, 1), u32::MAX);
    assert!(visited.batches == 1 && visited.visits > 100);
    let short = contracted(&graph, &sources);
    let starts: Vec<u32> = sources.iter().map(|&source| short.new_ids[source as usize]).collect();
    let distances = MultiSourceDistances::new(&executor, &short, small(4, 1), 16).expect("there is room");
    assert_eq!(distances.run(&starts, u32::MAX, 40).expect("runs"), None);
    // A run that ended early does not affect the next.
    assert_eq!(distances.run(&starts, u32::MAX, u64::MAX).expect("runs"), Some(visited));
}

#[test]
fn plans_fit_the_memory() {
    let executor = cpu(1);
    let (graph, sources) = deep(2_000, 200, 3);
    let short = contracted(&graph, &sources);
    let fitting = |slots, memory| BatchPlan::largest_fitting(&**executor.device(), &short, 200, slots, memory);
    let best = fitting(8, u64::MAX).expect("fits");
    assert_eq!((best.components_each, best.slots), (16, 4));
    let bytes = |plan| MultiSourceDistances::bytes(&short, plan, 200);
    let fewer = fitting(8, bytes(best) - 1).expect("fits");
    assert_eq!((fewer.components_each, fewer.slots), (16, 3));
    let one = BatchPlan { slots: 1, ..best };
    let shorter = fitting(8, bytes(one) - 1).expect("fits");
    assert!(shorter.components_each == 8 && bytes(shorter) < bytes(one));
    assert_eq!(fitting(8, bytes(BatchPlan { components_each: 1, ..one }) - 1), None);
}
