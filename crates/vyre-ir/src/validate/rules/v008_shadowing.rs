//! V008: no local shadowing.

use super::super::codes::RuleInfo;
use super::super::hooks::{Rebinding, RuleCheck};
use crate::diagnostic::{RuleReport, code};
use crate::text;

/// Rule V008.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "No local shadowing",
        checks: "A `let` or a loop does not bind a name that is in scope. The name `_` binds nothing and may occur \
                 any number of times.",
        why: "Every name then has one meaning at every location, for readers and for every tool that moves code.",
        messages: &["duplicate local binding `<name>`. Fix: choose a unique local name; shadowing is not allowed."],
        breaks: "\
workgroup_size 64, 1, 1;

entry {
    let x = 1;
    let x = 2;
}
",
        passes: "\
workgroup_size 64, 1, 1;

entry {
    let x = 1;
    x = 2;
}
",
    };

    /// Reports a binding of a name that is in scope.
    fn rebinding(rebinding: &Rebinding<'_>, report: &mut RuleReport<'_>) {
        let name = rebinding.name;
        let problem = format!("duplicate local binding `{name}`");
        let written = text::name(name);
        let assignment = code(&format!("{written} = ...;"));
        let help = format!("to change the value of {}, assign it: {assignment}", code(&written));
        report
            .push(rebinding.location, problem, "choose a unique local name; shadowing is not allowed")
            .related("first bound here", rebinding.first)
            .help((!rebinding.first_is_loop_variable).then_some(help));
    }
}
