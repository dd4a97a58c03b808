//! V051: maximum name length.

use super::super::codes::RuleInfo;
use super::super::hooks::{ExceededLimit, RuleCheck};
use crate::diagnostic::RuleReport;
use crate::limits::MAX_NAME_BYTES;

/// Rule V051.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Maximum name length",
        checks: "The names of buffers, variables and ops have at most 256 bytes.",
        why: "Messages and texts repeat a name at every use, but a binary file contains it once. Without a limit, a \
              small file could expand beyond any memory.",
        messages: &["V051: name of <count> bytes exceeds max 256. Fix: choose a shorter name."],
        breaks: concat!(
            "workgroup_size 64, 1, 1;\n\nentry {\n    let ",
            "a_name_of_257_bytes_",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            " = 1;\n}\n"
        ),
        passes: "\
workgroup_size 64, 1, 1;

entry {
    let a_name = 1;
}
",
    };

    /// Reports a name that is too long.
    fn exceeded_limit(exceeded: &ExceededLimit<'_>, report: &mut RuleReport<'_>) {
        if let ExceededLimit::NameLength { location, name } = *exceeded {
            let problem = format!("V051: name of {} bytes exceeds max {MAX_NAME_BYTES}", name.len());
            report.push(location, problem, "choose a shorter name");
        }
    }
}
