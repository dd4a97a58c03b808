//! V042: extract needs a value with lanes.

use super::super::check::Operand;
use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Extract needs a value with lanes",
    checks: "The value of an extract is a `u64`, `vec2u32` or `vec4u32`.",
    why: "Other types are one word and have no lanes.",
    messages: &["a `<type>` has no lanes to extract. Fix: extract from a u64, vec2u32 or vec4u32."],
    breaks: "\
workgroup_size 64, 1, 1;

entry {
    let a = 1;
    let x = a.x;
}
",
    passes: "\
workgroup_size 64, 1, 1;

entry {
    let a = u64(1, 2);
    let x = a.x;
}
",
};

/// Checks the value of an extract; true where it has lanes.
pub(in crate::validate) fn check(report: &mut Report, location: ProgramLocation, value: Operand) -> bool {
    match value.ty {
        Some(ty) if ty.components() == 0 => {
            let problem = format!("a `{ty}` has no lanes to extract");
            report.push(Rule::V042, location, problem, "extract from a u64, vec2u32 or vec4u32");
            false
        }
        Some(_) => true,
        None => false,
    }
}
