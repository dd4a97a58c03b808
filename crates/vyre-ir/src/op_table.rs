//! Table of the ops that programs can call.
//!
//! The table is a value that callers pass to [`validate`](crate::validate()); there is no global registration.
//! Validation implements [`OpTable::new`], because it fills in the summaries of the ops.

use std::collections::HashMap;
use std::fmt;

use crate::limits::DEFAULT_MAX_CALL_DEPTH;
use crate::{Event, Expr, Name, OpSignature, Program, Traversal};

/// An op as a caller sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpSpec {
    /// The permanent id, such as `primitive.math.add`.
    pub id: Name,
    /// The version of its meaning.
    pub version: u32,
    /// The types of its inputs and of its result.
    pub signature: OpSignature,
    /// True if the op can be called as an expression.
    pub inlinable: bool,
    /// The canonical program.
    pub program: Program,
}

/// A set of ops with unique ids.
#[derive(Clone, Debug, Default)]
pub struct OpTable {
    entries: Vec<OpEntry>,
    by_id: HashMap<Name, usize>,
}

/// An op and its summary.
#[derive(Clone, Debug)]
pub(crate) struct OpEntry {
    pub(crate) op: OpSpec,
    pub(crate) summary: OpSummary,
}

/// Cost of a call of an op, with the calls of the op expanded.
#[derive(Clone, Debug)]
pub(crate) struct OpSummary {
    /// Length of the longest chain of calls, this one included; `None` if the calls form a cycle.
    pub(crate) call_depth: Option<u32>,
    /// Number of statements and expressions.
    pub(crate) size: u64,
    /// Nesting depth of bodies.
    pub(crate) nesting: u64,
    pub(crate) inlinability: Inlinability,
}

/// Result of the check that the program of an op can replace a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Inlinability {
    Possible,
    /// The reason, as the end of a sentence that begins with "it".
    Impossible(String),
}

/// Error of two ops with one id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateOp {
    /// The id.
    pub id: Name,
}

impl fmt::Display for DuplicateOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "op `{}` is defined twice", self.id)
    }
}

impl std::error::Error for DuplicateOp {}

impl OpTable {
    /// Creates a table whose summaries are unknown.
    pub(crate) fn without_summaries(ops: impl IntoIterator<Item = OpSpec>) -> Result<OpTable, DuplicateOp> {
        let mut table = OpTable::default();
        for op in ops {
            let index = table.entries.len();
            if table.by_id.insert(op.id.clone(), index).is_some() {
                return Err(DuplicateOp { id: op.id });
            }
            table.entries.push(OpEntry { op, summary: OpSummary::unknown() });
        }
        Ok(table)
    }

    pub(crate) fn op_at(&self, index: usize) -> &OpSpec {
        &self.entries[index].op
    }

    pub(crate) fn set_summary(&mut self, index: usize, summary: OpSummary) {
        self.entries[index].summary = summary;
    }

    /// The op with this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&OpSpec> {
        self.entry(id).map(|entry| &entry.op)
    }

    /// Number of ops.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if the table has no ops.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All ops, in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = &OpSpec> {
        self.entries.iter().map(|entry| &entry.op)
    }

    pub(crate) fn entry(&self, id: &str) -> Option<&OpEntry> {
        self.by_id.get(id).map(|&index| &self.entries[index])
    }

    /// Indices of the ops in postorder of the call graph: callees come before their callers, except on cycles.
    pub(crate) fn callees_first(&self) -> Vec<usize> {
        let callees: Vec<Vec<usize>> = self
            .entries
            .iter()
            .map(|entry| {
                let ids = called_ops(&entry.op.program);
                ids.into_iter().filter_map(|id| self.by_id.get(id).copied()).collect()
            })
            .collect();
        let mut order = Vec::with_capacity(callees.len());
        let mut seen = vec![false; callees.len()];
        for root in 0..callees.len() {
            let mut stack = Vec::new();
            if !std::mem::replace(&mut seen[root], true) {
                stack.push((root, 0));
            }
            while let Some((op, next)) = stack.last_mut() {
                match callees[*op].get(*next) {
                    Some(&callee) => {
                        *next += 1;
                        if !std::mem::replace(&mut seen[callee], true) {
                            stack.push((callee, 0));
                        }
                    }
                    None => {
                        order.push(*op);
                        stack.pop();
                    }
                }
            }
        }
        order
    }
}

impl OpSummary {
    /// Summary of an op before its callees are summarized, and of every op on a cycle of calls.
    fn unknown() -> OpSummary {
        OpSummary { call_depth: None, size: 0, nesting: 0, inlinability: Inlinability::Possible }
    }

    /// True if a call is within the limit of V017.
    pub(crate) fn is_within_call_depth(&self) -> bool {
        self.call_depth.is_some_and(|depth| depth <= DEFAULT_MAX_CALL_DEPTH)
    }
}

/// Ids of the ops that a program calls, in evaluation order, without adjacent duplicates.
pub(crate) fn called_ops(program: &Program) -> Vec<&str> {
    let mut ids: Vec<&str> = Vec::new();
    for event in Traversal::new(program) {
        if let Event::Expr(Expr::Call { op_id, args: _ }) = event
            && ids.last() != Some(&op_id.as_str())
        {
            ids.push(op_id);
        }
    }
    ids
}
