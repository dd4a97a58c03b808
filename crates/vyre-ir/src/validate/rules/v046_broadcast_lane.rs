//! V046: broadcast lane must be uniform.

use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Broadcast lane must be uniform",
    checks: "The lane of a `broadcast` is a uniform value, by the rule of barriers (V010).",
    why: "A broadcast gives every invocation the same value, which is what makes its result uniform. With \
          different lanes it would not be.",
    messages: &[
        "broadcast lane may differ between the invocations of a workgroup. Fix: use a uniform lane, or a shuffle.",
    ],
    breaks: "\
workgroup_size 64, 1, 1;

entry {
    let x = broadcast(1, local_id.x);
}
",
    passes: "\
workgroup_size 64, 1, 1;

entry {
    let x = broadcast(1, 0);
    let y = shuffle(1, local_id.x);
}
",
};

/// Reports the lane of a broadcast that is not uniform.
pub(in crate::validate) fn report(report: &mut Report, location: ProgramLocation) {
    let problem = "broadcast lane may differ between the invocations of a workgroup";
    report.push(Rule::V046, location, problem, "use a uniform lane, or a shuffle");
}
