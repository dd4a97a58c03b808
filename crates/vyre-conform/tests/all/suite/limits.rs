//! Sections that end before all their checks are made: on slow, hanging and very wrong devices, and if the run is cancelled.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;
use vyre_conform::certificate::{Certificate, Verdict, junit, table, text, verify};
use vyre_conform::suite::{Amounts, EarlyEnd, Level, Report, Silent, Suite};
use vyre_conform::wrapped_device::{DeviceWrapper, Wrapped};
use vyre_runtime::{Buffer, CancelToken, CommandList, Device, Error, ReferenceDevice, RunOptions, RunReport};

/// Behaviour of a device from its tenth run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behaviour {
    Right,
    /// Kernels have no end. The device stops them at the deadline of their run.
    EndlessKernels,
    /// Calls have no end.
    Hangs,
    /// Wrong bytes from the first run on.
    Wrong,
}

struct Tested {
    inner: ReferenceDevice,
    behaviour: Behaviour,
    runs: AtomicU64,
    /// The token of the suite, which a person cancels when a call hangs.
    cancel: Option<CancelToken>,
}

impl DeviceWrapper for Tested {
    fn inner(&self) -> &dyn Device {
        &self.inner
    }

    fn read_at(&self, buffer: &Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
        self.inner.read_at(buffer, offset, target)?;
        if self.behaviour == Behaviour::Wrong {
            target.iter_mut().for_each(|byte| *byte ^= 1);
        }
        Ok(())
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        let is_affected = self.runs.fetch_add(1, Ordering::Relaxed) >= 10;
        loop {
            match self.behaviour {
                Behaviour::EndlessKernels if is_affected => options.check()?,
                Behaviour::Hangs if is_affected => self.cancel.iter().for_each(CancelToken::cancel),
                _ => return self.inner.run(commands, options),
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn device(behaviour: Behaviour, cancel: Option<CancelToken>) -> Arc<dyn Device> {
    Arc::new(Wrapped(Tested { inner: ReferenceDevice::new(), behaviour, runs: AtomicU64::new(0), cancel }))
}

fn suite(sections: &[&str]) -> Suite {
    let suite = Suite::new(Level::Quick).with_amounts(Amounts::tiny()).with_grace(Duration::from_millis(200));
    suite.with_only(sections.iter().copied()).expect("sections")
}

fn run(suite: &Suite, behaviour: Behaviour) -> Report {
    suite.run_on("tested", device(behaviour, None), &mut Silent)
}

/// The certificate says that the section `casts` ended early, wherever it is shown, and that the ops of this section are not proven.
#[track_caller]
fn expect_shown(report: &Report, verdict: Verdict, reason: &str) {
    let certificate = Certificate::of(report);
    assert_eq!(certificate.verdict, verdict, "{report}");
    assert!(!report.is_conformant());
    let section = report.sections.last().expect("a section");
    let (checked, shown) = (section.checked, text(&certificate));
    assert!(shown.contains(&format!("  ended early in {}, after {checked} checks: ", section.name)), "{shown}");
    assert!(table(std::slice::from_ref(&certificate)).contains("; ended early: "));
    let junit = junit(&certificate, &["casts".to_owned()]);
    assert!(junit.contains("<error message=\"the section ended after ") && junit.contains("errors=\"1\""), "{junit}");
    let value: Value = serde_json::from_str(&certificate.to_json()).expect("JSON");
    let sections = value["sections"].as_array().expect("sections");
    assert_eq!(sections.last().map(|section| &section["ended_early"]), Some(&Value::from(reason)));
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/certificate.schema.json");
    let schema = serde_json::from_str(&std::fs::read_to_string(schema).expect("the schema")).expect("JSON");
    assert!(jsonschema::validator_for(&schema).expect("a schema").is_valid(&value));
    let found = verify(&certificate.to_json(), &[]).expect("a certificate");
    assert_eq!((found.damage, found.certificate), (vec![], Some(certificate)));
}

/// The time limit stops a run of the device. The check has no result: nothing is wrong, and nothing more is proven.
#[test]
fn a_time_limit_ends_a_section() {
    let healthy = run(&suite(&["casts"]).with_section_limit(None), Behaviour::Right);
    assert!(healthy.is_conformant() && healthy.sections[0].has_passed(), "{healthy}");
    let limit = Some(Duration::from_secs(2));
    let report = run(&suite(&["casts", "barriers"]).with_section_limit(limit), Behaviour::EndlessKernels);
    // The other sections run.
    let [casts, barriers] = &report.sections[..] else { panic!("{report}") };
    for section in [casts, barriers] {
        assert_eq!((section.ended_early, section.verdict()), (Some(EarlyEnd::TimeLimit), "interrupted"), "{report}");
        assert!(section.failed == 0 && !section.has_passed(), "{report}");
    }
    assert!(casts.checked > 0 && casts.checked < healthy.sections[0].checked, "{report}");
    let alone = Report { sections: vec![casts.clone()], ..report };
    expect_shown(&alone, Verdict::Interrupted, "time-limit");
}

/// A call that never returns is left behind with its thread, and the run ends with the results so far.
#[test]
fn a_call_without_an_end_is_abandoned() {
    let suite = suite(&["casts", "barriers"]).with_section_limit(Some(Duration::from_millis(500)));
    let report = run(&suite, Behaviour::Hangs);
    let [casts] = &report.sections[..] else { panic!("{report}") };
    assert_eq!((casts.ended_early, casts.verdict()), (Some(EarlyEnd::NoReturn), "interrupted"), "{report}");
    assert!(casts.checked > 0 && report.left_out.contains(&"barriers".to_owned()), "{report}");
    expect_shown(&report, Verdict::Interrupted, "no-return");
}

/// Also if a person ends the run.
#[test]
fn a_cancelled_run_leaves_a_call_behind() {
    let token = CancelToken::default();
    let suite = suite(&["casts", "barriers"]).with_cancel(token.clone());
    let report = suite.run_on("tested", device(Behaviour::Hangs, Some(token)), &mut Silent);
    let [casts] = &report.sections[..] else { panic!("{report}") };
    assert_eq!(casts.ended_early, Some(EarlyEnd::NoReturn), "{report}");
    assert!(report.is_interrupted && report.left_out.contains(&"barriers".to_owned()), "{report}");
    assert_eq!(Certificate::of(&report).verdict, Verdict::Interrupted);
}

/// After many failures the others are not made, and ops without a failure are not proven.
#[test]
fn many_failures_end_a_section() {
    let suite = suite(&["composition"]).with_max_failures(7);
    let report = run(&suite, Behaviour::Wrong);
    let [composition] = &report.sections[..] else { panic!("{report}") };
    assert_eq!((composition.ended_early, composition.failed), (Some(EarlyEnd::Failures), 7), "{report}");
    expect_shown(&report, Verdict::Failed, "failures");
    let certificate = Certificate::of(&report);
    assert!(certificate.ops.iter().all(|op| op.verdict != Verdict::Conformant), "{report}");
    let all = run(&self::suite(&["barriers"]).with_max_failures(0), Behaviour::Wrong);
    let [all] = &all.sections[..] else { panic!("{all}") };
    assert!(all.ended_early.is_none() && all.failed == all.checked && all.failed > 7, "{all:?}");
}

#[test]
fn levels_have_limits() {
    let limits = Level::ALL.map(Level::section_limit);
    assert!(limits.is_sorted() && limits[0] >= Duration::from_secs(600), "{limits:?}");
}
