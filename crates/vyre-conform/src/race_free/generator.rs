//! State of the generator: the position of the next statement, and what is permitted there.

use vyre_ir::{DataType, Expr, Name, Node, OpSpec};

use super::buffers::{Buffer, Phase};
use super::grid::{Numbering, Shape};
use super::random::Random;
use super::scope::{Local, Role, Scope};

/// An op that can be called.
#[derive(Clone, Debug)]
pub(super) struct CallableOp {
    pub(super) def: OpSpec,
    /// Estimated maximum number of statements and expressions that a call evaluates.
    pub(super) evaluations: i64,
}

/// Generator of the statements of one program.
pub(super) struct Generator<'o> {
    pub(super) random: Random,
    pub(super) shape: Shape,
    pub(super) buffers: Vec<Buffer>,
    /// The ops that can be called.
    pub(super) ops: &'o [CallableOp],
    pub(super) scope: Scope,
    pub(super) context: Context,
    pub(super) loops: Vec<OpenLoop>,
    pub(super) budget: Budget,
    /// Statements of the open bodies, the entry first.
    bodies: Vec<Vec<Node>>,
    /// The digest: a variable that mixes values to make them observable.
    pub(super) digest: Option<Name>,
}

/// Control context: facts about the invocations that reach a statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    /// True if control flow is uniform, so that barriers and collectives are permitted.
    pub(super) is_uniform: bool,
    /// True if single invocations may return, because no barrier or collective follows.
    pub(super) may_return: bool,
    /// The only invocation of each workgroup that gets here, in [`Numbering::Local`].
    pub(super) only_local_index: Option<u32>,
    /// The only invocation of the grid that gets here, in [`Numbering::Linear`].
    pub(super) only_linear_index: Option<u32>,
    /// Number of bodies around.
    pub(super) depth: u32,
    /// Maximum number of executions by one invocation.
    pub(super) max_executions: i64,
    /// True in the program of an op.
    pub(super) in_op: bool,
}

/// A loop around a statement.
#[derive(Clone, Debug)]
pub(super) struct OpenLoop {
    /// True if whole workgroups run it together. Single invocations may leave other loops.
    pub(super) is_uniform: bool,
    /// Phases at the start of its body, which must be restored at each end.
    pub(super) phases: Vec<Phase>,
}

/// Remaining budget.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Statements and expressions to generate.
    pub(super) nodes: i64,
    /// Statements and expressions that an invocation evaluates.
    pub(super) evaluations: i64,
}

/// An expression with its uniformity.
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
    pub(super) fn new(
        random: Random,
        shape: Shape,
        buffers: Vec<Buffer>,
        ops: &'o [CallableOp],
        context: Context,
    ) -> Generator<'o> {
        let mut generator = Generator {
            random,
            shape,
            buffers,
            ops,
            scope: Scope::default(),
            context,
            loops: Vec::new(),
            budget: Budget { nodes: 0, evaluations: 0 },
            bodies: vec![Vec::new()],
            digest: None,
        };
        let odd_names = generator.random.chance(3);
        generator.scope = Scope::new(odd_names);
        generator
    }

    /// Statements of the entry.
    pub(super) fn finish(mut self) -> (Vec<Node>, Vec<Buffer>) {
        (self.bodies.pop().unwrap_or_default(), self.buffers)
    }

    /// Appends a statement to the innermost body.
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
        self.budget.evaluations -= evaluations.saturating_mul(self.context.max_executions);
        if let Some(body) = self.bodies.last_mut() {
            body.push(node);
        }
    }

    /// Size of an expression, and cost of its evaluation.
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

    /// Reports whether the budget is exhausted.
    pub(super) fn is_spent(&self) -> bool {
        self.budget.nodes <= 0 || self.budget.evaluations <= 0
    }

    /// Collects the statements of `fill` in a new body.
    pub(super) fn nested(&mut self, context: Context, fill: impl FnOnce(&mut Self)) -> Vec<Node> {
        let outer = std::mem::replace(&mut self.context, Context { depth: context.depth + 1, ..context });
        self.bodies.push(Vec::new());
        self.scope.enter();
        fill(self);
        self.scope.leave();
        self.context = outer;
        self.bodies.pop().unwrap_or_default()
    }

    /// Emits `let name = value;` for a mutable variable.
    pub(super) fn let_variable(&mut self, ty: DataType, value: Value) -> Name {
        // A variable with a uniform initial value may become divergent later.
        let is_uniform = value.is_uniform && self.context.is_uniform && self.random.chance(65);
        self.let_local(ty, value.expr, is_uniform, true, Role::Any)
    }

    /// Emits `let name = value;` for an immutable variable.
    pub(super) fn let_constant(&mut self, ty: DataType, value: Value, role: Role) -> Name {
        let is_uniform = value.is_uniform && self.context.is_uniform;
        self.let_local(ty, value.expr, is_uniform, false, role)
    }

    fn let_local(&mut self, ty: DataType, value: Expr, is_uniform: bool, is_mutable: bool, role: Role) -> Name {
        let name = self.scope.fresh_name(&mut self.random);
        self.emit(Node::let_bind(&name, value));
        self.scope.bind(Local { name: name.clone(), ty, is_uniform, is_mutable, role });
        name
    }

    /// Number of the invocation: a variable, or the full expression.
    pub(super) fn number(&mut self, numbering: Numbering) -> Expr {
        if self.random.chance(90)
            && let Some(name) = self.scope.with_role(&mut self.random, Role::Number(numbering))
        {
            return Expr::var(name);
        }
        let number = self.shape.number(numbering, &mut self.random);
        if self.context.in_op || number.operand_count() == 0 || self.random.chance(20) {
            return number;
        }
        Expr::var(self.let_constant(DataType::U32, Value::divergent(number), Role::Number(numbering)))
    }

    /// Phases of all buffers.
    pub(super) fn phases(&self) -> Vec<Phase> {
        self.buffers.iter().map(|buffer| buffer.phase).collect()
    }

    /// Emits a barrier, after which buffers are in other phases.
    pub(super) fn change_phases(&mut self, phases: &[Phase]) {
        self.emit(Node::Barrier);
        for (buffer, &phase) in self.buffers.iter_mut().zip(phases) {
            buffer.phase = phase;
        }
        self.scope.forget_expressions();
    }

    /// Brings buffers into phases, with a barrier if they are in others.
    pub(super) fn settle_phases(&mut self, phases: &[Phase]) {
        if self.phases() != phases {
            self.change_phases(phases);
        }
    }

    /// Emits a barrier, after which one buffer is in another phase.
    pub(super) fn change_phase(&mut self, buffer: usize, phase: Phase) {
        let mut phases = self.phases();
        phases[buffer] = phase;
        self.change_phases(&phases);
    }
}
