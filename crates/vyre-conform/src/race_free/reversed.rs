//! Metamorphic test: reversal of the invocation order.

use vyre_ir::build::{ballot, broadcast, num_workgroups, reduce, scan_exclusive, scan_inclusive, select, shuffle};
use vyre_ir::{BinOp, Collective, Expr, Node, Program, UnOp};

use crate::Case;

/// Reverses the order of a case: each invocation does the work of its mirror image. A race-free case ends with the same bytes.
///
/// On a device that runs invocations sequentially, this reverses the order of workgroups and of the invocations in them. The
/// function recurses, so the program must be small.
#[must_use]
pub fn reversed(case: &Case) -> Case {
    let program = &case.program;
    let reversal = Reversal { size: program.workgroup_size, invocations: program.workgroup_size.iter().product() };
    let entry = reversal.body(&program.entry);
    Case { program: Program::new(program.buffers.clone(), program.workgroup_size, entry), ..case.clone() }
}

struct Reversal {
    size: [u32; 3],
    invocations: u32,
}

impl Reversal {
    fn body(&self, nodes: &[Node]) -> Vec<Node> {
        nodes.iter().map(|node| self.node(node)).collect()
    }

    fn node(&self, node: &Node) -> Node {
        match node {
            Node::Let { name, value } => Node::let_bind(name, self.expr(value)),
            Node::Assign { name, value } => Node::assign(name, self.expr(value)),
            Node::Store { buffer, index, value } => Node::store(buffer, self.expr(index), self.expr(value)),
            Node::If { cond, then, otherwise } => {
                Node::if_then_else(self.expr(cond), self.body(then), self.body(otherwise))
            }
            Node::Loop { var, from, to, body } => Node::for_loop(var, self.expr(from), self.expr(to), self.body(body)),
            Node::Return => Node::Return,
            Node::Block(body) => Node::Block(self.body(body)),
            Node::Barrier => Node::Barrier,
            Node::Break => Node::Break,
        }
    }

    fn boxed(&self, expr: &Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    fn list(&self, exprs: &[Expr]) -> Vec<Expr> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    /// `last - id` on an axis.
    fn id(&self, id: Expr, count: Expr) -> Expr {
        count - 1u32 - id
    }

    fn expr(&self, expr: &Expr) -> Expr {
        match expr {
            Expr::LitU32(_)
            | Expr::LitI32(_)
            | Expr::LitBool(_)
            | Expr::Var(_)
            | Expr::BufLen { .. }
            | Expr::NumWorkgroups { .. } => expr.clone(),
            Expr::Load { buffer, index } => Expr::load(buffer, self.expr(index)),
            Expr::InvocationId { axis } => self.id(expr.clone(), num_workgroups(*axis) * self.size[*axis as usize % 3]),
            Expr::WorkgroupId { axis } => self.id(expr.clone(), num_workgroups(*axis)),
            Expr::LocalId { axis } => self.id(expr.clone(), Expr::LitU32(self.size[*axis as usize % 3])),
            Expr::BinOp { op, left, right } => Expr::binary(*op, self.expr(left), self.expr(right)),
            Expr::UnOp { op, operand } => Expr::unary(*op, self.expr(operand)),
            Expr::Call { op_id, args } => Expr::Call { op_id: op_id.clone(), args: self.list(args) },
            Expr::Select { cond, true_val, false_val } => {
                select(self.expr(cond), self.expr(true_val), self.expr(false_val))
            }
            Expr::Cast { target, value } => Expr::cast_to(*target, self.expr(value)),
            Expr::Atomic { op, buffer, index, expected, value } => Expr::Atomic {
                op: *op,
                buffer: buffer.clone(),
                index: self.boxed(index),
                expected: expected.as_ref().map(|expected| self.boxed(expected)),
                value: value.as_ref().map(|value| self.boxed(value)),
            },
            Expr::WorkgroupAtomic { op, buffer, index, expected, value } => Expr::WorkgroupAtomic {
                op: *op,
                buffer: buffer.clone(),
                index: self.boxed(index),
                expected: expected.as_ref().map(|expected| self.boxed(expected)),
                value: value.as_ref().map(|value| self.boxed(value)),
            },
            Expr::Extract { value, lane } => Expr::extract(self.expr(value), *lane),
            Expr::Pack { ty, lanes } => Expr::Pack { ty: *ty, lanes: self.list(lanes) },
            Expr::Collective(collective) => self.collective(collective),
        }
    }

    /// Mirror image of a local index. Indices outside of the workgroup stay outside.
    fn mirrored(&self, index: Expr) -> Expr {
        (self.invocations - 1) - index
    }

    /// Local index of the invocation on the device.
    fn local_index(&self) -> Expr {
        let local = |axis| Expr::LocalId { axis };
        (local(2) * self.size[1] + local(1)) * self.size[0] + local(0)
    }

    fn collective(&self, collective: &Collective) -> Expr {
        match collective {
            Collective::Broadcast { value, lane } => broadcast(self.expr(value), self.mirrored(self.expr(lane))),
            Collective::Shuffle { value, lane } => shuffle(self.expr(value), self.mirrored(self.expr(lane))),
            Collective::Reduce { op, value } => reduce(*op, self.expr(value)),
            // Values move to their mirror images before the scan, and back after it.
            Collective::ScanExclusive { op, value } => {
                let value = shuffle(self.expr(value), self.mirrored(self.local_index()));
                shuffle(scan_exclusive(*op, value), self.mirrored(self.local_index()))
            }
            Collective::ScanInclusive { op, value } => {
                let value = shuffle(self.expr(value), self.mirrored(self.local_index()));
                shuffle(scan_inclusive(*op, value), self.mirrored(self.local_index()))
            }
            Collective::Ballot { predicate } => {
                let bits = Expr::unary(UnOp::ReverseBits, ballot(self.expr(predicate)));
                Expr::binary(BinOp::Shr, bits, 32 - self.invocations.min(32))
            }
        }
    }
}
