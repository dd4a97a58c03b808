//! Expressions that algebraic simplification applies to, and similar ones that it must not change.

use vyre_ir::build::{pack, select};
use vyre_ir::{BinOp, DataType, Expr, Node};

use super::generator::{Generator, Value};
use super::pitfalls::var;
use super::scope::Role;

impl Generator<'_> {
    /// Emits selects that equal a minimum, a maximum or an operand, and nested selects.
    pub(super) fn choice_of_values(&mut self) -> bool {
        let small = self.random.chance(50);
        let (x, y) = if small { (self.let_small(4), self.let_small(4)) } else { (self.let_word(1), self.let_word(1)) };
        let compare = self.random.pick(&[BinOp::Lt, BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge, BinOp::Eq, BinOp::Ne]);
        let mut cond = Expr::binary(compare, var(&x), var(&y));
        if self.random.chance(25) {
            cond = Expr::binary(compare, var(&x), Expr::LitU32(self.random.below(3)));
        }
        if self.random.chance(15) {
            cond = cond.is_zero();
        }
        if self.random.chance(30) {
            cond = var(&self.let_plain(cond));
        }
        let other = match self.random.below(3) {
            0 => var(&self.let_small(2)),
            1 => var(&y).lt(var(&x)),
            _ => var(&x).ne(self.random.below(3)),
        };
        let (a, b, c) = (self.operand(), self.operand(), self.operand());
        let value = match self.random.below(23) {
            0..4 => select(cond, var(&x), var(&y)),
            4..8 => select(cond, var(&y), var(&x)),
            8 => select(var(&x).eq(0u32), 1u32, var(&x)),
            9 => select(var(&x).eq(self.random.below(3)), self.random.below(3), var(&x)),
            10 => select(var(&x), var(&x), 1u32),
            11..13 => select(cond.clone(), select(cond, a, b), c),
            13..15 => select(cond.clone(), a, select(cond, b, c)),
            15 => select(cond, select(other, a, b), c),
            16 => select(cond, a, select(other, b, c)),
            17 => select(cond.clone(), select(other.clone(), a, b), select(other, c, cond)),
            18 => select(cond, self.random.below(2), self.random.below(2)),
            19 => select(cond, true, other.ne(0u32).cast(DataType::Bool)).cast(DataType::U32),
            20 => select(cond, other.ne(0u32).cast(DataType::Bool), false).cast(DataType::U32),
            21 => select(var(&x).eq(0u32), 1u32, var(&x)) + select(var(&y).is_zero(), 1u32, var(&y)),
            _ => {
                let both = if self.random.chance(50) { cond & other.ne(0u32) } else { cond | other.ne(0u32) };
                select(both, a, b)
            }
        };
        self.observe(DataType::U32, value);
        true
    }

    /// A literal or a small expression.
    fn operand(&mut self) -> Expr {
        if self.random.chance(50) { Expr::LitU32(self.random.number()) } else { self.leaf(DataType::U32, false).expr }
    }

    /// Emits expressions with algebraic identities of words and vectors.
    pub(super) fn algebra(&mut self) -> bool {
        match self.random.below(10) {
            0..3 => self.permuted_components(),
            3..6 => self.two_constants(),
            6..9 => self.with_itself(),
            _ => {
                let (x, y) = (self.let_word(1), self.let_word(1));
                let value = match self.random.below(6) {
                    0 => var(&x) * u32::MAX,
                    1 => u32::MAX * var(&x),
                    2 => var(&x) + var(&y) * u32::MAX,
                    3 => (var(&x) + var(&y)) - var(&x),
                    4 => (var(&x) - var(&y)) + var(&y),
                    _ => (var(&x) - var(&y)) - var(&x),
                };
                self.observe(DataType::U32, value);
            }
        }
        true
    }

    /// Emits a vector of the components of another, in order or permuted.
    fn permuted_components(&mut self) {
        let ty = self.random.pick(&[DataType::Vec4U32, DataType::Vec4U32, DataType::Vec2U32, DataType::U64]);
        let components = ty.components();
        let vector = self.value(ty, 2, false).expr;
        let vector = self.let_constant(ty, Value::divergent(vector), Role::Any);
        let other = self.value(ty, 1, false).expr;
        let other = self.let_constant(ty, Value::divergent(other), Role::Any);
        let mut order: Vec<u32> = (0..components).collect();
        match self.random.below(4) {
            0 => {}
            1 => order.rotate_left(1),
            2 => order.swap(self.random.below(components) as usize, self.random.below(components) as usize),
            _ => order.iter_mut().for_each(|component| *component = self.random.below(components)),
        }
        let foreign = if self.random.chance(20) { self.random.below(components) } else { components };
        let from = |(at, &component): (usize, &u32)| {
            Expr::var(if at as u32 == foreign { &other } else { &vector }).lane(component)
        };
        let packed = pack(ty, order.iter().enumerate().map(from));
        let packed = self.let_constant(ty, Value::divergent(packed), Role::Any);
        let sum = (1..components).fold(var(&packed).lane(0), |sum, at| sum + var(&packed).lane(at) * (2 * at + 1));
        self.observe(DataType::U32, sum);
    }

    /// Emits sums and differences with two constants, and repeated operators.
    fn two_constants(&mut self) {
        let x = self.let_word(1);
        let (c, b) = match self.random.chance(60) {
            true => (self.random.between(1, 9), self.random.between(1, 9)),
            false => (self.random.number(), self.random.number()),
        };
        let value = match self.random.below(8) {
            0..2 => var(&x) + c - b,
            2..4 => var(&x) - c + b,
            4 => var(&x) - c - b,
            5 => var(&x) + c + b,
            6 => {
                let op = self.random.pick(BinOp::ALL);
                Expr::binary(op, Expr::binary(op, var(&x), c), b)
            }
            _ => {
                let compare = self.random.pick(&[BinOp::Eq, BinOp::Ne, BinOp::Lt, BinOp::Le]);
                Expr::binary(compare, var(&x) + c, b)
            }
        };
        self.observe(DataType::U32, value);
    }

    /// Emits `x / x` and similar expressions, also where `x` is not 0.
    fn with_itself(&mut self) {
        let x = if self.random.chance(70) { self.let_small(3) } else { self.let_word(1) };
        let op = self.random.weighted(&[(3, BinOp::Div), (2, BinOp::Mod), (1, BinOp::Sub), (1, BinOp::MulHi)]);
        let value = |op: BinOp| Expr::binary(op, var(&x), var(&x)) * 5u32;
        if self.random.chance(35) {
            return self.observe(DataType::U32, value(op));
        }
        let cond = match self.random.below(3) {
            0 => var(&x).ne(0u32),
            1 => var(&x).gt(0u32),
            _ => var(&x),
        };
        let then = self.nested(self.divergent_context(), |g| {
            g.observe(DataType::U32, value(op));
            if g.random.chance(40) {
                g.observe(DataType::U32, value(BinOp::Mod));
            }
        });
        self.emit(Node::if_then(cond, then));
    }
}
