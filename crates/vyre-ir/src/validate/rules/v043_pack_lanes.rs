//! V043: pack has as many lanes as its type.

use super::super::codes::{Rule, RuleInfo};
use crate::DataType;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Pack has as many lanes as its type",
    checks: "A value is packed for a type with lanes, from as many lanes as the type has: 2 for `u64` and \
             `vec2u32`, 4 for `vec4u32`.",
    why: "A lane that is missing has no value; one too many has no location.",
    messages: &[
        "a `<type>` has no lanes to pack. Fix: pack a u64, vec2u32 or vec4u32, or cast to `<type>`.",
        "a `<type>` is packed from <count> lanes, got <count>. Fix: give one value for each lane.",
    ],
    breaks: "\
workgroup_size 64, 1, 1;

entry {
    let x = vec2u32(1);
}
",
    passes: "\
workgroup_size 64, 1, 1;

entry {
    let x = vec2u32(1, 2);
}
",
};

/// Checks the number of lanes; true where it fits.
pub(in crate::validate) fn check(report: &mut Report, location: ProgramLocation, ty: DataType, found: usize) -> bool {
    let wanted = ty.components() as usize;
    if wanted == 0 {
        let problem = format!("a `{ty}` has no lanes to pack");
        let fix = format!("pack a u64, vec2u32 or vec4u32, or cast to `{ty}`");
        report.push(Rule::V043, location, problem, fix).help(Some(format!("a cast is written `value as {ty}`")));
    } else if found != wanted {
        let problem = format!("a `{ty}` is packed from {wanted} lanes, got {found}");
        report.push(Rule::V043, location, problem, "give one value for each lane");
    }
    found == wanted && wanted > 0
}
