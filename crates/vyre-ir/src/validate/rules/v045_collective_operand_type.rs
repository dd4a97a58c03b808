//! V045: collective operands must be u32.

use super::super::check::Operand;
use super::super::codes::{Rule, RuleInfo};
use crate::DataType;
use crate::diagnostic::Report;

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Collective operands must be u32",
    checks: "The value, lane or predicate of a collective is `u32`.",
    why: "Collectives exchange words; nothing is converted unless a cast says so.",
    messages: &[
        "collective operand `<value|lane|predicate>` must be `u32`, got `<type>`. Fix: cast or rewrite the operand to produce U32.",
    ],
    breaks: "\
workgroup_size 64, 1, 1;

entry {
    let x = reduce_add(true);
}
",
    passes: "\
workgroup_size 64, 1, 1;

entry {
    let x = reduce_add(true as u32);
}
",
};

/// Checks one operand; `role` is its field.
pub(in crate::validate) fn check(report: &mut Report, role: &'static str, operand: Operand) {
    if let Some(ty) = operand.other_than(DataType::U32) {
        let problem = format!("collective operand `{role}` must be `u32`, got `{ty}`");
        report.push(Rule::V045, operand.location, problem, "cast or rewrite the operand to produce U32");
    }
}
