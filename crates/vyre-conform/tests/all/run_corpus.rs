//! Every program of `tests/corpus/run` on every backend of this machine.

use std::sync::Arc;

use vyre_conform::kernel_device::KernelBackend;
use vyre_conform::run_corpus::{check_all, files};
use vyre_conform::settings::corpus;
use vyre_ir::text;
use vyre_kernel::{Kernel, PassPipeline, passes};
use vyre_runtime::{Backend, ReferenceBackend, RunOptions};

fn run_on(backend: &dyn Backend, options: &RunOptions) {
    let device = backend.devices().expect("a device").remove(0);
    let summary = check_all(&corpus("run"), &*device, options).unwrap_or_else(|error| panic!("{error}"));
    println!("{}: {summary}", backend.name());
    summary.expect_all_right();
}

#[test]
fn reference() {
    run_on(&ReferenceBackend, &RunOptions::default());
}

#[test]
fn reference_without_races() {
    let mut options = RunOptions::default();
    options.check_races = true;
    run_on(&ReferenceBackend, &options);
}

#[test]
fn kernel() {
    run_on(&KernelBackend::new(), &RunOptions::default());
}

/// Every pass alone, and all of them.
#[test]
fn kernels_after_passes() {
    let alone = passes().iter().map(|pass| (pass.name, PassPipeline::of([pass.name]).expect("a pass")));
    for (name, pipeline) in alone.chain([("standard", PassPipeline::standard())]) {
        let transform = Arc::new(move |kernel: &mut Kernel| {
            pipeline.run(kernel).unwrap_or_else(|error| panic!("{name}: {error}\n{kernel}"));
        });
        run_on(&KernelBackend::with_transform(name, transform), &RunOptions::default());
    }
}

#[test]
fn the_corpus_is_in_canonical_format() {
    for path in files(&corpus("run")).unwrap_or_else(|error| panic!("{error}")) {
        let source = std::fs::read_to_string(&path).expect("a readable file");
        assert_eq!(text::format(&source).as_deref(), Ok(source.as_str()), "{}", path.display());
    }
}
