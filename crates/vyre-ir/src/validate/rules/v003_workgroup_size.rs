//! V003: workgroup size components are at least one.

use super::super::codes::RuleInfo;
use super::super::hooks::RuleCheck;
use crate::Program;
use crate::diagnostic::{ProgramLocation, RuleReport};

/// Rule V003.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
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

    /// Reports each axis of size 0.
    fn declarations(program: &Program, report: &mut RuleReport<'_>) {
        for (axis, _) in program.workgroup_size.iter().enumerate().filter(|&(_, &count)| count == 0) {
            let problem = format!("workgroup_size[{axis}] is 0");
            report.push(ProgramLocation::WorkgroupSize(axis), problem, "all workgroup dimensions must be >= 1");
        }
    }
}
