//! Size of a program with all calls expanded, measured in one traversal, and the limits on it.
//!
//! The limits come before all other checks: a program that exceeds one is not examined further.

use super::hooks::ExceededLimit;
use crate::diagnostic::ProgramLocation;
use crate::limits::{DEFAULT_MAX_NESTING_DEPTH, DEFAULT_MAX_NODE_COUNT, MAX_NAME_BYTES};
use crate::op_table::OpEntry;
use crate::{Event, Expr, Name, OpTable, Program, Traversal};

/// Size of a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProgramSize {
    /// Number of statements and expressions.
    pub(super) nodes: usize,
    /// Number of statements and expressions, calls expanded.
    pub(super) expanded_nodes: u64,
    /// Nesting depth of bodies, calls expanded.
    pub(super) nesting: u64,
}

/// Entry of an op whose calls are expanded: it exists, is inlinable, and its chain of calls is short enough.
fn expanded_op<'t>(ops: &'t OpTable, op_id: &str) -> Option<&'t OpEntry> {
    ops.entry(op_id).filter(|entry| entry.op.inlinable && entry.summary.is_within_call_depth())
}

/// Size of a program and the first excess of each limit.
pub(super) struct Measure<'p> {
    /// Number of statements and expressions, at most one more than the limit.
    pub(super) own: u64,
    pub(super) expanded: u64,
    pub(super) nesting: u64,
    /// First statement or call that exceeds the limit of nesting.
    too_deep: Option<u32>,
    /// First call that exceeds the limit of nodes.
    too_large: Option<u32>,
    /// First name that exceeds the limit of length.
    too_long: Option<(ProgramLocation, &'p Name)>,
}

/// A call and the size of its expansion.
struct ExpandedCall {
    ordinal: u32,
    nodes: u64,
    nesting: u64,
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

/// Measures a program. The traversal ends where the program itself exceeds the limit of nodes.
pub(super) fn measure<'p>(program: &'p Program, ops: &OpTable) -> Measure<'p> {
    let mut measure = Measure { own: 0, expanded: 0, nesting: 0, too_deep: None, too_large: None, too_long: None };
    let names = program.buffers.iter().map(|buffer| &buffer.name).enumerate();
    measure.too_long = names.map(|(at, name)| (ProgramLocation::Buffer(at), name)).find(|(_, name)| is_too_long(name));
    let mut depth: u64 = 0;
    let mut calls: Vec<ExpandedCall> = Vec::new();
    let mut pending: Vec<(u32, &OpEntry)> = Vec::new();
    let mut traversal = Traversal::new(program);
    while let Some(event) = traversal.next() {
        match event {
            Event::Expr(expr) => {
                measure.own += 1;
                measure.note_name(traversal.ordinal(), expr.name());
                if let Expr::Call { op_id, args: _ } = expr
                    && let Some(entry) = expanded_op(ops, op_id)
                {
                    pending.push((traversal.ordinal(), entry));
                }
            }
            Event::Statement(node) => {
                measure.own += 1;
                measure.note_name(traversal.ordinal(), node.name());
                for (ordinal, entry) in pending.drain(..) {
                    let nesting = (depth - 1).saturating_add(entry.summary.nesting);
                    calls.push(ExpandedCall { ordinal, nodes: entry.summary.size, nesting });
                }
            }
            Event::EnterBody(_) => {
                depth += 1;
                measure.nesting = measure.nesting.max(depth - 1);
                if depth - 1 > DEFAULT_MAX_NESTING_DEPTH {
                    // A first body follows its statement directly; a second body is as deep as the first.
                    measure.too_deep.get_or_insert(traversal.ordinal());
                }
            }
            Event::LeaveBody(_) => depth -= 1,
        }
        if measure.own > DEFAULT_MAX_NODE_COUNT {
            measure.expanded = measure.own;
            return measure;
        }
    }
    measure.expanded = measure.own;
    for ExpandedCall { ordinal, nodes, nesting } in calls {
        measure.expanded = measure.expanded.saturating_add(nodes);
        if measure.expanded > DEFAULT_MAX_NODE_COUNT {
            measure.too_large.get_or_insert(ordinal);
        }
        if nesting > DEFAULT_MAX_NESTING_DEPTH && measure.nesting <= DEFAULT_MAX_NESTING_DEPTH {
            measure.too_deep.get_or_insert(ordinal);
        }
        measure.nesting = measure.nesting.max(nesting);
    }
    measure
}

/// Measures a program and checks the limits in the order node count, nesting depth, name length.
///
/// # Errors
///
/// The first limit that the program exceeds.
pub(super) fn check_limits<'p>(program: &'p Program, ops: &OpTable) -> Result<ProgramSize, ExceededLimit<'p>> {
    let measure = measure(program, ops);
    let first_too_large = (measure.own > DEFAULT_MAX_NODE_COUNT).then(|| measure.own as u32 - 1);
    if let Some(ordinal) = first_too_large.or(measure.too_large) {
        return Err(ExceededLimit::NodeCount { location: ProgramLocation::Node(ordinal), max: DEFAULT_MAX_NODE_COUNT });
    }
    if let Some(ordinal) = measure.too_deep {
        let (location, depth) = (ProgramLocation::Node(ordinal), measure.nesting);
        return Err(ExceededLimit::NestingDepth { location, depth, max: DEFAULT_MAX_NESTING_DEPTH });
    }
    if let Some((location, name)) = measure.too_long {
        return Err(ExceededLimit::NameLength { location, name });
    }
    Ok(ProgramSize { nodes: measure.own as usize, expanded_nodes: measure.expanded, nesting: measure.nesting })
}
