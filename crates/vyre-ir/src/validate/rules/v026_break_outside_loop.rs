//! V026: break only in a loop.

use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Break only in a loop",
    checks: "A `break` stands in the body of a loop, directly or in bodies inside of it.",
    why: "It leaves the innermost loop; without one there is nothing to leave.",
    messages: &["break outside of a loop. Fix: move it into the body of a loop, or end the invocation with a return."],
    breaks: "\
workgroup_size 64, 1, 1;

entry {
    break;
}
",
    passes: "\
workgroup_size 64, 1, 1;

entry {
    for i in 0..4 {
        break;
    }
}
",
};

/// Reports a `break` without a loop.
pub(in crate::validate) fn report(report: &mut Report, location: ProgramLocation) {
    let fix = "move it into the body of a loop, or end the invocation with a return";
    report.push(Rule::V026, location, "break outside of a loop", fix);
}
