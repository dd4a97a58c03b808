//! Self-test of a device: small programs with known results, chosen after defects of real drivers.
//!
//! A device whose driver ends loops early or loses a store computes wrong results without an error. [`probe`] detects that in
//! milliseconds and describes the defect in terms of a bug report. The host computes the expected results; they are the
//! same in every run.

mod arithmetic;
mod atomics;
mod bounds;
mod collectives;
mod commands;
mod control;
mod grid;
mod loops;
mod rig;
mod types;
mod workgroup;

use crate::device::Device;
use crate::error::Error;

use rig::{Checked, Fault, Rig};

/// One check of a device.
#[derive(Clone, Copy, Debug)]
pub struct ProbeCheck {
    name: &'static str,
    about: &'static str,
    run: fn(&Rig<'_>) -> Checked,
}

impl ProbeCheck {
    /// Short, permanent name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Description of the tested property, in a sentence.
    #[must_use]
    pub fn about(&self) -> &'static str {
        self.about
    }

    /// Runs the check on a device.
    #[must_use]
    pub fn run(&self, device: &dyn Device) -> ProbeResult {
        let outcome = match (self.run)(&Rig::new(device)) {
            Ok(()) => ProbeOutcome::Right,
            Err(Fault::Wrong(explanation)) => ProbeOutcome::Wrong { explanation },
            Err(Fault::Error(error)) if device.limits().explain(&error) => {
                ProbeOutcome::Skipped { reason: error.to_string() }
            }
            Err(Fault::Error(error)) => ProbeOutcome::Failed(error),
        };
        ProbeResult { check: self.name, about: self.about, outcome }
    }
}

/// Result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeResult {
    /// The name of the check.
    pub check: &'static str,
    /// Description of the tested property, in a sentence.
    pub about: &'static str,
    /// Outcome of the check.
    pub outcome: ProbeOutcome,
}

/// Outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbeOutcome {
    /// The results are right.
    Right,
    /// A result is wrong.
    Wrong {
        /// The first wrong result and the expected one.
        explanation: String,
    },
    /// The device returned an error.
    Failed(Error),
    /// The limits of the device are too small for this check.
    Skipped {
        /// The exceeded limit.
        reason: String,
    },
}

/// Progress of a probe.
#[derive(Clone, Copy, Debug)]
pub enum ProbeStep<'r> {
    /// A check begins.
    Begins(&'r ProbeCheck),
    /// A check ends.
    Ends(&'r ProbeResult),
}

/// All checks, in the order in which [`probe`] runs them.
#[must_use]
pub fn probe_checks() -> &'static [ProbeCheck] {
    CHECKS
}

/// Checks that a device implements the semantics of programs and commands. Takes milliseconds on a fast device.
///
/// ```
/// use vyre_runtime::{ProbeOutcome, ReferenceDevice, probe};
///
/// for result in probe(&ReferenceDevice::new()) {
///     assert_eq!(result.outcome, ProbeOutcome::Right, "{}: {}", result.check, result.about);
/// }
/// ```
#[must_use]
pub fn probe(device: &dyn Device) -> Vec<ProbeResult> {
    probe_watched(device, |_| {})
}

