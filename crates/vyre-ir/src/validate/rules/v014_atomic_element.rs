//! V014: atomic buffer element must be u32.

use super::super::codes::RuleInfo;
use super::super::declaration::in_text_format;
use super::super::hooks::{Access, RuleCheck};
use crate::diagnostic::RuleReport;
use crate::{AtomicScope, BufferAccess, BufferDecl, DataType};

/// Rule V014.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Atomic buffer element must be u32",
        checks: "The buffer of an atomic has elements of `u32`.",
        why: "Atomics are defined on 32-bit unsigned integers, the only type that every target supports.",
        messages: &[
            "atomic on buffer `<name>` with non-u32 element type `<type>`. Fix: atomics only support U32 elements.",
        ],
        breaks: "\
workgroup_size 64, 1, 1;

buffer counts: read_write i32 @0;

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

    /// Reports an atomic of either scope on elements of another type than `U32`.
    fn access(access: &Access<'_>, report: &mut RuleReport<'_>) {
        let buffer = access.buffer;
        // V009, V025 and V052 report a buffer that is in the wrong memory.
        let is_in_scope = match buffer.access {
            BufferAccess::ReadWrite => access.atomic_on_elements(AtomicScope::Storage).is_some(),
            BufferAccess::Workgroup => access.atomic_on_elements(AtomicScope::Workgroup).is_some(),
            BufferAccess::ReadOnly | BufferAccess::Uniform => false,
        };
        if is_in_scope && buffer.element != DataType::U32 {
            let problem = format!("atomic on buffer `{}` with non-u32 element type `{}`", buffer.name, buffer.element);
            report
                .push(access.location, problem, "atomics only support U32 elements")
                .related("declared here", access.declared)
                .help(Some(in_text_format(BufferDecl { element: DataType::U32, ..buffer.clone() })));
        }
    }
}
