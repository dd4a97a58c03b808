//! V010: barrier must be uniformly reachable.

use super::super::codes::RuleInfo;
use super::super::hooks::{Convergence, DivergentUse, RuleCheck};
use crate::diagnostic::RuleReport;

/// Rule V010.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Barrier must be uniformly reachable",
        checks: "Control flow around a barrier is uniform: all invocations of a workgroup reach it together, or none \
                 does. Conditions and loop bounds around it depend only on uniform values (literals, lengths, \
                 workgroup ids, loads at uniform indices from read-only and uniform buffers, results of `reduce`, \
                 `ballot` and `broadcast`). A `break` in divergent control flow makes the whole body of its loop \
                 divergent. A `return` in divergent control flow makes the bodies of all enclosing loops and all \
                 following statements divergent.",
        why: "A barrier waits for every invocation of the workgroup. If invocations diverge, some of them wait \
              forever, or they reach different barriers.",
        messages: &[
            "barrier may be reached by only part of a workgroup. Fix: move the barrier to uniform control flow.",
        ],
        breaks: "\
workgroup_size 64, 1, 1;

entry {
    if local_id.x < 32 {
        barrier;
    }
}
",
        passes: "\
workgroup_size 64, 1, 1;

entry {
    if workgroup_id.x < 32 {
        barrier;
    }
}
",
    };

    /// Reports a barrier in divergent control flow.
    fn divergent_use(divergent: &DivergentUse, report: &mut RuleReport<'_>) {
        if divergent.requires == Convergence::Barrier {
            let problem = "barrier may be reached by only part of a workgroup";
            let added = report.push(divergent.location, problem, "move the barrier to uniform control flow");
            if let Some(cause) = divergent.cause {
                added.related(cause.label, cause.location);
            }
        }
    }
}
