//! V038: ballot needs a workgroup of at most 32.

use super::super::codes::RuleInfo;
use super::super::hooks::{CollectiveOperands, RuleCheck};
use crate::Collective;
use crate::diagnostic::RuleReport;

/// Number of bits of a ballot.
const MAX_BALLOT_INVOCATIONS: u64 = 32;

/// Rule V038.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Ballot needs a workgroup of at most 32",
        checks: "A program with `ballot` has workgroups of at most 32 invocations.",
        why: "The result is a word with one bit for each invocation.",
        messages: &[
            "ballot in a workgroup of <count> invocations. Fix: use at most 32 invocations per workgroup, or a reduction.",
        ],
        breaks: "\
workgroup_size 64, 1, 1;

entry {
    let mask = ballot(1);
}
",
        passes: "\
workgroup_size 32, 1, 1;

entry {
    let mask = ballot(1);
}
",
    };

    /// Reports a ballot in a workgroup with more invocations than a word has bits.
    fn collective_operands(collective: &CollectiveOperands<'_>, report: &mut RuleReport<'_>) {
        let count = collective.program.workgroup_invocations();
        if matches!(collective.collective, Collective::Ballot { .. }) && count > MAX_BALLOT_INVOCATIONS {
            let problem = format!("ballot in a workgroup of {count} invocations");
            let fix = format!("use at most {MAX_BALLOT_INVOCATIONS} invocations per workgroup, or a reduction");
            report.push(collective.location, problem, fix);
        }
    }
}
