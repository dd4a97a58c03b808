//! V049: the output buffer is read-write.

use super::super::codes::RuleInfo;
use super::super::declaration::read_write;
use super::super::hooks::RuleCheck;
use crate::diagnostic::{ProgramLocation, RuleReport};
use crate::{BufferAccess, Program};

/// Rule V049.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "The output buffer is read-write",
        checks: "The buffer that is marked as output is read-write.",
        why: "The result must be written, and must outlive the workgroup.",
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

    /// Reports each output buffer that is not read-write.
    fn declarations(program: &Program, report: &mut RuleReport<'_>) {
        for (position, buffer) in program.buffers.iter().enumerate() {
            if buffer.is_output && buffer.access != BufferAccess::ReadWrite {
                let problem = format!("output buffer `{}` is not read-write", buffer.name);
                let location = ProgramLocation::Buffer(position);
                let help = read_write(buffer, program);
                report.push(location, problem, "declare it with BufferAccess::ReadWrite").help(Some(help));
            }
        }
    }
}
