//! V011: no assignment to a loop variable.

use super::super::codes::{Rule, RuleInfo};
use crate::Name;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "No assignment to a loop variable",
    checks: "An assignment does not target the variable of a loop.",
    why: "The range of a loop bounds its number of rounds. If the body could move the variable, nothing would.",
    messages: &["assignment to loop variable `<name>`. Fix: loop variables are immutable."],
    breaks: "\
workgroup_size 64, 1, 1;

entry {
    for i in 0..4 {
        i = 2;
    }
}
",
    passes: "\
workgroup_size 64, 1, 1;

entry {
    for i in 0..4 {
        let next = i + 1;
    }
}
",
};

/// Reports an assignment to a loop variable.
pub(in crate::validate) fn report(
    report: &mut Report,
    location: ProgramLocation,
    name: &Name,
    declared: ProgramLocation,
) {
    let problem = format!("assignment to loop variable `{name}`");
    report
        .push(Rule::V011, location, problem, "loop variables are immutable")
        .related("bound by this loop", declared)
        .help(Some("bind a variable of your own before the loop, or leave the loop with `break`".to_owned()));
}
