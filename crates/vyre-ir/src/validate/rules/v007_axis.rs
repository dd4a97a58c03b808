//! V007: id axes are in range.

use super::super::codes::RuleInfo;
use super::super::hooks::{IdAxis, RuleCheck};
use crate::diagnostic::RuleReport;

/// Rule V007.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Id axes are in range",
        checks: "The axis of an id or of the number of workgroups is 0, 1 or 2.",
        why: "A grid has three axes. Targets disagree about any other number.",
        messages: &["invocation/workgroup ID axis <axis> out of range. Fix: use 0 (x), 1 (y), or 2 (z)."],
        breaks: "\
workgroup_size 64, 1, 1;

entry {
    let i = invocation_id.3;
}
",
        passes: "\
workgroup_size 64, 1, 1;

entry {
    let i = invocation_id.z;
}
",
    };

    /// Reports an axis beyond z.
    fn id_axis(id: &IdAxis, report: &mut RuleReport<'_>) {
        if id.axis > 2 {
            let problem = format!("invocation/workgroup ID axis {} out of range", id.axis);
            report.push(id.location, problem, "use 0 (x), 1 (y), or 2 (z)");
        }
    }
}
