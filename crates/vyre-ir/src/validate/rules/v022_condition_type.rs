//! V022: if condition must be u32 or bool.

use super::super::codes::RuleInfo;
use super::super::hooks::{IfCondition, RuleCheck};
use super::super::rewrite;
use crate::DataType;
use crate::diagnostic::RuleReport;

/// Rule V022.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "If condition must be u32 or bool",
        checks: "The condition of an `if` is `u32` or `bool`.",
        why: "The value `true` and any number but 0 satisfy a condition; values of other types are no conditions.",
        messages: &[
            "if condition must be `u32` or `bool`, got `<type>`. Fix: cast or rewrite the condition to produce U32 or Bool.",
        ],
        breaks: "\
workgroup_size 64, 1, 1;

entry {
    if -1i32 {
    }
}
",
        passes: "\
workgroup_size 64, 1, 1;

entry {
    if -1i32 as bool {
    }
}
",
    };

    /// Reports a condition that is neither `U32` nor `Bool`.
    fn if_condition(condition: &IfCondition, report: &mut RuleReport<'_>) {
        let IfCondition(condition) = condition;
        if let Some(ty) = condition.type_unfit_as_condition() {
            let problem = format!("if condition must be `u32` or `bool`, got `{ty}`");
            let fix = "cast or rewrite the condition to produce U32 or Bool";
            report.push(condition.location, problem, fix).help(rewrite::cast(ty, DataType::Bool));
        }
    }
}
