//! Transplantation of expressions and statements to another program, or to another place of the same program.
//!
//! Variables that the fragment binds get new names. Variables that it only uses become variables of the recipient with the
//! same type, or new ones. Its buffers become buffers of the recipient that permit the same accesses, or are added to it.

use std::collections::{BTreeMap, BTreeSet};

use vyre_ir::{AtomicOp, BufferAccess, BufferDecl, DataType, Event, Expr, Name, Node, OpSpec, Traversal};

use super::mutation::{Site, with_ops};
use super::scopes::{Local, scope_at};
use crate::Case;
use crate::reduce::fresh_names::FreshNames;
use crate::reduce::program_index::ProgramIndex;
use crate::reduce::rewrite::{Parts, Rewriter, literal, rewrite, with_operands, with_parts};

/// Maximum number of bound buffers of a program, which every GPU permits.
const MAX_BOUND_BUFFERS: usize = 8;

/// Maximum number of elements of workgroup memory that a fragment may add.
const MAX_WORKGROUP_ELEMENTS: u32 = 512;

/// A fragment in the names of the recipient.
pub(super) struct Transplant {
    pub(super) nodes: Vec<Node>,
    buffers: Vec<(BufferDecl, Vec<u8>)>,
    ops: Vec<OpSpec>,
}

impl Transplant {
    /// The expression of a fragment that consists of one. The statements before it must not be empty of it.
    pub(super) fn into_expr(self, add: impl FnOnce(Expr) -> Case) -> Option<Case> {
        let Transplant { mut nodes, buffers, ops } = self;
        let Some(Node::Let { name: _, value }) = nodes.first_mut() else { return None };
        let value = std::mem::replace(value, Expr::LitU32(0));
        Transplant { nodes: Vec::new(), buffers, ops }.added(add(value))
    }

    /// Adds the buffers and ops of the fragment to a case.
    pub(super) fn added(self, mut case: Case) -> Option<Case> {
        for (decl, contents) in self.buffers {
            if decl.access != BufferAccess::Workgroup {
                case.contents.insert(decl.name.clone(), contents);
            }
            case.program.buffers.push(decl);
        }
        with_ops(case, self.ops)
    }
}

/// Where a fragment comes from.
pub(super) struct Donor<'d> {
    pub(super) case: &'d Case,
    pub(super) index: &'d ProgramIndex<'d>,
    /// Ordinal of the fragment.
    pub(super) ordinal: u32,
}

/// Accesses of a fragment to a buffer.
#[derive(Clone, Copy, Default)]
struct Needs {
    writes: bool,
    storage_atomics: bool,
    workgroup_atomics: bool,
}

/// Adapts an expression to a place of the recipient. The result is the value of the only statement.
pub(super) fn expression(site: &mut Site<'_>, donor: &Donor<'_>, expr: &Expr, place: u32) -> Option<Transplant> {
    statements(site, donor, &[Node::Let { name: Name::from(Name::DISCARD), value: expr.clone() }], place, false)
}

