//! V021: binary operands must be u32.

use super::super::codes::RuleInfo;
use super::super::hooks::{BinaryOperands, RuleCheck};
use super::super::rewrite;
use crate::DataType;
use crate::diagnostic::RuleReport;

/// Rule V021.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Binary operands must be u32",
        checks: "Both operands of every binary operator are `u32`. Comparisons and logical operators return `u32` \
                 too, 0 or 1.",
        why: "Operators are defined on one type, so no operand is converted implicitly.",
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

    /// Reports each operand of another type than `U32`. The first report suggests another form of the operation.
    fn binary_operands(operands: &BinaryOperands<'_>, report: &mut RuleReport<'_>) {
        let [left, right] = operands.exprs;
        let mut is_first = true;
        for (side, operand) in [("left", operands.left), ("right", operands.right)] {
            if let Some(ty) = operand.type_other_than(DataType::U32) {
                let problem = format!("binary operation {side} operand must be `u32`, got `{ty}`");
                let help = if is_first { rewrite::binary(operands.op, left, right) } else { None };
                report.push(operand.location, problem, "cast or rewrite the operand to produce U32").help(help);
                is_first = false;
            }
        }
    }
}
