//! V040: atomic operands must be u32.

use super::super::codes::RuleInfo;
use super::super::hooks::{AtomicOperands, RuleCheck};
use crate::DataType;
use crate::diagnostic::RuleReport;

/// Rule V040.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Atomic operands must be u32",
        checks: "The operands `expected` and `value` of an atomic are `u32`.",
        why: "Atomics are defined on 32-bit unsigned integers.",
        messages: &[
            "atomic operand `<expected|value>` must be `u32`, got `<type>`. Fix: cast or rewrite the operand to produce U32.",
        ],
        breaks: "\
workgroup_size 64, 1, 1;

buffer a: read_write u32 @0;

entry {
    let _ = atomic_add(a[0], 1i32);
}
",
        passes: "\
workgroup_size 64, 1, 1;

buffer a: read_write u32 @0;

entry {
    let _ = atomic_add(a[0], 1i32 as u32);
}
",
    };

    /// Reports each operand of another type than `U32`. V035 and V039 report superfluous operands, and V014 reports
    /// the buffer if the operand has the type of its elements.
    fn atomic_operands(atomic: &AtomicOperands, report: &mut RuleReport<'_>) {
        let expected = atomic.expected.filter(|_| atomic.op.takes_expected());
        let value = atomic.value.filter(|_| atomic.op.takes_value());
        for (role, operand) in [("expected", expected), ("value", value)] {
            let Some(operand) = operand else { continue };
            let mistyped = operand.type_other_than(DataType::U32).filter(|&ty| atomic.element != Some(ty));
            if let Some(ty) = mistyped {
                let problem = format!("atomic operand `{role}` must be `u32`, got `{ty}`");
                report.push(operand.location, problem, "cast or rewrite the operand to produce U32");
            }
        }
    }
}
