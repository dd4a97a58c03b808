//! V031: assigned values keep the type of the variable.

use super::super::check::Operand;
use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::{ProgramLocation, Report};
use crate::{DataType, Name};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Assigned values keep the type of the variable",
    checks: "The value of an assignment has exactly the type that the variable got from its `let`.",
    why: "A variable has one type, so that every use of it means the same on every way through the program.",
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

/// Checks the value of an assignment to a variable of type `wanted`.
pub(in crate::validate) fn check(
    report: &mut Report,
    value: Operand,
    name: &Name,
    wanted: DataType,
    declared: ProgramLocation,
) {
    if let Some(ty) = value.other_than(wanted) {
        let problem = format!("assignment to variable `{name}` must keep its type `{wanted}`, got `{ty}`");
        let fix = format!("cast or rewrite the value to produce `{wanted}`");
        report.push(Rule::V031, value.location, problem, fix).related("bound here", declared).help(None);
    }
}
