//! Compression ops on the reference device, with race detection.

use std::sync::Arc;

use vyre_conform::compression::{corpus, generated, zlib};
use vyre_conform::generated::Seeds;
use vyre_conform::kernel_device::{KernelBackend, Transform};
use vyre_conform::settings;
use vyre_kernel::{Kernel, PassPipeline};
use vyre_runtime::{Device, ReferenceDevice, RunOptions};

fn reference() -> Arc<dyn Device> {
    Arc::new(ReferenceDevice::new())
}

/// The evaluator of optimized kernels.
fn optimized_kernels() -> Arc<dyn Device> {
    let passes = PassPipeline::standard();
    let transform: Transform = Arc::new(move |kernel: &mut Kernel| {
        passes.run(kernel).unwrap_or_else(|error| panic!("{error}\n{kernel}"));
    });
    Arc::new(KernelBackend::with_transform("passes", transform).device())
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
    generated::expect_agreement(&reference(), &RunOptions::default(), Seeds::from_environment(60), 12);
}

#[test]
fn compressed_blocks_without_races() {
    generated::expect_agreement(&reference(), &looking_for_races(), Seeds::from_environment(15), 8);
}

#[test]
fn damaged_blocks_on_the_reference() {
    let blocks = settings::seeds(2000) as usize;
    generated::expect_agreement_on_damage(&reference(), &RunOptions::default(), 12, blocks);
}

/// The evaluator faults where a guard is missing.
#[test]
fn compressed_blocks_on_kernels() {
    generated::expect_agreement(&optimized_kernels(), &RunOptions::default(), Seeds::from_environment(10), 8);
}

#[test]
fn deflate_streams_of_zlib_on_kernels() {
    let streams: Vec<_> = zlib::streams(&[5, 3000]).into_iter().step_by(9).collect();
    zlib::expect_none_refused(&optimized_kernels(), &RunOptions::default(), &streams);
}
