//! V030: stored values have the element type.

use super::super::codes::RuleInfo;
use super::super::hooks::{Access, AccessKind, RuleCheck};
use super::super::rewrite;
use crate::diagnostic::RuleReport;
use crate::{BufferDecl, DataType};

/// Rule V030.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Stored values have the element type",
        checks: "The value of a store has exactly the element type of its buffer.",
        why: "The bytes in a buffer are read with its element type. A store of another type would reinterpret them \
              silently.",
        messages: &[
            "store to buffer `<name>` must have its element type `<type>`, got `<type>`. Fix: cast or rewrite the value to produce `<type>`.",
        ],
        breaks: "\
workgroup_size 64, 1, 1;

buffer out: read_write u32 @0;

entry {
    out[0] = 1i32;
}
",
        passes: "\
workgroup_size 64, 1, 1;

buffer out: read_write u32 @0;

entry {
    out[0] = 1i32 as u32;
}
",
    };

    /// Reports a stored value of another type than the elements of the buffer.
    fn access(access: &Access<'_>, report: &mut RuleReport<'_>) {
        let BufferDecl { name, element, .. } = access.buffer;
        let AccessKind::Store { value } = access.kind else { return };
        if *element == DataType::Bytes {
            return;
        }
        if let Some(ty) = value.type_other_than(*element) {
            let problem = format!("store to buffer `{name}` must have its element type `{element}`, got `{ty}`");
            let fix = format!("cast or rewrite the value to produce `{element}`");
            let help = rewrite::cast(ty, *element);
            report.push(value.location, problem, fix).related("declared here", access.declared).help(help);
        }
    }
}
