//! Sources that occur often, with equal and with different facts: the findings arrive in chunks of bounded size.

use std::ops::ControlFlow;
use std::sync::Arc;

use vyre_dataflow::{Dataflow, Finding, Options, Strategy};
use vyre_graph::{Role, try_to_csr};
use vyre_runtime::ReferenceDevice;

/// Maximum number of findings of a chunk, as `docs/dataflow.md` has it.
const MAX_CHUNK: usize = 1 << 20;

#[test]
fn findings_of_one_node_arrive_in_chunks() {
    let sinks = 40u32;
    let edges: Vec<(u32, u32)> = (1..=sinks).map(|sink| (0, sink)).collect();
    let mut graph = try_to_csr(sinks + 1, &edges).expect("edges are within the graph");
    (1..=sinks).for_each(|sink| graph.node_data[sink as usize] = Role::Sink.word());
    let sources = vec![0u32; 28_000];
    let engine = Dataflow::new(Arc::new(ReferenceDevice::new())).with_host_search(true);
    let loaded = engine.load(graph.view()).expect("a valid graph");
    for (strategy, facts) in
        [(Strategy::Host, None), (Strategy::PerSource, None), (Strategy::PerSource, Some(2)), (Strategy::Host, Some(3))]
    {
        let mut options = Options::default().with_strategy(strategy);
        options.facts = facts.map(|kinds| (0..sources.len() as u32).map(|position| 1 + position % kinds).collect());
        let (mut total, mut previous): (usize, Option<Finding>) = (0, None);
        let summary = loaded.stream(&sources, &options, |findings| {
            assert!(findings.len() <= MAX_CHUNK && findings.is_sorted() && previous.as_ref() < findings.first());
            previous = findings.last().copied();
            total += findings.len();
            ControlFlow::Continue(())
        });
        assert_eq!((summary.expect("findings").findings, total), (1_120_000, 1_120_000), "{strategy}, {facts:?}");
    }
}
