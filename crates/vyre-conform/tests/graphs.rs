//! Graph ops on the reference device, with races looked for, and on evaluated kernels.

use std::sync::Arc;

use vyre_conform::generated::Seeds;
use vyre_conform::graphs::corpus;
use vyre_conform::graphs::generated::{Sizes, expect_agreement};
use vyre_conform::settings;
use vyre_runtime::{Device, ReferenceDevice, RunOptions};

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
fn the_graph_corpus_on_the_reference() {
    let device: Arc<dyn Device> = Arc::new(ReferenceDevice::new());
    corpus::expect_all_right(&device, &RunOptions::default());
}
