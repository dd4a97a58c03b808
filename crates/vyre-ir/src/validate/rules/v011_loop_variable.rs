//! V011: no assignment to a loop variable.

use super::super::codes::RuleInfo;
use super::super::hooks::{Assignment, RuleCheck};
use crate::diagnostic::RuleReport;

/// Rule V011.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "No assignment to a loop variable",
        checks: "An assignment does not target the variable of a loop.",
        why: "The range of a loop bounds its number of iterations. An assignment to the variable would remove the \
              bound.",
        messages: &["assignment to loop variable `<name>`. Fix: loop variables are immutable."],
        breaks: "\
workgroup_size 64, 1, 1;

entry {
    for i in 0..4 {
        i = 2;
    }
}
",
        passes: "\
workgroup_size 64, 1, 1;

entry {
    for i in 0..4 {
        let next = i + 1;
    }
}
",
    };

    /// Reports an assignment to a loop variable.
    fn assignment(assignment: &Assignment<'_>, report: &mut RuleReport<'_>) {
        if assignment.is_loop_variable {
            let problem = format!("assignment to loop variable `{}`", assignment.name);
            report
                .push(assignment.location, problem, "loop variables are immutable")
                .related("bound by this loop", assignment.declared)
                .help(Some("bind a variable of your own before the loop, or leave the loop with `break`".to_owned()));
        }
    }
}
