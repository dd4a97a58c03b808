//! V044: packed lanes must be u32.

use super::super::check::Operand;
use super::super::codes::{Rule, RuleInfo};
use crate::DataType;
use crate::diagnostic::Report;

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Packed lanes must be u32",
    checks: "Every lane of a pack is `u32`.",
    why: "Lanes are words; nothing is converted unless a cast says so.",
    messages: &["lane <lane> of a pack must be `u32`, got `<type>`. Fix: cast or rewrite the lane to produce U32."],
    breaks: "\
workgroup_size 64, 1, 1;

entry {
    let x = u64(1, true);
}
",
    passes: "\
workgroup_size 64, 1, 1;

entry {
    let x = u64(1, true as u32);
}
",
};

/// Checks one lane.
pub(in crate::validate) fn check(report: &mut Report, lane: usize, operand: Operand) {
    if let Some(ty) = operand.other_than(DataType::U32) {
        let problem = format!("lane {lane} of a pack must be `u32`, got `{ty}`");
        report.push(Rule::V044, operand.location, problem, "cast or rewrite the lane to produce U32");
    }
}
