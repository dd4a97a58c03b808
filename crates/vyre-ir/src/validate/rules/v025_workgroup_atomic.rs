//! V025: atomics not on workgroup buffers.

use super::super::codes::RuleInfo;
use super::super::declaration::read_write;
use super::super::hooks::{Access, RuleCheck};
use crate::BufferAccess;
use crate::diagnostic::RuleReport;

/// Rule V025.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Atomics not on workgroup buffers",
        checks: "An atomic does not target a workgroup buffer.",
        why: "Atomics are defined only for read-write buffers; atomics on workgroup memory differ between targets.",
        messages: &["atomic on non-writable buffer `<name>`. Fix: declare it with BufferAccess::ReadWrite."],
        breaks: "\
workgroup_size 64, 1, 1;

buffer tile: workgroup u32[64];

entry {
    let _ = atomic_add(tile[0], 1);
}
",
        passes: "\
workgroup_size 64, 1, 1;

buffer total: read_write u32 @0;

entry {
    let _ = atomic_add(total[0], 1);
}
",
    };

    /// Reports an atomic on a workgroup buffer.
    fn access(access: &Access<'_>, report: &mut RuleReport<'_>) {
        if access.is_atomic_on_elements() && access.buffer.access == BufferAccess::Workgroup {
            let problem = format!("atomic on non-writable buffer `{}`", access.buffer.name);
            let declaration = read_write(access.buffer, access.program);
            let help =
                format!("within a workgroup, reductions and scans combine values without atomics; {declaration}");
            report
                .push(access.location, problem, "declare it with BufferAccess::ReadWrite")
                .related("workgroup memory, declared here", access.declared)
                .help(Some(help));
        }
    }
}
