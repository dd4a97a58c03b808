//! V007: id axes are in range.

use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Id axes are in range",
    checks: "Ids and the number of workgroups are asked for axis 0, 1 or 2.",
    why: "Grids have three axes. Another number would mean something else on every target.",
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

/// Checks the axis of an id.
pub(in crate::validate) fn check(report: &mut Report, location: ProgramLocation, axis: u32) {
    if axis > 2 {
        let problem = format!("invocation/workgroup ID axis {axis} out of range");
        report.push(Rule::V007, location, problem, "use 0 (x), 1 (y), or 2 (z)");
    }
}
