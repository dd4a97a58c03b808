//! V048: only workgroup buffers have a count.

use super::super::codes::{Rule, RuleInfo};
use crate::diagnostic::{ProgramLocation, Report};
use crate::{BufferAccess, BufferDecl};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Only workgroup buffers have a count",
    checks: "A buffer that the host binds declares no element count.",
    why: "Its length is that of the memory that is bound. A second length in the program could contradict it.",
    messages: &[
        "buffer `<name>` declares a count of <count>. Fix: leave the count out; only workgroup buffers have one.",
    ],
    breaks: "\
workgroup_size 64, 1, 1;

buffer data: read u32[4] @0;

entry {
    let x = data[0];
}
",
    passes: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;

entry {
    let x = data[0];
}
",
};

/// Checks the count of a buffer that the host binds.
pub(in crate::validate) fn check(report: &mut Report, location: ProgramLocation, buffer: &BufferDecl) {
    if buffer.access != BufferAccess::Workgroup && buffer.count != 0 {
        let problem = format!("buffer `{}` declares a count of {}", buffer.name, buffer.count);
        report.push(Rule::V048, location, problem, "leave the count out; only workgroup buffers have one");
    }
}
