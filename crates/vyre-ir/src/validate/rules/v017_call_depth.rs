//! V017: maximum call depth.

use super::super::codes::{Rule, RuleInfo};
use super::super::limits::MAX_CALL_DEPTH;
use crate::diagnostic::{ProgramLocation, Report};
use crate::op_table::OpSummary;

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Maximum call depth",
    checks: "The longest chain of calls from a program down to an op that calls nothing has at most 32 calls. A \
             cycle of calls has no end and is refused.",
    why: "Calls are expanded where they stand. A cycle would be expanded for ever, and a deep chain can grow \
          beyond any bound.",
    messages: &["V017: call depth exceeds maximum of 32. Fix: reduce call nesting or mutually recursive operations."],
    breaks: "\
// example.forever calls itself.
workgroup_size 64, 1, 1;

entry {
    let x = example.forever(1);
}
",
    passes: "\
// example.double calls nothing.
workgroup_size 64, 1, 1;

entry {
    let x = example.double(1);
}
",
};

/// Checks how deep the calls below a call go; true where they end in time.
pub(in crate::validate) fn check(report: &mut Report, location: ProgramLocation, callee: &OpSummary) -> bool {
    let within = callee.call_depth.is_some_and(|depth| depth <= MAX_CALL_DEPTH);
    if !within {
        let problem = format!("V017: call depth exceeds maximum of {MAX_CALL_DEPTH}");
        report.push(Rule::V017, location, problem, "reduce call nesting or mutually recursive operations");
    }
    within
}
