//! V029: at most one output buffer.

use super::super::codes::{Rule, RuleInfo};
use crate::BufferDecl;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "At most one output buffer",
    checks: "At most one buffer of a program is marked as its output.",
    why: "Where the program is called as an op, element 0 of the output is the value of the call, and a call \
          has one value.",
    messages: &["second output buffer `<name>`. Fix: mark at most one buffer of a program as its output."],
    breaks: "\
workgroup_size 64, 1, 1;

buffer a: read_write u32 @0 output;
buffer b: read_write u32 @1 output;

entry {
    a[0] = 1;
}
",
    passes: "\
workgroup_size 64, 1, 1;

buffer a: read_write u32 @0 output;
buffer b: read_write u32 @1;

entry {
    a[0] = 1;
}
",
};

/// Reports an output buffer after the first.
pub(in crate::validate) fn report(
    report: &mut Report,
    location: ProgramLocation,
    buffer: &BufferDecl,
    first: ProgramLocation,
) {
    let problem = format!("second output buffer `{}`", buffer.name);
    report
        .push(Rule::V029, location, problem, "mark at most one buffer of a program as its output")
        .related("the first output", first)
        .help(None);
}
