//! Compression ops on the reference device, with race detection.

use std::sync::Arc;

use vyre_conform::compression::{corpus, generated};
use vyre_conform::generated::Seeds;
use vyre_conform::settings;
use vyre_runtime::{Device, ReferenceDevice, RunOptions};

fn reference() -> Arc<dyn Device> {
    Arc::new(ReferenceDevice::new())
}

fn looking_for_races() -> RunOptions {
    let mut options = RunOptions::default();
    options.check_races = true;
    options
}

#[test]
fn every_compression_op_has_cases() {
    let files = corpus::files(&settings::corpus("ops/compression"));
    for op in vyre_ops::ops().iter().filter_map(|op| op.id.strip_prefix("compression.")) {
        let cases = files.iter().filter(|(name, _)| name == op).count();
        assert!(cases >= 5, "compression.{op} has {cases} cases");
    }
}

#[test]
fn the_compression_corpus_without_races() {
    corpus::expect_all_right(&reference(), &looking_for_races());
}

#[test]
fn compressed_blocks_on_the_reference() {
    generated::expect_agreement(&reference(), &RunOptions::default(), Seeds::from_environment(60));
}

#[test]
fn compressed_blocks_without_races() {
    generated::expect_agreement(&reference(), &looking_for_races(), Seeds::from_environment(15));
}

#[test]
fn damaged_blocks_on_the_reference() {
    generated::expect_agreement_on_damage(&reference(), &RunOptions::default());
}
