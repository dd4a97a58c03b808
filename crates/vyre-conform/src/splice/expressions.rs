//! Mutations of expressions.

use vyre_ir::{AtomicOp, BinOp, Collective, DataType, Expr, OpTable, ReduceOp, UnOp, validate};

use super::mutation::{Site, with_ops};
use super::scopes::scope_at;
use super::transplant::{self, Donor};
use crate::Case;
use crate::pool::EDGES;
use crate::reduce::program_index::ProgramIndex;

fn u32s(value: u32) -> Box<Expr> {
    Box::new(Expr::LitU32(value))
}

/// Another operator with the same operands.
pub(super) fn operator(site: &mut Site<'_>) -> Option<Case> {
    let found = site.expr(|found| match found.expr {
        Expr::BinOp { .. } | Expr::UnOp { .. } => true,
        Expr::Atomic { op, .. } | Expr::WorkgroupAtomic { op, .. } => op.takes_value() && !op.takes_expected(),
        Expr::Collective(collective) => !matches!(collective, Collective::Ballot { .. }),
        _ => false,
    })?;
    let random = &mut *site.random;
    let mut new = found.expr.clone();
    match &mut new {
        Expr::BinOp { op, .. } => *op = random.pick(BinOp::ALL),
        Expr::UnOp { op, .. } => *op = random.pick(UnOp::ALL),
        Expr::Atomic { op, .. } | Expr::WorkgroupAtomic { op, .. } => {
            *op = random.pick(&[
                AtomicOp::Add,
                AtomicOp::Or,
                AtomicOp::And,
                AtomicOp::Xor,
                AtomicOp::Min,
                AtomicOp::Max,
                AtomicOp::Exchange,
                AtomicOp::Store,
            ]);
        }
        Expr::Collective(
            Collective::Reduce { op, .. } | Collective::ScanExclusive { op, .. } | Collective::ScanInclusive { op, .. },
        ) if random.chance(70) => *op = random.pick(ReduceOp::ALL),
        Expr::Collective(collective) => {
            *collective = match collective.clone() {
                Collective::Broadcast { value, lane } => Collective::Shuffle { value, lane },
                Collective::Shuffle { value, lane } => Collective::Broadcast { value, lane },
                Collective::Reduce { op, value } => Collective::ScanInclusive { op, value },
                Collective::ScanInclusive { op, value } => Collective::ScanExclusive { op, value },
                Collective::ScanExclusive { op, value } => Collective::Reduce { op, value },
                ballot @ Collective::Ballot { .. } => ballot,
            };
        }
        _ => return None,
    }
    Some(site.with_expr(found.ordinal, new))
}

/// Another literal: a boundary value, a neighbour, or one bit changed.
pub(super) fn constant(site: &mut Site<'_>) -> Option<Case> {
    let found = site.expr(|found| matches!(found.expr, Expr::LitU32(_) | Expr::LitI32(_) | Expr::LitBool(_)))?;
    let random = &mut *site.random;
    let mut changed = |value: u32| match random.below(6) {
        0 => value.wrapping_add(1),
        1 => value.wrapping_sub(1),
        2 => value ^ (1 << random.below(32)),
        3 => value.wrapping_neg(),
        4 => random.number(),
        _ => random.pick(&EDGES),
    };
    let new = match *found.expr {
        Expr::LitU32(value) => Expr::LitU32(changed(value)),
        Expr::LitI32(value) => Expr::LitI32(changed(value.cast_unsigned()).cast_signed()),
        Expr::LitBool(value) => Expr::LitBool(!value),
        _ => return None,
    };
    Some(site.with_expr(found.ordinal, new))
}

pub(super) fn swap_operands(site: &mut Site<'_>) -> Option<Case> {
    let found = site.expr(|found| {
        matches!(found.expr, Expr::BinOp { .. } | Expr::Select { .. } | Expr::Pack { .. } | Expr::Call { .. })
    })?;
    let mut new = found.expr.clone();
    match &mut new {
        Expr::BinOp { op: _, left, right } => std::mem::swap(left, right),
        Expr::Select { cond: _, true_val, false_val } => std::mem::swap(true_val, false_val),
        Expr::Pack { ty: _, lanes: list } | Expr::Call { op_id: _, args: list } if list.len() > 1 => {
            let at = site.random.below(list.len() as u32 - 1) as usize;
            list.swap(at, at + 1);
        }
        _ => return None,
    }
    Some(site.with_expr(found.ordinal, new))
}

