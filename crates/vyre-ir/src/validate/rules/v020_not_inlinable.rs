//! V020: calls must target inlinable operations.

use super::super::codes::{Rule, RuleInfo};
use crate::OpDef;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Calls must target inlinable operations",
    checks: "A call names an op that is marked inlinable.",
    why: "Ops over whole buffers are dispatched, not evaluated. As an expression they would mean something \
          else.",
    messages: &[
        "V020: call to non-inlinable op `<op_id>` is rejected by validation. Fix: lower this operation through its dedicated backend path or rewrite the caller with explicit IR.",
    ],
    breaks: "\
// example.sort works on a whole buffer.
workgroup_size 64, 1, 1;

entry {
    let x = example.sort(1);
}
",
    passes: "\
// example.double works on a value.
workgroup_size 64, 1, 1;

entry {
    let x = example.double(1);
}
",
};

/// Checks that an op can be called; true where it can.
pub(in crate::validate) fn check(report: &mut Report, location: ProgramLocation, op: &OpDef) -> bool {
    if !op.inlinable {
        let problem = format!("V020: call to non-inlinable op `{}` is rejected by validation", op.id);
        let fix = "lower this operation through its dedicated backend path or rewrite the caller with explicit IR";
        report.push(Rule::V020, location, problem, fix);
    }
    op.inlinable
}
