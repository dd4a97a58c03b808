//! Whether the program of an op can be inlined into a caller.

use super::Rule;
use super::limits::measure;
use crate::op_table::{OpDef, OpSummary};
use crate::{BufferAccess, DataType, Event, Expr, Node, OpTable, Traversal};

/// Whether an op can be inlined, and if not, why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fitness {
    Fit,
    /// The reason, as the end of a sentence that begins with "it".
    Unfit(String),
}

/// Looks at an op whose callees have been looked at.
pub(crate) fn summarize(op: &OpDef, table: &OpTable) -> OpSummary {
    let measure = measure(&op.program, table);
    let mut call_depth = Some(1);
    for id in super::called_ops(&op.program) {
        if let Some(callee) = table.entry(id) {
            let below = callee.summary.call_depth.map(|depth| depth.saturating_add(1));
            call_depth = call_depth.zip(below).map(|(here, below)| here.max(below));
        }
    }
    let fitness = if op.inlinable { fitness(op, table) } else { Fitness::Fit };
    OpSummary { call_depth, size: measure.expanded, nesting: measure.nesting, fitness }
}

fn fitness(op: &OpDef, table: &OpTable) -> Fitness {
    match buffers_unfit(op).or_else(|| effects_unfit(op)) {
        Some(reason) => Fitness::Unfit(reason),
        None => match super::validate(&op.program, table) {
            Ok(_) => Fitness::Fit,
            Err(diagnostics) => {
                // A program beyond a limit takes its caller beyond it too, which says more than that it is invalid.
                let limits = [Rule::V017, Rule::V018, Rule::V019];
                match diagnostics.iter().find(|diagnostic| !limits.contains(&diagnostic.rule)) {
                    Some(first) => Fitness::Unfit(format!("does not validate ({:?} at {})", first.rule, first.path)),
                    None => Fitness::Fit,
                }
            }
        },
    }
}

fn buffers_unfit(op: &OpDef) -> Option<String> {
    let mut inputs = Vec::new();
    for buffer in &op.program.buffers {
        let name = &buffer.name;
        match buffer.access {
            BufferAccess::Workgroup => return Some(format!("has the workgroup buffer `{name}`")),
            BufferAccess::ReadWrite if !buffer.is_output => {
                return Some(format!("writes to buffer `{name}`, which is not its output"));
            }
            BufferAccess::ReadWrite => {}
            BufferAccess::ReadOnly | BufferAccess::Uniform => inputs.push((buffer.binding, buffer.element)),
        }
        if buffer.element == DataType::Bytes {
            return Some(format!("has the variable-length buffer `{name}`"));
        }
    }
    let Some(output) = op.program.output() else { return Some("has no output buffer".to_owned()) };
    inputs.sort_by_key(|&(binding, _)| binding);
    let same_inputs = inputs.iter().map(|&(_, element)| element).eq(op.signature.inputs.iter().copied());
    if same_inputs && output.element == op.signature.output {
        None
    } else {
        Some(format!("has buffers that do not fit its signature {}", op.signature))
    }
}

fn effects_unfit(op: &OpDef) -> Option<String> {
    Traversal::new(&op.program).find_map(|event| match event {
        Event::Expr(Expr::Atomic { .. }) => Some("has an atomic".to_owned()),
        Event::Expr(Expr::Collective(_)) => Some("has a collective".to_owned()),
        Event::Statement(Node::Barrier) => Some("has a barrier".to_owned()),
        _ => None,
    })
}
