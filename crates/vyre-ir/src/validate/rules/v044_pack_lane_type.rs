//! V044: packed lanes must be u32.

use super::super::codes::RuleInfo;
use super::super::hooks::{Pack, RuleCheck};
use crate::DataType;
use crate::diagnostic::RuleReport;

/// Rule V044.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Packed lanes must be u32",
        checks: "Every lane of a pack is `u32`.",
        why: "Lanes are words. Only a cast converts a value.",
        messages: &["lane <lane> of a pack must be `u32`, got `<type>`. Fix: cast or rewrite the lane to produce U32."],
        breaks: "\
workgroup_size 64, 1, 1;

entry {
    let x = u64(1, true);
}
",
        passes: "\
workgroup_size 64, 1, 1;

entry {
    let x = u64(1, true as u32);
}
",
    };

    /// Reports each lane of another type than `U32`. V043 reports a wrong number of lanes.
    fn pack(pack: &Pack<'_>, report: &mut RuleReport<'_>) {
        if !pack.has_all_components() {
            return;
        }
        for (lane, operand) in pack.operands.iter().enumerate() {
            if let Some(ty) = operand.type_other_than(DataType::U32) {
                let problem = format!("lane {lane} of a pack must be `u32`, got `{ty}`");
                report.push(operand.location, problem, "cast or rewrite the lane to produce U32");
            }
        }
    }
}
