//! V019: maximum node count.

use super::super::codes::RuleInfo;
use super::super::hooks::{ExceededLimit, RuleCheck};
use crate::diagnostic::RuleReport;

/// Rule V019.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Maximum node count",
        checks: "A program has at most 100,000 statements and expressions together, called ops expanded.",
        why: "The limit bounds the time and memory of all processing of programs.",
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

    /// Reports a program with too many nodes.
    fn exceeded_limit(exceeded: &ExceededLimit<'_>, report: &mut RuleReport<'_>) {
        if let ExceededLimit::NodeCount { location, max } = *exceeded {
            let problem = format!("V019: program has more than {max} statement nodes");
            let fix = "split the program into smaller kernels or run an optimization pass before lowering";
            report.push(location, problem, fix);
        }
    }
}
