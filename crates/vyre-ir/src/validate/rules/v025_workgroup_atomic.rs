//! V025: atomics not on workgroup buffers.

use super::super::codes::RuleInfo;
use super::super::declaration::read_write;
use super::super::hooks::{Access, RuleCheck};
use crate::diagnostic::RuleReport;
use crate::{AtomicScope, BufferAccess};

/// Rule V025.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Atomics not on workgroup buffers",
        checks: "An atomic does not target a workgroup buffer.",
        why: "These atomics are ordered for all invocations of a dispatch, and their memory is a read-write buffer. \
              Workgroup memory has atomics of its own: `workgroup_atomic_add` and the others.",
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
        let op = access.atomic_on_elements(AtomicScope::Storage);
        if let Some(op) = op.filter(|_| access.buffer.access == BufferAccess::Workgroup) {
            let problem = format!("atomic on non-writable buffer `{}`", access.buffer.name);
            let declaration = read_write(access.buffer, access.program);
            let workgroup = op.text_in(AtomicScope::Workgroup);
            let help = format!("workgroup memory has atomics of its own: `{workgroup}`; {declaration}");
            report
                .push(access.location, problem, "declare it with BufferAccess::ReadWrite")
                .related("workgroup memory, declared here", access.declared)
                .help(Some(help));
        }
    }
}
