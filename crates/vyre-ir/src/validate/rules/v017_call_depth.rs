//! V017: maximum call depth.

use super::super::codes::RuleInfo;
use super::super::hooks::{Call, RuleCheck};
use crate::diagnostic::RuleReport;
use crate::limits::DEFAULT_MAX_CALL_DEPTH;

/// Rule V017.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Maximum call depth",
        checks: "The longest chain of calls has at most 32 calls. A cycle of calls is not allowed.",
        why: "Calls are expanded in place. A cycle would never end, and the size of a long chain can grow \
              exponentially.",
        messages: &[
            "V017: call depth exceeds maximum of 32. Fix: reduce call nesting or mutually recursive operations.",
        ],
        breaks: "\
// example.forever calls itself.
workgroup_size 64, 1, 1;

entry {
    let x = example.forever(1);
}
",
        passes: "\
// example.double calls nothing.
workgroup_size 64, 1, 1;

entry {
    let x = example.double(1);
}
",
    };

    /// Reports a call whose chain of calls is too long or endless.
    fn call(call: &Call<'_>, report: &mut RuleReport<'_>) {
        if call.entry.op.inlinable && !call.entry.summary.is_within_call_depth() {
            let problem = format!("V017: call depth exceeds maximum of {DEFAULT_MAX_CALL_DEPTH}");
            report.push(call.location, problem, "reduce call nesting or mutually recursive operations");
        }
    }
}
