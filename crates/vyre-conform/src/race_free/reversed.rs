//! The same run in another order.

use vyre_ir::build::{ballot, broadcast, num_workgroups, reduce, scan_exclusive, scan_inclusive, select, shuffle};
use vyre_ir::{BinOp, Collective, Expr, Node, Program, UnOp};

use crate::Case;

/// A case that ends with the same bytes if invocations may come in any order: every invocation does the work of the one
/// that is as far from the end as itself is from the start.
///
/// On a device that runs invocations one after the other, workgroups and lanes thus come in reverse order. The program
/// must be so small that nothing overflows the stack.
#[must_use]
pub fn reversed(case: &Case) -> Case {
    let program = &case.program;
    let reversal = Reversal { size: program.workgroup_size, lanes: program.workgroup_size.iter().product() };
    let entry = reversal.body(&program.entry);
    Case { program: Program::new(program.buffers.clone(), program.workgroup_size, entry), ..case.clone() }
}

struct Reversal {
    size: [u32; 3],
    lanes: u32,
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

    /// `last - id`, with the ids of what the program calls an axis.
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
            Expr::Extract { value, lane } => Expr::extract(self.expr(value), *lane),
            Expr::Pack { ty, lanes } => Expr::Pack { ty: *ty, lanes: self.list(lanes) },
            Expr::Collective(collective) => self.collective(collective),
        }
    }

    /// The lane that does the work of `lane`. Lanes outside the workgroup stay outside.
    fn other(&self, lane: Expr) -> Expr {
        (self.lanes - 1) - lane
    }

    /// The lane itself, as the device numbers it.
    fn lane(&self) -> Expr {
        let local = |axis| Expr::LocalId { axis };
        (local(2) * self.size[1] + local(1)) * self.size[0] + local(0)
    }

    fn collective(&self, collective: &Collective) -> Expr {
        match collective {
            Collective::Broadcast { value, lane } => broadcast(self.expr(value), self.other(self.expr(lane))),
            Collective::Shuffle { value, lane } => shuffle(self.expr(value), self.other(self.expr(lane))),
            Collective::Reduce { op, value } => reduce(*op, self.expr(value)),
            // Values go to the lanes whose work they belong to, and come back.
            Collective::ScanExclusive { op, value } => {
                let value = shuffle(self.expr(value), self.other(self.lane()));
                shuffle(scan_exclusive(*op, value), self.other(self.lane()))
            }
            Collective::ScanInclusive { op, value } => {
                let value = shuffle(self.expr(value), self.other(self.lane()));
                shuffle(scan_inclusive(*op, value), self.other(self.lane()))
            }
            Collective::Ballot { predicate } => {
                let bits = Expr::unary(UnOp::ReverseBits, ballot(self.expr(predicate)));
                Expr::binary(BinOp::Shr, bits, 32 - self.lanes.min(32))
            }
        }
    }
}
