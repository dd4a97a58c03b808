//! V029: at most one output buffer.

use super::super::codes::RuleInfo;
use super::super::hooks::RuleCheck;
use crate::Program;
use crate::diagnostic::{ProgramLocation, RuleReport};

/// Rule V029.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "At most one output buffer",
        checks: "At most one buffer of a program is marked as its output.",
        why: "If the program is called as an op, element 0 of the output is the value of the call, and a call has \
              one value.",
        messages: &["second output buffer `<name>`. Fix: mark at most one buffer of a program as its output."],
        breaks: "\
workgroup_size 64, 1, 1;

buffer a: read_write u32 @0 output;
buffer b: read_write u32 @1 output;

entry {
    a[0] = 1;
}
",
        passes: "\
workgroup_size 64, 1, 1;

buffer a: read_write u32 @0 output;
buffer b: read_write u32 @1;

entry {
    a[0] = 1;
}
",
    };

    /// Reports each output buffer after the first.
    fn declarations(program: &Program, report: &mut RuleReport<'_>) {
        let mut outputs = program.buffers.iter().enumerate().filter(|(_, buffer)| buffer.is_output);
        let Some((first, _)) = outputs.next() else { return };
        for (position, buffer) in outputs {
            let problem = format!("second output buffer `{}`", buffer.name);
            let fix = "mark at most one buffer of a program as its output";
            report
                .push(ProgramLocation::Buffer(position), problem, fix)
                .related("the first output", ProgramLocation::Buffer(first));
        }
    }
}