pub(super) fn to_literal(site: &mut Site<'_>) -> Option<Case> {
    let found = site.expr(|found| found.ty != DataType::Bytes)?;
    let new = site.literal(found.ty);
    Some(site.with_expr(found.ordinal, new))
}

pub(super) fn to_variable(site: &mut Site<'_>) -> Option<Case> {
    let found = site.expr(|found| found.ty != DataType::Bytes)?;
    let mut scope = scope_at(&site.case.program, &site.index.valid, found.ordinal);
    scope.retain(|local| local.ty == found.ty);
    let new = Expr::Var(site.choose(&scope)?.name.clone());
    Some(site.with_expr(found.ordinal, new))
}

pub(super) fn to_operand(site: &mut Site<'_>) -> Option<Case> {
    let found = site.expr(|found| found.expr.operand_count() > 0)?;
    let operand = site.random.below(found.expr.operand_count() as u32) as usize;
    let new = found.expr.operand(operand)?.clone();
    Some(site.with_expr(found.ordinal, new))
}

/// The expression as an operand of another one.
pub(super) fn wrap(site: &mut Site<'_>) -> Option<Case> {
    let found = site.expr(|found| found.ty != DataType::Bytes)?;
    let old = Box::new(found.expr.clone());
    let new = if found.ty == DataType::U32 {
        match site.random.below(9) {
            0 => Expr::UnOp { op: site.random.pick(UnOp::ALL), operand: old },
            1..3 => Expr::BinOp { op: site.random.pick(BinOp::ALL), left: old, right: u32s(site.random.factor()) },
            3 => Expr::BinOp { op: site.random.pick(BinOp::ALL), left: u32s(site.random.factor()), right: old },
            4 => Expr::BinOp { op: site.random.pick(BinOp::ALL), left: old.clone(), right: old },
            5 => {
                let op = site.random.pick(&[BinOp::Shl, BinOp::Shr]);
                Expr::BinOp { op, left: old, right: u32s(site.random.places()) }
            }
            6 => Expr::Select {
                cond: old.clone(),
                true_val: old,
                false_val: Box::new(Expr::InvocationId { axis: site.random.below(3) }),
            },
            7 => {
                let through = site.random.pick(&[DataType::I32, DataType::Bool, DataType::U64, DataType::Vec4U32]);
                let inner = Expr::Cast { target: through, value: old };
                Expr::Cast { target: DataType::U32, value: Box::new(inner) }
            }
            _ => {
                let packed = Expr::Pack { ty: DataType::Vec2U32, lanes: vec![(*old).clone(), *old] };
                Expr::Extract { value: Box::new(packed), lane: site.random.below(2) }
            }
        }
    } else {
        match site.random.below(2) {
            0 => {
                let false_val = Box::new(site.literal(found.ty));
                let cond = Box::new(Expr::LocalId { axis: 0 });
                Expr::Select { cond, true_val: old, false_val }
            }
            _ => {
                let through = site.random.pick(&[DataType::U32, DataType::U64, DataType::Bool, DataType::I32]);
                let inner = Expr::Cast { target: through, value: old };
                Expr::Cast { target: found.ty, value: Box::new(inner) }
            }
        }
    };
    Some(site.with_expr(found.ordinal, new))
}

/// A call of an op, with the expression as its first argument if the type fits.
pub(super) fn call_op(site: &mut Site<'_>) -> Option<Case> {
    let found = site.expr(|found| found.ty != DataType::Bytes)?;
    let callable: &OpTable = &site.sources.callable;
    let fitting: Vec<_> = callable.iter().filter(|op| op.inlinable && op.signature.output == found.ty).collect();
    let op = *site.choose(&fitting)?;
    let scope = scope_at(&site.case.program, &site.index.valid, found.ordinal);
    let mut args = Vec::new();
    for (position, &ty) in op.signature.inputs.iter().enumerate() {
        let fitting: Vec<_> = scope.iter().filter(|local| local.ty == ty).collect();
        args.push(match site.random.below(3) {
            _ if position == 0 && ty == found.ty => found.expr.clone(),
            0 | 1 if !fitting.is_empty() => Expr::Var(site.choose(&fitting)?.name.clone()),
            _ => site.literal(ty),
        });
    }
    let case = site.with_expr(found.ordinal, Expr::Call { op_id: op.id.clone(), args });
    let caller = Case { program: op.program.clone(), ops: callable.clone(), ..case.clone() };
    let callees = crate::reduce::shrink_ops::called(&caller);
    let callees = callees.iter().filter_map(|id| callable.get(id).cloned());
    with_ops(case, callees.chain(std::iter::once(op.clone())))
}

