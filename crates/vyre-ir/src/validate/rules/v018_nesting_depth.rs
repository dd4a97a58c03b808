//! V018: maximum nesting depth.

use super::super::codes::{Rule, RuleInfo};
use super::super::limits::MAX_NESTING_DEPTH;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Maximum nesting depth",
    checks: "Bodies of `if`, loops and blocks are nested at most 64 deep; the entry has depth 0. The bodies of \
             called ops count where the calls stand.",
    why: "Target compilers recurse on nesting and fail on deep programs in ways that cannot be caught.",
    messages: &[
        "V018: program nesting depth <depth> exceeds max 64. Fix: flatten nested If/Loop/Block structures or split the program before lowering.",
    ],
    breaks: "\
// 65 blocks in each other.
workgroup_size 64, 1, 1;

entry { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } }
",
    passes: "\
// 64 blocks in each other.
workgroup_size 64, 1, 1;

entry { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } }
",
};

/// Reports a program whose deepest body is at `depth`.
pub(in crate::validate) fn report(report: &mut Report, location: ProgramLocation, depth: u64) {
    let problem = format!("V018: program nesting depth {depth} exceeds max {MAX_NESTING_DEPTH}");
    let fix = "flatten nested If/Loop/Block structures or split the program before lowering";
    report.push(Rule::V018, location, problem, fix);
}
