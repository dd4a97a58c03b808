//! V009: atomic only on read-write buffers.

use super::super::codes::RuleInfo;
use super::super::declaration::read_write;
use super::super::hooks::{Access, RuleCheck};
use crate::diagnostic::RuleReport;
use crate::{AtomicScope, BufferAccess};

/// Rule V009.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Atomic only on read-write buffers",
        checks: "An atomic targets a read-write buffer.",
        why: "Every atomic but a load writes memory, and a load is useful only for memory that other invocations \
              write.",
        messages: &["atomic on non-writable buffer `<name>`. Fix: declare it with BufferAccess::ReadWrite."],
        breaks: "\
workgroup_size 64, 1, 1;

buffer counts: read u32 @0;

entry {
    let _ = atomic_add(counts[0], 1);
}
",
        passes: "\
workgroup_size 64, 1, 1;

buffer counts: read_write u32 @0;

entry {
    let _ = atomic_add(counts[0], 1);
}
",
    };

    /// Reports an atomic on a read-only or uniform buffer.
    fn access(access: &Access<'_>, report: &mut RuleReport<'_>) {
        let is_read_only = matches!(access.buffer.access, BufferAccess::ReadOnly | BufferAccess::Uniform);
        if access.atomic_on_elements(AtomicScope::Storage).is_some() && is_read_only {
            let problem = format!("atomic on non-writable buffer `{}`", access.buffer.name);
            report
                .push(access.location, problem, "declare it with BufferAccess::ReadWrite")
                .related("declared here", access.declared)
                .help(Some(read_write(access.buffer, access.program)));
        }
    }
}
