//! V032: select arms have one type.

use super::super::check::Operand;
use super::super::codes::{Rule, RuleInfo};
use crate::DataType;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
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

/// Checks the arms; gives the type of the result, where it is known.
pub(in crate::validate) fn check(
    report: &mut Report,
    location: ProgramLocation,
    true_val: Operand,
    false_val: Operand,
) -> Option<DataType> {
    match (true_val.ty, false_val.ty) {
        (Some(first), Some(second)) if first != second => {
            let problem = format!("select arms must have one type, got `{first}` and `{second}`");
            report.push(Rule::V032, location, problem, "cast or rewrite one arm to produce the type of the other");
            None
        }
        (first, second) => first.or(second),
    }
}
