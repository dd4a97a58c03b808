//! V015: loop bounds must be u32.

use super::super::check::Operand;
use super::super::codes::{Rule, RuleInfo};
use crate::DataType;
use crate::diagnostic::Report;

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Loop bounds must be u32",
    checks: "Both bounds of a loop are `u32`.",
    why: "The loop variable is a `u32` that runs from one bound to the other.",
    messages: &["loop bound expression must be `u32`, got `<type>`. Fix: ensure `from` and `to` are U32."],
    breaks: "\
workgroup_size 64, 1, 1;

entry {
    for i in 0i32..4 {
    }
}
",
    passes: "\
workgroup_size 64, 1, 1;

entry {
    for i in 0..4 {
    }
}
",
};

/// Checks one bound.
pub(in crate::validate) fn check(report: &mut Report, bound: Operand) {
    if let Some(ty) = bound.other_than(DataType::U32) {
        let problem = format!("loop bound expression must be `u32`, got `{ty}`");
        report.push(Rule::V015, bound.location, problem, "ensure `from` and `to` are U32");
    }
}
