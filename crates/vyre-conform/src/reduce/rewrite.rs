//! Rewriting of statement lists, without recursion.

use vyre_ir::{BodyKind, Collective, DataType, Event, Expr, Node, Traversal};

/// Rewriter of expressions and statements. Ordinals are those of a [`Traversal`] of the original.
pub(crate) trait Rewriter {
    /// Rewrites an expression, given its rewritten operands.
    fn expr(&mut self, _ordinal: u32, expr: &Expr, operands: Vec<Expr>) -> Expr {
        with_operands(expr, operands)
    }

    /// Called after the expressions and before the bodies of a statement. Statements that it appends to `out` precede the
    /// statement.
    fn before(&mut self, _out: &mut Vec<Node>) {}

    /// Rewrites a statement: appends its replacement to `out`.
    fn statement(&mut self, _ordinal: u32, node: &Node, parts: Parts, out: &mut Vec<Node>) {
        out.push(with_parts(node, parts));
    }
}

/// Rewritten expressions and bodies of a statement.
pub(crate) struct Parts {
    pub(crate) exprs: Vec<Expr>,
    pub(crate) bodies: Vec<Vec<Node>>,
}

impl Parts {
    /// Takes the expression at `position` in evaluation order.
    pub(crate) fn take_expr(self, position: usize) -> Option<Expr> {
        self.exprs.into_iter().nth(position)
    }
}

/// A statement whose bodies are being rewritten.
struct Open<'p> {
    ordinal: u32,
    node: &'p Node,
    parts: Parts,
}

/// Rewrites a list of statements.
pub(crate) fn rewrite(nodes: &[Node], rewriter: &mut dyn Rewriter) -> Vec<Node> {
    let mut values: Vec<Expr> = Vec::new();
    let mut bodies: Vec<Vec<Node>> = Vec::new();
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut traversal = Traversal::of_body(nodes);
    while let Some(event) = traversal.next() {
        let ordinal = traversal.ordinal();
        match event {
            Event::Expr(expr) => {
                let operands = values.split_off(values.len() - expr.operand_count());
                values.push(rewriter.expr(ordinal, expr, operands));
            }
            Event::Statement(node) => {
                let count = usize::from(node.expr(0).is_some()) + usize::from(node.expr(1).is_some());
                let parts = Parts { exprs: values.split_off(values.len() - count), bodies: Vec::new() };
                let out = bodies.last_mut().expect("a statement stands in a body");
                rewriter.before(out);
                if node.body(0).is_some() {
                    open.push(Open { ordinal, node, parts });
                } else {
                    rewriter.statement(ordinal, node, parts, out);
                }
            }
            Event::EnterBody(_) => bodies.push(Vec::new()),
            Event::LeaveBody(BodyKind::Entry) => break,
            Event::LeaveBody(_) => {
                let body = bodies.pop().expect("a body that was entered");
                let statement = open.last_mut().expect("a body belongs to a statement");
                statement.parts.bodies.push(body);
                if statement.node.body(statement.parts.bodies.len()).is_none() {
                    let Open { ordinal, node, parts } = open.pop().expect("the statement around the body");
                    rewriter.statement(ordinal, node, parts, bodies.last_mut().expect("the body around a statement"));
                }
            }
        }
    }
    bodies.pop().unwrap_or_default()
}

