//! V004: buffer references resolve.

use super::super::codes::RuleInfo;
use super::super::declaration::{free_binding, in_text_format};
use super::super::hooks::{NameUse, RuleCheck, UnresolvedName};
use crate::diagnostic::RuleReport;
use crate::{AtomicScope, BufferDecl, DataType};

/// Number of elements in the suggested declaration of a workgroup buffer.
const SUGGESTED_COUNT: u32 = 256;

/// Rule V004.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Buffer references resolve",
        checks: "Every buffer that a load, length, atomic or store names is declared.",
        why: "An access needs a binding, an access mode and an element type, which come from the declaration.",
        messages: &[
            "load from unknown buffer `<name>`. Fix: declare it in Program::buffers.",
            "buflen of unknown buffer `<name>`. Fix: declare it in Program::buffers.",
            "atomic on unknown buffer `<name>`. Fix: declare it in Program::buffers.",
            "store to unknown buffer `<name>`. Fix: declare it in Program::buffers.",
        ],
        breaks: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;

entry {
    let x = dta[0];
}
",
        passes: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;

entry {
    let x = data[0];
}
",
    };

    /// Reports a reference to an undeclared buffer.
    fn unresolved_name(unresolved: &UnresolvedName<'_>, report: &mut RuleReport<'_>) {
        let action = match unresolved.use_of {
            NameUse::Load => "load from",
            NameUse::BufLen => "buflen of",
            NameUse::Atomic(_) => "atomic on",
            NameUse::Store => "store to",
            NameUse::Variable | NameUse::Assignment | NameUse::Call => return,
        };
        let problem = format!("{action} unknown buffer `{}`", unresolved.name);
        let help = unresolved.help.clone().unwrap_or_else(|| {
            let (name, binding) = (unresolved.name.clone(), free_binding(unresolved.program));
            in_text_format(match unresolved.use_of {
                NameUse::Atomic(AtomicScope::Workgroup) => BufferDecl::workgroup(name, SUGGESTED_COUNT, DataType::U32),
                NameUse::Store | NameUse::Atomic(AtomicScope::Storage) => {
                    BufferDecl::read_write(name, binding, DataType::U32)
                }
                _ => BufferDecl::read(name, binding, DataType::U32),
            })
        });
        report.push(unresolved.location, problem, "declare it in Program::buffers").help(Some(help));
    }
}
