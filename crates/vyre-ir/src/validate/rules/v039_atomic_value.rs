//! V039: atomics but loads have a value.

use super::super::codes::{Rule, RuleInfo};
use crate::AtomicOp;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Atomics but loads have a value",
    checks: "Every atomic but `atomic_load` has the operand `value`; `atomic_load` has none.",
    why: "An update needs something to update with; a load would evaluate it and ignore it.",
    messages: &[
        "atomic `<operator>` without a value. Fix: give the operand as `value`.",
        "atomic load with a value. Fix: remove the value; a load takes none.",
    ],
    breaks: "\
workgroup_size 64, 1, 1;

buffer a: read_write u32 @0;

entry {
    let _ = atomic_add(a[0]);
}
",
    passes: "\
workgroup_size 64, 1, 1;

buffer a: read_write u32 @0;

entry {
    let _ = atomic_load(a[0]);
}
",
};

/// Checks whether `value` is there where it belongs.
pub(in crate::validate) fn check(report: &mut Report, location: ProgramLocation, op: AtomicOp, present: bool) {
    match (op.takes_value(), present) {
        (true, false) => {
            let problem = format!("atomic `{}` without a value", op.text());
            report.push(Rule::V039, location, problem, "give the operand as `value`");
        }
        (false, true) => {
            report.push(Rule::V039, location, "atomic load with a value", "remove the value; a load takes none");
        }
        (true, true) | (false, false) => {}
    }
}
