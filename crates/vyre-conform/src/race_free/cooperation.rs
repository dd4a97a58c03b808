//! Cooperation of a workgroup through memory and barriers: exchange, broadcast, reduction, scan, histogram.

use vyre_ir::{BinOp, DataType, Expr, Name, Node};

use super::buffers::{Buffer, COMMUTATIVE, Discipline, Phase};
use super::generator::{Context, Generator, OpenLoop, Value};
use super::grid::Numbering;
use super::ownership::Ownership;
use super::scope::Role;

fn is_phased(buffer: &Buffer) -> bool {
    matches!(buffer.discipline, Discipline::Phased { .. })
}

impl Generator<'_> {
    /// Emits one of the patterns. The context must be uniform.
    pub(super) fn cooperate(&mut self) -> bool {
        let words = |buffer: &Buffer| is_phased(buffer) && buffer.decl.element == DataType::U32;
        match self.random.below(6) {
            0..2 => match self.pick_buffer(is_phased) {
                Some(buffer) => self.exchange(buffer),
                None => return false,
            },
            2 => match self.pick_buffer(is_phased) {
                Some(buffer) => self.publish(buffer),
                None => return false,
            },
            3 => match self.pick_buffer(words) {
                Some(buffer) => self.halving_sum(buffer),
                None => return false,
            },
            4 => match self.pick_buffer(words) {
                Some(buffer) => self.doubling_scan(buffer),
                None => return false,
            },
            _ => match self.pick_buffer(|buffer| words(buffer) && buffer.atomic_scope().is_some()) {
                Some(buffer) => self.histogram(buffer),
                None => return false,
            },
        }
        true
    }

    /// Index of the element of invocation `local`, which must exist.
    fn element_of_invocation(&mut self, buffer: usize, local: Expr) -> Expr {
        match self.buffers[buffer].discipline {
            Discipline::Phased { extent: Some(extent) } => self.in_slice(extent, local),
            _ => local,
        }
    }

    fn store_any(&mut self, buffer: usize, index: Expr) {
        let element = self.buffers[buffer].decl.element;
        let depth = self.random.between(1, 3);
        let value = self.value(element, depth, false).expr;
        self.emit(Node::store(self.buffer_name(buffer), index, value));
    }

    /// Exchange: each invocation stores an element, and loads elements of others after a barrier.
    fn exchange(&mut self, buffer: usize) {
        self.store_own_elements(buffer);
        if self.random.chance(20) {
            self.statements(1);
            // The barrier ends the phase of the statements between.
        }
        self.change_phase(buffer, Phase::Shared);
        let (name, element) = (self.buffer_name(buffer), self.buffers[buffer].decl.element);
        let invocations = self.shape.workgroup_invocations();
        for _ in 0..self.random.between(1, 2) {
            let local = self.number(Numbering::Local);
            let other = match self.random.below(5) {
                0 => (local + self.random.between(1, 3)) % invocations,
                1 => (invocations - 1) - local,
                2 if invocations.is_power_of_two() => local ^ self.random.below(invocations),
                3 => (local + 1u32).min(invocations - 1),
                _ => self.bounded(invocations, 2),
            };
            let index = self.element_of_invocation(buffer, other);
            self.observe(element, Expr::load(&name, index));
        }
    }

    /// Broadcast: one invocation stores, and all load after a barrier.
    fn publish(&mut self, buffer: usize) {
        let local = self.random.below(self.shape.workgroup_invocations());
        self.change_phase(buffer, Phase::Single(local));
        let context = Context { is_uniform: false, only_local_index: Some(local), ..self.context };
        let id = self.number(Numbering::Local);
        let then = self.nested(context, |g| {
            if let Some(index) = g.index(buffer, true, 2) {
                g.store_any(buffer, index);
            }
            g.statements(1);
        });
        self.emit(Node::if_then(id.eq(local), then));
        self.change_phase(buffer, Phase::Shared);
        let (name, element) = (self.buffer_name(buffer), self.buffers[buffer].decl.element);
        if let Some(index) = self.index(buffer, false, 2) {
            self.observe(element, Expr::load(name, index));
        }
    }

    /// Emits a uniform loop with a given body.
    fn uniform_loop(&mut self, iterations: u32, fill: impl FnOnce(&mut Self, &Name)) {
        let var = self.scope.fresh_name(&mut self.random);
        let max_executions = self.context.max_executions.saturating_mul(i64::from(iterations.max(1)));
        let context = Context { max_executions, ..self.context };
        self.loops.push(OpenLoop { is_uniform: true, phases: self.phases() });
        let body = self.nested(context, |g| {
            g.bind_loop_variable(&var, true);
            fill(g, &var);
        });
        self.loops.pop();
        self.emit(Node::for_loop(var, 0u32, iterations, body));
    }

    /// Each invocation stores its element, in a phase in which it owns one.
    fn store_own_elements(&mut self, buffer: usize) {
        self.change_phase(buffer, Phase::Owned(Ownership::Blocked { each: 1 }));
        let local = self.number(Numbering::Local);
        let index = self.element_of_invocation(buffer, local);
        self.store_any(buffer, index);
    }

    /// Tree reduction: the upper half is added to the lower half until one element is left.
    fn halving_sum(&mut self, buffer: usize) {
        let invocations = self.shape.workgroup_invocations();
        self.store_own_elements(buffer);
        // An invocation below `half` writes its own element, and reads one at `half` or above, which none writes.
        self.change_phase(buffer, Phase::Shared);
        let half = 1u32 << invocations.ilog2() >> 1;
        let iterations = invocations.ilog2();
        let op = self.random.pick(&[BinOp::Add, BinOp::Min, BinOp::Max, BinOp::BitXor, BinOp::BitOr]);
        let name = self.buffer_name(buffer);
        self.uniform_loop(iterations, |g, var| {
            let half = g.let_constant(DataType::U32, Value::uniform(half >> Expr::var(var)), Role::Any);
            let local = g.number(Numbering::Local);
            let context = Context { is_uniform: false, ..g.context };
            let then = g.nested(context, |g| {
                let local = g.number(Numbering::Local);
                let own = g.element_of_invocation(buffer, local.clone());
                let other = g.element_of_invocation(buffer, local + Expr::var(&half));
                let sum = Expr::binary(op, Expr::load(&name, own.clone()), Expr::load(&name, other));
                g.emit(Node::store(&name, own, sum));
            });
            g.emit(Node::if_then(local.lt(Expr::var(&half)), then));
            g.emit(Node::Barrier);
            g.scope.forget_expressions();
        });
        let first = self.element_of_invocation(buffer, Expr::LitU32(0));
        self.observe(DataType::U32, Expr::load(name, first));
    }

    /// Inclusive scan (Hillis and Steele, 1986): each invocation adds the element 1, 2, 4, ... before its own.
    fn doubling_scan(&mut self, buffer: usize) {
        let invocations = self.shape.workgroup_invocations();
        self.store_own_elements(buffer);
        self.change_phase(buffer, Phase::Shared);
        let name = self.buffer_name(buffer);
        let iterations = self.random.between(1, invocations.ilog2() + 1);
        self.uniform_loop(iterations, |g, var| {
            let distance = g.let_constant(DataType::U32, Value::uniform(1u32 << Expr::var(var)), Role::Any);
            let before = g.let_constant(DataType::U32, Value::divergent(0u32), Role::Any);
            let local = g.number(Numbering::Local);
            let other = g.element_of_invocation(buffer, local.clone() - Expr::var(&distance));
            let load = Node::assign(&before, Expr::load(&name, other));
            g.emit(Node::if_then(local.ge(Expr::var(distance)), vec![load]));
            g.change_phase(buffer, Phase::Owned(Ownership::Blocked { each: 1 }));
            let local = g.number(Numbering::Local);
            let own = g.element_of_invocation(buffer, local);
            g.emit(Node::store(&name, own.clone(), Expr::load(&name, own) + Expr::var(before)));
            g.change_phase(buffer, Phase::Shared);
        });
        if let Some(index) = self.index(buffer, false, 2) {
            self.observe(DataType::U32, Expr::load(name, index));
        }
    }

    /// Histogram: all invocations update elements with atomics, and load the sums after a barrier.
    fn histogram(&mut self, buffer: usize) {
        let op = self.random.pick(&COMMUTATIVE);
        self.change_phase(buffer, Phase::Update(op));
        let name = self.buffer_name(buffer);
        for _ in 0..self.random.between(1, 2) {
            let index = self.update_index(buffer, 3);
            let value = self.word(2).expr;
            let update = self.atomic_on(buffer, op, index, None, Some(value));
            self.emit(Node::let_bind(Name::DISCARD, update));
        }
        self.change_phase(buffer, Phase::Shared);
        if let Some(index) = self.index(buffer, false, 2) {
            self.observe(DataType::U32, Expr::load(name, index));
        }
    }
}
