//! V036: lanes are in range.

use super::super::codes::RuleInfo;
use super::super::hooks::{Extract, RuleCheck};
use crate::diagnostic::RuleReport;
use crate::spelling::article;

/// Rule V036.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Lanes are in range",
        checks: "The lane of an extract is smaller than the number of lanes: 2 for `u64` and `vec2u32`, 4 for \
                 `vec4u32`.",
        why: "The lane is a constant, so a wrong lane is a mistake in every run.",
        messages: &["lane <lane> of <a|an> `<type>` is out of range. Fix: use a lane from 0 to <last>."],
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

    /// Reports a lane that the vector does not have. V042 reports types without lanes.
    fn extract(extract: &Extract, report: &mut RuleReport<'_>) {
        let lane = extract.lane;
        if let Some(ty) = extract.value.ty.filter(|ty| ty.components() > 0 && lane >= ty.components()) {
            let problem = format!("lane {lane} of {} `{ty}` is out of range", article(ty.name()));
            report.push(extract.location, problem, format!("use a lane from 0 to {}", ty.components() - 1));
        }
    }
}
