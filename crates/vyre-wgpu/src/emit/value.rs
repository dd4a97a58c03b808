//! Emission of values as expressions.

use naga::{BinaryOperator, Expression, Handle, Literal, MathFunction, Scalar, ScalarKind, Statement, UnaryOperator};
use vyre_kernel::{Binary, Compare, Key as _, Logic, Op, Unary, ValueId};

use super::Emitter;

impl Emitter<'_> {
    /// The word of a value that is emitted as a literal.
    pub(super) fn known_word(&self, value: ValueId) -> Option<u32> {
        self.kernel.as_word(value).or_else(|| self.shifted.get(&value).copied())
    }

    /// Emits the computation of a value.
    pub(super) fn compute(&mut self, value: ValueId) {
        let expression = match self.kernel.op(value) {
            // Leaves are emitted before all statements.
            Op::Word(_) | Op::Bool(_) | Op::Id(..) | Op::Length(_) | Op::LoopVariable => return,
            Op::Get(slot) => Expression::Load { pointer: self.slots[slot.position()] },
            Op::Unary(op, a) => {
                let a = self.value(a);
                self.unary(op, a)
            }
            Op::Binary(op, a, b) => match (op, self.known_word(a), self.known_word(b)) {
                // WGSL rejects a shift of constants that loses bits.
                (Binary::Shl, Some(a), Some(b @ 0..32)) => {
                    let result = a.wrapping_shl(b);
                    self.shifted.insert(value, result);
                    Expression::Literal(Literal::U32(result))
                }
                // Shader languages reject these operands even where the code never runs, which is the only place where a kernel has them.
                (Binary::Div | Binary::Mod, _, Some(0)) | (Binary::Shl | Binary::Shr, _, Some(32..)) => {
                    Expression::Literal(Literal::U32(0))
                }
                _ => {
                    let (a, b) = (self.value(a), self.value(b));
                    self.binary_op(op, a, b)
                }
            },
            Op::Compare(op, a, b) => {
                let (left, right) = (self.value(a), self.value(b));
                let op = match op {
                    Compare::Eq => BinaryOperator::Equal,
                    Compare::Ne => BinaryOperator::NotEqual,
                    Compare::Lt => BinaryOperator::Less,
                    Compare::Le => BinaryOperator::LessEqual,
                };
                Expression::Binary { op, left, right }
            }
            Op::Not(a) => Expression::Unary { op: UnaryOperator::LogicalNot, expr: self.value(a) },
            Op::Logic(op, a, b) => {
                let (left, right) = (self.value(a), self.value(b));
                let op = match op {
                    Logic::And => BinaryOperator::LogicalAnd,
                    Logic::Or => BinaryOperator::LogicalOr,
                };
                Expression::Binary { op, left, right }
            }
            Op::ToWord(a) => Expression::As { expr: self.value(a), kind: ScalarKind::Uint, convert: Some(4) },
            Op::Select(condition, accept, reject) => {
                let (condition, accept, reject) = (self.value(condition), self.value(accept), self.value(reject));
                Expression::Select { condition, accept, reject }
            }
            Op::Extract(vector, component) => {
                Expression::AccessIndex { base: self.value(vector), index: u32::from(component) }
            }
            Op::Pack2(components) => {
                let components = components.map(|component| self.value(component)).to_vec();
                Expression::Compose { ty: self.types.vec2, components }
            }
            Op::Pack4(components) => {
                let components = components.map(|component| self.value(component)).to_vec();
                Expression::Compose { ty: self.types.vec4, components }
            }
            Op::Load { buffer, index, guard } => self.load(buffer, index, guard),
            Op::Atomic { .. } => return self.atomic(value),
            Op::Collective(collective) => {
                let result = self.collective(collective);
                return self.set_named(value, result);
            }
        };
        let handle = self.add(expression);
        self.set_named(value, handle);
    }

    /// Sets the expression of a value, and names it if it has no name.
    pub(super) fn set_named(&mut self, value: ValueId, handle: Handle<Expression>) {
        if !self.function.expressions[handle].needs_pre_emit() {
            self.function.named_expressions.entry(handle).or_insert_with(|| value.to_string());
        }
        self.set_value(value, handle);
    }

    pub(super) fn set_value(&mut self, value: ValueId, handle: Handle<Expression>) {
        self.values[value.position()] = Some(handle);
    }

    fn unary(&mut self, op: Unary, a: Handle<Expression>) -> Expression {
        let math = |fun| Expression::Math { fun, arg: a, arg1: None, arg2: None, arg3: None };
        match op {
            // Unsigned words have no negation.
            Unary::Negate => Expression::Binary { op: BinaryOperator::Subtract, left: self.word(0), right: a },
            Unary::BitNot => Expression::Unary { op: UnaryOperator::BitwiseNot, expr: a },
            Unary::Popcount => math(MathFunction::CountOneBits),
            Unary::Clz => math(MathFunction::CountLeadingZeros),
            Unary::Ctz => math(MathFunction::CountTrailingZeros),
            Unary::ReverseBits => math(MathFunction::ReverseBits),
        }
    }

    fn binary_op(&mut self, op: Binary, a: Handle<Expression>, b: Handle<Expression>) -> Expression {
        let binary = |op| Expression::Binary { op, left: a, right: b };
        match op {
            Binary::Add => binary(BinaryOperator::Add),
            Binary::Sub => binary(BinaryOperator::Subtract),
            Binary::Mul => binary(BinaryOperator::Multiply),
            Binary::Div => binary(BinaryOperator::Divide),
            Binary::Mod => binary(BinaryOperator::Modulo),
            Binary::And => binary(BinaryOperator::And),
            Binary::Or => binary(BinaryOperator::InclusiveOr),
            Binary::Xor => binary(BinaryOperator::ExclusiveOr),
            Binary::Shl => binary(BinaryOperator::ShiftLeft),
            Binary::Shr => binary(BinaryOperator::ShiftRight),
            Binary::Min => min_max(MathFunction::Min, a, b),
            Binary::Max => min_max(MathFunction::Max, a, b),
            Binary::AbsDiff => {
                let left = self.add(min_max(MathFunction::Max, a, b));
                let right = self.add(min_max(MathFunction::Min, a, b));
                Expression::Binary { op: BinaryOperator::Subtract, left, right }
            }
            Binary::MulHi if self.features.int64 => self.high_product(a, b),
            Binary::MulHi => self.high_product_of_halves(a, b),
        }
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        self.add(Expression::Binary { op, left, right })
    }

    pub(super) fn store(&mut self, pointer: Handle<Expression>, value: Handle<Expression>) {
        self.push(Statement::Store { pointer, value });
    }

    /// High word of a product, by a 64-bit multiplication.
    fn high_product(&mut self, a: Handle<Expression>, b: Handle<Expression>) -> Expression {
        let mut wide =
            |expr| self.add(Expression::As { expr, kind: ScalarKind::Uint, convert: Some(Scalar::U64.width) });
        let (left, right) = (wide(a), wide(b));
        let product = self.binary(BinaryOperator::Multiply, left, right);
        let shift = self.literal(Literal::U32(32));
        let expr = self.binary(BinaryOperator::ShiftRight, product, shift);
        Expression::As { expr, kind: ScalarKind::Uint, convert: Some(4) }
    }

    /// High word of a product, from four products of 16-bit halves. No intermediate sum wraps.
    fn high_product_of_halves(&mut self, a: Handle<Expression>, b: Handle<Expression>) -> Expression {
        let (mask, half) = (self.word(0xffff), self.word(16));
        let mut halves = |word| {
            let low = self.binary(BinaryOperator::And, word, mask);
            (low, self.binary(BinaryOperator::ShiftRight, word, half))
        };
        let (a_low, a_high) = halves(a);
        let (b_low, b_high) = halves(b);
        let low = self.binary(BinaryOperator::Multiply, a_low, b_low);
        let carry = self.binary(BinaryOperator::ShiftRight, low, half);
        let cross = self.binary(BinaryOperator::Multiply, a_high, b_low);
        let cross = self.binary(BinaryOperator::Add, cross, carry);
        let cross_low = self.binary(BinaryOperator::And, cross, mask);
        let cross_high = self.binary(BinaryOperator::ShiftRight, cross, half);
        let other = self.binary(BinaryOperator::Multiply, a_low, b_high);
        let other = self.binary(BinaryOperator::Add, other, cross_low);
        let other_high = self.binary(BinaryOperator::ShiftRight, other, half);
        let high = self.binary(BinaryOperator::Multiply, a_high, b_high);
        let left = self.binary(BinaryOperator::Add, high, cross_high);
        Expression::Binary { op: BinaryOperator::Add, left, right: other_high }
    }
}

/// Minimum or maximum of two words.
pub(super) fn min_max(fun: MathFunction, a: Handle<Expression>, b: Handle<Expression>) -> Expression {
    Expression::Math { fun, arg: a, arg1: Some(b), arg2: None, arg3: None }
}
