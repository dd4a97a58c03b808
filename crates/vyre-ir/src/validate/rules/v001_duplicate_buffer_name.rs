//! V001: no duplicate buffer names.

use super::super::codes::{Rule, RuleInfo};
use crate::BufferDecl;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "No duplicate buffer names",
    checks: "Each buffer of a program has a name of its own.",
    why: "Loads, stores, atomics and lengths find a buffer by its name. With two of one name, which one is \
          meant would depend on who looks.",
    messages: &["duplicate buffer name `<name>`. Fix: each buffer must have a unique name."],
    breaks: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;
buffer data: read u32 @1;

entry {
    let x = data[0];
}
",
    passes: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;
buffer more: read u32 @1;

entry {
    let x = data[0];
}
",
};

/// Reports a buffer whose name an earlier one has.
pub(in crate::validate) fn report(
    report: &mut Report,
    location: ProgramLocation,
    buffer: &BufferDecl,
    first: ProgramLocation,
) {
    let problem = format!("duplicate buffer name `{}`", buffer.name);
    report
        .push(Rule::V001, location, problem, "each buffer must have a unique name")
        .related("first declared here", first)
        .help(None);
}
