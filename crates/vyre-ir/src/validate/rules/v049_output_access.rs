//! V049: the output buffer is read-write.

use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::{ProgramLocation, Report};
use crate::{BufferAccess, BufferDecl};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "The output buffer is read-write",
    checks: "The buffer that is marked as output is read-write.",
    why: "A result must be written, and must be there when the workgroup is gone.",
    messages: &["output buffer `<name>` is not read-write. Fix: declare it with BufferAccess::ReadWrite."],
    breaks: "\
workgroup_size 64, 1, 1;

buffer out: read u32 @0 output;

entry {
    return;
}
",
    passes: "\
workgroup_size 64, 1, 1;

buffer out: read_write u32 @0 output;

entry {
    out[0] = 1;
}
",
};

/// Checks the access mode of an output buffer.
pub(in crate::validate) fn check(report: &mut Report, location: ProgramLocation, buffer: &BufferDecl) {
    if buffer.access != BufferAccess::ReadWrite {
        let problem = format!("output buffer `{}` is not read-write", buffer.name);
        report.push(Rule::V049, location, problem, "declare it with BufferAccess::ReadWrite");
    }
}
