//! V037: collectives in uniform control flow.

use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Collectives in uniform control flow",
    checks: "A collective stands in uniform control flow, by the rule of barriers (V010).",
    why: "Every invocation of the workgroup contributes a value. One that takes another way has none to give.",
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
pub(in crate::validate) fn report(
    report: &mut Report,
    location: ProgramLocation,
    cause: Option<(&'static str, ProgramLocation)>,
) {
    let problem = "collective may be reached by only part of a workgroup";
    let added = report.push(Rule::V037, location, problem, "move the collective to uniform control flow");
    if let Some((label, cause)) = cause {
        added.related(label, cause);
    }
}
