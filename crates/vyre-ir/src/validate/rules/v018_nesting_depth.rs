//! V018: maximum nesting depth.

use super::super::codes::RuleInfo;
use super::super::hooks::{ExceededLimit, RuleCheck};
use crate::diagnostic::RuleReport;

/// Rule V018.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Maximum nesting depth",
        checks: "Bodies of `if`, loops and blocks are nested at most 64 deep; the entry has depth 0. The bodies of a \
                 called op count at the depth of the call.",
        why: "Target compilers recurse on nesting and crash on deep programs.",
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

    /// Reports a program whose bodies are nested too deep.
    fn exceeded_limit(exceeded: &ExceededLimit<'_>, report: &mut RuleReport<'_>) {
        if let ExceededLimit::NestingDepth { location, depth, max } = *exceeded {
            let problem = format!("V018: program nesting depth {depth} exceeds max {max}");
            let fix = "flatten nested If/Loop/Block structures or split the program before lowering";
            report.push(location, problem, fix);
        }
    }
}
