//! Common code patterns that optimizers recognize, and similar ones that they must not.

use vyre_ir::build::pack;
use vyre_ir::{AtomicOp, BinOp, DataType, Expr, Name, Node};

use super::buffers::{Buffer, Discipline, Phase};
use super::generator::{Context, Generator, OpenLoop, Value};
use super::guards::is_per_invocation;
use super::ownership::Ownership;
use super::scope::Role;

impl Generator<'_> {
    /// Emits one of the patterns.
    pub(super) fn pattern(&mut self) {
        let cooperates = self.context.is_uniform && self.random.chance(40);
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

    /// Makes a value observable.
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

    /// Number of iterations that the budget permits, from 1 to `max`.
    pub(super) fn affordable_iterations(&self, max: u32) -> u32 {
        (self.budget.evaluations / (self.context.max_executions.max(1) * 16)).clamp(1, i64::from(max)) as u32
    }

    /// Emits a loop from 0 with a given body.
    pub(super) fn counted_loop(&mut self, to: Expr, iterations: u32, fill: impl FnOnce(&mut Self, &Name)) {
        self.ranged_loop(Expr::LitU32(0), to, iterations, fill);
    }

    /// Emits a loop over at most `iterations` numbers with a given body.
    pub(super) fn ranged_loop(&mut self, from: Expr, to: Expr, iterations: u32, fill: impl FnOnce(&mut Self, &Name)) {
        let var = self.scope.fresh_name(&mut self.random);
        let max_executions = self.context.max_executions.saturating_mul(i64::from(iterations.max(1)));
        let context = Context { is_uniform: false, max_executions, ..self.context };
        self.loops.push(OpenLoop { is_uniform: false, phases: self.phases() });
        let body = self.nested(context, |g| {
            g.bind_loop_variable(&var, false);
            fill(g, &var);
        });
        self.loops.pop();
        self.emit(Node::for_loop(var, from, to, body));
    }

    /// Emits a loop over the elements of a buffer, sometimes with a wrong end.
    fn loop_over_buffer(&mut self) -> bool {
        let max = self.affordable_iterations(70);
        let short = |buffer: &Buffer| buffer.is_open_to_loads() && (1..=max).contains(&buffer.length);
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

    /// Emits a loop over a two-dimensional table.
    fn loop_over_rows(&mut self) -> bool {
        let Some(buffer) = self.pick_buffer(Buffer::is_open_to_loads) else { return false };
        let (name, element) = (self.buffer_name(buffer), self.buffers[buffer].decl.element);
        let width = self.random.between(1, 5);
        let height = self.random.between(1, 4);
        if self.affordable_iterations(20) < width * height {
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

    /// Emits loop-invariant loads, with and without stores that may alias.
    fn invariant_load(&mut self) -> bool {
        let Some(buffer) = self.pick_buffer(is_per_invocation) else { return false };
        let Some(index) = self.let_index_of(buffer) else { return false };
        let (name, element) = (self.buffer_name(buffer), self.buffers[buffer].decl.element);
        let iterations = self.random.between(1, 6).min(self.affordable_iterations(6));
        self.counted_loop(Expr::LitU32(iterations), iterations, |g, _| {
            g.observe(element, Expr::load(&name, Expr::var(&index)));
            match g.random.below(4) {
                0 => {}
                1 => {
                    let value = g.value(element, 2, false).expr;
                    g.emit(Node::store(&name, Expr::var(&index), value));
                }
                2 => {
                    // May alias.
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

    /// Emits a loop over the elements that the invocation owns.
    fn loop_over_own_elements(&mut self) -> bool {
        let Some(buffer) = self.pick_buffer(is_per_invocation) else { return false };
        let Discipline::PerInvocation { numbering, ownership } = self.buffers[buffer].discipline else { return false };
        let name = self.buffer_name(buffer);
        let each = ownership.each();
        let line = self.length_of(buffer);
        let total = self.shape.count(numbering);
        let iterations = each.min(self.affordable_iterations(8));
        self.counted_loop(Expr::LitU32(iterations), iterations, |g, var| {
            let id = g.number(numbering);
            let index = ownership.element(id, Expr::var(var), &mut g.random);
            let role = Role::Element { buffer, phase: g.buffers[buffer].phase };
            let index = g.let_constant(DataType::U32, Value::divergent(index), role);
            if g.random.chance(50) && matches!(ownership, Ownership::Strided { .. }) {
                // Sometimes with a redundant bound check.
                let end = if g.random.chance(50) { line } else { Expr::LitU32(total) };
                g.emit(Node::if_then(Expr::var(&index).ge(end), vec![Node::Break]));
            }
            g.change_element(buffer, &name, &index);
        });
        true
    }

    /// Emits a compare-exchange loop.
    fn exchange_until_done(&mut self) -> bool {
        let owned = |buffer: &Buffer| is_per_invocation(buffer) && buffer.atomic_scope().is_some();
        let Some(buffer) = self.pick_buffer(owned) else { return false };
        let Some(index) = self.let_index_of(buffer) else { return false };
        let name = self.buffer_name(buffer);
        let iterations = self.affordable_iterations(3);
        self.counted_loop(Expr::LitU32(iterations), iterations, |g, _| {
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

    /// Emits a 64-bit addition with 32-bit words.
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

    /// Emits a load of a byte of a word buffer, or of an unaligned word.
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

    /// Emits a recurrence of several variables.
    fn recurrence(&mut self) -> bool {
        let (first, second) = (self.word(1), self.word(1));
        let first = self.let_constant(DataType::U32, Value::divergent(first.expr), Role::Any);
        let second = self.let_constant(DataType::U32, Value::divergent(second.expr), Role::Any);
        let iterations = self.random.between(1, 8).min(self.affordable_iterations(8));
        self.counted_loop(Expr::LitU32(iterations), iterations, |g, _| {
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

    /// Emits accesses at any index of a buffer that a single invocation owns, in a context of that invocation.
    pub(super) fn free_play(&mut self) {
        let (local, linear) = (self.context.only_local_index, self.context.only_linear_index);
        let owned = |buffer: &Buffer| match (buffer.discipline, buffer.phase) {
            (Discipline::SingleInvocation(owner), _) => linear == Some(owner),
            (_, Phase::Single(owner)) => local == Some(owner),
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
        // A recurrence over neighbouring elements.
        let iterations = self.affordable_iterations(6);
        if matches!(self.buffers[buffer].discipline, Discipline::Phased { extent: Some(_) }) || self.random.chance(60) {
            return;
        }
        self.counted_loop(Expr::LitU32(iterations), iterations, |g, var| {
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

    /// Emits a long chain of operators.
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

    /// Emits a multi-way branch on the value of a variable.
    fn choice_of_ways(&mut self) {
        let branches = self.random.between(2, 4);
        let value = self.word(2);
        let value = Value { expr: value.expr % (branches + 1), ..value };
        let value = self.let_constant(DataType::U32, value, Role::Any);
        let context = Context { is_uniform: false, ..self.context };
        let mut otherwise = self.nested(context, |g| g.statements(1));
        for branch in 0..branches {
            let then = self.nested(context, |g| g.statements(1));
            otherwise = vec![Node::if_then_else(Expr::var(&value).eq(branch), then, otherwise)];
        }
        otherwise.into_iter().for_each(|node| self.emit(node));
    }
}
