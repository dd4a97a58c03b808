//! V024: workgroup buffer must have a positive count.

use super::super::codes::RuleInfo;
use super::super::declaration::in_text_format;
use super::super::hooks::RuleCheck;
use crate::diagnostic::{ProgramLocation, RuleReport};
use crate::{BufferAccess, BufferDecl, Program};

/// Rule V024.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Workgroup buffer must have a positive count",
        checks: "A workgroup buffer declares at least one element.",
        why: "The memory is allocated when the program is compiled. Targets reject empty arrays.",
        messages: &["workgroup buffer `<name>` has count 0. Fix: declare a positive element count."],
        breaks: "\
workgroup_size 64, 1, 1;

buffer tile: workgroup u32[0];

entry {
    return;
}
",
        passes: "\
workgroup_size 64, 1, 1;

buffer tile: workgroup u32[64];

entry {
    return;
}
",
    };

    /// Reports each workgroup buffer without elements.
    fn declarations(program: &Program, report: &mut RuleReport<'_>) {
        for (position, buffer) in program.buffers.iter().enumerate() {
            if buffer.access == BufferAccess::Workgroup && buffer.count == 0 {
                let problem = format!("workgroup buffer `{}` has count 0", buffer.name);
                let help = in_text_format(BufferDecl { count: 64, ..buffer.clone() });
                let location = ProgramLocation::Buffer(position);
                report.push(location, problem, "declare a positive element count").help(Some(help));
            }
        }
    }
}
