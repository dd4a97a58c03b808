//! V051: maximum name length.

use super::super::codes::{Rule, RuleInfo};
use super::super::limits::MAX_NAME_BYTES;
use crate::Name;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Maximum name length",
    checks: "The names of buffers, variables and ops have at most 256 bytes.",
    why: "Messages and texts repeat a name wherever it is used, but a binary file holds it once. Without a limit, a \
          small file could make them larger than any memory.",
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
pub(in crate::validate) fn report(report: &mut Report, location: ProgramLocation, name: &Name) {
    let problem = format!("V051: name of {} bytes exceeds max {MAX_NAME_BYTES}", name.len());
    report.push(Rule::V051, location, problem, "choose a shorter name");
}
