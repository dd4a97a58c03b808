//! V001: no duplicate buffer names.

use std::collections::HashMap;

use super::super::codes::RuleInfo;
use super::super::hooks::RuleCheck;
use crate::Program;
use crate::diagnostic::{ProgramLocation, RuleReport};

/// Rule V001.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "No duplicate buffer names",
        checks: "Each buffer of a program has a unique name.",
        why: "Loads, stores, atomics and lengths refer to a buffer by its name. A duplicate name makes the reference \
              ambiguous.",
        messages: &["duplicate buffer name `<name>`. Fix: each buffer must have a unique name."],
        breaks: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;
buffer data: read u32 @1;

entry {
    let x = data[0];
}
",
        passes: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;
buffer more: read u32 @1;

entry {
    let x = data[0];
}
",
    };

    /// Reports each buffer whose name an earlier buffer has.
    fn declarations(program: &Program, report: &mut RuleReport<'_>) {
        let mut first_by_name: HashMap<&str, usize> = HashMap::new();
        for (position, buffer) in program.buffers.iter().enumerate() {
            let first = *first_by_name.entry(buffer.name.as_str()).or_insert(position);
            if first != position {
                let problem = format!("duplicate buffer name `{}`", buffer.name);
                report
                    .push(ProgramLocation::Buffer(position), problem, "each buffer must have a unique name")
                    .related("first declared here", ProgramLocation::Buffer(first));
            }
        }
    }
}
