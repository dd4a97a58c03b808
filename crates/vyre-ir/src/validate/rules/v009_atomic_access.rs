//! V009: atomic only on read-write buffers.

use super::super::codes::{Rule, RuleInfo};
use crate::BufferDecl;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Atomic only on read-write buffers",
    checks: "An atomic targets a read-write buffer.",
    why: "Every atomic but a load changes memory, and even the load needs memory that other invocations may \
          change.",
    messages: &["atomic on non-writable buffer `<name>`. Fix: declare it with BufferAccess::ReadWrite."],
    breaks: "\
workgroup_size 64, 1, 1;

buffer counts: read u32 @0;

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

/// Reports an atomic on a read-only or uniform buffer.
pub(in crate::validate) fn report(
    report: &mut Report,
    location: ProgramLocation,
    buffer: &BufferDecl,
    declared: ProgramLocation,
) {
    let problem = format!("atomic on non-writable buffer `{}`", buffer.name);
    report
        .push(Rule::V009, location, problem, "declare it with BufferAccess::ReadWrite")
        .related("declared here", declared)
        .help(None);
}
