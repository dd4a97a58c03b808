//! Calls and the ops behind them.

use std::collections::{BTreeMap, BTreeSet};

use vyre_ir::{BinOp, BufferDecl, DataType, Event, Expr, Name, Node, OpDef, OpTable, Program, Traversal};

use super::edit::{Change, apply};
use super::names::FreshNames;
use super::rewrite::{Parts, Rewrite, literal, rewrite, with_operands, with_parts};
use super::search::Search;
use super::unit::{Unit, with_ops};
use crate::Case;

/// The op that a call calls.
pub(super) fn op_of<'t>(expr: &Expr, ops: &'t OpTable) -> Option<&'t OpDef> {
    match expr {
        Expr::Call { op_id, args: _ } => ops.get(op_id),
        _ => None,
    }
}

/// Whether [`expand`] knows how to expand an op: nothing in it ends it early.
pub(super) fn can_expand(op: &OpDef) -> bool {
    op.inlinable
        && op.program.output().is_some()
        && !Traversal::new(&op.program).any(|event| matches!(event, Event::Statement(Node::Return)))
}

/// What an op does to its arguments: adds the statements to `out` and gives the result.
pub(super) fn expand(op: &OpDef, args: Vec<Expr>, names: &mut FreshNames, out: &mut Vec<Node>) -> Expr {
    let mut values = BTreeMap::new();
    for (input, arg) in inputs(&op.program).into_iter().zip(args) {
        let name = names.next("t");
        out.push(Node::Let { name: name.clone(), value: arg });
        values.insert(input.name.clone(), (name, input.element));
    }
    let result = names.next("t");
    let Some(output) = op.program.output() else { return Expr::LitU32(0) };
    values.insert(output.name.clone(), (result.clone(), output.element));

    let mut inlined = Inlined { values, locals: BTreeMap::new(), names };
    let mut body = rewrite(&op.program.entry, &mut inlined);
    if ends_with_only_store(&op.program)
        && let Some(Node::Assign { name, value }) = body.last_mut()
    {
        let (name, value) = (name.clone(), std::mem::replace(value, Expr::LitU32(0)));
        body.pop();
        out.append(&mut body);
        out.push(Node::Let { name, value });
    } else {
        out.push(Node::Let { name: result.clone(), value: literal(output.element, 0) });
        out.push(Node::Block(body));
    }
    Expr::Var(result)
}

/// The inputs of an op in the order of its arguments.
fn inputs(program: &Program) -> Vec<&BufferDecl> {
    let mut inputs: Vec<&BufferDecl> = program.buffers.iter().filter(|buffer| buffer.access.is_input()).collect();
    inputs.sort_by_key(|buffer| buffer.binding);
    inputs
}

/// Whether the result is what the last statement stores, and is neither stored nor read before.
fn ends_with_only_store(program: &Program) -> bool {
    let Some(output) = program.output() else { return false };
    let is_last = matches!(program.entry.last(), Some(Node::Store { index: Expr::LitU32(0), .. }));
    let accesses = Traversal::new(program).filter(|event| match event {
        Event::Statement(Node::Store { .. }) => true,
        Event::Expr(Expr::Load { buffer, .. }) => *buffer == output.name,
        _ => false,
    });
    is_last && accesses.count() == 1
}

/// The body of an op with variables in the place of its buffers.
struct Inlined<'s> {
    /// The variable and type that stand for element 0 of each buffer.
    values: BTreeMap<Name, (Name, DataType)>,
    /// The new names of the variables of the op.
    locals: BTreeMap<Name, Name>,
    names: &'s mut FreshNames,
}

impl Inlined<'_> {
    fn local(&mut self, name: &Name) -> Name {
        if name.is_discard() {
            return name.clone();
        }
        self.locals.entry(name.clone()).or_insert_with(|| self.names.next("t")).clone()
    }
}

