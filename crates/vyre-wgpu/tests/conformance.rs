//! The run corpus and generated programs on a GPU, against the reference interpreter.
//!
//! `VYRE_GPU` chooses the adapter by its position in `vyre devices`, `VYRE_CORPUS` another place of the corpus,
//! `VYRE_FIRST_SEED` and `VYRE_CASES` other generated programs; with `VYRE_TRACE` each is named before it runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use vyre_conform::corpus::program_files;
use vyre_conform::corpus_ops::op_table;
use vyre_conform::differential::{Subject, check, shrink};
use vyre_conform::race_free::race_free_case;
use vyre_conform::run_corpus::check_file;
use vyre_runtime::{Device as _, RunOptions};
use vyre_wgpu::{WgpuDevice, WgpuOptions};

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

fn device(optimize: bool) -> WgpuDevice {
    let devices = WgpuDevice::all(&WgpuOptions::default().with_optimizer(optimize));
    let devices = devices.unwrap_or_else(|error| panic!("{error}"));
    let device = devices.into_iter().nth(number("VYRE_GPU", 0) as usize).expect("an adapter at this position");
    println!("{}, {}", device.name(), device.driver().unwrap_or_default());
    device
}

fn corpus() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
    std::env::var_os("VYRE_CORPUS").map_or(here, PathBuf::from).join("run")
}

#[test]
fn the_run_corpus_optimized() {
    the_run_corpus(true);
}

#[test]
fn the_run_corpus_as_lowered() {
    the_run_corpus(false);
}

fn the_run_corpus(optimize: bool) {
    let ops = op_table(&corpus().join("ops")).unwrap_or_else(|error| panic!("{error}"));
    let entries = std::fs::read_dir(corpus()).expect("the corpus can be read");
    let mut topics: Vec<_> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    topics.retain(|path| path.is_dir() && !path.ends_with("ops"));
    topics.sort();
    let mut wrong = Vec::new();
    let (mut files, mut runs) = (0, 0);
    let device = device(optimize);
    for path in topics.iter().flat_map(|topic| program_files(topic).expect("a readable topic")) {
        let source = std::fs::read_to_string(&path).expect("a readable file");
        files += 1;
        match check_file(&source, &ops, &device, &RunOptions::default()) {
            Ok(count) => runs += count,
            Err(failure) => wrong.push(format!("{}: {failure}", path.display())),
        }
    }
    println!("{files} files, {runs} runs, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Half of the generated programs, so that two cores share the work.
#[test]
fn generated_programs_with_even_seeds() {
    generated_programs(0);
}

#[test]
fn generated_programs_with_odd_seeds() {
    generated_programs(1);
}

fn generated_programs(which: u64) {
    let (first, cases) = (number("VYRE_FIRST_SEED", 0), number("VYRE_CASES", 500));
    let subject = |name: &str, optimize| Subject { name: name.to_owned(), device: Arc::new(device(optimize)) };
    let subjects = [subject("wgpu, optimized", true), subject("wgpu, as lowered", false)];
    let mut agreed = 0;
    let trace = std::env::var_os("VYRE_TRACE").is_some();
    for seed in (first..first + cases).filter(|seed| seed % 2 == which) {
        if trace {
            // For drivers that take the process with them.
            eprintln!("seed {seed}");
        }
        let case = race_free_case(seed);
        // Drivers that compute on the CPU take half a second to compile one; a quarter of them shows what passes hide.
        let subjects = if seed % 8 < 2 { &subjects[..] } else { &subjects[..1] };
        match check(&case, subjects) {
            Ok(Ok(())) => agreed += 1,
            Ok(Err(difference)) => {
                eprintln!("seed {seed}: {difference}; making it small");
                let found = subjects.iter().find(|subject| difference.to_string().starts_with(&subject.name));
                let files = found.map(|subject| shrink(&case, subject).1);
                panic!(
                    "seed {seed}: {difference}\n{}\n{:?}",
                    files.as_ref().map_or("", |files| &files.program),
                    files.as_ref().and_then(|files| files.ops.as_deref())
                );
            }
            Err(error) => panic!("seed {seed}: the reference device: {error}"),
        }
    }
    println!("{agreed} generated programs agree, a quarter of them as lowered too");
}
