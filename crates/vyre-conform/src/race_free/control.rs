//! Control flow: branches, loops, exits and barriers.

use vyre_ir::{DataType, Expr, Name, Node};

use super::buffers::{Buffer, Discipline, Phase};
use super::generator::{Context, Generator, OpenLoop, Value};
use super::grid::Numbering;
use super::scope::{Local, Role};

/// Range of a loop.
struct Range {
    from: Value,
    to: Value,
    /// Maximum number of iterations.
    iterations: u32,
    /// True if the range is longer, so that the loop needs a break.
    must_stop: bool,
}

impl Generator<'_> {
    /// Emits a barrier, after which some buffers are in other phases.
    pub(super) fn barrier_statement(&mut self) {
        let mut phases = self.phases();
        for (at, phase) in phases.iter_mut().enumerate() {
            if self.random.chance(70) {
                *phase = self.buffers[at].next_phase(&self.shape, &mut self.random);
            }
        }
        self.change_phases(&phases);
    }

    pub(super) fn block_statement(&mut self) {
        let count = self.random.between(1, 3);
        let body = self.nested(self.context, |g| g.statements(count));
        self.emit(Node::Block(body));
    }

    pub(super) fn if_statement(&mut self) {
        let uniform = self.context.is_uniform && self.random.chance(55);
        let depth = self.random.between(1, 3);
        let cond = self.condition(depth, uniform);
        let context = Context { is_uniform: self.context.is_uniform && cond.is_uniform, ..self.context };
        let before = self.phases();
        let count = self.random.between(1, 4);
        let mut after = before.clone();
        let then = self.nested(context, |g| {
            if context.is_uniform && g.random.chance(15) {
                g.barrier_statement();
            }
            g.statements(count);
            if g.random.chance(70) {
                g.settle_phases(&before);
            }
            after = g.phases();
        });
        // If `then` ends in other phases, the other branch must end in them too.
        self.set_phases(&before);
        let otherwise = if after != before || self.random.chance(40) {
            let count = self.random.between(if after == before { 1 } else { 0 }, 3);
            self.nested(context, |g| {
                if g.context.depth < 5 && g.random.chance(28) {
                    g.if_statement();
                } else {
                    g.statements(count);
                }
                g.settle_phases(&after);
            })
        } else {
            Vec::new()
        };
        self.set_phases(&after);
        self.emit(Node::if_then_else(cond.expr, then, otherwise));
    }

    /// Restores phases at the start of another path.
    pub(super) fn set_phases(&mut self, phases: &[Phase]) {
        if self.phases() != phases {
            for (buffer, &phase) in self.buffers.iter_mut().zip(phases) {
                buffer.phase = phase;
            }
            self.scope.forget_expressions();
        }
    }

    pub(super) fn loop_statement(&mut self) {
        let max = (self.budget.evaluations / (self.context.max_executions * 24)).clamp(0, 16) as u32;
        if max < 2 {
            return self.block_statement();
        }
        let uniform = self.context.is_uniform && self.random.chance(if self.loops.is_empty() { 70 } else { 90 });
        let range = self.range(uniform, max);
        let together = self.context.is_uniform && range.from.is_uniform && range.to.is_uniform;
        // If single invocations may leave the loop, its body is not uniform even with a uniform range.
        let is_uniform = together && self.random.chance(80);
        let from = match range.must_stop {
            // The body uses the range again.
            true => {
                Value { expr: Expr::var(self.let_constant(DataType::U32, range.from.clone(), Role::Any)), ..range.from }
            }
            false => range.from,
        };
        let counter = range.must_stop && self.random.chance(50);
        let counter =
            counter.then(|| self.let_constant(DataType::U32, Value { expr: Expr::LitU32(0), is_uniform }, Role::Any));
        let unnamed = !range.must_stop && self.random.chance(4);
        let var = if unnamed { Name::from(Name::DISCARD) } else { self.scope.fresh_name(&mut self.random) };
        let context = Context {
            is_uniform,
            max_executions: self.context.max_executions.saturating_mul(i64::from(range.iterations.max(1))),
            ..self.context
        };
        let before = self.phases();
        self.loops.push(OpenLoop { is_uniform, phases: before.clone() });
        let count = self.random.between(1, 5);
        let body = self.nested(context, |g| {
            if !unnamed {
                g.bind_loop_variable(&var, is_uniform);
            }
            let early = g.random.chance(50);
            if range.must_stop && early {
                g.stop(&var, &from.expr, counter.as_ref(), range.iterations);
            }
            if is_uniform && g.random.chance(25) {
                g.barrier_statement();
            }
            g.statements(count);
            g.settle_phases(&before);
            if range.must_stop && !early {
                g.stop(&var, &from.expr, counter.as_ref(), range.iterations);
            }
        });
        self.loops.pop();
        self.emit(Node::for_loop(var, from.expr, range.to.expr, body));
    }

    /// Binds the variable of a loop in the scope of its body.
    pub(super) fn bind_loop_variable(&mut self, name: &Name, is_uniform: bool) {
        let name = name.clone();
        self.scope.bind(Local { name, ty: DataType::U32, is_uniform, is_mutable: false, role: Role::Any });
    }

    /// Emits a break after a number of iterations.
    fn stop(&mut self, var: &Name, from: &Expr, counter: Option<&Name>, iterations: u32) {
        let done = match counter {
            Some(counter) => {
                self.emit(Node::assign(counter, Expr::var(counter) + 1u32));
                Expr::var(counter).ge(iterations)
            }
            None if self.random.chance(50) => (Expr::var(var) - from.clone()).ge(iterations - 1),
            // If the sum overflows, the loop ends at once.
            None => Expr::var(var).ge(from.clone() + (iterations - 1)),
        };
        self.emit(Node::if_then(done, vec![Node::Break]));
    }

    /// A range of at most `max` iterations, or a longer one with `must_stop`.
    fn range(&mut self, uniform: bool, max: u32) -> Range {
        let iterations = self.random.between(1, max);
        let word = |g: &mut Self| g.value(DataType::U32, 1, uniform);
        let literal = |value: u32| Value::uniform(value);
        let map = |value: Value, f: &dyn Fn(Expr) -> Expr| Value { expr: f(value.expr), ..value };
        let bounded = |from: Value, to: Value| Range { from, to, iterations, must_stop: false };
        match self.random.below(20) {
            0..4 => bounded(literal(0), literal(iterations)),
            4 => {
                let from = self.random.number() >> 1;
                bounded(literal(from), literal(from + iterations))
            }
            5 => {
                // Empty: the end precedes the start.
                let to = self.random.below(20);
                Range { from: literal(to + self.random.below(20)), to: literal(to), iterations: 1, must_stop: false }
            }
            6 if max >= 15 => {
                Range { from: literal(0xffff_fff0), to: literal(u32::MAX), iterations: 15, must_stop: false }
            }
            6 | 7 => bounded(literal(u32::MAX - iterations), literal(u32::MAX)),
            8 => bounded(literal(0), map(word(self), &|value| value % (iterations + 1))),
            9 => bounded(literal(0), map(word(self), &|value| value.min(iterations))),
            10 => {
                let (from, to) = (word(self), word(self));
                bounded(map(from, &|value| value % iterations), map(to, &|value| value % (iterations + 1)))
            }
            11 | 12 => {
                // The end may overflow, which makes the range empty.
                let from = word(self);
                let name = self.let_constant(DataType::U32, from.clone(), Role::Any);
                let to = Value { expr: Expr::var(&name) + iterations, ..from };
                bounded(Value { expr: Expr::var(name), ..from }, to)
            }
            13 => {
                let last = (1u32 << (max + 1).ilog2()) - 1;
                let from = map(word(self), &|value| value | !last);
                Range { from, to: literal(u32::MAX), iterations: last, must_stop: false }
            }
            14 | 15 => {
                let length = self.random.below(self.buffers.len() as u32) as usize;
                let actual = self.buffers[length].length;
                let to = Value::uniform(self.length_of(length));
                if self.context.in_op || actual <= max {
                    Range { from: literal(0), to, iterations: actual.clamp(1, max), must_stop: false }
                } else {
                    bounded(literal(0), map(to, &|value| value.min(iterations)))
                }
            }
            16 => Range { from: literal(0), to: literal(u32::MAX), iterations, must_stop: true },
            17 if !uniform => {
                let local = self.number(Numbering::Local);
                let to = self.shape.workgroup_invocations().min(iterations);
                bounded(Value::divergent(local), literal(to))
            }
            _ => Range { from: word(self), to: word(self), iterations, must_stop: true },
        }
    }

    /// Emits statements for a single invocation of the workgroup or of the grid.
    pub(super) fn one_only_statement(&mut self) {
        let (numbering, owner) = self.pick_owner();
        let id = self.number(numbering);
        let mut context = Context { is_uniform: false, ..self.context };
        self.restrict(&mut context, numbering, owner);
        let count = self.random.between(1, 3);
        if self.context.may_return && self.context.depth <= 2 && self.random.chance(12) {
            // All other invocations leave, so a single one runs the rest of this body.
            self.emit(Node::if_then(id.ne(owner), vec![Node::Return]));
            let depth = self.context.depth;
            self.context = Context { depth, ..context };
            self.free_play();
            self.statements(count);
            return;
        }
        let fill = |g: &mut Self| {
            g.free_play();
            g.statements(count);
        };
        if self.random.chance(10) {
            let unnamed = Name::from(Name::DISCARD);
            self.loops.push(OpenLoop { is_uniform: false, phases: self.phases() });
            let body = self.nested(context, fill);
            self.loops.pop();
            self.emit(Node::for_loop(unnamed, 0u32, id.eq(owner), body));
            return;
        }
        let body = self.nested(context, fill);
        let cond = match self.random.below(4) {
            0 if owner == 0 => id.is_zero(),
            1 if owner == 0 => id.lt(1u32),
            2 => (id ^ owner).is_zero(),
            _ => id.eq(owner),
        };
        if self.random.chance(20) {
            let others = Context { is_uniform: false, ..self.context };
            let others = self.nested(others, |g| g.statements(2));
            self.emit(Node::if_then_else(cond, body, others));
        } else {
            self.emit(Node::if_then(cond, body));
        }
    }

    /// A single invocation, usually one that owns a buffer.
    fn pick_owner(&mut self) -> (Numbering, u32) {
        let single = |buffer: &Buffer| match (buffer.discipline, buffer.phase) {
            (Discipline::SingleInvocation(owner), _) => Some((Numbering::Linear, owner)),
            (_, Phase::Single(local)) => Some((Numbering::Local, local)),
            _ => None,
        };
        let owners: Vec<_> = self.buffers.iter().filter_map(single).collect();
        if owners.is_empty() {
            return (Numbering::Local, self.random.below(self.shape.workgroup_invocations()));
        }
        self.random.pick(&owners)
    }

    /// Restricts a context to a single invocation of the workgroup or of the grid.
    fn restrict(&self, context: &mut Context, numbering: Numbering, owner: u32) {
        match numbering {
            Numbering::Local => {
                context.only_local_index = Some(owner);
                if self.shape.workgroups() == 1 {
                    context.only_linear_index = Some(owner);
                }
            }
            Numbering::Linear => {
                context.only_local_index = Some(owner % self.shape.workgroup_invocations());
                context.only_linear_index = Some(owner);
            }
            Numbering::RowMajor => {}
        }
    }

    /// Emits a `break` or `return`, if one is permitted.
    pub(super) fn departure_statement(&mut self) {
        let leaves_loop = !self.loops.is_empty() && self.random.chance(65);
        if leaves_loop {
            return self.break_statement();
        }
        if self.context.may_return {
            let depth = self.random.between(1, 2);
            let cond = self.condition(depth, false);
            let stores = self.random.chance(50);
            let then = self.nested(self.context, |g| {
                if stores {
                    g.store_digest();
                }
                g.emit(Node::Return);
                if g.random.chance(5) {
                    g.statements(1);
                }
            });
            return self.emit(Node::if_then(cond.expr, then));
        }
        if self.context.is_uniform && self.random.chance(50) {
            let cond = self.rare_uniform_condition();
            let then = self.nested(self.context, |g| {
                if g.random.chance(60) {
                    g.store_digest();
                }
                g.emit(Node::Return);
            });
            return self.emit(Node::if_then(cond, then));
        }
        self.digest_statement();
    }

    fn break_statement(&mut self) {
        let Some(innermost) = self.loops.last().cloned() else { return };
        if innermost.is_uniform && !self.context.is_uniform {
            // A single invocation must not leave before the next barrier.
            return self.digest_statement();
        }
        let cond = self.condition(2, innermost.is_uniform);
        let before = self.phases();
        let then = self.nested(self.context, |g| {
            if g.random.chance(30) {
                g.digest_statement();
            }
            if innermost.is_uniform {
                g.settle_phases(&innermost.phases);
            }
            g.emit(Node::Break);
            if g.random.chance(5) && !g.context.is_uniform {
                g.statements(1);
            }
        });
        self.set_phases(&before);
        self.emit(Node::if_then(cond.expr, then));
    }

    /// A condition that holds for a few whole workgroups.
    fn rare_uniform_condition(&mut self) -> Expr {
        let (group, groups) = (self.shape.workgroup_index(&mut self.random), self.shape.workgroups());
        match self.random.below(3) {
            0 if groups > 1 => group.eq(self.random.below(groups)),
            1 => group.gt(self.random.between(1, 6)),
            _ => self.uniform_word(1).expr.eq(self.random.number()),
        }
    }
}
