//! Tests of the generator that mutates and splices programs: determinism, validity, absence of races, independence of order, and
//! yield.
//!
//! `VYRE_CASES` and `VYRE_CASES_PERCENT` choose the number of programs.

use std::sync::Arc;

use vyre_conform::differential::{Subject, check_race_free, shrink};
use vyre_conform::embedded_corpus::Corpus;
use vyre_conform::kernel_device::KernelBackend;
use vyre_conform::race_free::reversed;
use vyre_conform::settings::seeds;
use vyre_conform::splice::{SpliceStatistics, Splicer};
use vyre_conform::{Case, Outcome};
use vyre_ir::validate;
use vyre_kernel::{Binary, Kernel, Op, Statement};
use vyre_runtime::{PipelineOptions, ReferenceDevice, RunOptions};

fn splicer() -> Splicer {
    Splicer::new(&Corpus::embedded()).unwrap_or_else(|error| panic!("{error}"))
}

fn run(seed: u64, case: &Case, check_races: bool) -> Outcome {
    let options = RunOptions::default().with_race_check(check_races);
    let outcome = case.run(&ReferenceDevice::new(), &PipelineOptions::default(), &options);
    outcome.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", case.program))
}

#[test]
fn equal_seeds_give_equal_cases() {
    let (first, second) = (splicer(), splicer());
    assert!(first.sources() > 300, "only {} sources", first.sources());
    for seed in 0..40 {
        let (one, other) = (first.case(seed), second.case(seed));
        assert_eq!(one.program, other.program, "seed {seed}");
        assert_eq!((one.grid, &one.contents), (other.grid, &other.contents), "seed {seed}");
        assert!(one.ops.iter().eq(other.ops.iter()), "seed {seed}");
    }
}

#[test]
fn programs_are_valid_race_free_and_independent_of_order() {
    let splicer = splicer();
    let mut statistics = SpliceStatistics::default();
    let count = seeds(1_000);
    let mut changed = 0;
    for seed in 0..count {
        let case = splicer.case_with(seed, &mut statistics);
        if let Err(errors) = validate(&case.program, &case.ops) {
            panic!("seed {seed}: {}\n{}", errors[0], case.program);
        }
        let first = run(seed, &case, true);
        if let Some(race) = first.report.races.races.first() {
            panic!("seed {seed}: {race}\ngrid {:?}\n{}", case.grid, case.program);
        }
        let reversed = run(seed, &reversed(&case), false);
        assert!(first.contents == reversed.contents, "seed {seed} depends on the order\n{}", case.program);
        changed += u64::from(first.contents != case.contents);
    }
    println!("{statistics}");
    assert!(statistics.kept * 100 >= count * 98, "{statistics}");
    assert!(changed >= statistics.kept, "{changed} programs change a buffer: {statistics}");
    assert!(count < 150 || statistics.least_kept() > 0, "{statistics}");
}

/// A toy backend with a defect: it doubles a value instead of squaring it.
#[test]
fn a_defect_is_found_and_its_program_reduced() {
    let defect = Arc::new(|kernel: &mut Kernel| {
        let mut wrong = Vec::new();
        kernel.for_each_statement(|statement| {
            if let Statement::Let(value) = statement
                && matches!(kernel.op(value), Op::Binary(Binary::Mul, a, b) if a == b)
            {
                wrong.push(value);
            }
        });
        for value in wrong {
            if let Op::Binary(_, a, b) = kernel.op(value) {
                kernel.values[value].op = Op::Binary(Binary::Add, a, b);
            }
        }
    });
    let backend = KernelBackend::with_transform("toy", defect);
    let subject = Subject { name: "toy".to_owned(), device: Arc::new(backend.device()) };
    let splicer = splicer();
    let found = (0..2_000).map(|seed| splicer.case(seed)).find(|case| {
        let outcome = check_race_free(case, std::slice::from_ref(&subject), std::time::Duration::from_secs(10));
        matches!(outcome, Some(Err(_)))
    });
    let case = found.expect("a program that squares a value");
    let (_, files) = shrink(&case, &subject);
    assert!(files.program.contains('*') && files.program.lines().count() < 20, "{}", files.program);
}
