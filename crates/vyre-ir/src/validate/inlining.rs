//! Construction of op tables: bottom-up summaries of the call graph, and the check that an op can be inlined.
//!
//! Each op is validated once, after the ops that it calls. Ops on a cycle of calls have no call depth.

use super::measure::measure;
use super::{Rule, validate};
use crate::op_table::{DuplicateOp, Inlinability, OpSpec, OpSummary, called_ops};
use crate::{BufferAccess, DataType, Event, Expr, Node, OpTable, Traversal};

impl OpTable {
    /// Creates a table of ops and validates the program of each op once.
    ///
    /// An op whose program is invalid, or calls itself, is not an error here: validation reports its callers.
    ///
    /// # Errors
    ///
    /// Two ops with the same id.
    pub fn new(ops: impl IntoIterator<Item = OpSpec>) -> Result<OpTable, DuplicateOp> {
        let mut table = OpTable::without_summaries(ops)?;
        for index in table.callees_first() {
            let summary = summarize(table.op_at(index), &table);
            table.set_summary(index, summary);
        }
        Ok(table)
    }
}

/// Summarizes an op. The summaries of the ops that it calls must be known.
fn summarize(op: &OpSpec, table: &OpTable) -> OpSummary {
    let measure = measure(&op.program, table);
    let mut call_depth = Some(1);
    for id in called_ops(&op.program) {
        if let Some(callee) = table.entry(id) {
            let below = callee.summary.call_depth.map(|depth| depth.saturating_add(1));
            call_depth = call_depth.zip(below).map(|(here, below)| here.max(below));
        }
    }
    let inlinability = if op.inlinable { inlinability(op, table) } else { Inlinability::Possible };
    OpSummary { call_depth, size: measure.expanded, nesting: measure.nesting, inlinability }
}

fn inlinability(op: &OpSpec, table: &OpTable) -> Inlinability {
    match buffers_prevent_inlining(op).or_else(|| effects_prevent_inlining(op)) {
        Some(reason) => Inlinability::Impossible(reason),
        None => match validate(&op.program, table) {
            Ok(_) => Inlinability::Possible,
            Err(diagnostics) => {
                // A program beyond a limit takes its caller beyond the limit, and the limit is the better diagnostic.
                let limits = [Rule::V017, Rule::V018, Rule::V019];
                match diagnostics.iter().find(|diagnostic| !limits.contains(&diagnostic.rule)) {
                    Some(first) => {
                        Inlinability::Impossible(format!("does not validate ({:?} at {})", first.rule, first.path))
                    }
                    None => Inlinability::Possible,
                }
            }
        },
    }
}

/// Reason why the buffers of an op prevent inlining.
fn buffers_prevent_inlining(op: &OpSpec) -> Option<String> {
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

/// Reason why the statements of an op prevent inlining.
fn effects_prevent_inlining(op: &OpSpec) -> Option<String> {
    Traversal::new(&op.program).find_map(|event| match event {
        Event::Expr(Expr::Atomic { .. } | Expr::WorkgroupAtomic { .. }) => Some("has an atomic".to_owned()),
        Event::Expr(Expr::Collective(_)) => Some("has a collective".to_owned()),
        Event::Statement(Node::Barrier) => Some("has a barrier".to_owned()),
        _ => None,
    })
}
