//! V027: calls pass as many arguments as the op takes.

use super::super::codes::RuleInfo;
use super::super::hooks::{Call, RuleCheck};
use crate::OpSpec;
use crate::diagnostic::RuleReport;
use crate::spelling::counted;

/// Rule V027.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Calls pass as many arguments as the op takes",
        checks: "A call has one argument for each input of the op.",
        why: "Arguments match inputs by position. A missing argument has no value, and a superfluous one is not \
              used.",
        messages: &[
            "call to op `<op_id>` passes <arguments>, but it takes <count>. Fix: pass one argument for each input of `<signature>`.",
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

    /// Reports a call with a wrong number of arguments.
    fn call(call: &Call<'_>, report: &mut RuleReport<'_>) {
        let OpSpec { id, signature, .. } = &call.entry.op;
        let (found, wanted) = (call.arguments.len(), signature.inputs.len());
        if call.can_be_inlined() && found != wanted {
            let problem = format!("call to op `{id}` passes {}, but it takes {wanted}", counted(found, "argument"));
            report.push(call.location, problem, format!("pass one argument for each input of `{signature}`"));
        }
    }
}
