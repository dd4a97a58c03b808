//! Driver probes.

use vyre_runtime::{ProbeOutcome, probe_checks};

use crate::suite::context::{Context, Item, Settings};
use crate::suite::section::Section;

/// The self-test of a device, each check an item.
pub(in crate::suite) struct DriverProbes;

impl Section for DriverProbes {
    fn name(&self) -> &'static str {
        "driver-probes"
    }

    fn about(&self) -> &'static str {
        "The self-test of a device: small programs and commands with known results, chosen after defects of drivers."
    }

    fn cost(&self, _: &Settings) -> u64 {
        1_000
    }

    fn run(&self, context: &Context) {
        let checks = probe_checks();
        for (done, check) in (0..).zip(checks) {
            if context.must_end() {
                return;
            }
            context.advanced(done, checks.len() as u64);
            let item = Item::new(check.name());
            match check.run(&**context.device()).outcome {
                ProbeOutcome::Right => context.passed(&item, 1),
                ProbeOutcome::Wrong { explanation } => context.failed(&item, explanation, None),
                ProbeOutcome::Failed(error) => context.failed(&item, error.to_string(), None),
                ProbeOutcome::Skipped { reason } => context.skipped(&item, 1, reason),
            }
        }
    }
}
