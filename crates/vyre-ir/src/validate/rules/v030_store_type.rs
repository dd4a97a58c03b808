//! V030: stored values have the element type.

use super::super::check::Operand;
use super::super::codes::{Rule, RuleInfo};
use crate::BufferDecl;
use crate::diagnostic::{ProgramLocation, Report};

/// What `vyre explain` and the documentation say.
pub(in crate::validate) const INFO: RuleInfo = RuleInfo {
    title: "Stored values have the element type",
    checks: "The value of a store has exactly the element type of its buffer.",
    why: "The bytes in a buffer are read back with its element type; another type would be reinterpreted \
          silently.",
    messages: &[
        "store to buffer `<name>` must have its element type `<type>`, got `<type>`. Fix: cast or rewrite the value to produce `<type>`.",
    ],
    breaks: "\
workgroup_size 64, 1, 1;

buffer out: read_write u32 @0;

entry {
    out[0] = 1i32;
}
",
    passes: "\
workgroup_size 64, 1, 1;

buffer out: read_write u32 @0;

entry {
    out[0] = 1i32 as u32;
}
",
};

/// Checks the value of a store.
pub(in crate::validate) fn check(report: &mut Report, value: Operand, buffer: &BufferDecl, declared: ProgramLocation) {
    let BufferDecl { name, element, .. } = buffer;
    if let Some(ty) = value.other_than(*element) {
        let problem = format!("store to buffer `{name}` must have its element type `{element}`, got `{ty}`");
        let fix = format!("cast or rewrite the value to produce `{element}`");
        let help = format!("write `... as {element}` around the value");
        let help = ty.casts_to(*element).then_some(help);
        report.push(Rule::V030, value.location, problem, fix).related("declared here", declared).help(help);
    }
}
