//! V033: unary operands must be u32.

use super::super::check::Operand;
use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::Report;
use crate::{DataType, UnOp};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Unary operands must be u32",
    checks: "The operand of every unary operator is `u32`.",
    why: "Operators are defined on one type, so no operand is converted behind the back of the program.",
    messages: &[
        "operand of unary operation `<operator>` must be `u32`, got `<type>`. Fix: cast or rewrite the operand to produce U32.",
    ],
    breaks: "\
workgroup_size 64, 1, 1;

entry {
    let x = !true;
}
",
    passes: "\
workgroup_size 64, 1, 1;

entry {
    let x = !(true as u32);
}
",
};

/// Checks the operand.
pub(in crate::validate) fn check(report: &mut Report, op: UnOp, operand: Operand) {
    if let Some(ty) = operand.other_than(DataType::U32) {
        let problem = format!("operand of unary operation `{}` must be `u32`, got `{ty}`", op.text());
        report.push(Rule::V033, operand.location, problem, "cast or rewrite the operand to produce U32");
    }
}
