//! The limits, which come first: what exceeds them is not looked at further.

use super::rules::{v018_nesting_depth, v019_node_count, v051_name_length};
use crate::diagnostic::{ProgramLocation, Report};
use crate::op_table::OpEntry;
use crate::{Event, Expr, Name, OpTable, Program, Traversal};

/// The most calls on the longest way from a program to an op that calls nothing.
pub const MAX_CALL_DEPTH: u32 = 32;

/// The deepest body; the entry has depth 0.
pub const MAX_NESTING_DEPTH: u64 = 64;

/// The most statements and expressions of a program, calls expanded.
pub const MAX_NODE_COUNT: u64 = 100_000;

/// The longest name of a buffer, variable or op.
pub const MAX_NAME_BYTES: usize = 256;

/// How large a program is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Statements and expressions.
    pub(super) nodes: usize,
    /// The same with calls expanded.
    pub(super) expanded_nodes: u64,
    /// The nesting of bodies with calls expanded.
    pub(super) nesting: u64,
}

/// The ops that a program calls, in order, without repetition of one that was called just before.
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

/// The op of a call that will be expanded: it exists, may be called, and its calls end.
fn expanded_op<'t>(ops: &'t OpTable, op_id: &str) -> Option<&'t OpEntry> {
    let within = |depth: u32| depth <= MAX_CALL_DEPTH;
    ops.entry(op_id).filter(|entry| entry.op.inlinable && entry.summary.call_depth.is_some_and(within))
}

/// What one walk finds out about sizes.
pub(super) struct Measure<'p> {
    /// Statements and expressions, at most one more than the limit.
    pub(super) own: u64,
    pub(super) expanded: u64,
    pub(super) nesting: u64,
    /// The first statement or call that exceeds the limit of nesting.
    too_deep: Option<u32>,
    /// The first call that exceeds the limit of nodes.
    too_large: Option<u32>,
    /// The first name that exceeds the limit of length.
    too_long: Option<(ProgramLocation, &'p Name)>,
}

impl<'p> Measure<'p> {
    fn note_name(&mut self, ordinal: u32, name: Option<&'p Name>) {
        if let Some(name) = name.filter(|name| is_too_long(name)) {
            self.too_long.get_or_insert((ProgramLocation::Node(ordinal), name));
        }
    }
}

fn is_too_long(name: &Name) -> bool {
    name.len() > MAX_NAME_BYTES
}

/// Measures a program. The walk ends where the program itself exceeds the limit of nodes.
pub(super) fn measure<'p>(program: &'p Program, ops: &OpTable) -> Measure<'p> {
    let mut measure = Measure { own: 0, expanded: 0, nesting: 0, too_deep: None, too_large: None, too_long: None };
    let names = program.buffers.iter().map(|buffer| &buffer.name).enumerate();
    measure.too_long = names.map(|(at, name)| (ProgramLocation::Buffer(at), name)).find(|(_, name)| is_too_long(name));
    let mut depth: u64 = 0;
    let mut calls: Vec<(u32, u64, u64)> = Vec::new();
    let mut waiting: Vec<(u32, &OpEntry)> = Vec::new();
    let mut walk = Traversal::new(program);
    while let Some(event) = walk.next() {
        match event {
            Event::Expr(expr) => {
                measure.own += 1;
                measure.note_name(walk.ordinal(), expr.name());
                if let Expr::Call { op_id, args: _ } = expr
                    && let Some(entry) = expanded_op(ops, op_id)
                {
                    waiting.push((walk.ordinal(), entry));
                }
            }
            Event::Statement(node) => {
                measure.own += 1;
                measure.note_name(walk.ordinal(), node.name());
                for (ordinal, entry) in waiting.drain(..) {
                    calls.push((ordinal, entry.summary.size, (depth - 1).saturating_add(entry.summary.nesting)));
                }
            }
            Event::EnterBody(_) => {
                depth += 1;
                measure.nesting = measure.nesting.max(depth - 1);
                if depth - 1 > MAX_NESTING_DEPTH {
                    // No statement comes between a statement and its first body; a second body is as deep as the first.
                    measure.too_deep.get_or_insert(walk.ordinal());
                }
            }
            Event::LeaveBody(_) => depth -= 1,
        }
        if measure.own > MAX_NODE_COUNT {
            measure.expanded = measure.own;
            return measure;
        }
    }
    measure.expanded = measure.own;
    for (ordinal, size, nesting) in calls {
        measure.expanded = measure.expanded.saturating_add(size);
        if measure.expanded > MAX_NODE_COUNT {
            measure.too_large.get_or_insert(ordinal);
        }
        if nesting > MAX_NESTING_DEPTH && measure.nesting <= MAX_NESTING_DEPTH {
            measure.too_deep.get_or_insert(ordinal);
        }
        measure.nesting = measure.nesting.max(nesting);
    }
    measure
}

/// Reports what exceeds a limit; `None` where something does.
pub(super) fn check(program: &Program, ops: &OpTable, report: &mut Report) -> Option<Sizes> {
    let measure = measure(program, ops);
    if measure.own > MAX_NODE_COUNT {
        v019_node_count::report(report, ProgramLocation::Node(measure.own as u32 - 1));
        return None;
    }
    if let Some(ordinal) = measure.too_large {
        v019_node_count::report(report, ProgramLocation::Node(ordinal));
        return None;
    }
    if let Some(ordinal) = measure.too_deep {
        v018_nesting_depth::report(report, ProgramLocation::Node(ordinal), measure.nesting);
        return None;
    }
    if let Some((location, name)) = measure.too_long {
        v051_name_length::report(report, location, name);
        return None;
    }
    Some(Sizes { nodes: measure.own as usize, expanded_nodes: measure.expanded, nesting: measure.nesting })
}
