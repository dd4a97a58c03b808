//! V028: calls pass arguments of the right type.

use super::super::codes::RuleInfo;
use super::super::hooks::{Call, RuleCheck};
use crate::OpSpec;
use crate::diagnostic::RuleReport;

/// Rule V028.
pub(super) struct Check;

impl RuleCheck for Check {
    const INFO: RuleInfo = RuleInfo {
        title: "Calls pass arguments of the right type",
        checks: "Each argument of a call has exactly the type of its input.",
        why: "Only a cast converts a value.",
        messages: &[
            "argument <position> of the call to op `<op_id>` must be `<type>`, got `<type>`. Fix: cast or rewrite the argument to produce `<type>`.",
        ],
        breaks: "\
// example.double takes one u32.
workgroup_size 64, 1, 1;

entry {
    let x = example.double(true);
}
",
        passes: "\
// example.double takes one u32.
workgroup_size 64, 1, 1;

entry {
    let x = example.double(true as u32);
}
",
    };

    /// Reports each argument of another type than its input. Positions count from 0.
    fn call(call: &Call<'_>, report: &mut RuleReport<'_>) {
        let OpSpec { id, signature, .. } = &call.entry.op;
        if !call.can_be_inlined() || call.arguments.len() != signature.inputs.len() {
            return;
        }
        for (position, (argument, &wanted)) in call.arguments.iter().zip(&signature.inputs).enumerate() {
            if let Some(ty) = argument.type_other_than(wanted) {
                let problem = format!("argument {position} of the call to op `{id}` must be `{wanted}`, got `{ty}`");
                let fix = format!("cast or rewrite the argument to produce `{wanted}`");
                report.push(argument.location, problem, fix);
            }
        }
    }
}
