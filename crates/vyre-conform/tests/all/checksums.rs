//! Checksum ops on the reference device, with race detection.

use std::sync::Arc;

use vyre_conform::checksums::{corpus, generated};
use vyre_conform::generated::Seeds;
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
fn the_checksum_corpus_without_races() {
    corpus::expect_all_right(&reference(), &looking_for_races());
}

#[test]
fn checksums_of_ranges_without_races() {
    generated::expect_agreement(&reference(), &looking_for_races(), Seeds::from_environment(1));
}
