//! Mutations of statements.

use vyre_ir::{BinOp, BufferDecl, DataType, Event, Expr, Node, Traversal, validate};

use super::mutation::{Edits, Site};
use super::scopes::scope_at;
use super::transplant::{self, Donor, Transplant};
use crate::Case;
use crate::reduce::program_index::ProgramIndex;

/// Maximum number of statements and expressions of a statement that is copied.
const MAX_COPIED_NODES: usize = 250;

fn size(node: &Node) -> usize {
    Traversal::of_body(std::slice::from_ref(node))
        .filter(|event| matches!(event, Event::Expr(_) | Event::Statement(_)))
        .count()
}

/// A copy of a statement at another place, with new names for what it binds.
fn copied(site: &mut Site<'_>, from: u32, node: &Node, place: u32) -> Option<Transplant> {
    if size(node) > MAX_COPIED_NODES {
        return None;
    }
    let donor = Donor { case: site.case, index: site.index, ordinal: from };
    transplant::statements(site, &donor, std::slice::from_ref(node), place, true)
}

pub(super) fn duplicate(site: &mut Site<'_>) -> Option<Case> {
    let found = site.statement(|_| true)?;
    let mut nodes = vec![found.node.clone()];
    let mut copy = copied(site, found.ordinal, found.node, found.ordinal)?;
    nodes.append(&mut copy.nodes);
    copy.added(site.with_statements(found.ordinal, nodes))
}

pub(super) fn delete(site: &mut Site<'_>) -> Option<Case> {
    let found = site.statement(|_| true)?;
    Some(site.with_statements(found.ordinal, Vec::new()))
}

/// Exchanges two statements.
pub(super) fn swap(site: &mut Site<'_>) -> Option<Case> {
    let first = site.statement(|_| true)?;
    let second = site.statement(|found| found.depth == first.depth && found.ordinal > first.ordinal)?;
    let mut edits = Edits::default();
    edits.statements.insert(first.ordinal, vec![second.node.clone()]);
    edits.statements.insert(second.ordinal, vec![first.node.clone()]);
    Some(site.with_edits(edits))
}

pub(super) fn relocate(site: &mut Site<'_>) -> Option<Case> {
    let from = site.statement(|_| true)?;
    let place = site.statement(|found| found.ordinal != from.ordinal)?;
    let mut edits = Edits::default();
    edits.statements.insert(from.ordinal, Vec::new());
    edits.statements.insert(place.ordinal, vec![from.node.clone(), place.node.clone()]);
    Some(site.with_edits(edits))
}

/// A condition, often one that holds in few invocations.
fn condition(site: &mut Site<'_>, place: u32) -> Option<Expr> {
    let scope = scope_at(&site.case.program, &site.index.valid, place);
    let words: Vec<_> = scope.iter().filter(|local| local.ty == DataType::U32).collect();
    let bools: Vec<_> = scope.iter().filter(|local| local.ty == DataType::Bool).collect();
    let left = match site.random.below(5) {
        0 | 1 if !words.is_empty() => Expr::Var(site.choose(&words)?.name.clone()),
        2 if !bools.is_empty() => return Some(Expr::Var(site.choose(&bools)?.name.clone())),
        3 => Expr::InvocationId { axis: 0 },
        4 => Expr::WorkgroupId { axis: 0 },
        _ => Expr::LocalId { axis: 0 },
    };
    let op = site.random.pick(&[BinOp::Eq, BinOp::Ne, BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge, BinOp::BitAnd]);
    let right = Expr::LitU32(site.random.below(9));
    Some(Expr::BinOp { op, left: Box::new(left), right: Box::new(right) })
}

pub(super) fn guard(site: &mut Site<'_>) -> Option<Case> {
    let found = site.statement(|found| !matches!(found.node, Node::Let { .. }))?;
    let cond = condition(site, found.ordinal)?;
    let node = found.node.clone();
    let new = match site.random.below(4) {
        0 => Node::If { cond, then: Vec::new(), otherwise: vec![node] },
        1 => {
            let mut copy = copied(site, found.ordinal, found.node, found.ordinal)?;
            let otherwise = std::mem::take(&mut copy.nodes);
            let new = Node::If { cond, then: vec![node], otherwise };
            return copy.added(site.with_statements(found.ordinal, vec![new]));
        }
        _ => Node::If { cond, then: vec![node], otherwise: Vec::new() },
    };
    Some(site.with_statements(found.ordinal, vec![new]))
}

