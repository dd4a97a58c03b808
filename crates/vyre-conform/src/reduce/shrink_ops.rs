//! Reduction of op tables: ops that no program calls, and inputs of ops.

use std::collections::BTreeSet;

use vyre_ir::{Event, Expr, Name, Program, Traversal};

use super::changes::{Change, apply};
use super::inline::{inputs, op_of};
use super::rewrite::{Rewriter, rewrite, with_operands};
use super::search::Search;
use super::unit::{Unit, with_ops};
use crate::Case;

/// Ids of the ops that the program calls, directly or transitively.
pub(crate) fn called(case: &Case) -> BTreeSet<Name> {
    let mut called = BTreeSet::new();
    let mut pending = vec![&case.program];
    while let Some(program) = pending.pop() {
        for event in Traversal::new(program) {
            if let Event::Expr(expr) = event
                && let Some(op) = op_of(expr, &case.ops)
                && called.insert(op.id.clone())
            {
                pending.push(&op.program);
            }
        }
    }
    called
}

/// Removes ops that no program calls.
pub(super) fn drop_unused(search: &mut Search<'_>) {
    let base = search.current().clone();
    let called = called(&base);
    let unused: Vec<&Name> = base.ops.iter().map(|op| &op.id).filter(|id| !called.contains(*id)).collect();
    search.apply_most(&unused, &mut |chosen| {
        let chosen: BTreeSet<&Name> = chosen.iter().map(|id| **id).collect();
        with_ops(&base, base.ops.iter().filter(|op| !chosen.contains(&op.id)).cloned())
    });
}

/// Removes inputs of ops with their arguments.
pub(super) fn drop_inputs(search: &mut Search<'_>) {
    let count = |case: &Case, id: &Name| case.ops.get(id).map_or(0, |op| op.signature.inputs.len());
    for id in called(search.current()) {
        for position in (0..count(search.current(), &id)).rev() {
            if let Some(candidate) = without_input(search.current(), &id, position) {
                search.attempt(candidate);
            }
        }
    }
}

fn without_input(case: &Case, id: &Name, position: usize) -> Option<Case> {
    let op = case.ops.get(id)?;
    let input = *inputs(&op.program).get(position)?;
    let at = op.program.buffers.iter().position(|buffer| buffer.name == input.name)?;
    let index = Unit::Op(id.clone()).index(case)?;
    let smaller = apply(&index, &case.ops, &[&Change::DropBuffer(at)]);

    let without = |program: &Program| {
        let mut rewriter = DropArgument { id, position };
        Program::new(program.buffers.clone(), program.workgroup_size, rewrite(&program.entry, &mut rewriter))
    };
    let ops = case.ops.iter().map(|op| {
        let mut op = op.clone();
        if op.id == *id {
            op.program = smaller.clone();
            // Validation guarantees that the signature of a called op matches its buffers.
            op.signature.inputs.remove(position);
        } else {
            op.program = without(&op.program);
        }
        op
    });
    Some(Unit::Program.with_program(&with_ops(case, ops), without(&case.program)))
}

/// Rewriter that drops an argument from all calls of an op.
struct DropArgument<'s> {
    id: &'s Name,
    position: usize,
}

impl Rewriter for DropArgument<'_> {
    fn expr(&mut self, _ordinal: u32, expr: &Expr, mut operands: Vec<Expr>) -> Expr {
        match expr {
            Expr::Call { op_id, args: _ } if op_id == self.id && self.position < operands.len() => {
                operands.remove(self.position);
                Expr::Call { op_id: op_id.clone(), args: operands }
            }
            _ => with_operands(expr, operands),
        }
    }
}
