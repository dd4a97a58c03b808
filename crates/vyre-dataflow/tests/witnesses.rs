//! Witnesses of analyses with facts.

use std::sync::Arc;

use vyre_dataflow::{Dataflow, DataflowError, Finding, Options, Transfer};
use vyre_graph::{CsrGraph, Role, try_to_csr};
use vyre_runtime::ReferenceDevice;

/// Two paths of equal length from 0 through 3 to the sink 4, where the word of an edge is a set of facts.
fn diamond() -> CsrGraph {
    let mut graph = try_to_csr(5, &[(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]).expect("edges are within the graph");
    graph.node_data[4] = Role::Sink.word();
    graph
}

fn finding_and_witness(transfer: Transfer, words: Vec<u32>, facts: u32) -> (Finding, Vec<u32>) {
    let graph = diamond();
    let engine = Dataflow::new(Arc::new(ReferenceDevice::new()));
    let loaded = engine.load(graph.view()).expect("a valid graph");
    let options = Options::default().with_transfer(transfer.with_edge_words(words)).with_facts(vec![facts]);
    let (findings, _) = loaded.taint(&[0], &options).expect("findings");
    let mut witnesses = loaded.witnesses(&findings, &options).expect("witnesses");
    assert_eq!((findings.len(), witnesses.len()), (1, 1));
    (findings[0], witnesses.remove(0))
}

/// Fact 0 reaches node 3 along the first path and ends there. Fact 1 reaches the sink along the second.
#[test]
fn a_witness_follows_the_fact_that_arrives() {
    let transfer = Transfer::of_facts(|_, edge, facts| facts & edge.metadata).expect("a function");
    let (finding, witness) = finding_and_witness(transfer, vec![1, 2, 3, 3, 2], 3);
    assert_eq!((finding.depth, finding.facts), (3, 2));
    assert_eq!(witness, [0, 2, 3, 4]);
}

/// A fact may become another one on its path.
#[test]
fn a_witness_follows_a_fact_that_changes() {
    let transfer = Transfer::of_facts(|_, edge, facts| (facts << 1u32) & edge.metadata).expect("a function");
    let (finding, witness) = finding_and_witness(transfer, vec![2, 4, 4, 8, 16], 3);
    assert_eq!((finding.depth, finding.facts), (3, 16));
    assert_eq!(witness, [0, 2, 3, 4]);
}

/// The last edge needs both facts, which no single path carries. The witness is a path of which each edge propagates some.
#[test]
fn facts_that_arrive_only_together_have_a_witness() {
    let transfer = Transfer::of_facts(|b, edge, facts| {
        let facts = b.let_("facts", facts);
        edge.metadata.clone().eq(7u32).select(facts.eq(3u32).select(4u32, 0u32), &facts & edge.metadata)
    });
    let (finding, witness) = finding_and_witness(transfer.expect("a function"), vec![1, 2, 3, 3, 7], 3);
    assert_eq!((finding.depth, finding.facts), (3, 4));
    assert_eq!(witness, [0, 1, 3, 4]);
}

#[test]
fn findings_that_the_analysis_does_not_have_are_rejected() {
    let graph = diamond();
    let engine = Dataflow::new(Arc::new(ReferenceDevice::new()));
    let loaded = engine.load(graph.view()).expect("a valid graph");
    let finding = |source, sink, depth| Finding { source, sink, depth, source_index: 0, facts: 1 };
    let blocked = Transfer::of_facts(|_, _, _| 0u32.into()).expect("a function");
    for (finding, options) in [
        (finding(0, 4, 2), Options::default()),
        (finding(0, 4, 4), Options::default()),
        (finding(0, 3, 2), Options::default()),
        (finding(4, 4, 0), Options::default()),
        (finding(0, 5, 1), Options::default()),
        (finding(0, 4, 3), Options::default().with_max_depth(2)),
        (finding(0, 4, 3), Options::default().with_transfer(blocked)),
        (Finding { source_index: 1, ..finding(0, 4, 3) }, Options::default().with_facts(vec![1])),
    ] {
        let expected = DataflowError::NoWitness { source: finding.source, sink: finding.sink };
        assert_eq!(loaded.witnesses(&[finding], &options), Err(expected), "{finding:?}");
    }
    let (findings, options) = ([finding(0, 4, 3)], Options::default());
    assert_eq!(loaded.witnesses(&findings, &options), Ok(vec![vec![0, 1, 3, 4]]));
}
