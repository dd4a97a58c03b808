//! Reduction of one program.

use std::cmp::Reverse;

use vyre_ir::{DataType, Expr, Node, OpSpec};

use super::changes::{Change, Edit, apply};
use super::inline::{is_inlinable, op_of};
use super::program_index::{IndexedVariable, ProgramIndex};
use super::rewrite::{is_literal, literal};
use super::search::Search;
use super::unit::Unit;
use crate::Case;

/// Tries every kind of change, those that remove most first.
pub(super) fn shrink(search: &mut Search<'_>, unit: &Unit) {
    if matches!(unit, Unit::Program) {
        unit.change(search, &buffers);
    }
    unit.change(search, &removals);
    unit.change(search, &|index| unwrappings(index, 0));
    unit.change(search, &|index| unwrappings(index, 1));
    unit.change(search, &single_iterations);
    unit.change(search, &postponed_bindings);
    unit.change(search, &inlined_variables);
    for ty in DataType::ALL {
        for rank in 0..ranks(search.current(), unit) {
            unit.change(search, &|index| operands(index, ty, rank));
        }
    }
    unit.change(search, &|index| evaluations(index, 0));
    unit.change(search, &|index| evaluations(index, 1));
    for rank in 0..ranks(search.current(), unit) {
        unit.change(search, &|index| evaluated_operands(index, rank));
    }
    unit.change(search, &zeros);
    unit.change(search, &ones);
    for shift in [16, 8, 4, 2, 1] {
        unit.change(search, &|index| smaller_literals(index, shift));
    }
}

/// Inlines calls where that makes the program little larger.
pub(super) fn inline_calls(search: &mut Search<'_>, unit: &Unit) {
    /// Maximum number of statements of an op that is inlined at several calls.
    const MAX_STATEMENTS: usize = 4;
    let ops = search.current().ops.clone();
    unit.change(search, &|index| {
        let calls = || index.exprs.iter().filter_map(|found| Some((found.ordinal, op_of(found.expr, &ops)?)));
        let is_called_once = |op: &OpSpec| calls().filter(|(_, other)| other.id == op.id).count() == 1;
        let is_small = |op: &OpSpec| op.program.entry.len() <= MAX_STATEMENTS;
        let inlined = calls().filter(|(_, op)| is_inlinable(op) && (is_small(op) || is_called_once(op)));
        inlined.map(|(ordinal, _)| Change::At(ordinal, Edit::InlineCall)).collect()
    });
}

/// Tries boundary values of operators where 0 and 1 failed, and minimizes literals one by one.
pub(super) fn shrink_literals(search: &mut Search<'_>, unit: &Unit) {
    for value in [2, 31, 32, 0x8000_0000, u32::MAX] {
        unit.change(search, &|index| replaced_by(index, value, &|expr, _| !is_literal(expr)));
    }
    let Some(index) = unit.index(search.current()) else { return };
    let literals = index.exprs.iter().filter_map(|found| Some((found.ordinal, Literal::of(found.expr)?)));
    for (ordinal, literal) in literals.collect::<Vec<_>>() {
        if literal.is_negative {
            let positive = Literal { is_negative: false, ..literal };
            search.attempt(with_expr(search.current(), unit, ordinal, positive.expr()));
        }
        search.lower(0, literal.magnitude, &|case, magnitude| {
            let is_negative = current_literal(case, unit, ordinal).is_some_and(|current| current.is_negative);
            with_expr(case, unit, ordinal, Literal { magnitude, is_negative, ..literal }.expr())
        });
    }
}

/// Value of a literal of type `U32` or `I32`.
#[derive(Clone, Copy)]
struct Literal {
    magnitude: u32,
    is_negative: bool,
    is_signed: bool,
}

impl Literal {
    fn of(expr: &Expr) -> Option<Literal> {
        match *expr {
            Expr::LitU32(magnitude) => Some(Literal { magnitude, is_negative: false, is_signed: false }),
            Expr::LitI32(value) => {
                Some(Literal { magnitude: value.unsigned_abs(), is_negative: value < 0, is_signed: true })
            }
            _ => None,
        }
    }

    fn expr(self) -> Expr {
        match self {
            Literal { magnitude, is_negative: true, .. } => Expr::LitI32(magnitude.cast_signed().wrapping_neg()),
            Literal { magnitude, is_signed: true, .. } => Expr::LitI32(magnitude.cast_signed()),
            Literal { magnitude, .. } => Expr::LitU32(magnitude),
        }
    }
}

fn current_literal(case: &Case, unit: &Unit, ordinal: u32) -> Option<Literal> {
    let index = unit.index(case)?;
    let found = index.exprs.iter().find(|found| found.ordinal == ordinal)?;
    Literal::of(found.expr)
}

/// Replaces one expression.
fn with_expr(case: &Case, unit: &Unit, ordinal: u32, expr: Expr) -> Case {
    let change = Change::At(ordinal, Edit::Replace(expr));
    let program = unit.index(case).map(|index| apply(&index, &case.ops, &[&change]));
    program.map_or_else(|| case.clone(), |program| unit.with_program(case, program))
}

/// Number of operand ranks to try. Further arguments of calls are left to
/// [`shrink_ops::drop_inputs`].
fn ranks(case: &Case, unit: &Unit) -> usize {
    const MAX_RANKS: usize = 8;
    let Some(index) = unit.index(case) else { return 0 };
    index.exprs.iter().map(|found| found.expr.operand_count()).max().unwrap_or(0).min(MAX_RANKS)
}

fn buffers(index: &ProgramIndex<'_>) -> Vec<Change> {
    (0..index.program.buffers.len()).map(Change::DropBuffer).collect()
}

