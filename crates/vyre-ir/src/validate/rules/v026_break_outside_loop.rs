//! V026: break only in a loop.

use super::super::codes::RuleInfo;
use super::super::hooks::{BreakStatement, RuleCheck};
use crate::diagnostic::RuleReport;

/// Rule V026.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Break only in a loop",
        checks: "A `break` is in the body of a loop, directly or in a nested body.",
        why: "A `break` leaves the innermost loop.",
        messages: &[
            "break outside of a loop. Fix: move it into the body of a loop, or end the invocation with a return.",
        ],
        breaks: "\
workgroup_size 64, 1, 1;

entry {
    break;
}
",
        passes: "\
workgroup_size 64, 1, 1;

entry {
    for i in 0..4 {
        break;
    }
}
",
    };

    /// Reports a `break` outside of loops.
    fn break_statement(statement: &BreakStatement, report: &mut RuleReport<'_>) {
        if statement.loop_depth == 0 {
            let fix = "move it into the body of a loop, or end the invocation with a return";
            report.push(statement.location, "break outside of a loop", fix);
        }
    }
}
