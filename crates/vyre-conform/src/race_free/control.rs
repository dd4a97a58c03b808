//! Statements that decide which way invocations take, and where they meet.

use vyre_ir::{DataType, Expr, Name, Node};

use super::buffers::{Buffer, Discipline, Phase};
use super::generator::{Generator, Here, OpenLoop, Value};
use super::scope::{Local, Role};
use super::shape::Numbering;

/// The range of a loop.
struct Range {
    from: Value,
    to: Value,
    /// The most rounds.
    rounds: u32,
    /// Whether the range is longer than that, so that the loop has to be left.
    must_stop: bool,
}

impl Generator<'_> {
    /// A barrier, after which some buffers may be used in other ways.
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
        let body = self.nested(self.here, |g| g.statements(count));
        self.emit(Node::Block(body));
    }

    pub(super) fn if_statement(&mut self) {
        let uniform = self.here.is_uniform && self.random.chance(55);
        let depth = self.random.between(1, 3);
        let cond = self.condition(depth, uniform);
        let here = Here { is_uniform: self.here.is_uniform && cond.is_uniform, ..self.here };
        let before = self.phases();
        let count = self.random.between(1, 4);
        let mut after = before.clone();
        let then = self.nested(here, |g| {
            if here.is_uniform && g.random.chance(15) {
                g.barrier_statement();
            }
            g.statements(count);
            if g.random.chance(70) {
                g.settle_phases(&before);
            }
            after = g.phases();
        });
        // Where `then` ends in other phases than it began, the other way has to lead there too.
        self.set_phases(&before);
        let otherwise = if after != before || self.random.chance(40) {
            let count = self.random.between(if after == before { 1 } else { 0 }, 3);
            self.nested(here, |g| {
                if g.here.depth < 5 && g.random.chance(28) {
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

    /// Takes phases as given, where a way through the program begins in them.
    pub(super) fn set_phases(&mut self, phases: &[Phase]) {
        if self.phases() != phases {
            for (buffer, &phase) in self.buffers.iter_mut().zip(phases) {
                buffer.phase = phase;
            }
            self.scope.forget_expressions();
        }
    }

    pub(super) fn loop_statement(&mut self) {
        let most = (self.budget.evaluations / (self.here.times * 24)).clamp(0, 16) as u32;
        if most < 2 {
            return self.block_statement();
        }
        let uniform = self.here.is_uniform && self.random.chance(if self.loops.is_empty() { 70 } else { 90 });
        let range = self.range(uniform, most);
        let together = self.here.is_uniform && range.from.is_uniform && range.to.is_uniform;
        // Where single invocations may leave the loop, its body is not uniform though its range is.
        let is_uniform = together && self.random.chance(80);
        let from = match range.must_stop {
            // The range is looked at again in the loop.
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
        let here =
            Here { is_uniform, times: self.here.times.saturating_mul(i64::from(range.rounds.max(1))), ..self.here };
        let before = self.phases();
        self.loops.push(OpenLoop { is_uniform, phases: before.clone() });
        let count = self.random.between(1, 5);
        let body = self.nested(here, |g| {
            if !unnamed {
                g.bind_loop_variable(&var, is_uniform);
            }
            let early = g.random.chance(50);
            if range.must_stop && early {
                g.stop(&var, &from.expr, counter.as_ref(), range.rounds);
            }
            if is_uniform && g.random.chance(25) {
                g.barrier_statement();
            }
            g.statements(count);
            g.settle_phases(&before);
            if range.must_stop && !early {
                g.stop(&var, &from.expr, counter.as_ref(), range.rounds);
            }
        });
        self.loops.pop();
        self.emit(Node::for_loop(var, from.expr, range.to.expr, body));
    }

    /// Makes the variable of a loop known to its body.
    pub(super) fn bind_loop_variable(&mut self, name: &Name, is_uniform: bool) {
        let name = name.clone();
        self.scope.bind(Local { name, ty: DataType::U32, is_uniform, is_mutable: false, role: Role::Any });
    }

    /// Leaves the loop after some rounds.
    fn stop(&mut self, var: &Name, from: &Expr, counter: Option<&Name>, rounds: u32) {
        let done = match counter {
            Some(counter) => {
                self.emit(Node::assign(counter, Expr::var(counter) + 1u32));
                Expr::var(counter).ge(rounds)
            }
            None if self.random.chance(50) => (Expr::var(var) - from.clone()).ge(rounds - 1),
            // Where the sum wraps, the loop ends at once.
            None => Expr::var(var).ge(from.clone() + (rounds - 1)),
        };
        self.emit(Node::if_then(done, vec![Node::Break]));
    }

    /// A range of at most `most` rounds, or of more where it says so.
    fn range(&mut self, uniform: bool, most: u32) -> Range {
        let rounds = self.random.between(1, most);
        let word = |g: &mut Self| g.value(DataType::U32, 1, uniform);
        let literal = |value: u32| Value::uniform(value);
        let map = |value: Value, f: &dyn Fn(Expr) -> Expr| Value { expr: f(value.expr), ..value };
        let bounded = |from: Value, to: Value| Range { from, to, rounds, must_stop: false };
        match self.random.below(20) {
            0..4 => bounded(literal(0), literal(rounds)),
            4 => {
                let from = self.random.number() >> 1;
                bounded(literal(from), literal(from + rounds))
            }
            5 => {
                // Empty: the end comes before the start.
                let to = self.random.below(20);
                Range { from: literal(to + self.random.below(20)), to: literal(to), rounds: 1, must_stop: false }
            }
            6 if most >= 15 => {
                Range { from: literal(0xffff_fff0), to: literal(u32::MAX), rounds: 15, must_stop: false }
            }
            6 | 7 => bounded(literal(u32::MAX - rounds), literal(u32::MAX)),
            8 => bounded(literal(0), map(word(self), &|value| value % (rounds + 1))),
            9 => bounded(literal(0), map(word(self), &|value| value.min(rounds))),
            10 => {
                let (from, to) = (word(self), word(self));
                bounded(map(from, &|value| value % rounds), map(to, &|value| value % (rounds + 1)))
            }
            11 | 12 => {
                // The end may wrap, and then nothing runs.
                let from = word(self);
                let name = self.let_constant(DataType::U32, from.clone(), Role::Any);
                let to = Value { expr: Expr::var(&name) + rounds, ..from };
                bounded(Value { expr: Expr::var(name), ..from }, to)
            }
            13 => {
                let last = (1u32 << (most + 1).ilog2()) - 1;
                let from = map(word(self), &|value| value | !last);
                Range { from, to: literal(u32::MAX), rounds: last, must_stop: false }
            }
            14 | 15 => {
                let length = self.random.below(self.buffers.len() as u32) as usize;
                let actual = self.buffers[length].length;
                let to = Value::uniform(self.length_of(length));
                if self.here.in_op || actual <= most {
                    Range { from: literal(0), to, rounds: actual.clamp(1, most), must_stop: false }
                } else {
                    bounded(literal(0), map(to, &|value| value.min(rounds)))
                }
            }
            16 => Range { from: literal(0), to: literal(u32::MAX), rounds, must_stop: true },
            17 if !uniform => {
                let lane = self.number(Numbering::Lane);
                let to = self.shape.lanes().min(rounds);
                bounded(Value::divergent(lane), literal(to))
            }
            _ => Range { from: word(self), to: word(self), rounds, must_stop: true },
        }
    }

    /// Statements for a single lane or invocation.
    pub(super) fn one_only_statement(&mut self) {
        let (numbering, owner) = self.pick_owner();
        let id = self.number(numbering);
        let mut here = Here { is_uniform: false, ..self.here };
        self.restrict(&mut here, numbering, owner);
        let count = self.random.between(1, 3);
        if self.here.may_return && self.here.depth <= 2 && self.random.chance(12) {
            // The others leave, so what follows in this body is for one only.
            self.emit(Node::if_then(id.ne(owner), vec![Node::Return]));
            let depth = self.here.depth;
            self.here = Here { depth, ..here };
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
            let body = self.nested(here, fill);
            self.loops.pop();
            self.emit(Node::for_loop(unnamed, 0u32, id.eq(owner), body));
            return;
        }
        let body = self.nested(here, fill);
        let cond = match self.random.below(4) {
            0 if owner == 0 => id.is_zero(),
            1 if owner == 0 => id.lt(1u32),
            2 => (id ^ owner).is_zero(),
            _ => id.eq(owner),
        };
        if self.random.chance(20) {
            let others = Here { is_uniform: false, ..self.here };
            let others = self.nested(others, |g| g.statements(2));
            self.emit(Node::if_then_else(cond, body, others));
        } else {
            self.emit(Node::if_then(cond, body));
        }
    }

    /// A lane or invocation, mostly one that has a buffer for itself.
    fn pick_owner(&mut self) -> (Numbering, u32) {
        let single = |buffer: &Buffer| match (buffer.discipline, buffer.phase) {
            (Discipline::SingleInvocation(owner), _) => Some((Numbering::Linear, owner)),
            (_, Phase::Single(lane)) => Some((Numbering::Lane, lane)),
            _ => None,
        };
        let owners: Vec<_> = self.buffers.iter().filter_map(single).collect();
        if owners.is_empty() {
            return (Numbering::Lane, self.random.below(self.shape.lanes()));
        }
        self.random.pick(&owners)
    }

    /// Notes that only one invocation of the workgroup or of the grid comes to a place.
    fn restrict(&self, here: &mut Here, numbering: Numbering, owner: u32) {
        match numbering {
            Numbering::Lane => {
                here.only_lane = Some(owner);
                if self.shape.groups() == 1 {
                    here.only_invocation = Some(owner);
                }
            }
            Numbering::Linear => {
                here.only_lane = Some(owner % self.shape.lanes());
                here.only_invocation = Some(owner);
            }
            Numbering::RowMajor => {}
        }
    }

    /// A `break` or `return`, where one is possible.
    pub(super) fn departure_statement(&mut self) {
        let leaves_loop = !self.loops.is_empty() && self.random.chance(65);
        if leaves_loop {
            return self.break_statement();
        }
        if self.here.may_return {
            let depth = self.random.between(1, 2);
            let cond = self.condition(depth, false);
            let stores = self.random.chance(50);
            let then = self.nested(self.here, |g| {
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
        if self.here.is_uniform && self.random.chance(50) {
            let cond = self.rare_uniform_condition();
            let then = self.nested(self.here, |g| {
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
        if innermost.is_uniform && !self.here.is_uniform {
            // A single invocation would leave the others alone at their next meeting.
            return self.digest_statement();
        }
        let cond = self.condition(2, innermost.is_uniform);
        let before = self.phases();
        let then = self.nested(self.here, |g| {
            if g.random.chance(30) {
                g.digest_statement();
            }
            if innermost.is_uniform {
                g.settle_phases(&innermost.phases);
            }
            g.emit(Node::Break);
            if g.random.chance(5) && !g.here.is_uniform {
                g.statements(1);
            }
        });
        self.set_phases(&before);
        self.emit(Node::if_then(cond.expr, then));
    }

    /// A condition that holds for whole workgroups, and not for many of them.
    fn rare_uniform_condition(&mut self) -> Expr {
        let (group, groups) = (self.shape.group(&mut self.random), self.shape.groups());
        match self.random.below(3) {
            0 if groups > 1 => group.eq(self.random.below(groups)),
            1 => group.gt(self.random.between(1, 6)),
            _ => self.uniform_word(1).expr.eq(self.random.number()),
        }
    }
}