/// Runs a statement in a loop, or in a block.
pub(super) fn repeat(site: &mut Site<'_>) -> Option<Case> {
    let found = site.statement(|found| !matches!(found.node, Node::Let { .. }))?;
    let body = vec![found.node.clone()];
    let new = if site.random.chance(20) {
        Node::Block(body)
    } else {
        let var = site.fresh_names().next("i");
        let from = site.random.below(3);
        let to = match site.random.below(8) {
            0 => Expr::LocalId { axis: 0 },
            1 => Expr::LitU32(from),
            2 => Expr::LitU32(0),
            _ => Expr::LitU32(from + site.random.between(1, 6)),
        };
        Node::Loop { var, from: Expr::LitU32(from), to, body }
    };
    Some(site.with_statements(found.ordinal, vec![new]))
}

/// The statements of a body in the place of the statement around it.
pub(super) fn unwrap(site: &mut Site<'_>) -> Option<Case> {
    let found = site.statement(|found| found.node.body(0).is_some())?;
    let position = usize::from(site.random.chance(40));
    let (_, body) = found.node.body(position).or(found.node.body(0))?;
    let mut nodes = Vec::new();
    if let Node::Loop { var, from, .. } = found.node {
        nodes.push(Node::Let { name: var.clone(), value: from.clone() });
    }
    nodes.extend(body.iter().cloned());
    Some(site.with_statements(found.ordinal, nodes))
}

/// Exchanges the branches of an `if`, negates its condition, or empties a branch.
pub(super) fn branches(site: &mut Site<'_>) -> Option<Case> {
    let found = site.statement(|found| matches!(found.node, Node::If { .. }))?;
    let mut new = found.node.clone();
    let Node::If { cond, then, otherwise } = &mut new else { return None };
    match site.random.below(5) {
        0 | 1 => std::mem::swap(then, otherwise),
        2 => then.clear(),
        3 => otherwise.clear(),
        _ => {
            let is_zero = Expr::Cast { target: DataType::U32, value: Box::new(cond.clone()) };
            *cond = Expr::BinOp { op: BinOp::Eq, left: Box::new(is_zero), right: Box::new(Expr::LitU32(0)) };
        }
    }
    Some(site.with_statements(found.ordinal, vec![new]))
}

pub(super) fn bounds(site: &mut Site<'_>) -> Option<Case> {
    let found = site.statement(|found| matches!(found.node, Node::Loop { .. }))?;
    let mut new = found.node.clone();
    let random = &mut *site.random;
    let Node::Loop { from, to, .. } = &mut new else { return None };
    match random.below(8) {
        0 => *to = Expr::LitU32(random.below(9)),
        1 => *from = Expr::LitU32(random.below(9)),
        2 => std::mem::swap(from, to),
        3 => *to = Expr::BinOp { op: BinOp::Add, left: Box::new(to.clone()), right: Box::new(Expr::LitU32(1)) },
        4 => *to = Expr::BinOp { op: BinOp::Sub, left: Box::new(to.clone()), right: Box::new(Expr::LitU32(1)) },
        5 => {
            // The last numbers before the end of the range of words.
            let last = random.below(5);
            *from = Expr::LitU32(u32::MAX - last);
            *to = Expr::LitU32(u32::MAX);
        }
        6 => {
            *to = Expr::BinOp { op: BinOp::Min, left: Box::new(to.clone()), right: Box::new(Expr::LocalId { axis: 0 }) }
        }
        _ => {
            *from =
                Expr::BinOp { op: BinOp::Add, left: Box::new(from.clone()), right: Box::new(Expr::LocalId { axis: 0 }) }
        }
    }
    Some(site.with_statements(found.ordinal, vec![new]))
}

/// A barrier before a statement in uniform control flow.
pub(super) fn barrier(site: &mut Site<'_>) -> Option<Case> {
    let index = site.index;
    let found = site.statement(|found| index.valid.is_uniform(found.ordinal))?;
    Some(site.with_statements(found.ordinal, vec![Node::Barrier, found.node.clone()]))
}

/// A conditional exit before a statement.
pub(super) fn exit(site: &mut Site<'_>) -> Option<Case> {
    let found = site.statement(|_| true)?;
    let exit = if site.random.chance(60) { Node::Break } else { Node::Return };
    let cond = condition(site, found.ordinal)?;
    let new = Node::If { cond, then: vec![exit], otherwise: Vec::new() };
    Some(site.with_statements(found.ordinal, vec![new, found.node.clone()]))
}

