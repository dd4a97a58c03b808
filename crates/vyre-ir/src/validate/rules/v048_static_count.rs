//! V048: only workgroup buffers have a count.

use super::super::codes::RuleInfo;
use super::super::hooks::RuleCheck;
use crate::diagnostic::{ProgramLocation, RuleReport};
use crate::{BufferAccess, Program};

/// Rule V048.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Only workgroup buffers have a count",
        checks: "A buffer that the host binds declares no element count.",
        why: "The length of the buffer is that of the bound memory. A second length in the program could contradict \
              it.",
        messages: &[
            "buffer `<name>` declares a count of <count>. Fix: leave the count out; only workgroup buffers have one.",
        ],
        breaks: "\
workgroup_size 64, 1, 1;

buffer data: read u32[4] @0;

entry {
    let x = data[0];
}
",
        passes: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;

entry {
    let x = data[0];
}
",
    };

    /// Reports each host-bound buffer with a count.
    fn declarations(program: &Program, report: &mut RuleReport<'_>) {
        for (position, buffer) in program.buffers.iter().enumerate() {
            if buffer.access != BufferAccess::Workgroup && buffer.count != 0 {
                let problem = format!("buffer `{}` declares a count of {}", buffer.name, buffer.count);
                let fix = "leave the count out; only workgroup buffers have one";
                report.push(ProgramLocation::Buffer(position), problem, fix);
            }
        }
    }
}
