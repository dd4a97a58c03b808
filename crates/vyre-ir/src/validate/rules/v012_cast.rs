//! V012: casts must be supported.

use super::super::check::Operand;
use super::super::codes::{Rule, RuleInfo};
use crate::DataType;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Casts must be supported",
    checks: "A cast is one of the table in `casts.md`: every pair of value types but `u64` to `vec4u32` and \
             `vec2u32` to `vec4u32`, which would have to invent lanes.",
    why: "A cast without a defined result would be filled in differently by every backend.",
    messages: &["unsupported cast from `<source>` to `<target>`. Fix: see casts.md for valid conversions."],
    breaks: "\
workgroup_size 64, 1, 1;

entry {
    let wide = u64(1, 2) as vec4u32;
}
",
    passes: "\
workgroup_size 64, 1, 1;

entry {
    let pair = u64(1, 2) as vec2u32;
}
",
};

/// Checks a cast; false where it is reported or its operand failed.
pub(in crate::validate) fn check(
    report: &mut Report,
    location: ProgramLocation,
    value: Operand,
    target: DataType,
) -> bool {
    match value.ty {
        Some(source) if !source.casts_to(target) => {
            let problem = format!("unsupported cast from `{source}` to `{target}`");
            report.push(Rule::V012, location, problem, "see casts.md for valid conversions");
            false
        }
        // The target is known even where the operand is not.
        Some(_) | None => true,
    }
}
