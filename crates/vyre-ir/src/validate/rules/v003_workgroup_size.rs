//! V003: workgroup size components are at least one.

use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Workgroup size components are at least one",
    checks: "No component of the workgroup size is 0.",
    why: "A workgroup with an empty axis has no invocations, and local ids on that axis have no range.",
    messages: &["workgroup_size[<axis>] is 0. Fix: all workgroup dimensions must be >= 1."],
    breaks: "\
workgroup_size 64, 0, 1;

entry {
    return;
}
",
    passes: "\
workgroup_size 64, 1, 1;

entry {
    return;
}
",
};

/// Checks each axis.
pub(in crate::validate) fn check(report: &mut Report, size: [u32; 3]) {
    for (axis, _) in size.iter().enumerate().filter(|&(_, &count)| count == 0) {
        let problem = format!("workgroup_size[{axis}] is 0");
        report.push(Rule::V003, ProgramLocation::WorkgroupSize(axis), problem, "all workgroup dimensions must be >= 1");
    }
}
