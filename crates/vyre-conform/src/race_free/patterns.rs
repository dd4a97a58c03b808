//! Shapes that real programs have and optimizers look for, next to shapes that only look the same.

use vyre_ir::build::pack;
use vyre_ir::{AtomicOp, BinOp, DataType, Expr, Name, Node};

use super::buffers::{Buffer, Discipline, Phase};
use super::generator::{Generator, Here, OpenLoop, Value};
use super::guards::is_per_invocation;
use super::layout::Layout;
use super::scope::Role;

impl Generator<'_> {
    /// One of the shapes.
    pub(super) fn pattern(&mut self) {
        let cooperates = self.here.is_uniform && self.random.chance(40);
        let done = match self.random.below(15) {
            _ if cooperates => self.cooperate(),
            0..2 => self.guarded_own_element(),
            2..4 => self.guarded_load(),
            4 => self.guarded_then_changed(),
            5 => self.loop_over_buffer(),
            6 => self.invariant_load(),
            7 => self.loop_over_own_elements(),
            8 => self.tested_element(),
            9 => self.exchange_until_done(),
            10 => self.add_with_carry(),
            11 => self.load_byte(),
            12 => self.loop_over_rows(),
            _ => self.recurrence(),
        };
        if !done {
            match self.random.below(3) {
                0 => self.chain(),
                1 => self.choice_of_ways(),
                _ => self.store_statement(),
            }
        }
    }

    /// Uses a value where somebody sees it.
    pub(super) fn observe(&mut self, ty: DataType, value: Expr) {
        let word = self.word_of(ty, value);
        match self.digest.clone() {
            Some(digest) if self.random.chance(80) => {
                let op = self.random.pick(&[BinOp::Add, BinOp::BitXor, BinOp::Sub, BinOp::Max]);
                self.emit(Node::assign(&digest, Expr::binary(op, Expr::var(&digest), word)));
            }
            _ => {
                self.let_variable(DataType::U32, Value::divergent(word));
            }
        }
    }

    /// How many rounds a small loop may have here, up to `most`; at least 1.
    pub(super) fn affordable_rounds(&self, most: u32) -> u32 {
        (self.budget.evaluations / (self.here.times.max(1) * 16)).clamp(1, i64::from(most)) as u32
    }

    /// A loop whose body is given, for rounds that count from 0.
    pub(super) fn counted_loop(&mut self, to: Expr, rounds: u32, fill: impl FnOnce(&mut Self, &Name)) {
        self.ranged_loop(Expr::LitU32(0), to, rounds, fill);
    }

    /// A loop whose body is given, over a range of at most `rounds` numbers.
    pub(super) fn ranged_loop(&mut self, from: Expr, to: Expr, rounds: u32, fill: impl FnOnce(&mut Self, &Name)) {
        let var = self.scope.fresh_name(&mut self.random);
        let times = self.here.times.saturating_mul(i64::from(rounds.max(1)));
        let here = Here { is_uniform: false, times, ..self.here };
        self.loops.push(OpenLoop { is_uniform: false, phases: self.phases() });
        let body = self.nested(here, |g| {
            g.bind_loop_variable(&var, false);
            fill(g, &var);
        });
        self.loops.pop();
        self.emit(Node::for_loop(var, from, to, body));
    }

    /// Goes over all elements of a buffer, or nearly all, or some more.
    fn loop_over_buffer(&mut self) -> bool {
        let most = self.affordable_rounds(70);
        let short = |buffer: &Buffer| buffer.is_open_to_loads() && (1..=most).contains(&buffer.length);
        let Some(buffer) = self.pick_buffer(short) else { return false };
        let (name, element) = (self.buffer_name(buffer), self.buffers[buffer].decl.element);
        let length = self.buffers[buffer].length;
        let to = match self.random.below(6) {
            0 => self.length_of(buffer) + 1u32,
            1 => self.length_of(buffer) - 1u32,
            2 => self.length_of(buffer).min(self.random.number()),
            _ => self.length_of(buffer),
        };
        self.counted_loop(to, length + 1, |g, var| {
            let var = Expr::var(var);
            let index = match g.random.below(8) {
                0 => var.clone() + 1u32,
                1 => var.clone() - 1u32,
                2 => g.length_of(buffer) - 1u32 - var.clone(),
                3 => var.clone() * 2u32,
                4 => g.length_of(buffer) - var.clone(),
                _ => var.clone(),
            };
            g.observe(element, Expr::load(&name, index));
            if g.random.chance(25) {
                let cond = g.condition(1, false);
                g.emit(Node::if_then(cond.expr, vec![Node::Break]));
            }
            if g.random.chance(25) {
                g.statements(1);
            }
        });
        true
    }

    /// Goes over a table of rows.
    fn loop_over_rows(&mut self) -> bool {
        let Some(buffer) = self.pick_buffer(Buffer::is_open_to_loads) else { return false };
        let (name, element) = (self.buffer_name(buffer), self.buffers[buffer].decl.element);
        let width = self.random.between(1, 5);
        let height = self.random.between(1, 4);
        if self.affordable_rounds(20) < width * height {
            return false;
        }
        self.counted_loop(Expr::LitU32(height), height, |g, row| {
            g.counted_loop(Expr::LitU32(width), width, |g, column| {
                let index = match g.random.below(3) {
                    0 => Expr::var(column) * height + Expr::var(row),
                    _ => Expr::var(row) * width + Expr::var(column),
                };
                g.observe(element, Expr::load(&name, index));
            });
            if g.random.chance(30) {
                g.statements(1);
            }
        });
        true
    }

    /// Loads the same element in each round, with and without stores that may change it.
    fn invariant_load(&mut self) -> bool {
        let Some(buffer) = self.pick_buffer(is_per_invocation) else { return false };
        let Some(index) = self.let_index_of(buffer) else { return false };
        let (name, element) = (self.buffer_name(buffer), self.buffers[buffer].decl.element);
        let rounds = self.random.between(1, 6).min(self.affordable_rounds(6));
        self.counted_loop(Expr::LitU32(rounds), rounds, |g, _| {
            g.observe(element, Expr::load(&name, Expr::var(&index)));
            match g.random.below(4) {
                0 => {}
                1 => {
                    let value = g.value(element, 2, false).expr;
                    g.emit(Node::store(&name, Expr::var(&index), value));
                }
                2 => {
                    // Another element, or the same.
                    let value = g.value(element, 2, false).expr;
                    if let Some(other) = g.index(buffer, true, 1) {
                        g.emit(Node::store(&name, other, value));
                    }
                }
                _ => g.store_statement(),
            }
        });
        true
    }

    /// Goes over the elements that the invocation owns.
    fn loop_over_own_elements(&mut self) -> bool {
        let Some(buffer) = self.pick_buffer(is_per_invocation) else { return false };
        let Discipline::PerInvocation { numbering, layout } = self.buffers[buffer].discipline else { return false };
        let name = self.buffer_name(buffer);
        let each = layout.each();
        let line = self.length_of(buffer);
        let total = self.shape.count(numbering);
        let rounds = each.min(self.affordable_rounds(8));
        self.counted_loop(Expr::LitU32(rounds), rounds, |g, var| {
            let id = g.number(numbering);
            let index = layout.element(id, Expr::var(var), &mut g.random);
            let role = Role::Element { buffer, phase: g.buffers[buffer].phase };
            let index = g.let_constant(DataType::U32, Value::divergent(index), role);
            if g.random.chance(50) && matches!(layout, Layout::Strided { .. }) {
                // Now and then the end of the buffer is tested though the number of elements is known.
                let end = if g.random.chance(50) { line } else { Expr::LitU32(total) };
                g.emit(Node::if_then(Expr::var(&index).ge(end), vec![Node::Break]));
            }
            g.change_element(buffer, &name, &index);
        });
        true
    }

    /// A loop that ends when a compare-exchange succeeds.
    fn exchange_until_done(&mut self) -> bool {
        let owned = |buffer: &Buffer| is_per_invocation(buffer) && buffer.has_atomics();
        let Some(buffer) = self.pick_buffer(owned) else { return false };
        let Some(index) = self.let_index_of(buffer) else { return false };
        let name = self.buffer_name(buffer);
        let rounds = self.affordable_rounds(3);
        self.counted_loop(Expr::LitU32(rounds), rounds, |g, _| {
            let old = Expr::atomic_load(&name, Expr::var(&index));
            let old = g.let_constant(DataType::U32, Value::divergent(old), Role::Any);
            let op = g.random.pick(BinOp::ALL);
            let operand = g.word(1).expr;
            let new = Expr::binary(op, Expr::var(&old), operand);
            let found = Expr::atomic_compare_exchange(&name, Expr::var(&index), Expr::var(&old), new);
            let found = g.let_constant(DataType::U32, Value::divergent(found), Role::Any);
            g.emit(Node::if_then(Expr::var(found).eq(Expr::var(old)), vec![Node::Break]));
        });
        if self.random.chance(50) {
            let value = self.word(1).expr;
            let last = Expr::atomic(AtomicOp::Exchange, &name, Expr::var(&index), value);
            self.observe(DataType::U32, last);
        }
        true
    }

    /// A 64-bit sum from 32-bit ones.
    fn add_with_carry(&mut self) -> bool {
        let ty = self.random.pick(&[DataType::U64, DataType::Vec2U32]);
        let (left, right) = (self.value(ty, 2, false), self.value(ty, 2, false));
        let left = self.let_constant(ty, left, Role::Any);
        let right = self.let_constant(ty, right, Role::Any);
        let low = Expr::var(&left).lane(0) + Expr::var(&right).lane(0);
        let low = self.let_constant(DataType::U32, Value::divergent(low), Role::Any);
        let carry = Expr::var(&low).lt(Expr::var(&left).lane(0));
        let high = Expr::var(left).lane(1) + Expr::var(right).lane(1) + carry;
        self.let_variable(ty, Value::divergent(pack(ty, [Expr::var(low), high])));
        true
    }

    /// A byte of a buffer of words, or an unaligned word.
    fn load_byte(&mut self) -> bool {
        let words = |buffer: &Buffer| buffer.is_open_to_loads() && buffer.decl.element == DataType::U32;
        let Some(buffer) = self.pick_buffer(words) else { return false };
        let name = self.buffer_name(buffer);
        let at = self.word(2);
        let at = self.let_constant(DataType::U32, at, Role::Any);
        let word = Expr::var(&at) >> 2u32;
        let shift = (Expr::var(&at) & 3u32) << 3u32;
        let low = Expr::load(&name, word.clone()) >> shift.clone();
        let value = if self.random.chance(50) {
            low & 0xffu32
        } else {
            low | (Expr::load(&name, word + 1u32) << 1u32 << (31u32 - shift))
        };
        self.observe(DataType::U32, value);
        true
    }

    /// Variables that depend on each other from round to round.
    fn recurrence(&mut self) -> bool {
        let (first, second) = (self.word(1), self.word(1));
        let first = self.let_constant(DataType::U32, Value::divergent(first.expr), Role::Any);
        let second = self.let_constant(DataType::U32, Value::divergent(second.expr), Role::Any);
        let rounds = self.random.between(1, 8).min(self.affordable_rounds(8));
        self.counted_loop(Expr::LitU32(rounds), rounds, |g, _| {
            let op = g.random.pick(BinOp::ALL);
            let next = Expr::binary(op, Expr::var(&first), Expr::var(&second));
            let next = g.let_constant(DataType::U32, Value::divergent(next), Role::Any);
            g.emit(Node::assign(&first, Expr::var(&second)));
            g.emit(Node::assign(&second, Expr::var(next)));
            if g.random.chance(30) {
                g.statements(1);
            }
        });
        self.observe(DataType::U32, Expr::var(first) ^ Expr::var(second));
        true
    }

    /// Accesses at any index to a buffer that one invocation has for itself, if it is the one that comes here.
    pub(super) fn free_play(&mut self) {
        let (lane, invocation) = (self.here.only_lane, self.here.only_invocation);
        let owned = |buffer: &Buffer| match (buffer.discipline, buffer.phase) {
            (Discipline::SingleInvocation(owner), _) => invocation == Some(owner),
            (_, Phase::Single(owner)) => lane == Some(owner),
            _ => false,
        };
        let Some(buffer) = self.pick_buffer(owned) else { return };
        let (name, element) = (self.buffer_name(buffer), self.buffers[buffer].decl.element);
        for _ in 0..self.random.between(1, 3) {
            let Some(index) = self.index(buffer, true, 2) else { continue };
            if self.random.chance(35) {
                self.observe(element, Expr::load(&name, index));
            } else {
                let value = self.value(element, 2, false).expr;
                self.emit(Node::store(&name, index, value));
            }
        }
        // Elements that depend on their neighbours, from round to round.
        let rounds = self.affordable_rounds(6);
        if matches!(self.buffers[buffer].discipline, Discipline::Phased { extent: Some(_) }) || self.random.chance(60) {
            return;
        }
        self.counted_loop(Expr::LitU32(rounds), rounds, |g, var| {
            let (near, var) = (g.random.below(3), Expr::var(var));
            let from = if g.random.chance(50) { var.clone() + near } else { var.clone() - near };
            let (to, from) = if g.random.chance(70) { (var, from) } else { (from, var) };
            let value = match element {
                DataType::U32 => Expr::load(&name, from) + g.word(1).expr,
                _ => Expr::load(&name, from),
            };
            g.emit(Node::store(&name, to, value));
        });
    }

    /// A long expression with one operand after the other.
    fn chain(&mut self) {
        let mut value = self.word(1).expr;
        let links = self.random.between(4, 24);
        for _ in 0..links {
            let op = self.random.pick(BinOp::ALL);
            let operand = self.leaf(DataType::U32, false).expr;
            value = if self.random.chance(75) {
                Expr::binary(op, value, operand)
            } else {
                Expr::binary(op, operand, value)
            };
        }
        self.observe(DataType::U32, value);
    }

    /// One of several ways, by the value of a variable.
    fn choice_of_ways(&mut self) {
        let ways = self.random.between(2, 4);
        let value = self.word(2);
        let value = Value { expr: value.expr % (ways + 1), ..value };
        let value = self.let_constant(DataType::U32, value, Role::Any);
        let here = Here { is_uniform: false, ..self.here };
        let mut otherwise = self.nested(here, |g| g.statements(1));
        for way in 0..ways {
            let then = self.nested(here, |g| g.statements(1));
            otherwise = vec![Node::if_then_else(Expr::var(&value).eq(way), then, otherwise)];
        }
        otherwise.into_iter().for_each(|node| self.emit(node));
    }
}
