//! V023: cast to bytes is unsupported.

use super::super::check::Operand;
use super::super::codes::{Rule, RuleInfo};
use crate::DataType;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Cast to bytes is unsupported",
    checks: "A value is not cast to `bytes`, unless it is `bytes` already.",
    why: "Bytes are the contents of a buffer, of any length; a value has a size.",
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

/// Checks the target of a cast; true where it is not reported.
pub(in crate::validate) fn check(
    report: &mut Report,
    location: ProgramLocation,
    value: Operand,
    target: DataType,
) -> bool {
    let unsupported = target == DataType::Bytes && value.other_than(DataType::Bytes).is_some();
    if unsupported {
        let problem = "V023: cast to Bytes is unsupported in WGSL lowering";
        report.push(Rule::V023, location, problem, "use buffer load/store directly for byte data");
    }
    !unsupported
}
