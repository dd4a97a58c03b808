//! V020: calls must target inlinable operations.

use super::super::codes::RuleInfo;
use super::super::hooks::{Call, RuleCheck};
use crate::diagnostic::RuleReport;

/// Rule V020.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Calls must target inlinable operations",
        checks: "A call names an op that is marked inlinable.",
        why: "Ops over whole buffers are dispatched, not evaluated as expressions.",
        messages: &[
            "V020: call to non-inlinable op `<op_id>` is rejected by validation. Fix: lower this operation through its dedicated backend path or rewrite the caller with explicit IR.",
        ],
        breaks: "\
// example.sort works on a whole buffer.
workgroup_size 64, 1, 1;

entry {
    let x = example.sort(1);
}
",
        passes: "\
// example.double works on a value.
workgroup_size 64, 1, 1;

entry {
    let x = example.double(1);
}
",
    };

    /// Reports a call of an op that is marked as not inlinable.
    fn call(call: &Call<'_>, report: &mut RuleReport<'_>) {
        let op = &call.entry.op;
        if !op.inlinable {
            let problem = format!("V020: call to non-inlinable op `{}` is rejected by validation", op.id);
            let fix = "lower this operation through its dedicated backend path or rewrite the caller with explicit IR";
            let help = "the op works on whole buffers; the host runs its programs, and no expression calls it";
            report.push(call.location, problem, fix).help(Some(help.to_owned()));
        }
    }
}
