//! Optimizer pitfalls: accesses, divisions and shifts that are safe only because of a condition or loop around them.

use vyre_ir::build::local_id;
use vyre_ir::{BinOp, BufferAccess, DataType, Expr, Name, Node};

use super::buffers::Buffer;
use super::generator::{Context, Generator, Value};
use super::grid::Numbering;
use super::scope::Role;

/// A variable as an operand.
pub(super) fn var(name: &Name) -> Expr {
    Expr::var(name)
}

impl Generator<'_> {
    /// Emits one of the pitfalls.
    pub(super) fn pitfall_statement(&mut self) {
        let done = match self.random.below(32) {
            0..5 => self.either_in_range(),
            5..10 => self.harmless_in_loop(),
            10..13 => self.sums_of_one_base(),
            13..16 => self.exit_or_assign(),
            16..20 => self.choice_of_values(),
            20..24 => self.algebra(),
            24..27 => self.assigned_on_some_paths(),
            27..30 => self.flags(),
            _ => self.call_in_loop(),
        };
        if !done {
            match self.random.below(3) {
                0 => self.algebra(),
                1 => self.choice_of_values(),
                _ => self.assigned_on_some_paths(),
            };
        }
    }

    /// Context of a statement that only some invocations reach.
    pub(super) fn divergent_context(&self) -> Context {
        Context { is_uniform: false, ..self.context }
    }

    /// Binds a number below `end`, often 0.
    pub(super) fn let_small(&mut self, end: u32) -> Name {
        let value = match self.random.below(8) {
            0 | 1 if !self.context.in_op => self.number(Numbering::Local) % end,
            2 if !self.context.in_op => self.number(Numbering::Linear) % end,
            3 => self.leaf(DataType::U32, false).expr.min(end - 1),
            4 => Expr::LitU32(self.random.below(end)),
            5 => self.leaf(DataType::U32, false).expr % end,
            _ => self.word(2).expr % end,
        };
        self.let_plain(value)
    }

    /// Binds any word.
    pub(super) fn let_word(&mut self, depth: u32) -> Name {
        let value = self.word(depth).expr;
        self.let_plain(value)
    }

    /// Binds a word to a variable that is never assigned.
    pub(super) fn let_plain(&mut self, value: Expr) -> Name {
        self.let_constant(DataType::U32, Value::divergent(value), Role::Any)
    }

    /// Binds an index that is in range about half of the time.
    fn let_near_index(&mut self, buffer: usize) -> Name {
        let length = self.buffers[buffer].length;
        let index = match self.random.below(8) {
            0..2 if !self.context.in_op => self.number(Numbering::Local),
            2 if !self.context.in_op => self.number(Numbering::Linear),
            3 => self.leaf(DataType::U32, false).expr % (length + 2),
            4 => self.word(1).expr % (2 * length + 1),
            5 => self.length_of(buffer) - self.random.below(3),
            6 => self.word(1).expr & self.random.pick(&[1u32, 3, 7, 31]),
            _ => self.any_index(buffer, 1),
        };
        self.let_plain(index)
    }

    /// Emits observable loads.
    fn observe_loads(&mut self, buffer: usize, indices: &[Expr]) {
        let (name, element) = (self.buffer_name(buffer), self.buffers[buffer].decl.element);
        for index in indices {
            self.observe(element, Expr::load(&name, index.clone()));
        }
    }

    /// Emits combinations of conditions by `||`, `&&`, `!`, `&` and `|` around accesses that some of them prove to be in range.
    fn either_in_range(&mut self) -> bool {
        let Some(first) = self.pick_buffer(Buffer::is_open_to_loads) else { return false };
        let Some(second) = self.pick_buffer(Buffer::is_open_to_loads) else { return false };
        let index = self.let_near_index(first);
        let at = var(&index);
        let p =
            if self.random.chance(80) { at.clone().lt(self.length_of(first)) } else { self.length_of(first).gt(&at) };
        let q = match self.random.below(3) {
            0 => {
                let (left, right) = (self.let_small(6), self.let_small(6));
                var(&left).lt(var(&right))
            }
            1 if self.random.chance(50) => self.length_of(second).le(at.clone()),
            _ => at.clone().lt(self.length_of(second)),
        };
        let cond = match self.random.below(14) {
            0..3 => p.clone().or(q.clone()),
            3 => q.clone().or(p.clone()),
            4 => p.clone().and(q.clone()),
            5..7 => p.clone().and(q.clone()).is_zero(),
            7 => p.clone().or(q.clone()).is_zero(),
            8..10 => p.clone() & q.clone(),
            10..12 => p.clone() | q.clone(),
            12 => {
                let other = self.let_small(3);
                p.clone().and(q.clone()).is_zero().and(var(&other))
            }
            _ => {
                let other = self.let_small(3);
                var(&other).or(p.clone().or(q.clone()).is_zero())
            }
        };
        let more = self.random.below(3);
        let fill = |g: &mut Self| {
            match more {
                0 => g.observe(DataType::U32, p.clone().and(q.clone()).is_zero()),
                1 => g.observe(DataType::U32, p.clone().or(q.clone()).select(5u32, 9u32)),
                _ => {}
            }
            g.observe_loads(first, std::slice::from_ref(&at));
            g.observe_loads(second, std::slice::from_ref(&at));
        };
        let then = self.nested(self.divergent_context(), fill);
        let otherwise = if self.random.chance(60) { self.nested(self.divergent_context(), fill) } else { Vec::new() };
        self.emit(Node::if_then_else(cond, then, otherwise));
        true
    }

    /// Emits loop-invariant work that is safe only if the loop has an iteration, or because of a branch.
    fn harmless_in_loop(&mut self) -> bool {
        let max = self.affordable_iterations(4);
        match self.random.below(12) {
            0..5 => self.division_by_bound(max),
            5..8 => self.shift_in_range(max),
            8 => self.first_of_buffer(max),
            9 => self.start_of_range(max),
            _ => {
                let (dividend, divisor) = (self.let_word(1), self.let_small(4));
                let test = self.random.pick(&[BinOp::Ne, BinOp::Gt]);
                let op = self.random.pick(&[BinOp::Div, BinOp::Mod]);
                let cond = |divisor: Expr| Expr::binary(test, divisor, 0u32);
                self.branch_and_loop(&divisor, max, cond, |divisor| Expr::binary(op, var(&dividend), divisor));
                true
            }
        }
    }

    /// `x / d` or `x % d`.
    fn quotient(&mut self, dividend: &Name, divisor: &Name) -> Expr {
        let op = self.random.pick(&[BinOp::Div, BinOp::Mod]);
        Expr::binary(op, var(dividend), var(divisor))
    }

    /// Emits a branch around a loop, or a loop around a branch, with work in both.
    fn branch_and_loop(&mut self, tested: &Name, max: u32, cond: impl Fn(Expr) -> Expr, work: impl Fn(Expr) -> Expr) {
        let to = if self.random.chance(50) { var(&self.let_small(max + 1)) } else { Expr::LitU32(max) };
        if self.random.chance(35) {
            let then = self.nested(self.divergent_context(), |g| {
                g.counted_loop(to, max, |g, _| g.observe(DataType::U32, work(var(tested))));
            });
            return self.emit(Node::if_then(cond(var(tested)), then));
        }
        // The tested variable may have the same value at each test, and others in between.
        let variable = self.random.chance(50).then(|| self.let_plain(var(tested)));
        self.counted_loop(to, max, |g, iteration| {
            if let Some(variable) = &variable {
                g.emit(Node::assign(variable, var(tested)));
            }
            let tested = variable.as_ref().unwrap_or(tested);
            let then = g.nested(g.context, |g| g.observe(DataType::U32, work(var(tested))));
            g.emit(Node::if_then(cond(var(tested)), then));
            if let Some(variable) = &variable {
                g.emit(Node::assign(variable, var(iteration)));
            }
        });
    }

    /// Emits `for k in 0..d { .. x / d .. }`, where `d` may be 0.
    fn division_by_bound(&mut self, max: u32) -> bool {
        let dividend = self.let_word(1);
        let divisor = match self.random.below(3) {
            0 => {
                let (tested, other) = (self.let_small(3), self.let_small(max + 1));
                let cond = if self.random.chance(50) { var(&tested).is_zero() } else { var(&tested).eq(0u32) };
                let one = match self.random.below(3) {
                    0 => var(&self.let_small(max + 1)),
                    _ => Expr::LitU32(self.random.between(1, max)),
                };
                let cond = if self.random.chance(70) { cond } else { var(&tested) };
                self.let_plain(cond.select(one, var(&other)))
            }
            _ => self.let_small(max + 1),
        };
        let other = self.random.chance(20).then(|| self.let_small(4));
        self.counted_loop(var(&divisor), max, |g, _| {
            let value = g.quotient(&dividend, &divisor);
            match other {
                Some(cond) => {
                    let then = g.nested(g.context, |g| g.observe(DataType::U32, value));
                    g.emit(Node::if_then(var(&cond), then));
                }
                None => g.observe(DataType::U32, value),
            }
        });
        true
    }

    /// Emits a shift by an amount that a branch proves to be below 32.
    fn shift_in_range(&mut self, max: u32) -> bool {
        let shifted = self.let_word(1);
        let amount = match self.random.below(4) {
            0 => self.let_word(1),
            1 => {
                let value = self.number(Numbering::Local) + self.random.between(0, 33);
                self.let_plain(value)
            }
            _ => self.let_small(48),
        };
        let test = self.random.below(4);
        let cond = |amount: Expr| match test {
            0 => amount.le(31u32),
            1 => Expr::LitU32(32).gt(amount),
            _ => amount.lt(32u32),
        };
        let op = self.random.pick(&[BinOp::Shl, BinOp::Shr]);
        self.branch_and_loop(&amount, max, cond, |amount| Expr::binary(op, var(&shifted), amount));
        true
    }

    /// Emits `for k in 0..len(b) { .. b[0] .. }`, where `b` may be empty.
    fn first_of_buffer(&mut self, max: u32) -> bool {
        let open = Buffer::is_open_to_loads;
        let empty = self.pick_buffer(|buffer| open(buffer) && buffer.length == 0);
        let Some(buffer) = empty.or_else(|| self.pick_buffer(open)) else { return false };
        let short = self.buffers[buffer].length <= max;
        let to = if short { self.length_of(buffer) } else { self.length_of(buffer).min(max) };
        self.counted_loop(to, max, |g, iteration| {
            let last = g.length_of(buffer) - 1u32;
            let index = if g.random.chance(70) { Expr::LitU32(0) } else { last };
            g.observe_loads(buffer, &[index, var(iteration)]);
        });
        true
    }

    /// Emits `for k in i..len(b) { .. b[i] .. }`, where `i` may be out of range.
    fn start_of_range(&mut self, max: u32) -> bool {
        let Some(buffer) = self.pick_buffer(Buffer::is_open_to_loads) else { return false };
        let index = self.let_near_index(buffer);
        let end = (var(&index) + max).min(self.length_of(buffer));
        self.ranged_loop(var(&index), end, max, |g, iteration| {
            g.observe_loads(buffer, &[var(&index)]);
            if g.random.chance(30) {
                let near = var(iteration) + g.random.below(2);
                g.observe_loads(buffer, &[near]);
            }
        });
        true
    }

    /// Emits sums of an index and constants. One is tested, others are used.
    fn sums_of_one_base(&mut self) -> bool {
        let Some(buffer) = self.pick_buffer(Buffer::is_open_to_loads) else { return false };
        let length = self.buffers[buffer].length;
        let base = match self.random.below(9) {
            0 => self.let_plain(local_id(0)),
            1 => {
                let value = Expr::LitU32(u32::MAX - self.random.below(5)) + self.number(Numbering::Local);
                self.let_plain(value)
            }
            2 => {
                let value = self.leaf(DataType::U32, false).expr | (u32::MAX - self.random.pick(&[0, 1, 3, 7]));
                self.let_plain(value)
            }
            3 => self.let_near_index(buffer),
            4 => {
                let mask = length.next_power_of_two().saturating_mul(2) - 1;
                let value = self.word(1).expr & mask;
                self.let_plain(value)
            }
            _ => self.let_small(length + 2),
        };
        let mut constants = [0, 1, 2, 3, 4, 7];
        for at in (1..constants.len()).rev() {
            constants.swap(at, self.random.below(at as u32 + 1) as usize);
        }
        let sum = |constant: u32| if constant == 0 { var(&base) } else { var(&base) + constant };
        let tested = if self.random.chance(50) { constants[1].max(1) } else { constants[1] };
        // Some sums precede the test.
        let early = self.random.below(3) as usize;
        let early: Vec<Name> = constants[2..2 + early].iter().map(|&constant| self.let_plain(sum(constant))).collect();
        let cond = match self.random.below(4) {
            0 => sum(tested).le(self.length_of(buffer)),
            _ => sum(tested).lt(self.length_of(buffer)),
        };
        let mut indices: Vec<Expr> = early.iter().map(var).collect();
        indices.extend([sum(constants[0]), sum(tested), var(&base)]);
        if self.random.chance(30) {
            indices.push(var(&base) - self.random.between(1, 3));
        }
        let then = self.nested(self.divergent_context(), |g| g.observe_loads(buffer, &indices));
        let otherwise = match self.random.chance(25) {
            true => self.nested(self.divergent_context(), |g| g.observe_loads(buffer, &indices)),
            false => Vec::new(),
        };
        self.emit(Node::if_then_else(cond, then, otherwise));
        true
    }

    /// Emits elements of a uniform buffer as flags, loop bounds and indices.
    fn flags(&mut self) -> bool {
        let is_flags = |buffer: &Buffer| {
            buffer.decl.access == BufferAccess::Uniform
                && buffer.decl.element == DataType::U32
                && (1..=8).contains(&buffer.length)
        };
        let Some(buffer) = self.pick_buffer(is_flags) else { return false };
        let (name, length) = (self.buffer_name(buffer), self.buffers[buffer].length);
        let flag = |g: &mut Self| Expr::load(&name, g.random.below(length + 1).min(length.saturating_sub(1).max(1)));
        let (first, second) = (flag(self), flag(self));
        let cond = match self.random.below(5) {
            0 => first & self.random.pick(&[1u32, 2, 3]),
            1 => first.and(second),
            2 => first.or(second),
            3 => first.ge(self.random.below(4)),
            _ => first,
        };
        let then = self.nested(self.divergent_context(), |g| {
            let value = flag(g) + g.random.between(1, 9);
            g.observe(DataType::U32, value);
            g.statements(1);
        });
        let otherwise = match self.random.chance(50) {
            true => self.nested(self.divergent_context(), |g| {
                let dividend = g.let_word(1);
                let value = Expr::binary(g.random.pick(&[BinOp::Div, BinOp::Shl, BinOp::Sub]), var(&dividend), flag(g));
                g.observe(DataType::U32, value);
            }),
            false => Vec::new(),
        };
        self.emit(Node::if_then_else(cond, then, otherwise));
        let max = self.affordable_iterations(5);
        let bound = flag(self);
        let bound = if self.random.chance(50) { bound.min(max) } else { bound % (max + 1) };
        self.counted_loop(bound, max, |g, iteration| {
            let index = match g.random.below(4) {
                0 => g.leaf(DataType::U32, false).expr,
                1 => var(iteration) + flag(g),
                2 => flag(g) & 3u32,
                _ => var(iteration),
            };
            g.observe(DataType::U32, Expr::load(&name, index));
            if g.random.chance(40) {
                let cond = flag(g).eq(var(iteration));
                g.emit(Node::if_then(cond, vec![Node::Break]));
            }
        });
        true
    }
}
