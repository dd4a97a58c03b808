//! V042: extract needs a value with lanes.

use super::super::codes::RuleInfo;
use super::super::hooks::{Extract, RuleCheck};
use crate::diagnostic::RuleReport;
use crate::spelling::article;

/// Rule V042.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Extract needs a value with lanes",
        checks: "The value of an extract is a `u64`, `vec2u32` or `vec4u32`.",
        why: "All other types are scalars.",
        messages: &["<a|an> `<type>` has no lanes to extract. Fix: extract from a u64, vec2u32 or vec4u32."],
        breaks: "\
workgroup_size 64, 1, 1;

entry {
    let a = 1;
    let x = a.x;
}
",
        passes: "\
workgroup_size 64, 1, 1;

entry {
    let a = u64(1, 2);
    let x = a.x;
}
",
    };

    /// Reports an extract from a value without lanes.
    fn extract(extract: &Extract, report: &mut RuleReport<'_>) {
        if let Some(ty) = extract.value.ty.filter(|ty| ty.components() == 0) {
            let problem = format!("{} `{ty}` has no lanes to extract", article(ty.name()));
            report.push(extract.location, problem, "extract from a u64, vec2u32 or vec4u32");
        }
    }
}
