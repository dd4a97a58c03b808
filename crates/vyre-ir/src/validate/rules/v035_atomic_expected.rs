//! V035: compare-exchange alone has an expected value.

use super::super::codes::RuleInfo;
use super::super::hooks::{AtomicOperands, RuleCheck};
use crate::diagnostic::RuleReport;

/// Rule V035.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Compare-exchange alone has an expected value",
        checks: "`atomic_compare_exchange` has the operand `expected`; no other atomic has it.",
        why: "Compare-exchange needs a value to compare with. Other atomics would evaluate the operand and ignore \
              it.",
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

    /// Reports a missing or superfluous `expected`.
    fn atomic_operands(atomic: &AtomicOperands, report: &mut RuleReport<'_>) {
        match (atomic.op.takes_expected(), atomic.expected.is_some()) {
            (true, false) => {
                let problem = "atomic compare-exchange without an expected value";
                report.push(atomic.location, problem, "give the value to compare with as `expected`");
            }
            (false, true) => {
                let problem = format!("atomic `{}` with an expected value", atomic.op.text_in(atomic.scope));
                report.push(atomic.location, problem, "remove `expected`; only compare-exchange compares");
            }
            (true, true) | (false, false) => {}
        }
    }
}
