//! V022: if condition must be u32 or bool.

use super::super::check::Operand;
use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::Report;

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "If condition must be u32 or bool",
    checks: "The condition of an `if` is `u32` or `bool`.",
    why: "Only these two have a truth value: true, and any number but 0.",
    messages: &[
        "if condition must be `u32` or `bool`, got `<type>`. Fix: cast or rewrite the condition to produce U32 or Bool.",
    ],
    breaks: "\
workgroup_size 64, 1, 1;

entry {
    if -1i32 {
    }
}
",
    passes: "\
workgroup_size 64, 1, 1;

entry {
    if -1i32 as bool {
    }
}
",
};

/// Checks the condition of an `if`.
pub(in crate::validate) fn check(report: &mut Report, cond: Operand) {
    if let Some(ty) = cond.no_condition() {
        let problem = format!("if condition must be `u32` or `bool`, got `{ty}`");
        report.push(Rule::V022, cond.location, problem, "cast or rewrite the condition to produce U32 or Bool");
    }
}