/// An assignment that mixes a word into a variable.
pub(super) fn accumulate(site: &mut Site<'_>) -> Option<Case> {
    let found = site.statement(|_| true)?;
    let mut scope = scope_at(&site.case.program, &site.index.valid, found.ordinal);
    scope.retain(|local| local.ty == DataType::U32);
    let mutable: Vec<_> = scope.iter().filter(|local| local.is_mutable).collect();
    let target = site.choose(&mutable)?.name.clone();
    let other = site.choose(&scope)?.name.clone();
    let op = site.random.pick(&[BinOp::Add, BinOp::BitXor, BinOp::Mul, BinOp::Sub, BinOp::Max, BinOp::BitOr]);
    let value = Expr::BinOp { op, left: Box::new(Expr::Var(target.clone())), right: Box::new(Expr::Var(other)) };
    Some(site.with_statements(found.ordinal, vec![Node::Assign { name: target, value }, found.node.clone()]))
}

/// A store of a variable to an element of the invocation in a new buffer.
pub(super) fn observe(site: &mut Site<'_>) -> Option<Case> {
    /// Maximum number of invocations whose values are observed.
    const MAX_OBSERVED: u64 = 1024;
    let case = site.case;
    let bound: Vec<&BufferDecl> =
        case.program.buffers.iter().filter(|decl| decl.access != vyre_ir::BufferAccess::Workgroup).collect();
    let invocations = case.grid.iter().map(|&axis| u64::from(axis)).product::<u64>();
    let invocations = invocations.saturating_mul(case.program.workgroup_invocations());
    if bound.len() >= 6 || invocations > MAX_OBSERVED {
        return None;
    }
    let found = site.statement(|_| true)?;
    let scope = scope_at(&case.program, &site.index.valid, found.ordinal);
    let local = site.choose(&scope)?;
    let mut fresh = site.fresh_names();
    let binding = bound.iter().map(|decl| decl.binding).max().map_or(0, |binding| binding.saturating_add(1));
    let decl = BufferDecl::read_write(fresh.next("seen"), binding, local.ty);
    let bytes = vec![0; invocations as usize * local.ty.element_bytes()];
    let node =
        Node::Store { buffer: decl.name.clone(), index: linear_index(case), value: Expr::Var(local.name.clone()) };
    let mut new = site.with_statements(found.ordinal, vec![node, found.node.clone()]);
    new.contents.insert(decl.name.clone(), bytes);
    new.program.buffers.push(decl);
    Some(new)
}

/// Number of the invocation in the grid, row by row.
fn linear_index(case: &Case) -> Expr {
    let width = |axis: usize| {
        let count = Box::new(Expr::NumWorkgroups { axis: axis as u32 });
        Expr::BinOp { op: BinOp::Mul, left: count, right: Box::new(Expr::LitU32(case.program.workgroup_size[axis])) }
    };
    let id = |axis| Expr::InvocationId { axis };
    let row = |above: Expr, axis: usize| {
        let start = Expr::BinOp { op: BinOp::Mul, left: Box::new(above), right: Box::new(width(axis)) };
        Expr::BinOp { op: BinOp::Add, left: Box::new(start), right: Box::new(id(axis as u32)) }
    };
    if case.grid[1..] == [1, 1] && case.program.workgroup_size[1..] == [1, 1] {
        return id(0);
    }
    row(row(id(2), 1), 0)
}

/// Statements of another program.
pub(super) fn splice(site: &mut Site<'_>) -> Option<Case> {
    let place = site.statement(|_| true)?;
    let donor = site.sources.pick_donor(site.random);
    let index = ProgramIndex::new(&donor.program, validate(&donor.program, &donor.ops).ok()?);
    let from = site.choose(&index.statements)?;
    if size(from.node) > MAX_COPIED_NODES {
        return None;
    }
    let from_donor = Donor { case: donor, index: &index, ordinal: from.ordinal };
    let mut transplant =
        transplant::statements(site, &from_donor, std::slice::from_ref(from.node), place.ordinal, true)?;
    let mut nodes = std::mem::take(&mut transplant.nodes);
    match site.random.below(5) {
        0 => nodes.insert(0, place.node.clone()),
        1 => {}
        _ => nodes.push(place.node.clone()),
    }
    transplant.added(site.with_statements(place.ordinal, nodes))
}
