//! V021: binary operands must be u32.

use super::super::check::Operand;
use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::Report;
use crate::{BinOp, DataType};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Binary operands must be u32",
    checks: "Both operands of every binary operator are `u32`. Comparisons and logical operators give `u32` too, \
             0 or 1.",
    why: "Operators are defined on one type, so no operand is converted behind the back of the program.",
    messages: &[
        "binary operation <left|right> operand must be `u32`, got `<type>`. Fix: cast or rewrite the operand to produce U32.",
    ],
    breaks: "\
workgroup_size 64, 1, 1;

entry {
    let x = 1 + 2i32;
}
",
    passes: "\
workgroup_size 64, 1, 1;

entry {
    let x = 1 + (2i32 as u32);
}
",
};

/// Checks one operand; `side` is `left` or `right`.
pub(in crate::validate) fn check(report: &mut Report, op: BinOp, side: &'static str, operand: Operand) {
    if let Some(ty) = operand.other_than(DataType::U32) {
        let problem = format!("binary operation {side} operand must be `u32`, got `{ty}`");
        let help = format!("write `... as u32` around the {side} operand of `{}`", op.text());
        report
            .push(Rule::V021, operand.location, problem, "cast or rewrite the operand to produce U32")
            .help(Some(help));
    }
}
