//! The conformance suite, every section with as few checks as possible.

use std::sync::Arc;

use vyre_conform::certificate::{Certificate, Verdict};
use vyre_conform::suite::{Amounts, Level, Silent, Suite};

fn tiny() -> Suite {
    Suite::new(Level::Quick).with_amounts(Amounts::tiny())
}

/// Every section makes checks, every op is checked, and nothing fails.
#[test]
fn the_cpu_conforms() {
    let suite = tiny().with_threads(2).with_variant(vyre_conform::differential::Subject {
        name: "cpu, 1 thread, as lowered".to_owned(),
        device: Arc::new(super::device(1, false)),
    });
    let report = suite.run_on("cpu", Arc::new(super::device(2, true)), &mut Silent);
    for section in &report.sections {
        println!("{}: {} checks in {} ms", section.name, section.checked, section.milliseconds);
        assert!(section.checked > 0, "{} checks nothing: {section:?}", section.name);
    }
    assert!(report.is_conformant(), "{report}");
    assert_eq!(report.sections.len(), tiny().sections().count());
    let certificate = Certificate::of(&report);
    assert_eq!(certificate.verdict, Verdict::Conformant);
    for op in &certificate.ops {
        assert_eq!((op.verdict, op.counts.failed), (Verdict::Conformant, 0), "{}", op.id);
    }
}
