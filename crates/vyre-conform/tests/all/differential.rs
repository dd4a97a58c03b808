//! Differential tests of the optimizer: generated race-free programs on the reference interpreter and on the kernel evaluator,
//! as lowered, after each pass alone, and after all passes.
//!
//! `VYRE_CASES` is the number of programs and `VYRE_FIRST_SEED` the first seed, see `vyre_conform::settings`.

use std::path::PathBuf;
use std::sync::Arc;

use vyre_conform::differential::Subject;
use vyre_conform::generated::{SeedFailure, Seeds, check_seeds};
use vyre_conform::kernel_device::{KernelBackend, Transform};
use vyre_conform::race_free::race_free_case;
use vyre_ir::validate;
use vyre_kernel::{Kernel, Op, PassPipeline, Statement, lower, passes};

const CASES: u64 = 5_000;

/// Minimum frequency of programs that unrolling changes, in percent.
const MIN_UNROLLED_PERCENT: u32 = 45;

/// Evaluator of kernels after these passes. The device verifies kernels and reports violations.
fn subject(name: &'static str, pipeline: PassPipeline) -> Subject {
    let transform: Transform = Arc::new(move |kernel: &mut Kernel| {
        pipeline.run(kernel).unwrap_or_else(|error| panic!("{name}: {error}\n{kernel}"));
    });
    let backend = KernelBackend::with_transform(name, transform);
    Subject { name: name.to_owned(), device: Arc::new(backend.device()) }
}

fn lowered() -> Subject {
    Subject { name: "kernel".to_owned(), device: Arc::new(KernelBackend::new().device()) }
}

/// Runs the programs on all cores. Each stops at its first difference and reduces it.
fn compare(subjects: &[Subject]) {
    let seeds = Seeds::from_environment(CASES);
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                if let Err(failure) = check_seeds(seeds.share(thread, threads), |_| subjects) {
                    panic!("{}{failure}", written(&failure));
                }
            });
        }
    });
    println!("{seeds}, {} subjects: no difference", subjects.len());
}

/// Writes a reduced program as files for the corpus. Returns their paths.
fn written(failure: &SeedFailure) -> String {
    let Some(files) = &failure.files else { return String::new() };
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let program = directory.join(format!("difference_{}.vyre", failure.seed));
    std::fs::write(&program, &files.program).expect("a writable directory");
    if let Some(ops) = &files.ops {
        let name = format!("difference_{}_ops.vyre", failure.seed);
        std::fs::write(directory.join(name), ops).expect("a writable directory");
    }
    format!("{}\n", program.display())
}

#[test]
fn kernels_and_optimized_kernels_agree_with_the_interpreter() {
    let unrolled = subject("unrolled", PassPipeline::standard_with_unrolling());
    compare(&[lowered(), subject("optimized", PassPipeline::standard()), unrolled]);
}

#[test]
fn every_pass_alone_agrees_with_the_interpreter() {
    let alone = |name: &'static str| subject(name, PassPipeline::of([name]).expect("a pass"));
    let subjects: Vec<Subject> = passes().iter().map(|pass| alone(pass.name)).collect();
    compare(&subjects);
}

/// Passes in random orders, another one for each kernel, which covers all interactions.
#[test]
fn passes_in_any_order_agree_with_the_interpreter() {
    let orders: Transform = Arc::new(|kernel: &mut Kernel| {
        let names: Vec<&'static str> = passes().iter().map(|pass| pass.name).collect();
        let mut state = (kernel.values.len() as u64) << 32 | kernel.statement_count() as u64;
        let order: Vec<&'static str> = (0..12)
            .map(|_| {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                names[(state >> 33) as usize % names.len()]
            })
            .collect();
        let pipeline = PassPipeline::of(&order).expect("names of passes");
        pipeline.run(kernel).unwrap_or_else(|error| panic!("{order:?}: {error}\n{kernel}"));
    });
    let device = Arc::new(KernelBackend::with_transform("any order", orders).device());
    compare(&[Subject { name: "any order".to_owned(), device }]);
}

/// The standard pipeline leaves no decidable condition, except in a few programs that need another iteration.
#[test]
fn the_standard_pipeline_leaves_few_decidable_conditions() {
    let (mut programs, mut decided) = (0, 0);
    for seed in 0..1_000 {
        let case = race_free_case(seed);
        let valid = validate(&case.program, &case.ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
        let mut kernel = lower(&valid).unwrap_or_else(|error| panic!("{error}"));
        PassPipeline::standard().run(&mut kernel).unwrap_or_else(|error| panic!("{error}"));
        let mut found = false;
        kernel.for_each_statement(|statement| match statement {
            Statement::If { cond, .. } => found |= kernel.as_bool(cond).is_some(),
            Statement::Let(value) => {
                let op = kernel.op(value);
                let (mut constants, mut operands) = (0, 0);
                op.for_each_operand(|operand| {
                    operands += 1;
                    constants += u32::from(matches!(kernel.op(operand), Op::Word(_) | Op::Bool(_)));
                });
                let computes =
                    matches!(op, Op::Unary(..) | Op::Binary(..) | Op::Compare(..) | Op::Not(_) | Op::Logic(..));
                found |= computes && operands == constants;
            }
            _ => {}
        });
        programs += 1;
        decided += u32::from(found);
    }
    println!("{decided} of {programs} programs have something left that is decided");
    assert!(decided * 100 <= programs, "{decided} of {programs}");
}

/// Many programs have loops that are unrolled, as lowered and after the passes that find constant bounds.
#[test]
fn many_programs_have_loops_that_are_unrolled() {
    let of_standard = PassPipeline::standard_with_unrolling();
    let until_unrolled = of_standard.names().take_while(|&name| name != "unroll").count() + 1;
    let prepared = of_standard.stop_after(until_unrolled);
    let alone = PassPipeline::of(["unroll"]).expect("a pass");
    let unrolls = |pipeline: &PassPipeline, mut kernel: Kernel| {
        let runs = pipeline.run(&mut kernel).unwrap_or_else(|error| panic!("{error}"));
        runs.last().is_some_and(|run| run.changed)
    };
    let (mut programs, mut as_lowered, mut as_prepared) = (0, 0, 0);
    for seed in 0..1_000 {
        let case = race_free_case(seed);
        let valid = validate(&case.program, &case.ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
        let kernel = lower(&valid).unwrap_or_else(|error| panic!("{error}"));
        programs += 1;
        as_lowered += u32::from(unrolls(&alone, kernel.clone()));
        as_prepared += u32::from(unrolls(&prepared, kernel));
    }
    println!("of {programs} programs unrolling changes {as_lowered} as lowered and {as_prepared} as prepared");
    assert!(
        as_lowered.min(as_prepared) * 100 >= programs * MIN_UNROLLED_PERCENT,
        "{as_lowered}, {as_prepared} of {programs}"
    );
}
