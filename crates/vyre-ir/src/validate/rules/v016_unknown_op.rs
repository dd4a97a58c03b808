//! V016: known operation ids.

use super::super::codes::{Rule, RuleInfo};
use crate::Name;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Known operation ids",
    checks: "A call names an op of the table that validation is given.",
    why: "A call is replaced by the program of its op. Without an op there is nothing to replace it with.",
    messages: &["V016: unknown op `<op_id>`. Fix: use a registered op id or add the op to core::ops::*."],
    breaks: "\
workgroup_size 64, 1, 1;

entry {
    let x = example.duble(1);
}
",
    passes: "\
// example.double takes a u32 and gives a u32.
workgroup_size 64, 1, 1;

entry {
    let x = example.double(1);
}
",
};

/// Reports a call of an op that is not in the table.
pub(in crate::validate) fn report(report: &mut Report, location: ProgramLocation, op_id: &Name, help: Option<String>) {
    let problem = format!("V016: unknown op `{op_id}`");
    report.push(Rule::V016, location, problem, "use a registered op id or add the op to core::ops::*").help(help);
}
