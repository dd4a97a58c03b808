//! V033: unary operands must be u32.

use super::super::codes::RuleInfo;
use super::super::hooks::{RuleCheck, UnaryOperand};
use super::super::rewrite::{self, TypedExpr};
use crate::DataType;
use crate::diagnostic::RuleReport;

/// Rule V033.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Unary operands must be u32",
        checks: "The operand of every unary operator is `u32`.",
        why: "Operators are defined on one type, so no operand is converted implicitly.",
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

    /// Reports an operand of another type than `U32`.
    fn unary_operand(unary: &UnaryOperand<'_>, report: &mut RuleReport<'_>) {
        let UnaryOperand { op, operand, expr } = *unary;
        if let Some(ty) = operand.type_other_than(DataType::U32) {
            let problem = format!("operand of unary operation `{}` must be `u32`, got `{ty}`", op.text());
            let help = rewrite::unary(op, TypedExpr { ty: Some(ty), expr });
            report.push(operand.location, problem, "cast or rewrite the operand to produce U32").help(help);
        }
    }
}
