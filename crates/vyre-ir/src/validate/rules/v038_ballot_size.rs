//! V038: ballot needs a workgroup of at most 32.

use super::super::codes::{Rule, RuleInfo};
use crate::Program;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Ballot needs a workgroup of at most 32",
    checks: "A program with `ballot` has workgroups of at most 32 invocations.",
    why: "The result has a bit for each invocation, and 32 bits.",
    messages: &[
        "ballot in a workgroup of <count> invocations. Fix: use at most 32 invocations per workgroup, or a reduction.",
    ],
    breaks: "\
workgroup_size 64, 1, 1;

entry {
    let mask = ballot(1);
}
",
    passes: "\
workgroup_size 32, 1, 1;

entry {
    let mask = ballot(1);
}
",
};

/// The most invocations that a ballot can tell apart.
const MOST_INVOCATIONS: u64 = 32;

/// Checks the workgroup around a ballot.
pub(in crate::validate) fn check(report: &mut Report, location: ProgramLocation, program: &Program) {
    let count = program.workgroup_invocations();
    if count > MOST_INVOCATIONS {
        let problem = format!("ballot in a workgroup of {count} invocations");
        let fix = format!("use at most {MOST_INVOCATIONS} invocations per workgroup, or a reduction");
        report.push(Rule::V038, location, problem, fix);
    }
}
