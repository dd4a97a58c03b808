//! V041: select condition must be u32 or bool.

use super::super::codes::RuleInfo;
use super::super::hooks::{RuleCheck, Select};
use super::super::rewrite;
use crate::DataType;
use crate::diagnostic::RuleReport;

/// Rule V041.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Select condition must be u32 or bool",
        checks: "The condition of a `select` is `u32` or `bool`.",
        why: "The value `true` and any number but 0 satisfy a condition; values of other types are no conditions.",
        messages: &[
            "select condition must be `u32` or `bool`, got `<type>`. Fix: cast or rewrite the condition to produce U32 or Bool.",
        ],
        breaks: "\
workgroup_size 64, 1, 1;

entry {
    let x = select(1i32, 2, 3);
}
",
        passes: "\
workgroup_size 64, 1, 1;

entry {
    let x = select(1i32 as bool, 2, 3);
}
",
    };

    /// Reports a condition that is neither `U32` nor `Bool`.
    fn select(select: &Select, report: &mut RuleReport<'_>) {
        let condition = select.cond;
        if let Some(ty) = condition.type_unfit_as_condition() {
            let problem = format!("select condition must be `u32` or `bool`, got `{ty}`");
            let fix = "cast or rewrite the condition to produce U32 or Bool";
            report.push(condition.location, problem, fix).help(rewrite::cast(ty, DataType::Bool));
        }
    }
}