/// Adapts statements to a place of the recipient. Variables that the recipient lacks are bound before them, if `binds` is set.
pub(super) fn statements(
    site: &mut Site<'_>,
    donor: &Donor<'_>,
    nodes: &[Node],
    place: u32,
    binds: bool,
) -> Option<Transplant> {
    let scope = scope_at(&site.case.program, &site.index.valid, place);
    let donor_scope = scope_at(&donor.case.program, &donor.index.valid, donor.ordinal);
    let mut fragment = Fragment::of(nodes);
    let mut fresh = site.fresh_names();
    let mut names = Renaming::default();
    for bound in &fragment.bound {
        names.variables.insert(bound.clone(), fresh.next("s"));
    }
    let mut before = Vec::new();
    for (name, is_assigned) in &fragment.free {
        let ty = donor_scope.iter().rev().find(|local| local.name == *name)?.ty;
        let fits = |local: &&Local| local.ty == ty && (local.is_mutable || !is_assigned);
        let candidates: Vec<&Local> = scope.iter().filter(fits).collect();
        if !candidates.is_empty() && site.random.chance(85) {
            let chosen = site.choose(&candidates)?;
            names.variables.insert(name.clone(), chosen.name.clone());
        } else if binds {
            let new = fresh.next("s");
            before.push(Node::Let { name: new.clone(), value: some_value(site, ty) });
            names.variables.insert(name.clone(), new);
        } else {
            names.values.insert(name.clone(), some_value(site, ty));
        }
    }
    let mut added = Vec::new();
    for (name, needs) in std::mem::take(&mut fragment.buffers) {
        let decl = donor.case.program.buffer(&name)?;
        let is_same_program = std::ptr::eq(donor.case, site.case);
        let same = (is_same_program && site.random.chance(70)).then(|| name.clone());
        let target = match same.or_else(|| fitting_buffer(site, decl, needs)) {
            Some(target) => target,
            None => {
                let new = added_buffer(site, donor.case, decl, &added, &mut fresh)?;
                let target = new.0.name.clone();
                added.push(new);
                target
            }
        };
        names.buffers.insert(name, target);
    }
    before.extend(rewrite(nodes, &mut names));
    let called = fragment.called.iter().filter_map(|id| donor.case.ops.get(id).cloned());
    let called = called.flat_map(|op| with_callees(op, donor.case)).collect();
    Some(Transplant { nodes: before, buffers: added, ops: called })
}

/// An op and those that it calls, in the table of a case.
fn with_callees(op: OpSpec, case: &Case) -> Vec<OpSpec> {
    let caller = Case { program: op.program.clone(), ..case.clone() };
    let callees = crate::reduce::shrink_ops::called(&caller);
    let callees = callees.iter().filter_map(|id| case.ops.get(id).cloned());
    callees.chain(std::iter::once(op)).collect()
}

/// A number of the invocation, or a literal.
fn some_value(site: &mut Site<'_>, ty: DataType) -> Expr {
    let id = match site.random.below(6) {
        0 | 1 => Expr::InvocationId { axis: 0 },
        2 => Expr::LocalId { axis: 0 },
        _ => return site.literal(ty),
    };
    match ty {
        DataType::U32 => id,
        DataType::Bytes => literal(ty, 0),
        _ => Expr::Cast { target: ty, value: Box::new(id) },
    }
}

/// A buffer of the recipient for the accesses of a fragment to a buffer of the donor.
fn fitting_buffer(site: &mut Site<'_>, decl: &BufferDecl, needs: Needs) -> Option<Name> {
    let fits = |target: &&BufferDecl| {
        target.element == decl.element
            && (!needs.writes || target.access.is_writable())
            && (!needs.storage_atomics || target.access == BufferAccess::ReadWrite)
            && (!needs.workgroup_atomics || target.access == BufferAccess::Workgroup)
    };
    let fitting: Vec<&BufferDecl> = site.case.program.buffers.iter().filter(fits).collect();
    // A new buffer for writes leaves the others as they are, so that fewer programs have races.
    let is_reused = site.random.chance(if needs.writes { 45 } else { 80 });
    if is_reused { site.choose(&fitting).map(|target| target.name.clone()) } else { None }
}

fn added_buffer(
    site: &mut Site<'_>,
    donor: &Case,
    decl: &BufferDecl,
    added: &[(BufferDecl, Vec<u8>)],
    fresh: &mut FreshNames,
) -> Option<(BufferDecl, Vec<u8>)> {
    let all = || site.case.program.buffers.iter().chain(added.iter().map(|(decl, _)| decl));
    let bound = || all().filter(|decl| decl.access != BufferAccess::Workgroup);
    let mut new = BufferDecl { name: fresh.next("b"), is_output: false, ..decl.clone() };
    if decl.access == BufferAccess::Workgroup {
        let elements: u32 = all().map(|decl| decl.count).fold(decl.count, u32::saturating_add);
        return (elements <= MAX_WORKGROUP_ELEMENTS).then_some((new, Vec::new()));
    }
    if bound().count() >= MAX_BOUND_BUFFERS {
        return None;
    }
    new.binding = bound().map(|decl| decl.binding).max().map_or(0, |binding| binding.saturating_add(1));
    Some((new, donor.contents.get(&decl.name).cloned().unwrap_or_default()))
}

