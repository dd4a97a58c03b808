//! V052: workgroup atomics only on workgroup buffers.

use super::super::codes::RuleInfo;
use super::super::hooks::{Access, RuleCheck};
use crate::diagnostic::RuleReport;
use crate::{AtomicScope, BufferAccess};

/// Rule V052.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Workgroup atomics only on workgroup buffers",
        checks: "A workgroup atomic, such as `workgroup_atomic_add`, targets a workgroup buffer.",
        why: "Its order holds within one workgroup. Other workgroups may access the memory of every other buffer.",
        messages: &[
            "workgroup atomic on buffer `<name>`, which is not workgroup memory. Fix: declare it with BufferAccess::Workgroup.",
        ],
        breaks: "\
workgroup_size 64, 1, 1;

buffer counts: read_write u32 @0;

entry {
    let _ = workgroup_atomic_add(counts[0], 1);
}
",
        passes: "\
workgroup_size 64, 1, 1;

buffer counts: workgroup u32[256];

entry {
    let _ = workgroup_atomic_add(counts[0], 1);
}
",
    };

    /// Reports a workgroup atomic on a buffer with a binding.
    fn access(access: &Access<'_>, report: &mut RuleReport<'_>) {
        let Some(op) = access.atomic_on_elements(AtomicScope::Workgroup) else { return };
        let help = match access.buffer.access {
            BufferAccess::Workgroup => return,
            BufferAccess::ReadWrite => Some(format!("for a read-write buffer, use `{}`", op.text())),
            BufferAccess::ReadOnly | BufferAccess::Uniform => None,
        };
        let name = &access.buffer.name;
        let problem = format!("workgroup atomic on buffer `{name}`, which is not workgroup memory");
        report
            .push(access.location, problem, "declare it with BufferAccess::Workgroup")
            .related("declared here", access.declared)
            .help(help);
    }
}
