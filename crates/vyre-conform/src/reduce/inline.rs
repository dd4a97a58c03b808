//! Inlining of calls.

use std::collections::BTreeMap;

use vyre_ir::{BinOp, BufferDecl, DataType, Event, Expr, Name, Node, OpSpec, OpTable, Program, Traversal};

use super::fresh_names::FreshNames;
use super::rewrite::{Parts, Rewriter, literal, rewrite, with_operands, with_parts};

/// Definition of the op that an expression calls.
pub(super) fn op_of<'t>(expr: &Expr, ops: &'t OpTable) -> Option<&'t OpSpec> {
    match expr {
        Expr::Call { op_id, args: _ } => ops.get(op_id),
        _ => None,
    }
}

/// Reports whether [`inline_call`] supports an op: it must have an output and no `Return`.
pub(super) fn is_inlinable(op: &OpSpec) -> bool {
    op.inlinable
        && op.program.output().is_some()
        && !Traversal::new(&op.program).any(|event| matches!(event, Event::Statement(Node::Return)))
}

/// Inlines a call: appends the statements of the op to `out`, and returns the result.
pub(super) fn inline_call(op: &OpSpec, args: Vec<Expr>, names: &mut FreshNames, out: &mut Vec<Node>) -> Expr {
    let mut values = BTreeMap::new();
    for (input, arg) in inputs(&op.program).into_iter().zip(args) {
        let name = names.next("t");
        out.push(Node::Let { name: name.clone(), value: arg });
        values.insert(input.name.clone(), (name, input.element));
    }
    let result = names.next("t");
    let Some(output) = op.program.output() else { return Expr::LitU32(0) };
    values.insert(output.name.clone(), (result.clone(), output.element));

    let mut rewriter = OpBodyRewriter { values, locals: BTreeMap::new(), names };
    let mut body = rewrite(&op.program.entry, &mut rewriter);
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

/// Input buffers of an op in the order of its arguments.
pub(super) fn inputs(program: &Program) -> Vec<&BufferDecl> {
    let mut inputs: Vec<&BufferDecl> = program.buffers.iter().filter(|buffer| buffer.access.is_input()).collect();
    inputs.sort_by_key(|buffer| buffer.binding);
    inputs
}

/// Reports whether the last statement is the only access to the output.
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

/// Rewriter of the body of an op, which replaces buffers by variables.
struct OpBodyRewriter<'s> {
    /// By buffer: the variable for its element 0, and its type.
    values: BTreeMap<Name, (Name, DataType)>,
    /// New names of the variables of the op.
    locals: BTreeMap<Name, Name>,
    names: &'s mut FreshNames,
}

impl OpBodyRewriter<'_> {
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

impl Rewriter for OpBodyRewriter<'_> {
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
