//! V019: maximum node count.

use super::super::codes::{Rule, RuleInfo};
use super::super::limits::MAX_NODE_COUNT;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Maximum node count",
    checks: "A program has at most 100,000 statements and expressions together, called ops expanded.",
    why: "The limit bounds the time and memory of everything that works on programs.",
    messages: &[
        "V019: program has more than 100000 statement nodes. Fix: split the program into smaller kernels or run an optimization pass before lowering.",
    ],
    breaks: "\
// example.large has 60,000 nodes.
workgroup_size 64, 1, 1;

entry {
    let x = example.large(1);
    let y = example.large(x);
}
",
    passes: "\
// example.large has 60,000 nodes.
workgroup_size 64, 1, 1;

entry {
    let x = example.large(1);
}
",
};

/// Reports a program that is too large; `location` is the first node beyond the limit, or the call that goes beyond it.
pub(in crate::validate) fn report(report: &mut Report, location: ProgramLocation) {
    let problem = format!("V019: program has more than {MAX_NODE_COUNT} statement nodes");
    let fix = "split the program into smaller kernels or run an optimization pass before lowering";
    report.push(Rule::V019, location, problem, fix);
}
