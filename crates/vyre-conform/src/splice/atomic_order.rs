//! Probes for atomics whose order matters.
//!
//! Atomics do not race with each other, but their results may depend on their order. A probe is a plain load of the word that an
//! atomic accesses, so the race checker reports every unordered update of that word by another invocation. The other way round,
//! a probed atomic conflicts with the probe of every other one.

use std::collections::{BTreeMap, BTreeSet};

use vyre_ir::{AtomicOp, Event, Expr, Name, Node, Program, Traversal};

use crate::reduce::rewrite::{Rewriter, rewrite, with_operands};

/// The atomic that an expression is.
fn atomic(expr: &Expr) -> Option<(AtomicOp, &Name, &Expr)> {
    match expr {
        Expr::Atomic { op, buffer, index, .. } | Expr::WorkgroupAtomic { op, buffer, index, .. } => {
            Some((*op, buffer, index))
        }
        _ => None,
    }
}

fn commutes(op: AtomicOp) -> bool {
    matches!(op, AtomicOp::Add | AtomicOp::Or | AtomicOp::And | AtomicOp::Xor | AtomicOp::Min | AtomicOp::Max)
}

/// Buffers that atomics within an expression update, itself included.
fn updated(expr: &Expr) -> BTreeSet<Name> {
    let atomics = Traversal::of_expr(expr).filter_map(|event| match event {
        Event::Expr(expr) => atomic(expr).map(|(_, buffer, _)| buffer.clone()),
        _ => None,
    });
    atomics.collect()
}

/// The program with probes. `None` if an index would be evaluated to another value the second time: a probe evaluates the index after the
/// operands of the atomic, which may be atomics too.
pub(crate) fn probed(program: &Program) -> Option<Program> {
    // Ordinals of discarded atomics that commute, and the operators of each buffer.
    let mut discarded: BTreeMap<u32, Name> = BTreeMap::new();
    let mut operators: BTreeMap<Name, BTreeSet<AtomicOp>> = BTreeMap::new();
    let mut atomics: BTreeSet<u32> = BTreeSet::new();
    let mut traversal = Traversal::new(program);
    while let Some(event) = traversal.next() {
        match event {
            Event::Expr(expr) => {
                if let Some((_, _, index)) = atomic(expr) {
                    let (updated, mut inner) = (updated(expr), Traversal::of_expr(index));
                    let is_repeatable = inner.all(|event| match event {
                        Event::Expr(Expr::Load { buffer: loaded, .. }) => !updated.contains(loaded),
                        Event::Expr(Expr::Atomic { .. } | Expr::WorkgroupAtomic { .. }) => false,
                        _ => true,
                    });
                    if !is_repeatable {
                        return None;
                    }
                    atomics.insert(traversal.ordinal());
                }
            }
            Event::Statement(Node::Let { name, value }) if name.is_discard() => {
                if let Some((op, buffer, _)) = atomic(value).filter(|(op, ..)| commutes(*op)) {
                    discarded.insert(traversal.ordinal() - 1, buffer.clone());
                    operators.entry(buffer.clone()).or_default().insert(op);
                }
            }
            _ => {}
        }
    }
    let is_single = |buffer: &Name| operators.get(buffer).is_some_and(|found| found.len() == 1);
    atomics.retain(|ordinal| !discarded.get(ordinal).is_some_and(is_single));
    let mut probes = Probes { atomics };
    Some(Program { entry: rewrite(&program.entry, &mut probes), ..program.clone() })
}

struct Probes {
    /// Ordinals of the atomics to probe.
    atomics: BTreeSet<u32>,
}

impl Rewriter for Probes {
    fn expr(&mut self, ordinal: u32, expr: &Expr, operands: Vec<Expr>) -> Expr {
        let index = operands.first().cloned();
        let copy = with_operands(expr, operands);
        let (Some((_, buffer, _)), Some(index), true) = (atomic(expr), index, self.atomics.contains(&ordinal)) else {
            return copy;
        };
        Expr::Select {
            cond: Box::new(Expr::LitBool(true)),
            true_val: Box::new(copy),
            false_val: Box::new(Expr::Load { buffer: buffer.clone(), index: Box::new(index) }),
        }
    }
}
