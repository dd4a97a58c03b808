//! V006: variable references have a prior let.

use super::super::codes::RuleInfo;
use super::super::hooks::{NameUse, RuleCheck, UnresolvedName};
use crate::diagnostic::RuleReport;

/// Rule V006.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Variable references have a prior let",
        checks: "A variable that is read or assigned is bound by an earlier `let`. A variable that is read may also \
                 be the variable of an enclosing loop.",
        why: "If the first use declared a variable, a misspelt name would silently become a new variable.",
        messages: &[
            "reference to undeclared variable `<name>`. Fix: add `let <name> = ...;` before this use.",
            "assignment to undeclared variable `<name>`. Fix: add `let <name> = ...;` before this assignment.",
        ],
        breaks: "\
workgroup_size 64, 1, 1;

buffer out: read_write u32 @0;

entry {
    let index = invocation_id.x;
    out[indx] = 1;
}
",
        passes: "\
workgroup_size 64, 1, 1;

buffer out: read_write u32 @0;

entry {
    let index = invocation_id.x;
    out[index] = 1;
}
",
    };

    /// Reports a reference to a variable that is not in scope.
    fn unresolved_name(unresolved: &UnresolvedName<'_>, report: &mut RuleReport<'_>) {
        let name = unresolved.name;
        let (action, what) = match unresolved.use_of {
            NameUse::Variable => ("reference", "use"),
            NameUse::Assignment => ("assignment", "assignment"),
            NameUse::Load | NameUse::BufLen | NameUse::Atomic(_) | NameUse::Store | NameUse::Call => return,
        };
        let problem = format!("{action} to undeclared variable `{name}`");
        let fix = format!("add `let {name} = ...;` before this {what}");
        report.push(unresolved.location, problem, fix).help(unresolved.help.clone());
    }
}
