//! Semantics of emitted PTX: a PTX interpreter runs the corpus and generated programs without a GPU.
//!
//! The interpreter shares only the text with the emitter. Assemblers and hardware are the subject of the tests on GPUs.

mod device;
mod machine;
mod program;

use std::sync::Arc;

use vyre_conform::differential::Subject;
use vyre_conform::generated::{Seeds, expect_agreement};
use vyre_conform::graphs::generated::Sizes;
use vyre_conform::run_corpus::expect_all_right;
use vyre_cuda::PtxTarget;
use vyre_runtime::RunOptions;

use crate::device::PtxDevice;

fn the_run_corpus(target: PtxTarget, optimize: bool) {
    expect_all_right(&PtxDevice::new(target, optimize), &RunOptions::default());
}

#[test]
fn the_run_corpus_optimized() {
    the_run_corpus(PtxTarget::default(), true);
}

#[test]
fn the_run_corpus_as_lowered() {
    the_run_corpus(PtxTarget::default(), false);
}

/// PTX for older GPUs reduces by other instructions, and cancellable kernels have additional ones.
#[test]
fn the_run_corpus_for_old_gpus_and_cancellable() {
    the_run_corpus(PtxTarget::default().with_sm(70).with_cancel(true), true);
}

#[test]
fn generated_programs() {
    let subject = |name: &str, target, optimize| {
        let device = Arc::new(PtxDevice::new(target, optimize));
        Subject { name: name.to_owned(), device }
    };
    let subjects = [
        subject("PTX", PtxTarget::default(), true),
        subject("PTX, as lowered", PtxTarget::default(), false),
        subject("PTX for old GPUs", PtxTarget::default().with_sm(70).with_cancel(true), true),
    ];
    expect_agreement(Seeds::from_environment(500), |_| &subjects[..]);
}

// The interpreter executes the blocks of a grid one after the other, so a second run repeats the first.
vyre_conform::graph_checks!(PtxDevice::new(PtxTarget::default(), true), Sizes::TINY, One);
vyre_conform::compression_checks!(PtxDevice::new(PtxTarget::default(), true), 30);
vyre_conform::checksum_checks!(PtxDevice::new(PtxTarget::default(), true), 2);