fn is_zero(index: Expr) -> Expr {
    Expr::BinOp { op: BinOp::Eq, left: Box::new(index), right: Box::new(Expr::LitU32(0)) }
}

impl Rewrite for Inlined<'_> {
    fn expr(&mut self, _ordinal: u32, expr: &Expr, operands: Vec<Expr>) -> Expr {
        match expr {
            Expr::Var(name) => Expr::Var(self.local(name)),
            Expr::BufLen { .. } => Expr::LitU32(1),
            Expr::InvocationId { .. }
            | Expr::WorkgroupId { .. }
            | Expr::LocalId { .. }
            | Expr::NumWorkgroups { .. } => Expr::LitU32(0),
            Expr::Load { buffer, index: _ } => {
                let Some((name, ty)) = self.values.get(buffer) else { return with_operands(expr, operands) };
                let value = Expr::Var(name.clone());
                match operands.into_iter().next() {
                    Some(Expr::LitU32(0)) | None => value,
                    Some(Expr::LitU32(_)) => literal(*ty, 0),
                    Some(index) => Expr::Select {
                        cond: Box::new(is_zero(index)),
                        true_val: Box::new(value),
                        false_val: Box::new(literal(*ty, 0)),
                    },
                }
            }
            _ => with_operands(expr, operands),
        }
    }

    fn statement(&mut self, _ordinal: u32, node: &Node, parts: Parts, out: &mut Vec<Node>) {
        if let Node::Store { buffer, .. } = node
            && let Some((name, _)) = self.values.get(buffer)
        {
            let mut exprs = parts.exprs.into_iter();
            let (Some(index), Some(value)) = (exprs.next(), exprs.next()) else { return };
            let assign = Node::Assign { name: name.clone(), value };
            match index {
                Expr::LitU32(0) => out.push(assign),
                Expr::LitU32(_) => {}
                index => out.push(Node::If { cond: is_zero(index), then: vec![assign], otherwise: Vec::new() }),
            }
            return;
        }
        let mut inlined = with_parts(node, parts);
        if let Node::Let { name, .. } | Node::Assign { name, .. } | Node::Loop { var: name, .. } = &mut inlined {
            *name = self.local(name);
        }
        out.push(inlined);
    }
}

/// The ids of the ops that the program calls, directly or not.
pub(super) fn called(case: &Case) -> BTreeSet<Name> {
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

/// Leaves out ops that nothing calls.
pub(super) fn drop_unused(search: &mut Search<'_>) {
    let base = search.current().clone();
    let called = called(&base);
    let unused: Vec<&Name> = base.ops.iter().map(|op| &op.id).filter(|id| !called.contains(*id)).collect();
    search.keep(&unused, &mut |chosen| {
        let chosen: BTreeSet<&Name> = chosen.iter().map(|id| **id).collect();
        with_ops(&base, base.ops.iter().filter(|op| !chosen.contains(&op.id)).cloned())
    });
}

/// Leaves out inputs of ops, with the arguments for them.
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
    let survey = Unit::Op(id.clone()).survey(case)?;
    let smaller = apply(&survey, &case.ops, &[&Change::DropBuffer(at)]);

    let without = |program: &Program| {
        let mut fewer = FewerArguments { id, position };
        Program::new(program.buffers.clone(), program.workgroup_size, rewrite(&program.entry, &mut fewer))
    };
    let ops = case.ops.iter().map(|op| {
        let mut op = op.clone();
        if op.id == *id {
            op.program = smaller.clone();
            // An op that is called has as many inputs in its signature as buffers.
            op.signature.inputs.remove(position);
        } else {
            op.program = without(&op.program);
        }
        op
    });
    Some(Unit::Program.with_program(&with_ops(case, ops), without(&case.program)))
}

/// Calls of an op without one of their arguments.
struct FewerArguments<'s> {
    id: &'s Name,
    position: usize,
}

impl Rewrite for FewerArguments<'_> {
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