/// Runs [`probe`] and calls `watch` before and after each check.
pub fn probe_watched(device: &dyn Device, mut watch: impl FnMut(ProbeStep<'_>)) -> Vec<ProbeResult> {
    let mut results = Vec::new();
    for check in CHECKS {
        watch(ProbeStep::Begins(check));
        let result = check.run(device);
        watch(ProbeStep::Ends(&result));
        results.push(result);
    }
    results
}

const fn check(name: &'static str, about: &'static str, run: fn(&Rig<'_>) -> Checked) -> ProbeCheck {
    ProbeCheck { name, about, run }
}

/// All checks, simple ones first: the first wrong result is the one to examine.
const CHECKS: &[ProbeCheck] = &[
    check("write-read", "Bytes that are written at any offset are read back, and others stay.", commands::write_read),
    check("fresh-buffers", "A new buffer holds zeros, whatever its memory held before.", commands::fresh_buffers),
    check("ids", "Ids and the number of workgroups are right on three axes.", grid::ids),
    check("wrapping", "Sums, differences, products and negation wrap around.", arithmetic::wrapping),
    check("division", "Division and remainder are unsigned and give 0 for a divisor of 0.", arithmetic::division),
    check("shifts", "Shifts use the amount modulo 32 and bring in zeros.", arithmetic::shifts),
    check("comparisons", "Comparisons are unsigned and give 0 or 1.", arithmetic::comparisons),
    check("min-max", "`min`, `max` and `abs_diff` are unsigned.", arithmetic::extremes),
    check("bits", "Bits are combined, counted, found and reversed, those of 0 too.", arithmetic::bits),
    check("logic", "`&&`, `||`, `!` and `select` take anything but 0 as true.", arithmetic::logic),
    check("all-operands", "`select`, `&&` and `||` evaluate all operands.", control::all_operands),
    check("divergent-flow", "Invocations take different paths through loops and branches.", control::divergent_flow),
    check("divergent-return", "An invocation that returns does nothing more, and others go on.", control::returns),
    check("loop-bounds", "Loops with bounds at both ends of the numbers make the right iterations.", loops::bounds),
    check("uneven-loops", "Invocations of a workgroup make different numbers of iterations.", loops::uneven),
    check("long-loop", "A loop of 200,000 iterations makes them all.", loops::long),
    check("long-nested-loop", "A loop within a loop makes 200,000 iterations in all.", loops::nested),
    check("long-loop-break", "A loop that breaks after 100,000 iterations makes exactly these.", loops::breaking),
    check("bool-words", "A bool word other than 0 loads as 1, and a bool is stored as 0 or 1.", types::bools),
    check("wide-elements", "Elements of two and four words keep their components.", types::wide_elements),
    check("i32-elements", "Signed elements keep their bits, and casts extend their sign.", types::signed),
    check("uniform-64k", "All of a uniform buffer of 64 KB can be loaded at any index.", types::large_uniform),
    check("many-buffers", "A program uses many buffers and mixes none of them up.", types::many_buffers),
    check("lengths", "Lengths are whole elements of buffers of any size.", bounds::lengths),
    check("load-beyond", "A load beyond the end gives 0 in every kind of buffer.", bounds::loads),
    check("wide-load-beyond", "A load of a wide element beyond the end gives 0.", bounds::wide_loads),
    check("store-beyond", "A store beyond the end changes nothing, not even the last bytes.", bounds::stores),
    check("wide-store-beyond", "A store of a wide element beyond the end changes nothing.", bounds::wide_stores),
    check("atomic-beyond", "An atomic beyond the end changes nothing and gives 0.", bounds::atomics),
    check("empty-buffers", "Buffers without bytes can be bound; loads give 0 and stores are lost.", bounds::empty),
    check("atomic-tickets", "Each invocation that adds 1 to a word gets a value of its own.", atomics::tickets),
    check("atomic-updates", "Atomics of many invocations on few words are all done.", atomics::updates),
    check("atomic-exchange", "Exchanged values are neither lost nor doubled.", atomics::exchanges),
    check("atomic-load-store", "Atomic stores are seen by atomic loads.", atomics::loads_and_stores),
    check("compare-exchange", "A compare-exchange succeeds exactly where the value is expected.", atomics::compares),
    check("compare-exchange-loop", "Compare-exchange never fails without cause.", atomics::compare_loop),
    check("workgroup-zero", "Workgroup memory is zero at the start of every workgroup.", workgroup::zero),
    check("workgroup-barrier", "A barrier makes stores to workgroup memory visible.", workgroup::barrier),
    check("storage-barrier", "A barrier makes stores to buffers visible in the workgroup.", workgroup::storage_barrier),
    check("collectives-1", "Collectives of workgroups of 1 are right.", |rig| collectives::all(rig, 1)),
    check("collectives-7", "Collectives of workgroups of 7 are right.", |rig| collectives::all(rig, 7)),
    check("collectives-32", "Collectives of workgroups of 32 are right.", |rig| collectives::all(rig, 32)),
    check("collectives-64", "Collectives of workgroups of 64 are right.", |rig| collectives::all(rig, 64)),
    check("collectives-256", "Collectives of workgroups of 256 are right.", |rig| collectives::all(rig, 256)),
    check(
        "lanes",
        "Invocations of workgroups with three axes are ordered along x, then y, then z.",
        collectives::invocation_order,
    ),
    check("wide-grid-x", "70,000 workgroups on the x axis run once each.", |rig| grid::wide(rig, 0)),
    check("wide-grid-y", "70,000 workgroups on the y axis run once each.", |rig| grid::wide(rig, 1)),
    check("wide-grid-z", "70,000 workgroups on the z axis run once each.", |rig| grid::wide(rig, 2)),
    check("empty-grid", "A grid with a 0 runs nothing.", grid::empty),
    check("fills", "Fills of any offset and length change these bytes alone.", commands::fills),
    check("copies", "Copies of any offsets and length change these bytes alone.", commands::copies),
    check("overlapping-copies", "A copy within a buffer reads before it writes.", commands::overlapping_copies),
    check("dispatch-order", "A dispatch sees what those before it in the list have written.", commands::dispatch_order),
    check("command-order", "Dispatches, fills and copies of a list happen in order.", commands::command_order),
    check("repeats", "Repeats do their commands as often as they say, within each other too.", commands::repeats),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_short_and_differ() {
        let names: BTreeSet<&str> = probe_checks().iter().map(ProbeCheck::name).collect();
        assert_eq!(names.len(), probe_checks().len());
        for check in probe_checks() {
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(check.name().len() <= 24 && check.name().chars().all(is_plain), "{}", check.name());
            assert!(check.about().ends_with('.'), "{}", check.name());
        }
    }
}
