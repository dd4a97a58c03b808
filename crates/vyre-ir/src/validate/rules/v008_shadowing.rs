//! V008: no local shadowing.

use super::super::codes::{Rule, RuleInfo};
use crate::Name;
use crate::diagnostic::{ProgramLocation, Report, code};
use crate::text;

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "No local shadowing",
    checks: "A `let` or a loop does not bind a name that is live already. The name `_` binds nothing and may \
             stand any number of times.",
    why: "A name then means one thing at every location, for readers and for every tool that moves code.",
    messages: &["duplicate local binding `<name>`. Fix: choose a unique local name; shadowing is not allowed."],
    breaks: "\
workgroup_size 64, 1, 1;

entry {
    let x = 1;
    let x = 2;
}
",
    passes: "\
workgroup_size 64, 1, 1;

entry {
    let x = 1;
    x = 2;
}
",
};

/// Reports a binding of a name that is live.
pub(in crate::validate) fn report(
    report: &mut Report,
    location: ProgramLocation,
    name: &Name,
    first: ProgramLocation,
    is_loop_variable: bool,
) {
    let problem = format!("duplicate local binding `{name}`");
    let written = text::name(name);
    let assignment = code(&format!("{written} = ...;"));
    let help = format!("to change the value of {}, assign it: {assignment}", code(&written));
    report
        .push(Rule::V008, location, problem, "choose a unique local name; shadowing is not allowed")
        .related("first bound here", first)
        .help((!is_loop_variable).then_some(help));
}
