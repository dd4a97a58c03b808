//! V027: calls pass as many arguments as the op takes.

use super::super::codes::{Rule, RuleInfo};
use crate::OpDef;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Calls pass as many arguments as the op takes",
    checks: "A call has one argument for each input of the op.",
    why: "Arguments are matched with inputs by position; a missing one has no value and a superfluous one no \
          use.",
    messages: &[
        "call to op `<op_id>` passes <count> arguments, but it takes <count>. Fix: pass one argument for each input of `<signature>`.",
    ],
    breaks: "\
// example.double takes one u32.
workgroup_size 64, 1, 1;

entry {
    let x = example.double(1, 2);
}
",
    passes: "\
// example.double takes one u32.
workgroup_size 64, 1, 1;

entry {
    let x = example.double(1);
}
",
};

/// Checks the number of arguments; true where it is right.
pub(in crate::validate) fn check(report: &mut Report, location: ProgramLocation, op: &OpDef, found: usize) -> bool {
    let OpDef { id, signature, .. } = op;
    let wanted = signature.inputs.len();
    if found != wanted {
        let problem = format!("call to op `{id}` passes {found} arguments, but it takes {wanted}");
        report.push(Rule::V027, location, problem, format!("pass one argument for each input of `{signature}`"));
    }
    found == wanted
}
