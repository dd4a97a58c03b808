//! V005: store only to writable buffers.

use super::super::codes::{Rule, RuleInfo};
use crate::BufferDecl;
use crate::diagnostic::{ProgramLocation, Report, code};
use crate::text;

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Store only to writable buffers",
    checks: "A store targets a read-write or a workgroup buffer.",
    why: "The host relies on read-only and uniform buffers to stay as they are, and targets location them in \
          memory that cannot be written.",
    messages: &[
        "store to non-writable buffer `<name>`. Fix: declare it with BufferAccess::ReadWrite or BufferAccess::Workgroup.",
    ],
    breaks: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;

entry {
    data[0] = 1;
}
",
    passes: "\
workgroup_size 64, 1, 1;

buffer data: read_write u32 @0;

entry {
    data[0] = 1;
}
",
};

/// Checks the target of a store.
pub(in crate::validate) fn check(
    report: &mut Report,
    location: ProgramLocation,
    buffer: &BufferDecl,
    declared: ProgramLocation,
) {
    if !buffer.access.is_writable() {
        let problem = format!("store to non-writable buffer `{}`", buffer.name);
        let fix = "declare it with BufferAccess::ReadWrite or BufferAccess::Workgroup";
        let name = text::name(&buffer.name);
        let declaration = format!("buffer {name}: read_write {} @{};", buffer.element, buffer.binding);
        let help = format!("in the text format: {}", code(&declaration));
        report.push(Rule::V005, location, problem, fix).related("declared here", declared).help(Some(help));
    }
}