/// Removals of statements, outer ones first.
fn removals(index: &ProgramIndex<'_>) -> Vec<Change> {
    let mut statements: Vec<_> = index.statements.iter().map(|found| (found.depth, found.ordinal)).collect();
    statements.sort_unstable();
    statements.into_iter().map(|(_, ordinal)| Change::At(ordinal, Edit::Remove)).collect()
}

fn unwrappings(index: &ProgramIndex<'_>, position: usize) -> Vec<Change> {
    let statements = index.statements.iter().filter(|found| found.node.body(position).is_some());
    statements.map(|found| Change::At(found.ordinal, Edit::Unwrap(position))).collect()
}

fn single_iterations(index: &ProgramIndex<'_>) -> Vec<Change> {
    let loops = index.statements.iter().filter(|found| matches!(found.node, Node::Loop { .. }));
    loops.map(|found| Change::At(found.ordinal, Edit::SingleIteration)).collect()
}

/// Replacements of statements by the evaluation of one of their expressions.
fn evaluations(index: &ProgramIndex<'_>, position: usize) -> Vec<Change> {
    let does_more = |node: &Node| !matches!(node, Node::Let { name, .. } if name.is_discard());
    let is_of_use = |node: &Node| node.expr(position).is_some_and(|expr| !is_literal(expr));
    let statements = index.statements.iter().filter(|found| does_more(found.node) && is_of_use(found.node));
    statements.map(|found| Change::At(found.ordinal, Edit::Evaluate(position))).collect()
}

/// Operands of discarded expressions, whose type does not matter.
fn evaluated_operands(index: &ProgramIndex<'_>, rank: usize) -> Vec<Change> {
    let discarding =
        index.statements.iter().filter(|found| matches!(found.node, Node::Let { name, .. } if name.is_discard()));
    // The ordinal of the value directly precedes that of its statement.
    let values = discarding.map(|found| found.ordinal - 1);
    values.filter_map(|value| Some(Change::At(value, Edit::Hoist(index.operand(value, rank)?)))).collect()
}

/// `Let` statements with their variables.
fn bindings<'s>(index: &'s ProgramIndex<'_>) -> impl Iterator<Item = (u32, &'s Node, &'s IndexedVariable)> {
    index.statements.iter().filter_map(|found| match found.node {
        Node::Let { .. } => {
            let variable = index.valid.target(found.ordinal)?;
            Some((found.ordinal, found.node, index.variables.get(variable)?))
        }
        _ => None,
    })
}

fn postponed_bindings(index: &ProgramIndex<'_>) -> Vec<Change> {
    let postponed = bindings(index)
        .filter_map(|(ordinal, _, variable)| Some(Change::At(ordinal, Edit::Postpone(variable.first_assignment?))));
    postponed.collect()
}

/// Variables whose uses can be replaced by their value without growth of the program.
fn inlined_variables(index: &ProgramIndex<'_>) -> Vec<Change> {
    let is_small = |value: &Expr| value.operand_count() == 0 && !matches!(value, Expr::Var(_));
    let inlined = bindings(index).filter(|(_, node, variable)| {
        let fits = variable.uses == 1 || node.expr(0).is_some_and(is_small);
        variable.uses > 0 && !variable.is_assigned && fits
    });
    inlined.map(|(ordinal, _, _)| Change::At(ordinal, Edit::Inline)).collect()
}

/// Hoists of subexpressions below the operand of a rank, for expressions of one type. Rank 0 is the largest operand (heavy
/// path), so that long chains vanish in few tests. The expressions between the two are removed, so types are handled
/// separately: no removed expression may be needed by another hoist.
fn operands(index: &ProgramIndex<'_>, ty: DataType, rank: usize) -> Vec<Change> {
    let wholes = index.exprs.iter().filter(|found| found.ty == ty);
    let hoisted =
        wholes.filter_map(|found| Some(Change::At(found.ordinal, Edit::Hoist(index.replacement(found, rank)?))));
    hoisted.collect()
}

/// Replacements by a literal 0, large expressions first.
fn zeros(index: &ProgramIndex<'_>) -> Vec<Change> {
    replaced_by(index, 0, &|expr, zero| expr != zero)
}

/// Replacements by a literal 1, large expressions first.
fn ones(index: &ProgramIndex<'_>) -> Vec<Change> {
    let is_more = |expr: &Expr| Literal::of(expr).is_some_and(|literal| literal.magnitude > 1);
    replaced_by(index, 1, &|expr, _| !is_literal(expr) || is_more(expr))
}

fn replaced_by(index: &ProgramIndex<'_>, value: u32, is_candidate: &dyn Fn(&Expr, &Expr) -> bool) -> Vec<Change> {
    let mut found: Vec<_> = index.exprs.iter().collect();
    found.sort_by_key(|found| (Reverse(found.size), found.ordinal));
    let replaced = found.into_iter().filter_map(|found| {
        let replacement = literal(found.ty, value);
        let is_candidate = is_candidate(found.expr, &replacement);
        is_candidate.then_some(Change::At(found.ordinal, Edit::Replace(replacement)))
    });
    replaced.collect()
}

fn smaller_literals(index: &ProgramIndex<'_>, shift: u32) -> Vec<Change> {
    let smaller = index.exprs.iter().filter_map(|found| {
        let literal = Literal::of(found.expr)?;
        let magnitude = literal.magnitude >> shift;
        (magnitude > 1).then(|| Change::At(found.ordinal, Edit::Replace(Literal { magnitude, ..literal }.expr())))
    });
    smaller.collect()
}