/// Names that a fragment uses.
#[derive(Default)]
struct Fragment {
    bound: BTreeSet<Name>,
    /// Variables of the donor, and true for those that are assigned.
    free: BTreeMap<Name, bool>,
    buffers: BTreeMap<Name, Needs>,
    called: BTreeSet<Name>,
}

impl Fragment {
    fn of(nodes: &[Node]) -> Fragment {
        let mut fragment = Fragment::default();
        for event in Traversal::of_body(nodes) {
            if let Event::Statement(Node::Let { name, .. } | Node::Loop { var: name, .. }) = event
                && !name.is_discard()
            {
                fragment.bound.insert(name.clone());
            }
        }
        for event in Traversal::of_body(nodes) {
            match event {
                Event::Expr(expr) => fragment.add(expr),
                Event::Statement(Node::Store { buffer, .. }) => fragment.needs(buffer).writes = true,
                Event::Statement(Node::Assign { name, .. }) if !fragment.bound.contains(name) => {
                    fragment.free.insert(name.clone(), true);
                }
                _ => {}
            }
        }
        fragment
    }

    fn needs(&mut self, buffer: &Name) -> &mut Needs {
        self.buffers.entry(buffer.clone()).or_default()
    }

    fn add(&mut self, expr: &Expr) {
        match expr {
            Expr::Var(name) if !self.bound.contains(name) => {
                self.free.entry(name.clone()).or_default();
            }
            Expr::Load { buffer, .. } | Expr::BufLen { buffer } => {
                self.needs(buffer);
            }
            Expr::Atomic { op, buffer, .. } => {
                let needs = self.needs(buffer);
                needs.storage_atomics = true;
                needs.writes |= *op != AtomicOp::Load;
            }
            Expr::WorkgroupAtomic { op, buffer, .. } => {
                let needs = self.needs(buffer);
                needs.workgroup_atomics = true;
                needs.writes |= *op != AtomicOp::Load;
            }
            Expr::Call { op_id, .. } => {
                self.called.insert(op_id.clone());
            }
            _ => {}
        }
    }
}

/// New names of variables and buffers.
#[derive(Default)]
struct Renaming {
    variables: BTreeMap<Name, Name>,
    /// Variables that become values.
    values: BTreeMap<Name, Expr>,
    buffers: BTreeMap<Name, Name>,
}

fn rename(name: &mut Name, names: &BTreeMap<Name, Name>) {
    if let Some(new) = names.get(name) {
        *name = new.clone();
    }
}

impl Rewriter for Renaming {
    fn expr(&mut self, _ordinal: u32, expr: &Expr, operands: Vec<Expr>) -> Expr {
        let mut copy = with_operands(expr, operands);
        match &mut copy {
            Expr::Var(name) => match self.values.get(name) {
                Some(value) => return value.clone(),
                None => rename(name, &self.variables),
            },
            Expr::Load { buffer, .. }
            | Expr::BufLen { buffer }
            | Expr::Atomic { buffer, .. }
            | Expr::WorkgroupAtomic { buffer, .. } => rename(buffer, &self.buffers),
            _ => {}
        }
        copy
    }

    fn statement(&mut self, _ordinal: u32, node: &Node, parts: Parts, out: &mut Vec<Node>) {
        let mut copy = with_parts(node, parts);
        match &mut copy {
            Node::Let { name, .. } | Node::Assign { name, .. } | Node::Loop { var: name, .. } => {
                rename(name, &self.variables);
            }
            Node::Store { buffer, .. } => rename(buffer, &self.buffers),
            _ => {}
        }
        out.push(copy);
    }
}
