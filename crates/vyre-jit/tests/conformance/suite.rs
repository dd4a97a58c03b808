//! The conformance suite, every section with as few checks as possible.

use std::sync::Arc;

use vyre_conform::certificate::{Certificate, Verdict};
use vyre_conform::suite::{Amounts, Level, Silent, Suite};

/// Sections of programs. The others are of ops over buffers.
const PROGRAMS: [&str; 12] = [
    "driver-probes",
    "run-corpus",
    "laws",
    "casts",
    "out-of-bounds",
    "atomics",
    "barriers",
    "collectives",
    "round-trips",
    "determinism",
    "composition",
    "generated",
];

fn tiny() -> Suite {
    Suite::new(Level::Quick).with_amounts(Amounts::tiny())
}

/// Every section makes checks, every one of these ops is checked, and nothing fails.
#[track_caller]
fn expect_conformant(sections: &[&'static str], is_checked: impl Fn(&str) -> bool) {
    let suite = tiny().with_threads(2).with_variant(vyre_conform::differential::Subject {
        name: "cpu, 1 thread, as lowered".to_owned(),
        device: Arc::new(super::device(1, false)),
    });
    let suite = suite.with_only(sections.iter().copied()).expect("sections");
    let report = suite.run_on("cpu", Arc::new(super::device(2, true)), &mut Silent);
    for section in &report.sections {
        println!("{}: {} checks in {} ms", section.name, section.checked, section.milliseconds);
        assert!(section.has_passed(), "{}: {report}", section.name);
    }
    assert!(report.is_conformant(), "{report}");
    assert_eq!(report.sections.len(), sections.len());
    for op in Certificate::of(&report).ops.iter().filter(|op| is_checked(&op.id)) {
        assert_eq!((op.verdict, op.counts.failed), (Verdict::Conformant, 0), "{}", op.id);
    }
}

#[test]
fn the_cpu_conforms_in_programs() {
    expect_conformant(&PROGRAMS, |op| op.starts_with("primitive."));
}

#[test]
fn the_cpu_conforms_in_ops_over_buffers() {
    let suite = tiny();
    let all = suite.sections().map(|(name, _)| name);
    let others: Vec<&str> = all.filter(|name| !PROGRAMS.contains(name)).collect();
    expect_conformant(&others, |op| !op.starts_with("primitive."));
}