/// Copies an expression with other operands, whose number must match.
pub(crate) fn with_operands(expr: &Expr, operands: Vec<Expr>) -> Expr {
    if let Expr::Call { op_id, args: _ } = expr {
        return Expr::Call { op_id: op_id.clone(), args: operands };
    }
    if let Expr::Pack { ty, lanes: _ } = expr {
        return Expr::Pack { ty: *ty, lanes: operands };
    }
    let mut operands = operands.into_iter();
    let mut next = || Box::new(operands.next().expect("as many operands as before"));
    match expr {
        Expr::LitU32(_)
        | Expr::LitI32(_)
        | Expr::LitBool(_)
        | Expr::Var(_)
        | Expr::BufLen { .. }
        | Expr::InvocationId { .. }
        | Expr::WorkgroupId { .. }
        | Expr::LocalId { .. }
        | Expr::NumWorkgroups { .. }
        | Expr::Call { .. }
        | Expr::Pack { .. } => expr.clone(),
        Expr::Load { buffer, index: _ } => Expr::Load { buffer: buffer.clone(), index: next() },
        Expr::BinOp { op, left: _, right: _ } => Expr::BinOp { op: *op, left: next(), right: next() },
        Expr::UnOp { op, operand: _ } => Expr::UnOp { op: *op, operand: next() },
        Expr::Select { cond: _, true_val: _, false_val: _ } => {
            Expr::Select { cond: next(), true_val: next(), false_val: next() }
        }
        Expr::Cast { target, value: _ } => Expr::Cast { target: *target, value: next() },
        Expr::Atomic { op, buffer, index: _, expected, value } => Expr::Atomic {
            op: *op,
            buffer: buffer.clone(),
            index: next(),
            expected: expected.is_some().then(&mut next),
            value: value.is_some().then(&mut next),
        },
        Expr::WorkgroupAtomic { op, buffer, index: _, expected, value } => Expr::WorkgroupAtomic {
            op: *op,
            buffer: buffer.clone(),
            index: next(),
            expected: expected.is_some().then(&mut next),
            value: value.is_some().then(&mut next),
        },
        Expr::Extract { value: _, lane } => Expr::Extract { value: next(), lane: *lane },
        Expr::Collective(collective) => Expr::Collective(match collective {
            Collective::Broadcast { value: _, lane: _ } => Collective::Broadcast { value: next(), lane: next() },
            Collective::Shuffle { value: _, lane: _ } => Collective::Shuffle { value: next(), lane: next() },
            Collective::Reduce { op, value: _ } => Collective::Reduce { op: *op, value: next() },
            Collective::ScanExclusive { op, value: _ } => Collective::ScanExclusive { op: *op, value: next() },
            Collective::ScanInclusive { op, value: _ } => Collective::ScanInclusive { op: *op, value: next() },
            Collective::Ballot { predicate: _ } => Collective::Ballot { predicate: next() },
        }),
    }
}

/// Copies a statement with other expressions and bodies, whose numbers must match.
pub(crate) fn with_parts(node: &Node, parts: Parts) -> Node {
    let mut exprs = parts.exprs.into_iter();
    let mut expr = || exprs.next().expect("as many expressions as before");
    let mut bodies = parts.bodies.into_iter();
    let mut body = || bodies.next().expect("as many bodies as before");
    match node {
        Node::Let { name, value: _ } => Node::Let { name: name.clone(), value: expr() },
        Node::Assign { name, value: _ } => Node::Assign { name: name.clone(), value: expr() },
        Node::Store { buffer, index: _, value: _ } => {
            Node::Store { buffer: buffer.clone(), index: expr(), value: expr() }
        }
        Node::If { cond: _, then: _, otherwise: _ } => Node::If { cond: expr(), then: body(), otherwise: body() },
        Node::Loop { var, from: _, to: _, body: _ } => {
            Node::Loop { var: var.clone(), from: expr(), to: expr(), body: body() }
        }
        Node::Return => Node::Return,
        Node::Block(_) => Node::Block(body()),
        Node::Barrier => Node::Barrier,
        Node::Break => Node::Break,
    }
}

/// The simplest expression of a type with this value, in each component of a vector.
pub(crate) fn literal(ty: DataType, value: u32) -> Expr {
    match ty {
        DataType::I32 => Expr::LitI32(value.cast_signed()),
        DataType::Bool => Expr::LitBool(value != 0),
        DataType::U64 | DataType::Vec2U32 | DataType::Vec4U32 => {
            Expr::Cast { target: ty, value: Box::new(Expr::LitU32(value)) }
        }
        // No value has type `Bytes`. Validation rejects a literal of a wrong type.
        _ => Expr::LitU32(value),
    }
}

/// Reports whether [`literal`] yields this expression.
pub(crate) fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::LitU32(_) | Expr::LitI32(_) | Expr::LitBool(_) => true,
        Expr::Cast { target, value } => target.components() > 0 && matches!(**value, Expr::LitU32(_)),
        _ => false,
    }
}
