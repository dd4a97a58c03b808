//! V002: no duplicate bindings.

use super::super::codes::{Rule, RuleInfo};
use crate::BufferDecl;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "No duplicate bindings",
    checks: "Each buffer has a binding slot of its own. Workgroup buffers have no slot and are exempt.",
    why: "The host supplies buffers by slot. Two buffers in one slot could not be supplied apart.",
    messages: &["duplicate binding slot <binding> (buffer `<name>`). Fix: each buffer must have a unique binding."],
    breaks: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;
buffer out: read_write u32 @0;

entry {
    out[0] = data[0];
}
",
    passes: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;
buffer out: read_write u32 @1;

entry {
    out[0] = data[0];
}
",
};

/// Reports a buffer whose slot an earlier one has.
pub(in crate::validate) fn report(
    report: &mut Report,
    location: ProgramLocation,
    buffer: &BufferDecl,
    first: ProgramLocation,
) {
    let problem = format!("duplicate binding slot {} (buffer `{}`)", buffer.binding, buffer.name);
    report
        .push(Rule::V002, location, problem, "each buffer must have a unique binding")
        .related("first used here", first)
        .help(None);
}
