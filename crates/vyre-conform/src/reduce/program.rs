//! Making one program smaller.

use std::cmp::Reverse;

use vyre_ir::{DataType, Expr, Node, OpDef};

use super::calls;
use super::edit::{Change, Edit, apply};
use super::rewrite::{is_literal, literal};
use super::search::Search;
use super::survey::{FoundVariable, Survey};
use super::unit::Unit;
use crate::Case;

/// Tries every kind of change once, those that leave out most first.
pub(super) fn shrink(search: &mut Search<'_>, unit: &Unit) {
    if matches!(unit, Unit::Program) {
        unit.change(search, &buffers);
    }
    unit.change(search, &removals);
    unit.change(search, &|survey| unwrappings(survey, 0));
    unit.change(search, &|survey| unwrappings(survey, 1));
    unit.change(search, &single_rounds);
    unit.change(search, &postponed_bindings);
    unit.change(search, &inlined_variables);
    for ty in DataType::ALL {
        for rank in 0..ranks(search.current(), unit) {
            unit.change(search, &|survey| operands(survey, ty, rank));
        }
    }
    unit.change(search, &|survey| evaluations(survey, 0));
    unit.change(search, &|survey| evaluations(survey, 1));
    for rank in 0..ranks(search.current(), unit) {
        unit.change(search, &|survey| evaluated_operands(survey, rank));
    }
    unit.change(search, &zeros);
    unit.change(search, &ones);
    for shift in [16, 8, 4, 2, 1] {
        unit.change(search, &|survey| smaller_literals(survey, shift));
    }
}

/// Puts what ops do in the place of calls, where that makes the program little larger.
pub(super) fn expand_calls(search: &mut Search<'_>, unit: &Unit) {
    /// Ops with more statements than this are expanded only where they are called once.
    const SMALL: usize = 4;
    let ops = search.current().ops.clone();
    unit.change(search, &|survey| {
        let calls = || survey.exprs.iter().filter_map(|found| Some((found.ordinal, calls::op_of(found.expr, &ops)?)));
        let is_called_once = |op: &OpDef| calls().filter(|(_, other)| other.id == op.id).count() == 1;
        let is_small = |op: &OpDef| op.program.entry.len() <= SMALL;
        let expanded = calls().filter(|(_, op)| calls::can_expand(op) && (is_small(op) || is_called_once(op)));
        expanded.map(|(ordinal, _)| Change::At(ordinal, Edit::Expand)).collect()
    });
}

/// Puts numbers at the edges of operators where 0 and 1 were refused, and makes literals as small as they can be, one
/// after the other.
pub(super) fn shrink_literals(search: &mut Search<'_>, unit: &Unit) {
    for value in [2, 31, 32, 0x8000_0000, u32::MAX] {
        unit.change(search, &|survey| replaced_by(survey, value, &|expr, _| !is_literal(expr)));
    }
    let Some(survey) = unit.survey(search.current()) else { return };
    let literals = survey.exprs.iter().filter_map(|found| Some((found.ordinal, Literal::of(found.expr)?)));
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

/// The number of a literal of type `U32` or `I32`.
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
    let survey = unit.survey(case)?;
    let found = survey.exprs.iter().find(|found| found.ordinal == ordinal)?;
    Literal::of(found.expr)
}

/// The case with another expression in one place.
fn with_expr(case: &Case, unit: &Unit, ordinal: u32, expr: Expr) -> Case {
    let change = Change::At(ordinal, Edit::Replace(expr));
    let program = unit.survey(case).map(|survey| apply(&survey, &case.ops, &[&change]));
    program.map_or_else(|| case.clone(), |program| unit.with_program(case, program))
}

/// How many ranks of operands there are to try. Calls can have any number of arguments; beyond these they are left to
/// [`calls::drop_inputs`].
fn ranks(case: &Case, unit: &Unit) -> usize {
    const MOST: usize = 8;
    let Some(survey) = unit.survey(case) else { return 0 };
    survey.exprs.iter().map(|found| found.expr.operand_count()).max().unwrap_or(0).min(MOST)
}

fn buffers(survey: &Survey<'_>) -> Vec<Change> {
    (0..survey.program.buffers.len()).map(Change::DropBuffer).collect()
}

/// Statements without bodies around them first.
fn removals(survey: &Survey<'_>) -> Vec<Change> {
    let mut statements: Vec<_> = survey.statements.iter().map(|found| (found.depth, found.ordinal)).collect();
    statements.sort_unstable();
    statements.into_iter().map(|(_, ordinal)| Change::At(ordinal, Edit::Remove)).collect()
}

fn unwrappings(survey: &Survey<'_>, position: usize) -> Vec<Change> {
    let statements = survey.statements.iter().filter(|found| found.node.body(position).is_some());
    statements.map(|found| Change::At(found.ordinal, Edit::Unwrap(position))).collect()
}

