//! Tests of the race-free program generator: validity, absence of races, determinism, independence of order, and coverage.
//!
//! `VYRE_CASES` is the number of programs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use vyre_conform::race_free::{ConstructFrequencies, race_free_case, reversed};
use vyre_conform::settings::cases;
use vyre_conform::{Case, Outcome};
use vyre_ir::text::parse;
use vyre_ir::{AtomicOp, BinOp, DataType, ReduceOp, UnOp};
use vyre_runtime::{PipelineOptions, ReferenceDevice, RunOptions};

fn run(seed: u64, case: &Case, check_races: bool) -> Outcome {
    let mut options = RunOptions::default();
    options.check_races = check_races;
    options.deadline = Some(Instant::now() + Duration::from_secs(60));
    match case.run(&ReferenceDevice::new(), &PipelineOptions::default(), &options) {
        Ok(outcome) => outcome,
        Err(error) => panic!("seed {seed}: {error}\n{}", case.program),
    }
}

/// Calls `check` for each seed below `end`, on all cores.
fn for_each_seed(end: u64, check: impl Fn(u64) + Sync) {
    let next = AtomicU64::new(0);
    let workers = std::thread::available_parallelism().map_or(1, |count| count.get());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        break;
                    }
                    check(seed);
                }
            });
        }
    });
}

#[test]
fn programs_are_valid_race_free_and_independent_of_order() {
    let count = cases(2_000);
    let changed = AtomicU64::new(0);
    for_each_seed(count, |seed| {
        let case = race_free_case(seed);
        let first = run(seed, &case, true);
        if let Some(race) = first.report.races.races.first() {
            panic!("seed {seed}: {race}\ngrid {:?}\n{}", case.grid, case.program);
        }
        let second = run(seed, &case, false);
        assert!(first.contents == second.contents, "seed {seed} differs from run to run\n{}", case.program);
        let third = run(seed, &reversed(&case), false);
        assert!(first.contents == third.contents, "seed {seed} depends on the order\n{}", case.program);
        changed.fetch_add(u64::from(first.contents != case.contents), Ordering::Relaxed);
    });
    let changed = changed.into_inner();
    assert!(changed * 10 >= count * 9, "only {changed} of {count} programs change a buffer");
}

#[test]
fn the_same_seed_gives_the_same_case() {
    for seed in 0..50 {
        let (first, second) = (race_free_case(seed), race_free_case(seed));
        assert_eq!(first.program, second.program);
        assert_eq!((first.grid, &first.contents), (second.grid, &second.contents));
        assert!(first.ops.iter().eq(second.ops.iter()));
        let printed = first.program.to_string();
        assert_eq!(parse(&printed).expect("printed programs parse").program, first.program);
    }
}

#[test]
fn reversal_changes_what_depends_on_the_order() {
    let text = "workgroup_size 4; buffer last: read_write u32 @0;
        entry { let _ = atomic_exchange(last[0], invocation_id.x); }";
    let program = parse(text).expect("parses").program;
    let contents = [("last".into(), vec![0; 4])].into();
    let case = Case { program, ops: Default::default(), grid: [2, 1, 1], contents };
    assert_eq!(run(0, &case, false).contents["last"], 7u32.to_le_bytes());
    assert_eq!(run(0, &reversed(&case), false).contents["last"], 0u32.to_le_bytes());
}

