//! V006: variable references have a prior let.

use super::super::codes::{Rule, RuleInfo};
use crate::Name;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Variable references have a prior let",
    checks: "A variable that is read is bound by an earlier `let` or is the variable of a loop around it; one \
             that is assigned is bound too.",
    why: "If a first use declared a variable, a misspelt name would silently become a new one.",
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

/// How a variable is referred to.
#[derive(Clone, Copy, Debug)]
pub(in crate::validate) enum Use {
    Reference,
    Assignment,
}

/// Reports a variable that is not live.
pub(in crate::validate) fn report(
    report: &mut Report,
    location: ProgramLocation,
    use_of: Use,
    name: &Name,
    help: Option<String>,
) {
    let (action, what) = match use_of {
        Use::Reference => ("reference", "use"),
        Use::Assignment => ("assignment", "assignment"),
    };
    let problem = format!("{action} to undeclared variable `{name}`");
    report.push(Rule::V006, location, problem, format!("add `let {name} = ...;` before this {what}")).help(help);
}
