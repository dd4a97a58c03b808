//! V016: known operation ids.

use super::super::codes::RuleInfo;
use super::super::hooks::{NameUse, RuleCheck, UnresolvedName};
use crate::diagnostic::RuleReport;

/// Rule V016.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Known operation ids",
        checks: "A call names an op of the table that is passed to validation.",
        why: "The program of the op replaces the call.",
        messages: &["V016: unknown op `<op_id>`. Fix: use a registered op id or add the op to core::ops::*."],
        breaks: "\
workgroup_size 64, 1, 1;

entry {
    let x = example.duble(1);
}
",
        passes: "\
// example.double takes a u32 and gives a u32.
workgroup_size 64, 1, 1;

entry {
    let x = example.double(1);
}
",
    };

    /// Reports a call of an op that is not in the table.
    fn unresolved_name(unresolved: &UnresolvedName<'_>, report: &mut RuleReport<'_>) {
        if unresolved.use_of == NameUse::Call {
            let problem = format!("V016: unknown op `{}`", unresolved.name);
            let fix = "use a registered op id or add the op to core::ops::*";
            let help = unresolved.help.clone().unwrap_or_else(|| {
                "the ids of ops have dots, as in `primitive.math.clamp(a, b)`; `vyre ops` lists them".to_owned()
            });
            report.push(unresolved.location, problem, fix).help(Some(help));
        }
    }
}
