//! The state of generation: where the next statement stands, and what is allowed there.

use vyre_ir::{DataType, Expr, Name, Node};

use super::buffers::{Buffer, Phase};
use super::ops::Op;
use super::random::Random;
use super::scope::{Local, Role, Scope};
use super::shape::{Numbering, Shape};

/// Makes the statements of one program.
pub(super) struct Generator<'o> {
    pub(super) random: Random,
    pub(super) shape: Shape,
    pub(super) buffers: Vec<Buffer>,
    /// The ops that can be called.
    pub(super) ops: &'o [Op],
    pub(super) scope: Scope,
    pub(super) here: Here,
    pub(super) loops: Vec<OpenLoop>,
    pub(super) budget: Budget,
    /// The statements of the bodies that are open, the entry first.
    bodies: Vec<Vec<Node>>,
    /// A variable into which values are mixed so that somebody sees them.
    pub(super) digest: Option<Name>,
}

/// What is known of the invocations that reach a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Here {
    /// Whether whole workgroups come here together, so that they may meet.
    pub(super) is_uniform: bool,
    /// Whether single invocations may return here: nothing that follows needs them.
    pub(super) may_return: bool,
    /// The only lane that comes here.
    pub(super) only_lane: Option<u32>,
    /// The only invocation that comes here, in [`Numbering::Linear`].
    pub(super) only_invocation: Option<u32>,
    /// Bodies around.
    pub(super) depth: u32,
    /// How often the place is reached at most.
    pub(super) times: i64,
    /// Whether the program is that of an op.
    pub(super) in_op: bool,
}

/// A loop around a place.
#[derive(Clone, Debug)]
pub(super) struct OpenLoop {
    /// Whether whole workgroups run it together; if not, single invocations may leave it.
    pub(super) is_uniform: bool,
    /// The phases at the start of its body, which must be those at each end of it.
    pub(super) phases: Vec<Phase>,
}

/// How much may still be made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Statements and expressions.
    pub(super) nodes: i64,
    /// Statements and expressions that an invocation evaluates.
    pub(super) evaluations: i64,
}

/// An expression and whether it is uniform.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) expr: Expr,
    pub(super) is_uniform: bool,
}

impl Value {
    pub(super) fn uniform(expr: impl Into<Expr>) -> Value {
        Value { expr: expr.into(), is_uniform: true }
    }

    pub(super) fn divergent(expr: impl Into<Expr>) -> Value {
        Value { expr: expr.into(), is_uniform: false }
    }
}

impl<'o> Generator<'o> {
    pub(super) fn new(random: Random, shape: Shape, buffers: Vec<Buffer>, ops: &'o [Op], here: Here) -> Generator<'o> {
        let mut generator = Generator {
            random,
            shape,
            buffers,
            ops,
            scope: Scope::default(),
            here,
            loops: Vec::new(),
            budget: Budget { nodes: 0, evaluations: 0 },
            bodies: vec![Vec::new()],
            digest: None,
        };
        let odd_names = generator.random.chance(3);
        generator.scope = Scope::new(odd_names);
        generator
    }

    /// The statements of the entry.
    pub(super) fn finish(mut self) -> (Vec<Node>, Vec<Buffer>) {
        (self.bodies.pop().unwrap_or_default(), self.buffers)
    }

    /// Adds a statement to the innermost body.
    pub(super) fn emit(&mut self, node: Node) {
        let mut nodes = 1;
        let mut evaluations = 1;
        let mut position = 0;
        while let Some(expr) = node.expr(position) {
            let (size, cost) = self.measure(expr);
            nodes += size;
            evaluations += cost;
            position += 1;
        }
        self.budget.nodes -= nodes;
        self.budget.evaluations -= evaluations.saturating_mul(self.here.times);
        if let Some(body) = self.bodies.last_mut() {
            body.push(node);
        }
    }

    /// The size of an expression and what its evaluation costs.
    fn measure(&self, expr: &Expr) -> (i64, i64) {
        let mut size = 0;
        let mut cost = 0;
        let mut pending = vec![expr];
        while let Some(expr) = pending.pop() {
            size += 1;
            cost += 1;
            if let Expr::Call { op_id, args: _ } = expr {
                cost += self.ops.iter().find(|op| op.def.id == *op_id).map_or(0, |op| op.evaluations);
            }
            pending.extend((0..expr.operand_count()).filter_map(|position| expr.operand(position)));
        }
        (size, cost)
    }

    /// Whether there is anything left to spend.
    pub(super) fn is_spent(&self) -> bool {
        self.budget.nodes <= 0 || self.budget.evaluations <= 0
    }

    /// The statements that `fill` adds, as a body of their own.
    pub(super) fn nested(&mut self, here: Here, fill: impl FnOnce(&mut Self)) -> Vec<Node> {
        let outer = std::mem::replace(&mut self.here, Here { depth: here.depth + 1, ..here });
        self.bodies.push(Vec::new());
        self.scope.enter();
        fill(self);
        self.scope.leave();
        self.here = outer;
        self.bodies.pop().unwrap_or_default()
    }

    /// `let name = value;` for a variable that statements may assign to.
    pub(super) fn let_variable(&mut self, ty: DataType, value: Value) -> Name {
        // A variable that starts out uniform may be meant to diverge later.
        let is_uniform = value.is_uniform && self.here.is_uniform && self.random.chance(65);
        self.let_local(ty, value.expr, is_uniform, true, Role::Any)
    }

    /// `let name = value;` for a variable that keeps its value.
    pub(super) fn let_constant(&mut self, ty: DataType, value: Value, role: Role) -> Name {
        let is_uniform = value.is_uniform && self.here.is_uniform;
        self.let_local(ty, value.expr, is_uniform, false, role)
    }

    fn let_local(&mut self, ty: DataType, value: Expr, is_uniform: bool, is_mutable: bool, role: Role) -> Name {
        let name = self.scope.fresh_name(&mut self.random);
        self.emit(Node::let_bind(&name, value));
        self.scope.bind(Local { name: name.clone(), ty, is_uniform, is_mutable, role });
        name
    }

    /// The number of the invocation: a variable that holds it, or spelled out.
    pub(super) fn number(&mut self, numbering: Numbering) -> Expr {
        if self.random.chance(90)
            && let Some(name) = self.scope.with_role(&mut self.random, Role::Number(numbering))
        {
            return Expr::var(name);
        }
        let number = self.shape.number(numbering, &mut self.random);
        if self.here.in_op || number.operand_count() == 0 || self.random.chance(20) {
            return number;
        }
        Expr::var(self.let_constant(DataType::U32, Value::divergent(number), Role::Number(numbering)))
    }

    /// The phases of all buffers.
    pub(super) fn phases(&self) -> Vec<Phase> {
        self.buffers.iter().map(|buffer| buffer.phase).collect()
    }

    /// A barrier, after which buffers are in other phases.
    pub(super) fn change_phases(&mut self, phases: &[Phase]) {
        self.emit(Node::Barrier);
        for (buffer, &phase) in self.buffers.iter_mut().zip(phases) {
            buffer.phase = phase;
        }
        self.scope.forget_expressions();
    }

    /// Brings buffers into phases, with a barrier where they are in others.
    pub(super) fn settle_phases(&mut self, phases: &[Phase]) {
        if self.phases() != phases {
            self.change_phases(phases);
        }
    }

    /// A barrier, after which a buffer is in another phase.
    pub(super) fn change_phase(&mut self, buffer: usize, phase: Phase) {
        let mut phases = self.phases();
        phases[buffer] = phase;
        self.change_phases(&phases);
    }
}
