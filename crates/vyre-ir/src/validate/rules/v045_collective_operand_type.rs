//! V045: collective operands must be u32.

use super::super::codes::RuleInfo;
use super::super::hooks::{CollectiveOperands, NamedOperand, RuleCheck};
use crate::DataType;
use crate::diagnostic::RuleReport;

/// Rule V045.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Collective operands must be u32",
        checks: "The value, lane or predicate of a collective is `u32`.",
        why: "Collectives exchange words. Only a cast converts a value.",
        messages: &[
            "collective operand `<value|lane|predicate>` must be `u32`, got `<type>`. Fix: cast or rewrite the operand to produce U32.",
        ],
        breaks: "\
workgroup_size 64, 1, 1;

entry {
    let x = reduce_add(true);
}
",
        passes: "\
workgroup_size 64, 1, 1;

entry {
    let x = reduce_add(true as u32);
}
",
    };

    /// Reports each operand of another type than `U32`.
    fn collective_operands(collective: &CollectiveOperands<'_>, report: &mut RuleReport<'_>) {
        for NamedOperand { field, operand } in collective.operands {
            if let Some(ty) = operand.type_other_than(DataType::U32) {
                let problem = format!("collective operand `{field}` must be `u32`, got `{ty}`");
                report.push(operand.location, problem, "cast or rewrite the operand to produce U32");
            }
        }
    }
}
