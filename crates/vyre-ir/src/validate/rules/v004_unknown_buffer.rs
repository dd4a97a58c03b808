//! V004: buffer references resolve.

use super::super::codes::{Rule, RuleInfo};
use crate::Name;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Buffer references resolve",
    checks: "Every buffer that a load, length, atomic or store names is declared.",
    why: "A reference needs a binding, an access mode and an element type, which only a declaration gives.",
    messages: &[
        "load from unknown buffer `<name>`. Fix: declare it in Program::buffers.",
        "buflen of unknown buffer `<name>`. Fix: declare it in Program::buffers.",
        "atomic on unknown buffer `<name>`. Fix: declare it in Program::buffers.",
        "store to unknown buffer `<name>`. Fix: declare it in Program::buffers.",
    ],
    breaks: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;

entry {
    let x = dta[0];
}
",
    passes: "\
workgroup_size 64, 1, 1;

buffer data: read u32 @0;

entry {
    let x = data[0];
}
",
};

/// How a buffer is referred to.
#[derive(Clone, Copy, Debug)]
pub(in crate::validate) enum Use {
    Load,
    BufLen,
    Atomic,
    Store,
}

/// Reports a reference to a buffer that does not exist.
pub(in crate::validate) fn report(
    report: &mut Report,
    location: ProgramLocation,
    use_of: Use,
    name: &Name,
    help: Option<String>,
) {
    let action = match use_of {
        Use::Load => "load from",
        Use::BufLen => "buflen of",
        Use::Atomic => "atomic on",
        Use::Store => "store to",
    };
    let problem = format!("{action} unknown buffer `{name}`");
    report.push(Rule::V004, location, problem, "declare it in Program::buffers").help(help);
}
