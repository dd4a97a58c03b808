//! V002: no duplicate bindings.

use std::collections::HashMap;

use super::super::codes::RuleInfo;
use super::super::hooks::RuleCheck;
use crate::diagnostic::{ProgramLocation, RuleReport};
use crate::{BufferAccess, Program};

/// Rule V002.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "No duplicate bindings",
        checks: "Each buffer has a unique binding slot. Workgroup buffers have no slot and are exempt.",
        why: "The host supplies buffers by slot. It cannot supply two buffers in one slot.",
        messages: &["duplicate binding slot <binding> (buffer `<name>`). Fix: each buffer must have a unique binding."],
        breaks: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;
buffer out: read_write u32 @0;

entry {
    out[0] = data[0];
}
",
        passes: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;
buffer out: read_write u32 @1;

entry {
    out[0] = data[0];
}
",
    };

    /// Reports each buffer whose binding an earlier buffer has.
    fn declarations(program: &Program, report: &mut RuleReport<'_>) {
        let mut first_by_binding: HashMap<u32, usize> = HashMap::new();
        for (position, buffer) in program.buffers.iter().enumerate() {
            if buffer.access == BufferAccess::Workgroup {
                continue;
            }
            let first = *first_by_binding.entry(buffer.binding).or_insert(position);
            if first != position {
                let problem = format!("duplicate binding slot {} (buffer `{}`)", buffer.binding, buffer.name);
                report
                    .push(ProgramLocation::Buffer(position), problem, "each buffer must have a unique binding")
                    .related("first used here", ProgramLocation::Buffer(first));
            }
        }
    }
}
