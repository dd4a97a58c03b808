use std::sync::Arc;

use vyre_graph::{CsrGraph, Role};
use vyre_jit::{JitDevice, JitOptions};
use vyre_ops::graph::reachable_sinks;
use vyre_runtime::ReferenceDevice;

use super::super::contract::tests::{contracted, deep, graph};
use super::*;

fn cpu(threads: usize) -> Runner {
    let device = JitDevice::new(&JitOptions::default().with_threads(threads)).expect("threads can be started");
    Runner::new(Arc::new(device))
}

fn small(per_lane: u32, slots: u32) -> Layout {
    Layout { per_lane, slots, bucket_shift: 2, window: 3, visits: 20 }
}

/// Compares with a search from each source.
fn check(bench: &Runner, graph: &CsrGraph, sources: &[u32], layout: Layout, max_depth: u32) -> Visited {
    let short = contracted(graph, sources);
    let starts: Vec<u32> = sources.iter().map(|&source| short.place[source as usize]).collect();
    let distances = Distances::new(bench, &short, layout, sources.len() as u32).expect("there is room");
    let visited = distances.run(&starts, max_depth, u64::MAX).expect("runs").expect("is not given up");
    let depths = bench.read(distances.depths()).expect("is read");
    let mut found = Vec::new();
    for (position, &source) in sources.iter().enumerate() {
        let depths = &depths[position * short.sinks.len()..];
        let pairs = short.sink_nodes().zip(depths).filter(|&(_, &depth)| depth != 0);
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
fn depths_are_right_on_the_reference_and_there_are_no_races() {
    let mut bench = Runner::new(Arc::new(ReferenceDevice::new()));
    bench.bench.run_options.check_races = true;
    for seed in 0..12 {
        let (graph, sources) = deep(10 + 5 * seed as u32, 7, seed);
        check(&bench, &graph, &sources, small(1, 1 + seed as u32 % 3), u32::MAX);
    }
}

#[test]
fn depths_are_right_on_the_cpu() {
    let bench = cpu(2);
    let mut visits = 0;
    for seed in 0..120 {
        let per_lane = [1, 2, 4, 16][seed as usize % 4];
        let (graph, sources) = deep(20 + 9 * seed as u32, 1 + seed as usize * 2, 1_000 + seed);
        let layout = match seed % 3 {
            0 => Layout { per_lane, ..Layout::default() },
            1 => small(per_lane, 3),
            _ => Layout { window: 40, ..small(per_lane, 2) },
        };
        let max_depth = [u32::MAX, u32::MAX, 1, 7, 25][seed as usize % 5];
        visits += check(&bench, &graph, &sources, layout, max_depth).visits;
    }
    assert!(visits > 50_000, "only {visits} visits");
}

#[test]
fn long_chains_and_nothing_are_no_special_cases() {
    let bench = cpu(1);
    let sink = |node| (node, Role::Sink);
    let chain: Vec<(u32, u32)> = (0..4_999).map(|node| (node, node + 1)).collect();
    let all: Vec<_> = (0..5_000).map(sink).collect();
    check(&bench, &graph(5_000, &chain, &all), &[0, 0, 2_500, 4_999], small(1, 2), u32::MAX);
    check(&bench, &graph(5_000, &chain, &all), &[0, 10], Layout::default(), 100);
    check(&bench, &graph(5_000, &chain, &[sink(0)]), &[0, 7], Layout::default(), u32::MAX);
    check(&bench, &graph(3, &[(0, 1)], &[]), &[0], Layout::default(), u32::MAX);
    check(&bench, &graph(2, &[(0, 1)], &[sink(1)]), &[], Layout::default(), u32::MAX);
    check(&bench, &graph(2, &[(0, 1)], &[sink(1)]), &[0], Layout::default(), 0);
}

#[test]
fn too_many_visits_are_given_up() {
    let bench = cpu(1);
    let (graph, sources) = deep(2_000, 16, 5);
    let visited = check(&bench, &graph, &sources, small(4, 1), u32::MAX);
    assert!(visited.batches == 1 && visited.visits > 100);
    let short = contracted(&graph, &sources);
    let starts: Vec<u32> = sources.iter().map(|&source| short.place[source as usize]).collect();
    let distances = Distances::new(&bench, &short, small(4, 1), 16).expect("there is room");
    assert_eq!(distances.run(&starts, u32::MAX, 40).expect("runs"), None);
    // What was given up leaves no traces.
    assert_eq!(distances.run(&starts, u32::MAX, u64::MAX).expect("runs"), Some(visited));
}

#[test]
fn layouts_fit_the_memory() {
    let bench = cpu(1);
    let (graph, sources) = deep(2_000, 200, 3);
    let short = contracted(&graph, &sources);
    let fitting = |slots, memory| Layout::fitting(&**bench.device(), &short, 200, slots, memory);
    let best = fitting(8, u64::MAX).expect("fits");
    assert_eq!((best.per_lane, best.slots), (16, 4));
    let bytes = |layout| Distances::bytes(&short, layout, 200);
    let fewer = fitting(8, bytes(best) - 1).expect("fits");
    assert_eq!((fewer.per_lane, fewer.slots), (16, 3));
    let one = Layout { slots: 1, ..best };
    let shorter = fitting(8, bytes(one) - 1).expect("fits");
    assert!(shorter.per_lane == 8 && bytes(shorter) < bytes(one));
    assert_eq!(fitting(8, bytes(Layout { per_lane: 1, ..one }) - 1), None);
}
