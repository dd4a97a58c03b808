//! V040: atomic operands must be u32.

use super::super::check::Operand;
use super::super::codes::{Rule, RuleInfo};
use crate::DataType;
use crate::diagnostic::Report;

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
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

/// Checks one operand; `role` is its field.
pub(in crate::validate) fn check(report: &mut Report, role: &'static str, operand: Operand) {
    if let Some(ty) = operand.other_than(DataType::U32) {
        let problem = format!("atomic operand `{role}` must be `u32`, got `{ty}`");
        report.push(Rule::V040, operand.location, problem, "cast or rewrite the operand to produce U32");
    }
}
