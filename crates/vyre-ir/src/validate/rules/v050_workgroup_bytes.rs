//! V050: workgroup buffers have typed elements.

use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::{ProgramLocation, Report};
use crate::{BufferAccess, BufferDecl, DataType};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Workgroup buffers have typed elements",
    checks: "A workgroup buffer does not have the element type `bytes`.",
    why: "Its size is the count times the size of an element, and bytes have none.",
    messages: &["workgroup buffer `<name>` has element type `bytes`. Fix: use a typed buffer."],
    breaks: "\
workgroup_size 64, 1, 1;

buffer tile: workgroup bytes[16];

entry {
    return;
}
",
    passes: "\
workgroup_size 64, 1, 1;

buffer tile: workgroup u32[4];

entry {
    return;
}
",
};

/// Checks the element type of a workgroup buffer.
pub(in crate::validate) fn check(report: &mut Report, location: ProgramLocation, buffer: &BufferDecl) {
    if buffer.access == BufferAccess::Workgroup && buffer.element == DataType::Bytes {
        let problem = format!("workgroup buffer `{}` has element type `bytes`", buffer.name);
        report.push(Rule::V050, location, problem, "use a typed buffer");
    }
}
