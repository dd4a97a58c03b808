//! Optimizer corpus `tests/corpus/opt`: kernels before and after a pass, and results of runs.
//!
//! `UPDATE_CORPUS=1` regenerates the kernels in the files. Review the changes before you commit them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use vyre_conform::corpus::program_files;
use vyre_conform::corpus_ops::op_table;
use vyre_conform::kernel_device::{KernelBackend, Transform};
use vyre_conform::opt_corpus::{Example, OptFailure, SPECIALIZE};
use vyre_ir::{OpTable, text};
use vyre_kernel::{Kernel, PassPipeline, passes};
use vyre_runtime::{Device, ReferenceDevice, RunOptions};

/// Minimum number of files of a pass, of files that it does not change, and of specialization files.
const MIN_FILES: usize = 12;
const MIN_UNCHANGED: usize = 4;
const MIN_SPECIALIZED: usize = 8;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/opt")
}

fn ops() -> OpTable {
    op_table(&corpus().join("ops")).unwrap_or_else(|error| panic!("{error}"))
}

struct File {
    pass: String,
    path: PathBuf,
    source: String,
}

/// All files, by pass.
fn files() -> Vec<File> {
    let entries = std::fs::read_dir(corpus()).expect("the corpus can be read");
    let mut directories: Vec<_> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    directories.retain(|path| path.is_dir() && !path.ends_with("ops"));
    directories.sort();
    let mut files = Vec::new();
    for directory in directories {
        let pass = directory.file_name().and_then(|name| name.to_str()).expect("the name of a pass").to_owned();
        for path in program_files(&directory).expect("a readable directory") {
            let source = std::fs::read_to_string(&path).expect("a readable file");
            files.push(File { pass: pass.clone(), path, source });
        }
    }
    files
}

/// Checks every file, and panics with all failures.
fn each(mut check: impl FnMut(&File, &Example) -> Result<(), String>) {
    let files = files();
    let mut wrong = Vec::new();
    for file in &files {
        let outcome = Example::read(&file.pass, &file.source).map_err(|failure| failure.to_string());
        if let Err(failure) = outcome.and_then(|example| check(file, &example)) {
            wrong.push(format!("{}: {failure}", file.path.display()));
        }
    }
    assert!(wrong.is_empty(), "{} of {} files:\n{}", wrong.len(), files.len(), wrong.join("\n"));
}

fn to_text(outcome: Result<usize, OptFailure>) -> Result<(), String> {
    outcome.map(|_| ()).map_err(|failure| failure.to_string())
}

/// Kernel evaluator after these passes.
fn after(pipeline: PassPipeline) -> impl Device {
    let transform: Transform = Arc::new(move |kernel: &mut Kernel| {
        pipeline.run(kernel).unwrap_or_else(|error| panic!("{error}\n{kernel}"));
    });
    KernelBackend::with_transform("passes", transform).device()
}

#[test]
fn kernels_before_and_after_are_as_written() {
    let ops = ops();
    let update = std::env::var_os("UPDATE_CORPUS").is_some_and(|value| value == "1");
    each(|file, example| {
        let wanted = example.with_kernels(&file.pass, &ops).map_err(|failure| failure.to_string())?;
        if wanted == file.source {
            return Ok(());
        }
        if update {
            return std::fs::write(&file.path, wanted).map_err(|error| error.to_string());
        }
        Err(format!("the kernels are others (UPDATE_CORPUS=1 writes them)\n{wanted}"))
    });
}

#[test]
fn runs_on_the_reference_device() {
    let (ops, device) = (ops(), ReferenceDevice::new());
    each(|_, example| to_text(example.check_runs(&ops, &device, &RunOptions::default())));
}

#[test]
fn runs_have_no_races() {
    let (ops, device) = (ops(), ReferenceDevice::new());
    let mut options = RunOptions::default();
    options.check_races = true;
    each(|_, example| to_text(example.check_runs(&ops, &device, &options)));
}

#[test]
fn runs_of_kernels_as_lowered() {
    let (ops, device) = (ops(), KernelBackend::new().device());
    each(|_, example| to_text(example.check_runs(&ops, &device, &RunOptions::default())));
}

#[test]
fn runs_after_the_pass_alone() {
    let ops = ops();
    each(|file, example| {
        let alone = if file.pass == SPECIALIZE { Vec::new() } else { vec![file.pass.clone()] };
        let device = after(PassPipeline::of(alone).map_err(|error| error.to_string())?);
        to_text(example.check_runs(&ops, &device, &RunOptions::default()))
    });
}

#[test]
fn runs_after_preparation_and_the_pass() {
    let ops = ops();
    each(|file, example| {
        let device = after(PassPipeline::of(example.passes(&file.pass)).map_err(|error| error.to_string())?);
        to_text(example.check_runs(&ops, &device, &RunOptions::default()))
    });
}

#[test]
fn runs_after_all_passes() {
    let ops = ops();
    for pipeline in [PassPipeline::standard(), PassPipeline::standard_with_unrolling()] {
        let device = after(pipeline);
        each(|_, example| to_text(example.check_runs(&ops, &device, &RunOptions::default())));
    }
}

#[test]
fn fixed_values_are_what_memory_could_hold() {
    let ops = ops();
    let devices: [&dyn Device; 2] = [&ReferenceDevice::new(), &after(PassPipeline::standard())];
    each(|_, example| {
        let check = |device: &&dyn Device| example.check_unfixed_runs(&ops, *device);
        devices.iter().try_for_each(check).map_err(|failure| failure.to_string())
    });
}

#[test]
fn every_pass_has_its_files() {
    let (files, ops) = (files(), ops());
    // Kernels are computed, since another test may be writing them into the files.
    let is_unchanged = |file: &&&File| {
        let example = Example::read(&file.pass, &file.source).unwrap_or_else(|error| panic!("{error}"));
        let kernels = example.with_kernels(&file.pass, &ops).unwrap_or_else(|error| panic!("{error}"));
        kernels.ends_with("// after: unchanged\n")
    };
    let known = passes().iter().map(|pass| (pass.name, MIN_FILES)).chain([(SPECIALIZE, MIN_SPECIALIZED)]);
    let known: Vec<(&str, usize)> = known.collect();
    for &(name, fewest) in &known {
        let of_pass: Vec<&File> = files.iter().filter(|file| file.pass == name).collect();
        assert!(of_pass.len() >= fewest, "tests/corpus/opt/{name} has {} files; a pass needs {fewest}", of_pass.len());
        let unchanged = of_pass.iter().filter(is_unchanged).count();
        let enough = name == SPECIALIZE || unchanged >= MIN_UNCHANGED;
        assert!(enough, "tests/corpus/opt/{name} has {unchanged} unchanged kernels; a pass needs {MIN_UNCHANGED}");
    }
    for file in &files {
        assert!(known.iter().any(|(name, _)| *name == file.pass), "{}: there is no such pass", file.path.display());
    }
}

#[test]
fn the_corpus_is_in_canonical_format() {
    for file in files() {
        assert_eq!(text::format(&file.source).as_deref(), Ok(file.source.as_str()), "{}", file.path.display());
    }
}
