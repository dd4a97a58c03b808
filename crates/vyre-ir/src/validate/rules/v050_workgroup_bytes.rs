//! V050: workgroup buffers have typed elements.

use super::super::codes::RuleInfo;
use super::super::hooks::RuleCheck;
use crate::diagnostic::{ProgramLocation, RuleReport};
use crate::{BufferAccess, DataType, Program};

/// Rule V050.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Workgroup buffers have typed elements",
        checks: "A workgroup buffer does not have the element type `bytes`.",
        why: "The size of the buffer is the count times the size of an element, and bytes have no element size.",
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

    /// Reports each workgroup buffer of `Bytes`.
    fn declarations(program: &Program, report: &mut RuleReport<'_>) {
        for (position, buffer) in program.buffers.iter().enumerate() {
            if buffer.access == BufferAccess::Workgroup && buffer.element == DataType::Bytes {
                let problem = format!("workgroup buffer `{}` has element type `bytes`", buffer.name);
                report.push(ProgramLocation::Buffer(position), problem, "use a typed buffer");
            }
        }
    }
}
