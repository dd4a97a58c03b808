//! V031: assigned values keep the type of the variable.

use super::super::codes::RuleInfo;
use super::super::hooks::{Assignment, RuleCheck};
use super::super::rewrite;
use crate::diagnostic::RuleReport;

/// Rule V031.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Assigned values keep the type of the variable",
        checks: "The value of an assignment has exactly the type that the variable has from its `let`.",
        why: "A variable has one type on every path through the program.",
        messages: &[
            "assignment to variable `<name>` must keep its type `<type>`, got `<type>`. Fix: cast or rewrite the value to produce `<type>`.",
        ],
        breaks: "\
workgroup_size 64, 1, 1;

entry {
    let x = 1;
    x = true;
}
",
        passes: "\
workgroup_size 64, 1, 1;

entry {
    let x = 1;
    x = true as u32;
}
",
    };

    /// Reports an assigned value of another type than the variable.
    fn assignment(assignment: &Assignment<'_>, report: &mut RuleReport<'_>) {
        let Assignment { name, value, declared, is_loop_variable, .. } = *assignment;
        if is_loop_variable {
            return;
        }
        let Some(wanted) = assignment.variable_type else { return };
        if let Some(ty) = value.type_other_than(wanted) {
            let problem = format!("assignment to variable `{name}` must keep its type `{wanted}`, got `{ty}`");
            let fix = format!("cast or rewrite the value to produce `{wanted}`");
            report.push(value.location, problem, fix).related("bound here", declared).help(rewrite::cast(ty, wanted));
        }
    }
}
