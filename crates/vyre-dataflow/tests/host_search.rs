//! The host search and the choice of the engine against the reference implementation, on random graphs.

use std::sync::Arc;

use vyre_dataflow::cost::{Machine, Workload};
use vyre_dataflow::{Dataflow, DataflowError, Finding, Options, Strategy, taint_on_host};
use vyre_graph::generate::SplitMix64;
use vyre_graph::{CsrGraph, Role, ValidGraph, try_to_csr};
use vyre_runtime::{CancelToken, Error, ReferenceDevice, RunOptions};

/// An engine that may search on the host, although its device is the interpreter.
fn engine() -> Dataflow {
    Dataflow::new(Arc::new(ReferenceDevice::new())).with_host_search(true)
}

/// A random graph of up to 300 nodes, sparse or dense, with all roles.
fn graph(random: &mut SplitMix64) -> CsrGraph {
    let nodes = 1 + random.below(300) as u32;
    let degree = [1, 3, 20][random.below(3) as usize];
    let edges = random.below(u64::from(nodes) * degree + 1);
    let mut node = || random.below(u64::from(nodes)) as u32;
    let edges: Vec<(u32, u32)> = (0..edges).map(|_| (node(), node())).collect();
    let mut graph = try_to_csr(nodes, &edges).expect("edges are within the graph");
    for word in &mut graph.node_data {
        *word = Role::ALL[random.below(8) as usize % Role::ALL.len()].word();
    }
    graph
}

#[test]
fn five_hundred_random_graphs_have_the_findings_of_the_reference() {
    let engine = engine();
    let mut random = SplitMix64::new(0x5EED_0100);
    for case in 0..500 {
        let graph = graph(&mut random);
        let view = graph.view();
        // Some sources occur several times, with equal or different facts.
        let sources: Vec<u32> = (0..random.below(40)).map(|_| random.below(graph.node_count() as u64) as u32).collect();
        let facts: Vec<u32> = sources.iter().map(|_| 1 + random.below(3) as u32).collect();
        let max_depth = [u32::MAX, 0, 1, 3][random.below(4) as usize];
        let loaded = engine.load(view).expect("a valid graph");
        for facts in [None, Some(facts)] {
            let expected = taint_on_host(view, &sources, facts.as_deref(), max_depth, |_, _, _, _, facts| facts);
            let mut options = Options::default().with_max_depth(max_depth).with_strategy(Strategy::Host);
            options.facts = facts;
            for prune in [None, Some(false), Some(true)] {
                options.prune = prune;
                let (found, summary) = loaded.taint(&sources, &options).expect("findings");
                assert_eq!(found, expected, "case {case}, pruning {prune:?}");
                assert_eq!(summary.findings, expected.len() as u64);
            }
            // Memory for one search at a time.
            options.prune = None;
            options.memory = Some((graph.node_count() as u64 + 1) * 13);
            let found: Vec<Finding> = loaded.taint(&sources, &options).expect("findings").0;
            assert_eq!(found, expected, "case {case}, little memory");
        }
    }
}

#[test]
fn few_sources_are_searched_on_the_host_and_the_summary_has_the_estimate() {
    let mut random = SplitMix64::new(7);
    let graph = graph(&mut random);
    let engine = engine().with_machine(Machine::typical(2));
    let loaded = engine.load_valid(ValidGraph::new(graph.view()).expect("the graph is valid"));
    let (_, summary) = loaded.taint(&[0], &Options::default()).expect("findings");
    let estimate = summary.estimate.expect("an estimate");
    assert_eq!((&*estimate.backend, estimate.strategy), ("cpu", Strategy::Host));
    assert!(summary.explanation.to_string().contains("strategy: host, because there are few sources"));
    // A measured request is not measured again.
    let workload = Workload::new(graph.view(), &[0], None);
    let (_, summary) = loaded.taint(&[0], &Options::default().with_workload(workload)).expect("findings");
    assert!(summary.explanation.to_string().contains("strategy: host, because its estimate is the smallest"));
    // The device is used if the caller forbids the host or tunes the search.
    let (_, summary) = loaded.taint(&[0], &Options::default().with_prune(true)).expect("findings");
    assert!(summary.estimate.is_none() && summary.explanation.to_string().contains("strategy: per-source"));
}

#[test]
fn memory_and_cancellation_are_obeyed() {
    let graph = try_to_csr(100, &[(0, 1)]).expect("edges are within the graph");
    let engine = engine();
    let options = Options::default().with_strategy(Strategy::Host).with_memory(101 * 13 - 1);
    let error = engine
        .load_valid(ValidGraph::new(graph.view()).expect("the graph is valid"))
        .taint(&[0], &options)
        .expect_err("too little memory");
    assert!(matches!(error, DataflowError::DoesNotFit { needed: 1313, limit: 1312, .. }), "{error}");
    let token = CancelToken::default();
    token.cancel();
    let engine = engine.with_run_options(RunOptions::default().with_cancel(token));
    let error = engine
        .load_valid(ValidGraph::new(graph.view()).expect("the graph is valid"))
        .taint(&[0], &Options::default())
        .expect_err("cancelled");
    assert_eq!(error, DataflowError::Device(Error::Cancelled));
}