/// Another axis of an id, another id, or another component.
pub(super) fn axis(site: &mut Site<'_>) -> Option<Case> {
    let is_id = |expr: &Expr| {
        matches!(
            expr,
            Expr::InvocationId { .. }
                | Expr::WorkgroupId { .. }
                | Expr::LocalId { .. }
                | Expr::NumWorkgroups { .. }
                | Expr::BufLen { .. }
        )
    };
    let found = site.expr(|found| is_id(found.expr) || matches!(found.expr, Expr::Extract { .. }))?;
    let axis = site.random.below(3);
    let new = match (found.expr, site.random.below(4)) {
        (Expr::Extract { value, .. }, _) => Expr::Extract { value: value.clone(), lane: site.random.below(4) },
        (_, 0) => Expr::InvocationId { axis },
        (_, 1) => Expr::LocalId { axis },
        (_, 2) => Expr::WorkgroupId { axis },
        _ => Expr::NumWorkgroups { axis },
    };
    Some(site.with_expr(found.ordinal, new))
}

/// Another index of a load or store: a neighbour, the length, or the index modulo the length.
pub(super) fn index(site: &mut Site<'_>) -> Option<Case> {
    let changed = |site: &mut Site<'_>, buffer: &vyre_ir::Name, old: Expr| {
        let length = Expr::BufLen { buffer: buffer.clone() };
        let (op, right) = match site.random.below(8) {
            0 => (BinOp::Add, Expr::LitU32(1)),
            1 => (BinOp::Sub, Expr::LitU32(1)),
            2 => (BinOp::Mod, length),
            3 => (BinOp::Min, Expr::BinOp { op: BinOp::Sub, left: Box::new(length), right: u32s(1) }),
            4 => (BinOp::BitXor, Expr::LitU32(1)),
            5 => (BinOp::BitAnd, Expr::LitU32(site.random.pick(&[0, 1, 3, 7, 15, 31]))),
            6 => (BinOp::Mul, Expr::LitU32(site.random.between(2, 5))),
            _ => (BinOp::Add, length),
        };
        Expr::BinOp { op, left: Box::new(old), right: Box::new(right) }
    };
    if site.random.chance(50) {
        let found = site.statement(|found| matches!(found.node, vyre_ir::Node::Store { .. }))?;
        let mut new = found.node.clone();
        if let vyre_ir::Node::Store { buffer, index, .. } = &mut new {
            *index = changed(site, buffer, index.clone());
        }
        return Some(site.with_statements(found.ordinal, vec![new]));
    }
    let found = site
        .expr(|found| matches!(found.expr, Expr::Load { .. } | Expr::Atomic { .. } | Expr::WorkgroupAtomic { .. }))?;
    let mut new = found.expr.clone();
    if let Expr::Load { buffer, index }
    | Expr::Atomic { buffer, index, .. }
    | Expr::WorkgroupAtomic { buffer, index, .. } = &mut new
    {
        **index = changed(site, buffer, (**index).clone());
    }
    Some(site.with_expr(found.ordinal, new))
}

/// An expression of the same type from elsewhere in the program.
pub(super) fn copy(site: &mut Site<'_>) -> Option<Case> {
    let place = site.expr(|found| found.ty != DataType::Bytes)?;
    let from = site.expr(|found| found.ty == place.ty && found.ordinal != place.ordinal && found.size < 60)?;
    let donor = Donor { case: site.case, index: site.index, ordinal: from.ordinal };
    let transplant = transplant::expression(site, &donor, from.expr, place.ordinal)?;
    transplant.into_expr(|expr| site.with_expr(place.ordinal, expr))
}

/// An expression of the same type from another program.
pub(super) fn splice(site: &mut Site<'_>) -> Option<Case> {
    let place = site.expr(|found| found.ty != DataType::Bytes)?;
    let donor = site.sources.pick_donor(site.random);
    let index = ProgramIndex::new(&donor.program, validate(&donor.program, &donor.ops).ok()?);
    let fits = |found: &&crate::reduce::program_index::IndexedExpr<'_>| {
        found.ty == place.ty && found.expr.operand_count() > 0 && found.size < 80
    };
    let fitting: Vec<_> = index.exprs.iter().filter(fits).collect();
    let from = *site.choose(&fitting)?;
    let donor = Donor { case: donor, index: &index, ordinal: from.ordinal };
    let transplant = transplant::expression(site, &donor, from.expr, place.ordinal)?;
    transplant.into_expr(|expr| site.with_expr(place.ordinal, expr))
}
