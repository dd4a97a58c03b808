//! V035: compare-exchange alone has an expected value.

use super::super::codes::{Rule, RuleInfo};
use crate::AtomicOp;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Compare-exchange alone has an expected value",
    checks: "`atomic_compare_exchange` has the operand `expected`; no other atomic has it.",
    why: "Without it there is nothing to compare with; elsewhere it would be evaluated and ignored.",
    messages: &[
        "atomic compare-exchange without an expected value. Fix: give the value to compare with as `expected`.",
        "atomic `<operator>` with an expected value. Fix: remove `expected`; only compare-exchange compares.",
    ],
    breaks: "\
workgroup_size 64, 1, 1;

buffer a: read_write u32 @0;

entry {
    let _ = atomic_compare_exchange(a[0], 1);
}
",
    passes: "\
workgroup_size 64, 1, 1;

buffer a: read_write u32 @0;

entry {
    let _ = atomic_compare_exchange(a[0], 0, 1);
}
",
};

/// Checks whether `expected` is there where it belongs.
pub(in crate::validate) fn check(report: &mut Report, location: ProgramLocation, op: AtomicOp, present: bool) {
    match (op.takes_expected(), present) {
        (true, false) => {
            let problem = "atomic compare-exchange without an expected value";
            report.push(Rule::V035, location, problem, "give the value to compare with as `expected`");
        }
        (false, true) => {
            let problem = format!("atomic `{}` with an expected value", op.text());
            report.push(Rule::V035, location, problem, "remove `expected`; only compare-exchange compares");
        }
        (true, true) | (false, false) => {}
    }
}
