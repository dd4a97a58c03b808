//! V013: buffer element type supports the operation.

use super::super::codes::RuleInfo;
use super::super::hooks::{Access, RuleCheck};
use crate::DataType;
use crate::diagnostic::RuleReport;

/// Rule V013.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Buffer element type supports the operation",
        checks: "Loads, stores and atomics do not target a buffer of `bytes`. Its length is available.",
        why: "A byte buffer has no addressable elements. Declare it as `u32` and extract bytes from words.",
        messages: &[
            "operation on buffer `<name>` with element type `bytes` is not supported. Fix: use a typed buffer.",
        ],
        breaks: "\
workgroup_size 64, 1, 1;

buffer raw: read bytes @0;

entry {
    let x = raw[0];
}
",
        passes: "\
workgroup_size 64, 1, 1;

buffer raw: read bytes @0;

entry {
    let x = len(raw);
}
",
    };

    /// Reports an access to an element of a `Bytes` buffer.
    fn access(access: &Access<'_>, report: &mut RuleReport<'_>) {
        if access.buffer.element == DataType::Bytes {
            let name = &access.buffer.name;
            let problem = format!("operation on buffer `{name}` with element type `bytes` is not supported");
            let help = "declare it as `u32` and take bytes out of words: `b[i >> 2] >> ((i & 3) << 3) & 0xff`";
            report
                .push(access.location, problem, "use a typed buffer")
                .related("declared here", access.declared)
                .help(Some(help.to_owned()));
        }
    }
}