/// Minimum frequency of constructs, in percent of programs.
fn minimum_frequencies() -> Vec<(f64, String)> {
    let mut minimum: Vec<(f64, String)> = Vec::new();
    let mut all = |percent: f64, constructs: &[&str]| {
        minimum.extend(constructs.iter().map(|construct| (percent, (*construct).to_owned())));
    };
    all(70.0, &["assign", "if: divergent", "store: u32", "load: u32", "length", "expression: repeated"]);
    all(50.0, &["control: nested", "loop", "atomic", "select", "extract", "buffer: read"]);
    all(40.0, &["buffer: workgroup", "atomic: commutative", "assign: in a loop", "op: loop", "op: ids", "op: length"]);
    all(30.0, &["barrier", "collective", "call", "if: uniform", "loop: bounds are computed", "control: nested thrice"]);
    all(25.0, &["op: return", "op: stores beyond", "op: loads beyond"]);
    all(20.0, &["if: else", "atomic: result discarded", "block", "let _", "load: invariant in a loop"]);
    all(
        15.0,
        &["break: divergent", "return: divergent", "buffer: uniform", "if: else if", "shape: workgroup of 3 axes"],
    );
    all(10.0, &["op: break", "op: call", "load: far out of range", "store: far out of range", "buffer: empty"]);
    all(10.0, &["buffer: partial element", "guard: index < length", "loop: to 2^32 - 1", "shape: grid of 2 axes"]);
    all(6.0, &["barrier: in a loop", "barrier: in an if", "collective: ballot", "collective: broadcast"]);
    all(6.0, &["collective: shuffle", "guard: return beyond a length", "load: at the length", "store: at the length"]);
    all(5.0, &["break: uniform", "load: index % length", "operands: shift by 32 and more", "loop: over a length"]);
    all(4.0, &["return: uniform", "operands: division by 0", "load: index & mask", "load: min(index, length - 1)"]);
    all(4.0, &["call: 0 arguments", "call: 1 arguments", "call: 2 arguments", "call: 3 arguments"]);
    all(4.0, &["loop: without variable", "shape: grid of 3 axes", "guard: one invocation goes on"]);
    all(2.0, &["guard: index <= length", "guard: index + n < length", "loop: reversed bounds", "op: never stores"]);
    all(2.0, &["op: return in a loop", "return: in a loop", "shape: more than 64 invocations", "call: 4 arguments"]);
    all(1.0, &["shape: 1 invocation", "barrier: in nested loops"]);
    all(0.4, &["store: index % length", "store: index & mask", "store: min(index, length - 1)", "shape: empty grid"]);
    all(0.3, &["size: more than 1000 nodes"]);
    minimum.extend(minimum_pitfalls());
    minimum.extend(BinOp::ALL.iter().map(|op| (25.0, format!("binary: {op:?}"))));
    minimum.extend(UnOp::ALL.iter().map(|op| (15.0, format!("unary: {op:?}"))));
    minimum.extend(AtomicOp::ALL.iter().map(|op| (6.0, format!("atomic: {op:?}"))));
    minimum.extend(AtomicOp::ALL.iter().map(|op| (1.0, format!("workgroup atomic: {op:?}"))));
    for collective in ["reduce", "exclusive scan", "inclusive scan"] {
        minimum.extend(ReduceOp::ALL.iter().map(|op| (1.0, format!("collective: {collective} {op:?}"))));
    }
    let values: Vec<DataType> = DataType::ALL.into_iter().filter(|&ty| ty != DataType::Bytes).collect();
    for &ty in &values {
        for (percent, prefix) in [(10.0, "load: "), (6.0, "store: "), (1.0, "buffer: uniform ")] {
            minimum.push((percent, format!("{prefix}{ty}")));
        }
        for access in ["read", "read_write", "workgroup"] {
            minimum.push((3.0, format!("buffer: {access} {ty}")));
        }
        if ty.components() > 0 {
            minimum.push((30.0, format!("pack: {ty}")));
        }
        let targets = values.iter().filter(|&&target| ty.casts_to(target));
        minimum.extend(targets.map(|target| (2.0, format!("cast: {ty} to {target}"))));
    }
    minimum.push((1.0, "buffer: read bytes".to_owned()));
    minimum
}

/// Minimum frequency of optimizer pitfalls, in entries and in ops.
fn minimum_pitfalls() -> Vec<(f64, String)> {
    const MINIMUM: [(f64, f64, &[&str]); 6] = [
        (10.0, 5.0, &["another sum than the one tested", "select in select, other condition", "x / x"]),
        (
            5.0,
            3.0,
            &[
                "constant in a branch",
                "division by the bound of a loop",
                "one path breaks, one assigns",
                "x / x in a branch",
            ],
        ),
        (
            4.0,
            3.0,
            &["|| around loads", "shift in a branch", "the same on both paths", "overwritten before it is read"],
        ),
        (
            2.0,
            1.0,
            &[
                "!(..) around loads",
                "& around loads",
                "| around loads",
                "&& around loads",
                "call in a loop",
                "difference with two constants",
                "division in a branch in a loop",
                "flag as the bound of a loop",
                "flag in a condition",
                "components out of order",
                "one element in a loop over a length",
                "one path returns, one assigns",
                "select in select, same condition",
                "shift in a branch in a loop",
            ],
        ),
        (1.2, 0.7, &["components in order", "product with 2^32 - 1", "select(x < y, x, y)", "select(x < y, y, x)"]),
        (0.7, 0.6, &["select(x == 0, 1, x)"]),
    ];
    let mut minimum = Vec::new();
    for (in_entry, in_op, pitfalls) in MINIMUM {
        for pitfall in pitfalls {
            minimum.push((in_entry, format!("pitfall: {pitfall}")));
            minimum.push((in_op, format!("op: pitfall: {pitfall}")));
        }
    }
    minimum.push((5.0, "pitfall: store and return in the last loop".to_owned()));
    for (percent, pitfall) in
        [(3.0, "break in the last loop"), (5.0, "return in nested loops"), (5.0, "returns one after the other")]
    {
        minimum.push((percent, format!("op: pitfall: {pitfall}")));
    }
    minimum
}

#[test]
fn programs_cover_every_construct() {
    let frequencies = Mutex::new(ConstructFrequencies::default());
    for_each_seed(cases(3_000), |seed| {
        let mut own = ConstructFrequencies::default();
        own.add(&race_free_case(seed));
        frequencies.lock().unwrap_or_else(PoisonError::into_inner).merge(&own);
    });
    let frequencies = frequencies.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("{frequencies}");
    let mut rare = Vec::new();
    for (percent, construct) in minimum_frequencies() {
        let frequency = 100.0 * frequencies.frequency(&construct);
        if frequency < percent {
            rare.push(format!("{construct}: {frequency:.2} % instead of {percent} %"));
        }
    }
    assert!(rare.is_empty(), "{rare:#?}");
}
