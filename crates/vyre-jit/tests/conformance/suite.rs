//! The conformance suite, every section with as few checks as possible, and damage that sections of ops over buffers find.

use std::sync::Arc;

use vyre_conform::certificate::{Certificate, Verdict};
use vyre_conform::suite::{Amounts, Level, Silent, Suite};
use vyre_conform::wrapped_device::{DeviceWrapper, Wrapped};
use vyre_jit::JitDevice;
use vyre_runtime::{Buffer, Device, Error};

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

/// A device that damages the last bytes of long transfers to it.
struct DamagedInputs(JitDevice);

impl DeviceWrapper for DamagedInputs {
    fn inner(&self) -> &dyn Device {
        &self.0
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let mut damaged = bytes.to_vec();
        if let [.., _, _, _, _, _, _, low, high] = &mut damaged[..] {
            (*low, *high) = (low.wrapping_add(3), high.wrapping_add(5));
        }
        self.0.write(buffer, offset, &damaged)
    }
}

/// Sections of ops over buffers have host code of their own, and find damage too.
#[test]
fn damaged_inputs_are_found() {
    let sections = ["compression-archetypes", "checksums"];
    let suite = tiny().with_interpreter(true).with_only(sections).expect("sections");
    let report = suite.run_on("damaged", Arc::new(Wrapped(DamagedInputs(super::device(2, true)))), &mut Silent);
    for section in &report.sections {
        println!("{}: {} of {} checks failed", section.name, section.failed, section.checked);
        assert!(section.failed > 0, "{}: {report}", section.name);
    }
    assert_eq!(Certificate::of(&report).verdict, Verdict::Failed);
}
