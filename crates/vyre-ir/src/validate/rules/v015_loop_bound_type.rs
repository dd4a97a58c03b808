//! V015: loop bounds must be u32.

use super::super::codes::RuleInfo;
use super::super::hooks::{LoopBounds, RuleCheck};
use crate::DataType;
use crate::diagnostic::RuleReport;

/// Rule V015.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Loop bounds must be u32",
        checks: "Both bounds of a loop are `u32`.",
        why: "The loop variable is a `u32` that counts from one bound to the other.",
        messages: &["loop bound expression must be `u32`, got `<type>`. Fix: ensure `from` and `to` are U32."],
        breaks: "\
workgroup_size 64, 1, 1;

entry {
    for i in 0i32..4 {
    }
}
",
        passes: "\
workgroup_size 64, 1, 1;

entry {
    for i in 0..4 {
    }
}
",
    };

    /// Reports each bound of another type than `U32`.
    fn loop_bounds(bounds: &LoopBounds, report: &mut RuleReport<'_>) {
        for bound in [bounds.from, bounds.to] {
            if let Some(ty) = bound.type_other_than(DataType::U32) {
                let problem = format!("loop bound expression must be `u32`, got `{ty}`");
                let help = "`from` and `to` are the bounds before and after `..`";
                report.push(bound.location, problem, "ensure `from` and `to` are U32").help(Some(help.to_owned()));
            }
        }
    }
}
