//! V028: calls pass arguments of the right type.

use super::super::check::Operand;
use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::Report;
use crate::{DataType, OpDef};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Calls pass arguments of the right type",
    checks: "Each argument of a call has exactly the type of the input that it is matched with.",
    why: "Nothing is converted unless a cast says so, at calls as everywhere.",
    messages: &[
        "argument <position> of the call to op `<op_id>` must be `<type>`, got `<type>`. Fix: cast or rewrite the argument to produce `<type>`.",
    ],
    breaks: "\
// example.double takes one u32.
workgroup_size 64, 1, 1;

entry {
    let x = example.double(true);
}
",
    passes: "\
// example.double takes one u32.
workgroup_size 64, 1, 1;

entry {
    let x = example.double(true as u32);
}
",
};

/// Checks one argument; positions count from 0.
pub(in crate::validate) fn check(
    report: &mut Report,
    op: &OpDef,
    position: usize,
    argument: Operand,
    wanted: DataType,
) {
    if let Some(ty) = argument.other_than(wanted) {
        let problem = format!("argument {position} of the call to op `{}` must be `{wanted}`, got `{ty}`", op.id);
        let fix = format!("cast or rewrite the argument to produce `{wanted}`");
        report.push(Rule::V028, argument.location, problem, fix);
    }
}
