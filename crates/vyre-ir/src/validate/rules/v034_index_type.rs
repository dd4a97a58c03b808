//! V034: indices must be u32.

use super::super::codes::RuleInfo;
use super::super::hooks::{BufferIndex, RuleCheck};
use crate::DataType;
use crate::diagnostic::RuleReport;

/// Rule V034.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Indices must be u32",
        checks: "The index of a load, store or atomic is `u32`.",
        why: "Indices are compared with the length of the buffer, which is `u32`.",
        messages: &["buffer index must be `u32`, got `<type>`. Fix: cast or rewrite the index to produce U32."],
        breaks: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;

entry {
    let x = data[1i32];
}
",
        passes: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;

entry {
    let x = data[1i32 as u32];
}
",
    };

    /// Reports an index of another type than `U32`.
    fn buffer_index(index: &BufferIndex, report: &mut RuleReport<'_>) {
        let BufferIndex(index) = index;
        if let Some(ty) = index.type_other_than(DataType::U32) {
            let problem = format!("buffer index must be `u32`, got `{ty}`");
            report.push(index.location, problem, "cast or rewrite the index to produce U32");
        }
    }
}
