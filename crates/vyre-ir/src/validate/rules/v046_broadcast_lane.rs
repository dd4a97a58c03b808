//! V046: broadcast lane must be uniform.

use super::super::codes::RuleInfo;
use super::super::hooks::{Convergence, DivergentUse, RuleCheck};
use crate::diagnostic::RuleReport;

/// Rule V046.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Broadcast lane must be uniform",
        checks: "The lane of a `broadcast` is a uniform value, as defined for barriers (V010).",
        why: "A broadcast returns the same value to every invocation, so its result is uniform. With different lanes \
              it would not be.",
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

    /// Reports a lane of a broadcast that is not uniform.
    fn divergent_use(divergent: &DivergentUse, report: &mut RuleReport<'_>) {
        if divergent.requires == Convergence::BroadcastLane {
            let problem = "broadcast lane may differ between the invocations of a workgroup";
            report.push(divergent.location, problem, "use a uniform lane, or a shuffle");
        }
    }
}
