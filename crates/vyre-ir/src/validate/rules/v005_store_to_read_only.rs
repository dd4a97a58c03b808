//! V005: store only to writable buffers.

use super::super::codes::RuleInfo;
use super::super::declaration::read_write;
use super::super::hooks::{Access, AccessKind, RuleCheck};
use crate::diagnostic::RuleReport;

/// Rule V005.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Store only to writable buffers",
        checks: "A store targets a read-write or a workgroup buffer.",
        why: "The host relies on the contents of read-only and uniform buffers, and targets may place them in \
              read-only memory.",
        messages: &[
            "store to non-writable buffer `<name>`. Fix: declare it with BufferAccess::ReadWrite or BufferAccess::Workgroup.",
        ],
        breaks: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;

entry {
    data[0] = 1;
}
",
        passes: "\
workgroup_size 64, 1, 1;

buffer data: read_write u32 @0;

entry {
    data[0] = 1;
}
",
    };

    /// Reports a store to a buffer that is not writable.
    fn access(access: &Access<'_>, report: &mut RuleReport<'_>) {
        let buffer = access.buffer;
        if matches!(access.kind, AccessKind::Store { .. }) && !buffer.access.is_writable() {
            let problem = format!("store to non-writable buffer `{}`", buffer.name);
            let fix = "declare it with BufferAccess::ReadWrite or BufferAccess::Workgroup";
            let help = read_write(buffer, access.program);
            report.push(access.location, problem, fix).related("declared here", access.declared).help(Some(help));
        }
    }
}
