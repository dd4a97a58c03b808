//! V043: pack has as many lanes as its type.

use super::super::codes::RuleInfo;
use super::super::hooks::{Pack, RuleCheck};
use crate::diagnostic::RuleReport;
use crate::spelling::article;

/// Rule V043.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Pack has as many lanes as its type",
        checks: "A pack builds a type with lanes, from one value for each lane: 2 for `u64` and `vec2u32`, 4 for \
                 `vec4u32`.",
        why: "A missing lane has no value, and a superfluous value has no lane.",
        messages: &[
            "<a|an> `<type>` has no lanes to pack. Fix: pack a u64, vec2u32 or vec4u32, or cast to `<type>`.",
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

    /// Reports a type without lanes and a wrong number of lanes.
    fn pack(pack: &Pack<'_>, report: &mut RuleReport<'_>) {
        let Pack { location, ty, operands } = *pack;
        let (found, wanted) = (operands.len(), ty.components() as usize);
        if wanted == 0 {
            let problem = format!("{} `{ty}` has no lanes to pack", article(ty.name()));
            let fix = format!("pack a u64, vec2u32 or vec4u32, or cast to `{ty}`");
            report.push(location, problem, fix).help(Some(format!("a cast is written `value as {ty}`")));
        } else if found != wanted {
            let problem = format!("a `{ty}` is packed from {wanted} lanes, got {found}");
            report.push(location, problem, "give one value for each lane");
        }
    }
}
