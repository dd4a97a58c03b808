//! Every program of `tests/corpus/run` on every backend of this machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use vyre_conform::corpus::program_files;
use vyre_conform::corpus_ops::op_table;
use vyre_conform::kernel_device::KernelBackend;
use vyre_conform::run_corpus::check_file;
use vyre_ir::text;
use vyre_kernel::{Kernel, Pipeline, passes};
use vyre_runtime::{Backend, ReferenceBackend, RunOptions};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/run")
}

/// All programs, topic by topic.
fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(corpus()).expect("the corpus can be read");
    let mut topics: Vec<_> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    topics.retain(|path| path.is_dir() && !path.ends_with("ops"));
    topics.sort();
    topics.iter().flat_map(|topic| program_files(topic).expect("a readable topic")).collect()
}

fn run_on(backend: &dyn Backend, options: &RunOptions) {
    let ops = op_table(&corpus().join("ops")).unwrap_or_else(|error| panic!("{error}"));
    let device = backend.devices().expect("a device").remove(0);
    let mut runs = 0;
    let mut wrong = Vec::new();
    let files = files();
    for path in &files {
        let source = std::fs::read_to_string(path).expect("a readable file");
        match check_file(&source, &ops, &*device, options) {
            Ok(count) => runs += count,
            Err(failure) => wrong.push(format!("{}: {failure}", path.display())),
        }
    }
    println!("{}: {} files, {runs} runs, {} wrong", backend.name(), files.len(), wrong.len());
    assert!(wrong.is_empty(), "{} of {} files:\n{}", wrong.len(), files.len(), wrong.join("\n"));
    assert!(files.len() > 100 && runs >= files.len());
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
    let alone = passes().iter().map(|pass| (pass.name, Pipeline::of([pass.name]).expect("a pass")));
    for (name, pipeline) in alone.chain([("standard", Pipeline::standard())]) {
        let transform = Arc::new(move |kernel: &mut Kernel| {
            pipeline.run(kernel).unwrap_or_else(|error| panic!("{name}: {error}\n{kernel}"));
        });
        run_on(&KernelBackend::with_transform(name, transform), &RunOptions::default());
    }
}

#[test]
fn the_corpus_is_in_canonical_format() {
    for path in files() {
        let source = std::fs::read_to_string(&path).expect("a readable file");
        assert_eq!(text::format(&source).as_deref(), Ok(source.as_str()), "{}", path.display());
    }
}
