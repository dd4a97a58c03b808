//! V041: select condition must be u32 or bool.

use super::super::check::Operand;
use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::Report;

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Select condition must be u32 or bool",
    checks: "The condition of a `select` is `u32` or `bool`.",
    why: "Only these two have a truth value: true, and any number but 0.",
    messages: &[
        "select condition must be `u32` or `bool`, got `<type>`. Fix: cast or rewrite the condition to produce U32 or Bool.",
    ],
    breaks: "\
workgroup_size 64, 1, 1;

entry {
    let x = select(1i32, 2, 3);
}
",
    passes: "\
workgroup_size 64, 1, 1;

entry {
    let x = select(1i32 as bool, 2, 3);
}
",
};

/// Checks the condition of a `select`.
pub(in crate::validate) fn check(report: &mut Report, cond: Operand) {
    if let Some(ty) = cond.no_condition() {
        let problem = format!("select condition must be `u32` or `bool`, got `{ty}`");
        report.push(Rule::V041, cond.location, problem, "cast or rewrite the condition to produce U32 or Bool");
    }
}
