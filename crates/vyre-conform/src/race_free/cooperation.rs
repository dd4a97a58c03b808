//! Shapes in which the invocations of a workgroup work together through memory and barriers.

use vyre_ir::{BinOp, DataType, Expr, Name, Node};

use super::buffers::{Buffer, COMMUTATIVE, Discipline, Phase};
use super::generator::{Generator, Here, OpenLoop, Value};
use super::layout::Layout;
use super::scope::Role;
use super::shape::Numbering;

fn is_phased(buffer: &Buffer) -> bool {
    matches!(buffer.discipline, Discipline::Phased { .. })
}

impl Generator<'_> {
    /// One of the shapes; the place must be uniform.
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
            _ => match self.pick_buffer(|buffer| words(buffer) && buffer.has_atomics()) {
                Some(buffer) => self.histogram(buffer),
                None => return false,
            },
        }
        true
    }

    /// The index of the element `local`, which must be below the number of lanes.
    fn element_of_lane(&mut self, buffer: usize, local: Expr) -> Expr {
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

    /// Each lane stores an element; after a barrier each loads those of others.
    fn exchange(&mut self, buffer: usize) {
        self.change_phase(buffer, Phase::Owned(Layout::Blocked { each: 1 }));
        let lane = self.number(Numbering::Lane);
        let index = self.element_of_lane(buffer, lane);
        self.store_any(buffer, index);
        if self.random.chance(20) {
            self.statements(1);
            // Whatever came between, the barrier ends this phase.
        }
        self.change_phase(buffer, Phase::Shared);
        let (name, element) = (self.buffer_name(buffer), self.buffers[buffer].decl.element);
        let lanes = self.shape.lanes();
        for _ in 0..self.random.between(1, 2) {
            let lane = self.number(Numbering::Lane);
            let other = match self.random.below(5) {
                0 => (lane + self.random.between(1, 3)) % lanes,
                1 => (lanes - 1) - lane,
                2 if lanes.is_power_of_two() => lane ^ self.random.below(lanes),
                3 => (lane + 1u32).min(lanes - 1),
                _ => self.bounded(lanes, 2),
            };
            let index = self.element_of_lane(buffer, other);
            self.observe(element, Expr::load(&name, index));
        }
    }

    /// One lane stores; after a barrier all load.
    fn publish(&mut self, buffer: usize) {
        let lane = self.random.below(self.shape.lanes());
        self.change_phase(buffer, Phase::Single(lane));
        let here = Here { is_uniform: false, only_lane: Some(lane), ..self.here };
        let id = self.number(Numbering::Lane);
        let then = self.nested(here, |g| {
            if let Some(index) = g.index(buffer, true, 2) {
                g.store_any(buffer, index);
            }
            g.statements(1);
        });
        self.emit(Node::if_then(id.eq(lane), then));
        self.change_phase(buffer, Phase::Shared);
        let (name, element) = (self.buffer_name(buffer), self.buffers[buffer].decl.element);
        if let Some(index) = self.index(buffer, false, 2) {
            self.observe(element, Expr::load(name, index));
        }
    }

    /// A loop with barriers whose body is given.
    fn uniform_loop(&mut self, rounds: u32, fill: impl FnOnce(&mut Self, &Name)) {
        let var = self.scope.fresh_name(&mut self.random);
        let times = self.here.times.saturating_mul(i64::from(rounds.max(1)));
        let here = Here { times, ..self.here };
        self.loops.push(OpenLoop { is_uniform: true, phases: self.phases() });
        let body = self.nested(here, |g| {
            g.bind_loop_variable(&var, true);
            fill(g, &var);
        });
        self.loops.pop();
        self.emit(Node::for_loop(var, 0u32, rounds, body));
    }

    /// Each lane stores an element; the upper half is added to the lower one until one is left.
    fn halving_sum(&mut self, buffer: usize) {
        let lanes = self.shape.lanes();
        self.change_phase(buffer, Phase::Owned(Layout::Blocked { each: 1 }));
        let lane = self.number(Numbering::Lane);
        let index = self.element_of_lane(buffer, lane);
        self.store_any(buffer, index);
        // A lane below `half` writes its own element and reads one from `half` on, which nobody writes.
        self.change_phase(buffer, Phase::Shared);
        let half = 1u32 << lanes.ilog2() >> 1;
        let rounds = lanes.ilog2();
        let op = self.random.pick(&[BinOp::Add, BinOp::Min, BinOp::Max, BinOp::BitXor, BinOp::BitOr]);
        let name = self.buffer_name(buffer);
        self.uniform_loop(rounds, |g, var| {
            let half = g.let_constant(DataType::U32, Value::uniform(half >> Expr::var(var)), Role::Any);
            let lane = g.number(Numbering::Lane);
            let here = Here { is_uniform: false, ..g.here };
            let then = g.nested(here, |g| {
                let lane = g.number(Numbering::Lane);
                let own = g.element_of_lane(buffer, lane.clone());
                let other = g.element_of_lane(buffer, lane + Expr::var(&half));
                let sum = Expr::binary(op, Expr::load(&name, own.clone()), Expr::load(&name, other));
                g.emit(Node::store(&name, own, sum));
            });
            g.emit(Node::if_then(lane.lt(Expr::var(&half)), then));
            g.emit(Node::Barrier);
            g.scope.forget_expressions();
        });
        let first = self.element_of_lane(buffer, Expr::LitU32(0));
        self.observe(DataType::U32, Expr::load(name, first));
    }

    /// Each lane stores an element, then adds the one 1, 2, 4, ... lanes before it.
    fn doubling_scan(&mut self, buffer: usize) {
        let lanes = self.shape.lanes();
        self.change_phase(buffer, Phase::Owned(Layout::Blocked { each: 1 }));
        let lane = self.number(Numbering::Lane);
        let index = self.element_of_lane(buffer, lane);
        self.store_any(buffer, index);
        self.change_phase(buffer, Phase::Shared);
        let name = self.buffer_name(buffer);
        let rounds = self.random.between(1, lanes.ilog2() + 1);
        self.uniform_loop(rounds, |g, var| {
            let distance = g.let_constant(DataType::U32, Value::uniform(1u32 << Expr::var(var)), Role::Any);
            let before = g.let_constant(DataType::U32, Value::divergent(0u32), Role::Any);
            let lane = g.number(Numbering::Lane);
            let other = g.element_of_lane(buffer, lane.clone() - Expr::var(&distance));
            let load = Node::assign(&before, Expr::load(&name, other));
            g.emit(Node::if_then(lane.ge(Expr::var(distance)), vec![load]));
            g.change_phase(buffer, Phase::Owned(Layout::Blocked { each: 1 }));
            let lane = g.number(Numbering::Lane);
            let own = g.element_of_lane(buffer, lane);
            g.emit(Node::store(&name, own.clone(), Expr::load(&name, own) + Expr::var(before)));
            g.change_phase(buffer, Phase::Shared);
        });
        if let Some(index) = self.index(buffer, false, 2) {
            self.observe(DataType::U32, Expr::load(name, index));
        }
    }

    /// All lanes update elements in any order; after a barrier all load the sums.
    fn histogram(&mut self, buffer: usize) {
        let Discipline::Phased { extent: Some(extent) } = self.buffers[buffer].discipline else { return };
        let op = self.random.pick(&COMMUTATIVE);
        self.change_phase(buffer, Phase::Update(op));
        let name = self.buffer_name(buffer);
        for _ in 0..self.random.between(1, 2) {
            let local = self.bounded(extent, 3);
            let index = self.in_slice(extent, local);
            let value = self.word(2).expr;
            self.emit(Node::let_bind(Name::DISCARD, Expr::atomic(op, &name, index, value)));
        }
        self.change_phase(buffer, Phase::Shared);
        if let Some(index) = self.index(buffer, false, 2) {
            self.observe(DataType::U32, Expr::load(name, index));
        }
    }
}
