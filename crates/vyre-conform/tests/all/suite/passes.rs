//! Devices that conform pass every section.

use vyre_conform::kernel_device::KernelBackend;
use vyre_conform::suite::{Amounts, Level, Observer, Progress, SectionReport, Silent, Suite, SuiteError};
use vyre_runtime::{Backend, CancelToken, ReferenceBackend};

fn tiny() -> Suite {
    Suite::new(Level::Quick).with_amounts(Amounts::tiny())
}

/// Sections without large inputs. The tests of `vyre-jit` run all sections, on machine code.
const LIGHT: [&str; 8] =
    ["laws", "casts", "out-of-bounds", "atomics", "barriers", "collectives", "composition", "generated"];

/// Every section makes checks, and none fails.
#[track_caller]
fn expect_conformant(backend: &dyn Backend) {
    let suite = tiny().with_interpreter(true).with_threads(2).with_only(LIGHT).expect("sections");
    let report = suite.run(backend, &mut Silent).expect("a device");
    for section in &report.sections {
        println!("{}: {} checks in {} ms", section.name, section.checked, section.milliseconds);
        assert!(section.checked > 0, "{} checks nothing: {section:?}", section.name);
    }
    assert!(report.is_conformant(), "{report}");
}

#[test]
fn the_reference_conforms() {
    expect_conformant(&ReferenceBackend);
}

#[test]
fn the_kernel_evaluator_conforms() {
    expect_conformant(&KernelBackend::new());
}

#[test]
fn sections_are_chosen_by_name() {
    let report = tiny().with_only(["casts", "barriers"]).expect("sections").run(&ReferenceBackend, &mut Silent);
    let report = report.expect("a device");
    let names: Vec<&str> = report.sections.iter().map(|section| &*section.name).collect();
    assert_eq!(names, ["casts", "barriers"]);
    assert_eq!(report.left_out.len() + 2, tiny().sections().count());
    match tiny().with_only(["cast"]).map(|_| ()) {
        Err(error @ SuiteError::UnknownSection { .. }) => {
            assert!(error.to_string().starts_with("there is no section `cast`; there are driver-probes, "), "{error}");
        }
        other => panic!("{other:?}"),
    }
}

/// The progress grows to its total, and a cancelled run is no certificate.
#[test]
fn a_run_is_observed_and_can_be_cancelled() {
    struct Ends {
        token: CancelToken,
        last: Option<Progress>,
        finished: Vec<String>,
    }
    impl Observer for Ends {
        fn advanced(&mut self, progress: Progress) {
            assert!(self.last.is_none_or(|last| last.done <= progress.done) && progress.done <= progress.total);
            self.last = Some(progress);
        }
        fn finished(&mut self, report: &SectionReport) {
            self.finished.push(report.name.clone());
            self.token.cancel();
        }
    }
    let token = CancelToken::default();
    let mut observer = Ends { token: token.clone(), last: None, finished: Vec::new() };
    let suite = tiny().with_cancel(token).with_only(["casts", "barriers"]).expect("sections");
    let report = suite.run(&ReferenceBackend, &mut observer).expect("a device");
    assert_eq!(observer.finished, ["casts"]);
    assert!(observer.last.is_some_and(|last| last.done < last.total), "{:?}", observer.last);
    assert!(report.is_interrupted && !report.is_conformant() && report.counts()[1] == 0);
}
