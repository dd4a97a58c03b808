//! Graph ops on the reference device, with race detection, and on the kernel evaluator.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use vyre_conform::generated::Seeds;
use vyre_conform::graphs::corpus::Repetitions;
use vyre_conform::graphs::generated::{Sizes, expect_agreement};
use vyre_conform::graphs::raw;
use vyre_conform::graphs::shapes::Shape;
use vyre_conform::graphs::{corpus, dataflow};
use vyre_conform::settings;
use vyre_graph::{CsrError, CsrGraph, Role, try_to_csr};
use vyre_ops::graph::{
    GraphError, GraphOps, PageRankOptions, Progress, TraversalOptions, reachable_nodes, reachable_sinks,
};
use vyre_runtime::{Device, Error, Limits, ReferenceDevice, Resource, RunOptions};

#[test]
fn every_graph_op_has_cases() {
    let files = corpus::files(&settings::corpus("ops/graph"));
    for op in vyre_ops::ops().iter().filter_map(|op| op.id.strip_prefix("graph.")) {
        let cases = files.iter().filter(|(name, _)| name == op).count();
        assert!(cases >= 5, "graph.{op} has {cases} cases");
    }
}

#[test]
fn random_graphs_on_the_reference() {
    let device: Arc<dyn Device> = Arc::new(ReferenceDevice::new());
    expect_agreement(&device, &RunOptions::default(), Seeds::from_environment(500), Sizes::SMALL);
}

#[test]
fn random_graphs_without_races() {
    let device: Arc<dyn Device> = Arc::new(ReferenceDevice::new());
    let mut options = RunOptions::default();
    options.check_races = true;
    expect_agreement(&device, &options, Seeds::from_environment(100), Sizes::SMALL);
}

#[test]
fn the_dataflow_engine_on_the_reference() {
    let device: Arc<dyn Device> = Arc::new(ReferenceDevice::new());
    dataflow::expect_agreement(&device, &RunOptions::default(), Seeds::from_environment(150), Sizes::TINY);
}

#[test]
fn the_dataflow_engine_without_races() {
    let device: Arc<dyn Device> = Arc::new(ReferenceDevice::new());
    let mut options = RunOptions::default();
    options.check_races = true;
    dataflow::expect_agreement(&device, &options, Seeds::from_environment(80), Sizes::TINY);
}

#[test]
fn the_graph_corpus_on_the_reference() {
    let device: Arc<dyn Device> = Arc::new(ReferenceDevice::new());
    corpus::expect_all_right(&device, &RunOptions::default(), Repetitions::One);
}

/// Bitmaps, queues and findings of all sources exceed the maximum buffer size many times.
#[test]
fn small_buffers_make_batches() {
    let shape = Shape::cycle(500);
    let mut graph = try_to_csr(shape.nodes, &shape.edges).expect("edges inside");
    graph.node_data[7] = Role::Sink.word();
    graph.node_data[300] = Role::SourceAndSink.word();
    let sources: Vec<u32> = (0..500).collect();
    let ops = GraphOps::new(Arc::new(ReferenceDevice::with_limits(Limits::new(4096, 1 << 15, 256))));
    let loaded = ops.load(graph.view()).expect("the graph itself fits");
    let found = loaded.bfs(&sources, &TraversalOptions::default());
    assert_eq!(found, Ok(reachable_sinks(graph.view(), &sources, u32::MAX)));
    let some = &sources[..40];
    let found = loaded.reachability(some, &TraversalOptions::default().with_max_depth(100));
    assert_eq!(found, Ok(reachable_nodes(graph.view(), some, 100)));
    // A single search has more findings than fit a buffer.
    let found = loaded.reachability(&[0], &TraversalOptions::default());
    assert_eq!(found, Err(GraphError::TooManyFindings { found: 499, limit: 256 }));
}

#[test]
fn a_graph_that_does_not_fit_is_a_resource_error() {
    let shape = Shape::cycle(500);
    let graph = try_to_csr(shape.nodes, &shape.edges).expect("edges inside");
    let ops = GraphOps::new(Arc::new(ReferenceDevice::with_limits(Limits::new(2000, 1 << 15, 256))));
    let error = ops.load(graph.view()).err();
    let expected = Error::ResourceExceeded { resource: Resource::BufferBytes, wanted: 2004, limit: 2000 };
    assert_eq!(error, Some(GraphError::Device(expected)));
}

#[test]
fn a_graph_that_is_not_valid_is_not_run() {
    let ops = GraphOps::new(Arc::new(ReferenceDevice::new()));
    let graph = CsrGraph { offsets: vec![0, 1], targets: vec![9], node_data: vec![0] };
    let error = ops.load(graph.view()).err();
    assert_eq!(error, Some(GraphError::Graph(CsrError::Target { position: 0, value: 9, nodes: 1 })));
    let graph = CsrGraph { offsets: vec![0, 0], targets: vec![], node_data: vec![9 << 16] };
    let error = ops.load(graph.view()).err();
    assert_eq!(error, Some(GraphError::Graph(CsrError::ReservedRole { node: 0, role: 9 })));
}

#[test]
fn ops_can_be_cancelled_and_report_progress() {
    let shape = Shape::cycle(300);
    let graph = try_to_csr(shape.nodes, &shape.edges).expect("edges inside");
    let mut late = RunOptions::default();
    late.deadline = Some(Instant::now());
    let ops = GraphOps::new(Arc::new(ReferenceDevice::new())).with_run_options(late);
    let loaded = ops.load(graph.view()).expect("loads");
    let ended = Some(GraphError::Device(Error::DeadlineExceeded));
    assert_eq!(loaded.bfs(&[0], &TraversalOptions::default()).err(), ended);
    assert_eq!(loaded.scc().err(), ended);
    assert_eq!(loaded.pagerank(&PageRankOptions::default()).err(), ended);

    let received: Arc<Mutex<Vec<Progress>>> = Arc::default();
    let sender = Arc::clone(&received);
    let ops = GraphOps::new(Arc::new(ReferenceDevice::new())).with_progress(move |progress| {
        sender.lock().expect("no panic").push(progress);
    });
    let loaded = ops.load(graph.view()).expect("loads");
    loaded.bfs(&[0, 1, 2], &TraversalOptions::default()).expect("runs");
    loaded.shortest_paths(None, &[0]).expect("runs");
    let received = received.lock().expect("no panic");
    let shown: Vec<_> = received.iter().map(|progress| (progress.unit, progress.done, progress.total)).collect();
    assert_eq!(shown[..2], [("sources", 0, Some(3)), ("sources", 3, Some(3))]);
    assert!(shown[2..].iter().all(|(unit, _, _)| *unit == "levels") && shown.len() > 2, "{shown:?}");
}

/// The search programs alone, with too small buffers and with sources outside of the graph.
#[test]
fn search_programs() {
    let device: Arc<dyn Device> = Arc::new(ReferenceDevice::new());
    raw::expect_documented_behaviour(&device, 200);
}
