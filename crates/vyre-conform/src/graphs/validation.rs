//! Conformance of the validation of graphs: a device that validates a large graph finds the error that the host finds.

use std::sync::Arc;

use vyre_dataflow::{Dataflow, DataflowError, Options, Strategy, taint_on_host};
use vyre_graph::CsrGraph;
use vyre_graph::generate::{rmat, roles};
use vyre_runtime::Device;

/// A place where a graph is damaged, with the new value.
type Damage = (&'static str, fn(&mut CsrGraph));

/// Damages of each array, at its ends and within it.
const DAMAGES: &[Damage] = &[
    ("the first offset", |graph| graph.offsets[0] = 1),
    ("an offset that decreases", |graph| {
        let position = last_node_with_edges(graph) + 1;
        graph.offsets[position] = u32::MAX;
    }),
    ("the last offset", |graph| *graph.offsets.last_mut().expect("an offset for each node") += 1),
    ("the first target", |graph| graph.targets[0] = graph.node_data.len() as u32),
    ("the last target", |graph| *graph.targets.last_mut().expect("the graph has edges") = u32::MAX),
    ("a role", |graph| {
        let position = graph.node_data.len() - 1;
        graph.node_data[position] = u32::MAX;
    }),
];

/// The last node whose successors are not those of the last node, so that its end is an inner offset.
fn last_node_with_edges(graph: &CsrGraph) -> usize {
    let edges = graph.targets.len() as u32;
    graph.offsets.partition_point(|&offset| offset < edges).saturating_sub(2)
}

/// Loads large graphs with the programs for GPUs: a valid one, which is then analysed twice, and damaged ones.
///
/// # Panics
///
/// If an error differs from that of the host, or if both analyses of the valid graph do not have the findings of the host.
#[track_caller]
pub fn expect_errors_of_the_host(device: &Arc<dyn Device>) {
    let engine = Dataflow::new(Arc::clone(device)).with_gpu_programs(true);
    // More nodes and edges than the engine validates on the host.
    let mut graph = rmat(17, 8, 0x5EED_0077).expect("a valid shape");
    roles(&mut graph, 3);
    for (name, damage) in DAMAGES {
        let mut damaged = graph.clone();
        damage(&mut damaged);
        let expected = damaged.view().validate().expect_err(name);
        let found = engine.load(damaged.view()).err();
        assert_eq!(found, Some(DataflowError::Graph(expected)), "{name}");
    }
    let sources: Vec<u32> = (0..8).map(|number| number * 1_000).collect();
    let expected = taint_on_host(graph.view(), &sources, None, u32::MAX, |_, _, _, _, facts| facts);
    assert!(!expected.is_empty(), "the graph has findings");
    let loaded = engine.load(graph.view()).unwrap_or_else(|error| panic!("{error}"));
    let options = Options::default().with_strategy(Strategy::BitParallel);
    for analysis in ["first", "second"] {
        let (findings, _) = loaded.taint(&sources, &options).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(findings, expected, "{analysis} analysis");
    }
}
