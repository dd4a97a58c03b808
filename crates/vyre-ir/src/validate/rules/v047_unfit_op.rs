//! V047: called ops have programs that can be inlined.

use super::super::codes::{Rule, RuleInfo};
use super::super::fitness::Fitness;
use crate::diagnostic::{ProgramLocation, Report};
use crate::op_table::OpEntry;

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Called ops have programs that can be inlined",
    checks: "The program of a called op validates, has an output buffer, no workgroup buffer, no read-write \
             buffer but its output, no buffer of bytes, no atomic, barrier or collective, and buffers that fit \
             its signature.",
    why: "A call is replaced by the program of the op with values in place of buffers. What needs memory or \
          other invocations has no meaning there.",
    messages: &[
        "call to op `<op_id>`, which cannot be inlined: it <reason>. Fix: mend the program of the op, or mark the op as not inlinable.",
    ],
    breaks: "\
// example.counter has an atomic.
workgroup_size 64, 1, 1;

entry {
    let x = example.counter(1);
}
",
    passes: "\
// example.double computes its result from its argument alone.
workgroup_size 64, 1, 1;

entry {
    let x = example.double(1);
}
",
};

/// Checks that the program of an op can be inlined; true where it can.
pub(in crate::validate) fn check(report: &mut Report, location: ProgramLocation, entry: &OpEntry) -> bool {
    match &entry.summary.fitness {
        Fitness::Fit => true,
        Fitness::Unfit(reason) => {
            let problem = format!("call to op `{}`, which cannot be inlined: it {reason}", entry.op.id);
            report.push(Rule::V047, location, problem, "mend the program of the op, or mark the op as not inlinable");
            false
        }
    }
}
