//! V034: indices must be u32.

use super::super::check::Operand;
use super::super::codes::{Rule, RuleInfo};
use crate::DataType;
use crate::diagnostic::Report;

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Indices must be u32",
    checks: "The index of a load, store or atomic is `u32`.",
    why: "Indices are compared with the length of the buffer, which is `u32`.",
    messages: &["buffer index must be `u32`, got `<type>`. Fix: cast or rewrite the index to produce U32."],
    breaks: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;

entry {
    let x = data[1i32];
}
",
    passes: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;

entry {
    let x = data[1i32 as u32];
}
",
};

/// Checks an index.
pub(in crate::validate) fn check(report: &mut Report, index: Operand) {
    if let Some(ty) = index.other_than(DataType::U32) {
        let problem = format!("buffer index must be `u32`, got `{ty}`");
        report.push(Rule::V034, index.location, problem, "cast or rewrite the index to produce U32");
    }
}
