//! V039: atomics but loads have a value.

use super::super::codes::RuleInfo;
use super::super::hooks::{AtomicOperands, RuleCheck};
use crate::diagnostic::RuleReport;

/// Rule V039.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Atomics but loads have a value",
        checks: "Every atomic except `atomic_load` has the operand `value`; `atomic_load` has none.",
        why: "An update needs an operand. A load would evaluate the operand and ignore it.",
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

    /// Reports a missing or superfluous `value`.
    fn atomic_operands(atomic: &AtomicOperands, report: &mut RuleReport<'_>) {
        match (atomic.op.takes_value(), atomic.value.is_some()) {
            (true, false) => {
                let problem = format!("atomic `{}` without a value", atomic.op.text_in(atomic.scope));
                report.push(atomic.location, problem, "give the operand as `value`");
            }
            (false, true) => {
                report.push(atomic.location, "atomic load with a value", "remove the value; a load takes none");
            }
            (true, true) | (false, false) => {}
        }
    }
}
