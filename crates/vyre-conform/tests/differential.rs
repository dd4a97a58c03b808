//! Generated race-free programs give the same bytes on the reference interpreter, as kernels, and as kernels after each
//! pass alone and after all of them.
//!
//! `VYRE_CASES` is how many programs there are, `VYRE_FIRST_SEED` the seed of the first one.

use std::path::PathBuf;
use std::sync::Arc;

use vyre_conform::differential::{Subject, check, shrink};
use vyre_conform::kernel_device::{KernelBackend, Transform};
use vyre_conform::race_free::race_free_case;
use vyre_kernel::{Kernel, Pipeline, passes};

const CASES: u64 = 5_000;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

/// Kernels after these passes; broken rules are reported by the device, which verifies what it gets.
fn subject(name: &'static str, pipeline: Pipeline) -> Subject {
    let transform: Transform = Arc::new(move |kernel: &mut Kernel| {
        pipeline.run(kernel).unwrap_or_else(|error| panic!("{name}: {error}\n{kernel}"));
    });
    let backend = KernelBackend::with_transform(name, transform);
    Subject { name: name.to_owned(), device: Arc::new(backend.device()) }
}

fn lowered() -> Subject {
    Subject { name: "kernel".to_owned(), device: Arc::new(KernelBackend::new().device()) }
}

/// Runs the programs of one share of the seeds and stops at the first difference, which it makes small.
fn compare(subjects: &[Subject]) {
    let first = number("VYRE_FIRST_SEED", 0);
    let cases = number("VYRE_CASES", CASES);
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                for seed in (first..first + cases).skip(thread as usize).step_by(threads as usize) {
                    let case = race_free_case(seed);
                    match check(&case, subjects) {
                        Ok(Ok(())) => {}
                        Ok(Err(difference)) => panic!("seed {seed}: {difference}\n{}", shrunk(seed, &case, subjects)),
                        Err(error) => panic!("seed {seed}: the reference device: {error}\n{}", case.program),
                    }
                }
            });
        }
    });
    println!("{cases} programs from seed {first} on, {} subjects: no difference", subjects.len());
}

/// The smallest case that shows the first difference, also as files that can be moved to the corpus.
fn shrunk(seed: u64, case: &vyre_conform::Case, subjects: &[Subject]) -> String {
    let differs = |subject: &&Subject| !matches!(check(case, std::slice::from_ref(*subject)), Ok(Ok(())));
    let Some(subject) = subjects.iter().find(differs) else { return String::new() };
    let (_, files) = shrink(case, subject);
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let program = directory.join(format!("difference_{seed}.vyre"));
    std::fs::write(&program, &files.program).expect("a writable directory");
    if let Some(ops) = &files.ops {
        std::fs::write(directory.join(format!("difference_{seed}_ops.vyre")), ops).expect("a writable directory");
    }
    format!("{}\n{}\n{}", program.display(), files.program, files.ops.unwrap_or_default())
}

#[test]
fn kernels_and_optimized_kernels_agree_with_the_interpreter() {
    compare(&[lowered(), subject("optimized", Pipeline::standard())]);
}

#[test]
fn every_pass_alone_agrees_with_the_interpreter() {
    let alone = |name: &'static str| subject(name, Pipeline::of([name]).expect("a pass"));
    let subjects: Vec<Subject> = passes().iter().map(|pass| alone(pass.name)).collect();
    compare(&subjects);
}

/// Passes in an order that no pipeline has, several times over, so that what one leaves meets every other.
#[test]
fn passes_in_any_order_agree_with_the_interpreter() {
    let names: Vec<&'static str> = passes().iter().map(|pass| pass.name).collect();
    let backwards: Vec<&'static str> = names.iter().rev().chain(names.iter().rev()).copied().collect();
    let rotated: Vec<&'static str> = (0..names.len()).map(|at| names[(3 * at + 4) % names.len()]).collect();
    let twice: Vec<&'static str> = rotated.iter().chain(&names).chain(&rotated).copied().collect();
    compare(&[
        subject("backwards", Pipeline::of(backwards).expect("passes")),
        subject("rotated", Pipeline::of(twice).expect("passes")),
    ]);
}
