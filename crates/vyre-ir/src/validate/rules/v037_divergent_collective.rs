//! V037: collectives in uniform control flow.

use super::super::codes::RuleInfo;
use super::super::hooks::{Convergence, DivergentUse, RuleCheck};
use crate::diagnostic::RuleReport;

/// Rule V037.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Collectives in uniform control flow",
        checks: "A collective is in uniform control flow, as defined for barriers (V010).",
        why: "Every invocation of the workgroup contributes a value. An invocation on another path contributes none.",
        messages: &[
            "collective may be reached by only part of a workgroup. Fix: move the collective to uniform control flow.",
        ],
        breaks: "\
workgroup_size 64, 1, 1;

entry {
    if local_id.x < 8 {
        let sum = reduce_add(1);
    }
}
",
        passes: "\
workgroup_size 64, 1, 1;

entry {
    let sum = reduce_add(local_id.x < 8);
}
",
    };

    /// Reports a collective in divergent control flow.
    fn divergent_use(divergent: &DivergentUse, report: &mut RuleReport<'_>) {
        if divergent.requires == Convergence::Collective {
            let problem = "collective may be reached by only part of a workgroup";
            let added = report.push(divergent.location, problem, "move the collective to uniform control flow");
            if let Some(cause) = divergent.cause {
                added.related(cause.label, cause.location);
            }
        }
    }
}
