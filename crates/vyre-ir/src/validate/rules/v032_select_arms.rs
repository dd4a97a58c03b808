//! V032: select arms have one type.

use super::super::codes::RuleInfo;
use super::super::hooks::{RuleCheck, Select};
use crate::diagnostic::RuleReport;

/// Rule V032.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Select arms have one type",
        checks: "Both values of a `select` have the same type.",
        why: "The result has the type of its arms, whichever is selected.",
        messages: &[
            "select arms must have one type, got `<type>` and `<type>`. Fix: cast or rewrite one arm to produce the type of the other.",
        ],
        breaks: "\
workgroup_size 64, 1, 1;

entry {
    let x = select(true, 1, 2i32);
}
",
        passes: "\
workgroup_size 64, 1, 1;

entry {
    let x = select(true, 1, 2i32 as u32);
}
",
    };

    /// Reports arms of different types.
    fn select(select: &Select, report: &mut RuleReport<'_>) {
        if let (Some(first), Some(second)) = (select.true_val.ty, select.false_val.ty)
            && first != second
        {
            let problem = format!("select arms must have one type, got `{first}` and `{second}`");
            let fix = "cast or rewrite one arm to produce the type of the other";
            report.push(select.location, problem, fix);
        }
    }
}
