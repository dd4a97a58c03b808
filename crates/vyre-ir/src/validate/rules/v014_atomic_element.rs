//! V014: atomic buffer element must be u32.

use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::{ProgramLocation, Report};
use crate::{BufferDecl, DataType};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Atomic buffer element must be u32",
    checks: "The buffer of an atomic has elements of `u32`.",
    why: "Atomics are defined on 32-bit unsigned integers, the one kind that every target has.",
    messages: &[
        "atomic on buffer `<name>` with non-u32 element type `<type>`. Fix: atomics only support U32 elements.",
    ],
    breaks: "\
workgroup_size 64, 1, 1;

buffer counts: read_write i32 @0;

entry {
    let _ = atomic_add(counts[0], 1);
}
",
    passes: "\
workgroup_size 64, 1, 1;

buffer counts: read_write u32 @0;

entry {
    let _ = atomic_add(counts[0], 1);
}
",
};

/// Checks the element type under an atomic.
pub(in crate::validate) fn check(
    report: &mut Report,
    location: ProgramLocation,
    buffer: &BufferDecl,
    declared: ProgramLocation,
) {
    if buffer.element != DataType::U32 {
        let problem = format!("atomic on buffer `{}` with non-u32 element type `{}`", buffer.name, buffer.element);
        report
            .push(Rule::V014, location, problem, "atomics only support U32 elements")
            .related("declared here", declared)
            .help(None);
    }
}
