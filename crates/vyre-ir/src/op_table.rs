//! The table of ops that programs can call.
//!
//! The table is a value that callers pass to [`validate`](crate::validate()); there is no global registration.

use std::collections::HashMap;
use std::fmt;

use crate::validate::Fitness;
use crate::{Name, OpSignature, Program};

/// An op as a caller sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpDef {
    /// The permanent id, such as `primitive.math.add`.
    pub id: Name,
    /// The version of its meaning.
    pub version: u32,
    /// The types of its inputs and of its result.
    pub signature: OpSignature,
    /// Whether it can be called as an expression.
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

/// An op and what validation has found out about it.
#[derive(Clone, Debug)]
pub(crate) struct OpEntry {
    pub(crate) op: OpDef,
    pub(crate) summary: OpSummary,
}

/// What a call of an op costs its caller, with everything the op calls in turn.
#[derive(Clone, Debug)]
pub(crate) struct OpSummary {
    /// How many calls lie on the longest way down, this one included; `None` where the way never ends.
    pub(crate) call_depth: Option<u32>,
    /// Statements and expressions.
    pub(crate) size: u64,
    /// Nesting of bodies.
    pub(crate) nesting: u64,
    /// Whether the program can be inlined.
    pub(crate) fitness: Fitness,
}

/// Two ops with one id.
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
    /// A table of the given ops. Each program is looked at once, however many programs call it later.
    ///
    /// An op whose program is invalid, or calls itself, does no harm until it is called: the call is what gets the
    /// diagnostic.
    ///
    /// # Errors
    ///
    /// Two ops with the same id.
    pub fn new(ops: impl IntoIterator<Item = OpDef>) -> Result<OpTable, DuplicateOp> {
        let mut table = OpTable::default();
        for op in ops {
            let index = table.entries.len();
            if table.by_id.insert(op.id.clone(), index).is_some() {
                return Err(DuplicateOp { id: op.id });
            }
            table.entries.push(OpEntry { op, summary: OpSummary::unknown() });
        }
        for index in callees_first(&table) {
            let summary = crate::validate::summarize(&table.entries[index].op, &table);
            table.entries[index].summary = summary;
        }
        Ok(table)
    }

    /// The op with this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&OpDef> {
        self.entry(id).map(|entry| &entry.op)
    }

    /// How many ops there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All ops, in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = &OpDef> {
        self.entries.iter().map(|entry| &entry.op)
    }

    pub(crate) fn entry(&self, id: &str) -> Option<&OpEntry> {
        self.by_id.get(id).map(|&index| &self.entries[index])
    }
}

impl OpSummary {
    /// What holds of an op until its callees have been looked at, and for ever of one on a cycle.
    fn unknown() -> OpSummary {
        OpSummary { call_depth: None, size: 0, nesting: 0, fitness: Fitness::Fit }
    }
}

/// The ops in an order in which callees come before their callers. Where calls form a cycle, some op of the cycle
/// comes before a callee of its own, and finds it unknown.
fn callees_first(table: &OpTable) -> Vec<usize> {
    let callees: Vec<Vec<usize>> = table
        .entries
        .iter()
        .map(|entry| {
            let ids = crate::validate::called_ops(&entry.op.program);
            ids.into_iter().filter_map(|id| table.by_id.get(id).copied()).collect()
        })
        .collect();
    let mut order = Vec::with_capacity(callees.len());
    let mut seen = vec![false; callees.len()];
    for root in 0..callees.len() {
        let mut path = Vec::new();
        if !std::mem::replace(&mut seen[root], true) {
            path.push((root, 0));
        }
        while let Some((op, next)) = path.last_mut() {
            match callees[*op].get(*next) {
                Some(&callee) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[callee], true) {
                        path.push((callee, 0));
                    }
                }
                None => {
                    order.push(*op);
                    path.pop();
                }
            }
        }
    }
    order
}
