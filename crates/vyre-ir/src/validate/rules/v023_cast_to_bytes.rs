//! V023: cast to bytes is unsupported.

use super::super::codes::RuleInfo;
use super::super::hooks::{Cast, RuleCheck};
use crate::DataType;
use crate::diagnostic::RuleReport;

/// Rule V023.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Cast to bytes is unsupported",
        checks: "A value is not cast to `bytes`, unless it is `bytes` already.",
        why: "Bytes are the contents of a buffer, of any length. A value has a fixed size.",
        messages: &[
            "V023: cast to Bytes is unsupported in WGSL lowering. Fix: use buffer load/store directly for byte data.",
        ],
        breaks: "\
workgroup_size 64, 1, 1;

entry {
    let x = 1 as bytes;
}
",
        passes: "\
workgroup_size 64, 1, 1;

entry {
    let x = 1 as u64;
}
",
    };

    /// Reports a cast to `Bytes`.
    fn cast(cast: &Cast, report: &mut RuleReport<'_>) {
        if cast.target == DataType::Bytes && cast.value.type_other_than(DataType::Bytes).is_some() {
            let problem = "V023: cast to Bytes is unsupported in WGSL lowering";
            let help =
                "`bytes` is the type of a buffer, never of a value; declare the buffer as `u32` and use its words";
            let fix = "use buffer load/store directly for byte data";
            report.push(cast.location, problem, fix).help(Some(help.to_owned()));
        }
    }
}
