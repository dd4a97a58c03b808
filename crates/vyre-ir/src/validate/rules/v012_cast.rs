//! V012: casts must be supported.

use super::super::codes::RuleInfo;
use super::super::hooks::{Cast, RuleCheck};
use super::super::rewrite;
use crate::DataType;
use crate::diagnostic::RuleReport;

/// Rule V012.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Casts must be supported",
        checks: "A cast is in the table of `casts.md`: every pair of value types except `u64` to `vec4u32` and \
                 `vec2u32` to `vec4u32`, which have too few lanes.",
        why: "Backends would disagree about a cast without a defined result.",
        messages: &["unsupported cast from `<source>` to `<target>`. Fix: see casts.md for valid conversions."],
        breaks: "\
workgroup_size 64, 1, 1;

entry {
    let wide = u64(1, 2) as vec4u32;
}
",
        passes: "\
workgroup_size 64, 1, 1;

entry {
    let pair = u64(1, 2) as vec2u32;
}
",
    };

    /// Reports a cast between types that have no conversion. V023 reports casts to `Bytes`.
    fn cast(cast: &Cast, report: &mut RuleReport<'_>) {
        let Cast { location, value, target } = *cast;
        match value.ty {
            Some(source) if target == DataType::Bytes && source != DataType::Bytes => {}
            Some(source) if !source.casts_to(target) => {
                let problem = format!("unsupported cast from `{source}` to `{target}`");
                report
                    .push(location, problem, "see casts.md for valid conversions")
                    .help(rewrite::cast(source, target));
            }
            Some(_) | None => {}
        }
    }
}
