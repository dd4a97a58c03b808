//! V036: lanes are in range.

use super::super::check::Operand;
use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Lanes are in range",
    checks: "The lane of an extract is smaller than the number of lanes: 2 for `u64` and `vec2u32`, 4 for \
             `vec4u32`.",
    why: "The lane is a constant, so a wrong one is a mistake on every run.",
    messages: &["lane <lane> of a `<type>` is out of range. Fix: use a lane from 0 to <last>."],
    breaks: "\
workgroup_size 64, 1, 1;

entry {
    let x = vec2u32(1, 2).z;
}
",
    passes: "\
workgroup_size 64, 1, 1;

entry {
    let x = vec2u32(1, 2).y;
}
",
};

/// Checks the lane of an extract from a value that has lanes.
pub(in crate::validate) fn check(report: &mut Report, location: ProgramLocation, value: Operand, lane: u32) {
    if let Some(ty) = value.ty.filter(|ty| lane >= ty.components()) {
        let problem = format!("lane {lane} of a `{ty}` is out of range");
        report.push(Rule::V036, location, problem, format!("use a lane from 0 to {}", ty.components() - 1));
    }
}
