//! V047: called ops have programs that can be inlined.

use super::super::codes::RuleInfo;
use super::super::hooks::{Call, RuleCheck};
use crate::diagnostic::RuleReport;
use crate::op_table::Inlinability;

/// Rule V047.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Called ops have programs that can be inlined",
        checks: "The program of a called op is valid, has an output buffer, and has buffers that match its \
                 signature. It has no workgroup buffer, no read-write buffer except its output, no buffer of bytes, \
                 and no atomic, barrier or collective.",
        why: "The program of the op replaces the call, with values in place of buffers. Constructs that need memory \
              or other invocations have no meaning there.",
        messages: &[
            "call to op `<op_id>`, which cannot be inlined: it <reason>. Fix: mend the program of the op, or mark the op as not inlinable.",
        ],
        breaks: "\
// example.counter has an atomic.
workgroup_size 64, 1, 1;

entry {
    let x = example.counter(1);
}
",
        passes: "\
// example.double computes its result from its argument alone.
workgroup_size 64, 1, 1;

entry {
    let x = example.double(1);
}
",
    };

    /// Reports a call of an op whose program cannot be inlined.
    fn call(call: &Call<'_>, report: &mut RuleReport<'_>) {
        let (op, summary) = (&call.entry.op, &call.entry.summary);
        if !op.inlinable || !summary.is_within_call_depth() {
            return;
        }
        if let Inlinability::Impossible(reason) = &summary.inlinability {
            let problem = format!("call to op `{}`, which cannot be inlined: it {reason}", op.id);
            report.push(call.location, problem, "mend the program of the op, or mark the op as not inlinable");
        }
    }
}
