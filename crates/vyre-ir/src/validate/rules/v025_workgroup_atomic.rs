//! V025: atomics not on workgroup buffers.

use super::super::codes::{Rule, RuleInfo};
use crate::BufferDecl;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Atomics not on workgroup buffers",
    checks: "An atomic does not target a workgroup buffer.",
    why: "Atomics are defined for read-write buffers only; those of workgroup memory differ between targets.",
    messages: &["atomic on non-writable buffer `<name>`. Fix: declare it with BufferAccess::ReadWrite."],
    breaks: "\
workgroup_size 64, 1, 1;

buffer tile: workgroup u32[64];

entry {
    let _ = atomic_add(tile[0], 1);
}
",
    passes: "\
workgroup_size 64, 1, 1;

buffer total: read_write u32 @0;

entry {
    let _ = atomic_add(total[0], 1);
}
",
};

/// Reports an atomic on a workgroup buffer.
pub(in crate::validate) fn report(
    report: &mut Report,
    location: ProgramLocation,
    buffer: &BufferDecl,
    declared: ProgramLocation,
) {
    let problem = format!("atomic on non-writable buffer `{}`", buffer.name);
    let help = "within a workgroup, reductions and scans combine values without atomics";
    report
        .push(Rule::V025, location, problem, "declare it with BufferAccess::ReadWrite")
        .related("workgroup memory, declared here", declared)
        .help(Some(help.to_owned()));
}