fn single_rounds(survey: &Survey<'_>) -> Vec<Change> {
    let loops = survey.statements.iter().filter(|found| matches!(found.node, Node::Loop { .. }));
    loops.map(|found| Change::At(found.ordinal, Edit::Once)).collect()
}

/// Expressions of statements that do more than evaluate them.
fn evaluations(survey: &Survey<'_>, position: usize) -> Vec<Change> {
    let does_more = |node: &Node| !matches!(node, Node::Let { name, .. } if name.is_discard());
    let is_of_use = |node: &Node| node.expr(position).is_some_and(|expr| !is_literal(expr));
    let statements = survey.statements.iter().filter(|found| does_more(found.node) && is_of_use(found.node));
    statements.map(|found| Change::At(found.ordinal, Edit::Evaluate(position))).collect()
}

/// Operands of expressions that are evaluated for nothing else; their type does not matter.
fn evaluated_operands(survey: &Survey<'_>, rank: usize) -> Vec<Change> {
    let discarding =
        survey.statements.iter().filter(|found| matches!(found.node, Node::Let { name, .. } if name.is_discard()));
    // The value comes directly before its statement.
    let values = discarding.map(|found| found.ordinal - 1);
    values.filter_map(|value| Some(Change::At(value, Edit::Hoist(survey.operand(value, rank)?)))).collect()
}

/// `Let`s, with what is known of their variables.
fn bindings<'s>(survey: &'s Survey<'_>) -> impl Iterator<Item = (u32, &'s Node, &'s FoundVariable)> {
    survey.statements.iter().filter_map(|found| match found.node {
        Node::Let { .. } => {
            let variable = survey.valid.target(found.ordinal)?;
            Some((found.ordinal, found.node, survey.variables.get(variable)?))
        }
        _ => None,
    })
}

fn postponed_bindings(survey: &Survey<'_>) -> Vec<Change> {
    let postponed = bindings(survey)
        .filter_map(|(ordinal, _, variable)| Some(Change::At(ordinal, Edit::Postpone(variable.first_assignment?))));
    postponed.collect()
}

/// Variables whose value can stand where they are used without making the program larger.
fn inlined_variables(survey: &Survey<'_>) -> Vec<Change> {
    let is_small = |value: &Expr| value.operand_count() == 0 && !matches!(value, Expr::Var(_));
    let inlined = bindings(survey).filter(|(_, node, variable)| {
        let fits = variable.uses == 1 || node.expr(0).is_some_and(is_small);
        variable.uses > 0 && !variable.is_assigned && fits
    });
    inlined.map(|(ordinal, _, _)| Change::At(ordinal, Edit::Inline)).collect()
}

/// Expressions of one type that could become something below their operand of this rank. A path down to any expression
/// leaves the largest operands only a few times, so that long chains of rank 0 vanish in few tests. One type at a time,
/// because what lies between the two expressions goes, and must not be wanted elsewhere.
fn operands(survey: &Survey<'_>, ty: DataType, rank: usize) -> Vec<Change> {
    let wholes = survey.exprs.iter().filter(|found| found.ty == ty);
    let hoisted =
        wholes.filter_map(|found| Some(Change::At(found.ordinal, Edit::Hoist(survey.replacement(found, rank)?))));
    hoisted.collect()
}

/// Expressions that could be a literal 0, large ones first.
fn zeros(survey: &Survey<'_>) -> Vec<Change> {
    replaced_by(survey, 0, &|expr, zero| expr != zero)
}

/// Expressions that could be a literal 1, large ones first.
fn ones(survey: &Survey<'_>) -> Vec<Change> {
    let is_more = |expr: &Expr| Literal::of(expr).is_some_and(|literal| literal.magnitude > 1);
    replaced_by(survey, 1, &|expr, _| !is_literal(expr) || is_more(expr))
}

fn replaced_by(survey: &Survey<'_>, value: u32, is_wanted: &dyn Fn(&Expr, &Expr) -> bool) -> Vec<Change> {
    let mut found: Vec<_> = survey.exprs.iter().collect();
    found.sort_by_key(|found| (Reverse(found.size), found.ordinal));
    let replaced = found.into_iter().filter_map(|found| {
        let replacement = literal(found.ty, value);
        let wanted = is_wanted(found.expr, &replacement);
        wanted.then_some(Change::At(found.ordinal, Edit::Replace(replacement)))
    });
    replaced.collect()
}

fn smaller_literals(survey: &Survey<'_>, shift: u32) -> Vec<Change> {
    let smaller = survey.exprs.iter().filter_map(|found| {
        let literal = Literal::of(found.expr)?;
        let magnitude = literal.magnitude >> shift;
        (magnitude > 1).then(|| Change::At(found.ordinal, Edit::Replace(Literal { magnitude, ..literal }.expr())))
    });
    smaller.collect()
}
