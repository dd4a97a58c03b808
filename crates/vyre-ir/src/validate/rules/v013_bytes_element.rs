//! V013: buffer element type supports the operation.

use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::{ProgramLocation, Report};
use crate::{BufferDecl, DataType};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Buffer element type supports the operation",
    checks: "Loads, stores and atomics do not target a buffer of `bytes`; its length may be asked.",
    why: "A byte buffer has no elements that could be addressed one by one. Declare it as `u32` and take bytes \
          out of words.",
    messages: &["operation on buffer `<name>` with element type `bytes` is not supported. Fix: use a typed buffer."],
    breaks: "\
workgroup_size 64, 1, 1;

buffer raw: read bytes @0;

entry {
    let x = raw[0];
}
",
    passes: "\
workgroup_size 64, 1, 1;

buffer raw: read bytes @0;

entry {
    let x = len(raw);
}
",
};

/// Checks the buffer of a load, store or atomic; true where it has elements.
pub(in crate::validate) fn check(
    report: &mut Report,
    location: ProgramLocation,
    buffer: &BufferDecl,
    declared: ProgramLocation,
) -> bool {
    if buffer.element != DataType::Bytes {
        return true;
    }
    let problem = format!("operation on buffer `{}` with element type `bytes` is not supported", buffer.name);
    let help = "declare it as `u32` and take bytes out of words: `b[i >> 2] >> ((i & 3) << 3) & 0xff`";
    report
        .push(Rule::V013, location, problem, "use a typed buffer")
        .related("declared here", declared)
        .help(Some(help.to_owned()));
    false
}
