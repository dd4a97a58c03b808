//! V010: barrier must be uniformly reachable.

use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Barrier must be uniformly reachable",
    checks: "Control flow around a barrier is uniform: all invocations of a workgroup reach it together, or none \
             does. Conditions and loop bounds around it depend on uniform values only (literals, lengths, \
             workgroup ids, loads at uniform indices from read-only and uniform buffers, results of `reduce`, \
             `ballot` and `broadcast`). A `break` in divergent control makes the whole body of its loop \
             divergent, a `return` in divergent control the bodies of all loops around it and everything after \
             it.",
    why: "A barrier waits for every invocation of the workgroup. One that takes another way leaves the others \
          waiting for ever, or lets them pass at different barriers.",
    messages: &["barrier may be reached by only part of a workgroup. Fix: move the barrier to uniform control flow."],
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
pub(in crate::validate) fn report(
    report: &mut Report,
    location: ProgramLocation,
    cause: Option<(&'static str, ProgramLocation)>,
) {
    let problem = "barrier may be reached by only part of a workgroup";
    let added = report.push(Rule::V010, location, problem, "move the barrier to uniform control flow");
    if let Some((label, cause)) = cause {
        added.related(label, cause);
    }
}
