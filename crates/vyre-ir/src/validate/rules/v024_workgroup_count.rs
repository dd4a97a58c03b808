//! V024: workgroup buffer must have a positive count.

use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::{ProgramLocation, Report};
use crate::{BufferAccess, BufferDecl};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Workgroup buffer must have a positive count",
    checks: "A workgroup buffer declares at least one element.",
    why: "Its memory is laid out when the program is compiled. An empty array is refused by targets and holds \
          nothing.",
    messages: &["workgroup buffer `<name>` has count 0. Fix: declare a positive element count."],
    breaks: "\
workgroup_size 64, 1, 1;

buffer tile: workgroup u32[0];

entry {
    return;
}
",
    passes: "\
workgroup_size 64, 1, 1;

buffer tile: workgroup u32[64];

entry {
    return;
}
",
};

/// Checks the count of a workgroup buffer.
pub(in crate::validate) fn check(report: &mut Report, location: ProgramLocation, buffer: &BufferDecl) {
    if buffer.access == BufferAccess::Workgroup && buffer.count == 0 {
        let problem = format!("workgroup buffer `{}` has count 0", buffer.name);
        report.push(Rule::V024, location, problem, "declare a positive element count");
    }
}
