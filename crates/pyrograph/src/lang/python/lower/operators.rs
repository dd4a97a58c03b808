//! Operators.

use ruff_python_ast::{CmpOp, Expr, ExprBinOp, ExprCompare, ExprUnaryOp, Operator, UnaryOp};

use crate::flow::{self, BinaryOp, Constant, Op, Span, ValueId};
use crate::lang::ssa::Note;

use super::strings::Parts;
use super::{Lowerer, span_of};

impl<'a> Lowerer<'a, '_> {
    /// Binary operators, which nest to the left.
    pub(super) fn binary(&mut self, expression: &'a Expr) -> ValueId {
        let mut chain: Vec<&'a ExprBinOp> = Vec::new();
        let mut left = expression;
        while let Expr::BinOp(binary) = left {
            chain.push(binary);
            left = &binary.left;
        }
        let mut value = self.expression(left);
        // A text that is being built.
        let mut parts = Parts::default();
        let mut is_text = false;
        while let Some(binary) = chain.pop() {
            let span = span_of(binary);
            if binary.op == Operator::Mod && self.is_text(value) {
                value = self.format_percent(value, &binary.right, span);
                continue;
            }
            let right = self.expression(&binary.right);
            if binary.op != Operator::Add {
                value = self.operator(binary.op, value, right, span);
                continue;
            }
            if !is_text && (self.is_text(value) || self.is_text(right)) {
                is_text = true;
                self.append_part(&mut parts, value);
            }
            if !is_text {
                value = self.operator(binary.op, value, right, span);
                continue;
            }
            self.append_part(&mut parts, right);
            if chain.last().is_none_or(|next| next.op != Operator::Add) {
                value = self.concat(std::mem::take(&mut parts), span);
                is_text = false;
            }
        }
        value
    }

    /// Result of a binary operator.
    pub(super) fn operator(&mut self, operator: Operator, left: ValueId, right: ValueId, span: Span) -> ValueId {
        let value = self.plain_operator(operator, left, right, span);
        let (method, reversed) = operator_methods(operator);
        let mut values = vec![value];
        for (method, object, other) in [(method, left, right), (reversed, right, left)] {
            if self.bindings.special.contains(method) && self.may_be_instance(object) {
                values.push(self.method_call(object, method, &[other], span));
            }
        }
        self.phi(&values, span)
    }

    /// True if a value may be an object of the program.
    fn may_be_instance(&self, value: ValueId) -> bool {
        self.constant(value).is_none() && !self.is_text(value) && !self.is_list(value) && !self.is_number(value)
    }

    /// A value, or what a method of it yields, if the file has such a method.
    pub(super) fn converted(&mut self, value: ValueId, method: &str, span: Span) -> ValueId {
        if !self.bindings.special.contains(method) || !self.may_be_instance(value) {
            return value;
        }
        let called = self.method_call(value, method, &[], span);
        self.phi(&[value, called], span)
    }

    fn plain_operator(&mut self, operator: Operator, left: ValueId, right: ValueId, span: Span) -> ValueId {
        if let (Some(first), Some(second)) = (self.constant(left), self.constant(right))
            && let Some(constant) = self.fold(operator, first, second)
        {
            return self.constant_value(constant, span);
        }
        match operator {
            Operator::Add => {
                if self.is_text(left) || self.is_text(right) {
                    let mut parts = Parts::default();
                    self.append_part(&mut parts, left);
                    self.append_part(&mut parts, right);
                    return self.concat(parts, span);
                }
                if self.is_list(left) || self.is_list(right) {
                    return self.joined_lists(left, right, span);
                }
                // A sum with a number is no text.
                if self.is_number(left) || self.is_number(right) {
                    return self.number_of(left, right, span);
                }
                self.emit(Op::Binary(BinaryOp::Add, left, right), span)
            }
            // Paths join by division, texts repeat, sets and dictionaries unite, and texts are formatted by a remainder.
            Operator::Div | Operator::Mult | Operator::Mod | Operator::BitOr
                if !self.is_number(left) && !self.is_number(right) || operator == Operator::Mult =>
            {
                if self.is_number(left) && self.is_number(right) {
                    return self.emit(Op::Binary(BinaryOp::Arithmetic, left, right), span);
                }
                self.builtin_call(operator_name(operator), &[left, right], span)
            }
            _ => self.number_of(left, right, span),
        }
    }

    /// Number that is computed of two values. Random numbers stay random.
    fn number_of(&mut self, left: ValueId, right: ValueId, span: Span) -> ValueId {
        if self.has_random && (!self.is_number(left) || !self.is_number(right)) {
            return self.builtin_call("%number", &[left, right], span);
        }
        self.emit(Op::Binary(BinaryOp::Arithmetic, left, right), span)
    }

    /// True if a value is a number for certain.
    fn is_number(&self, value: ValueId) -> bool {
        matches!(
            self.op(self.canon(value)),
            Op::Constant(Constant::Number(_) | Constant::Bool(_))
                | Op::Binary(BinaryOp::Arithmetic | BinaryOp::Comparison, ..)
                | Op::Unary(..)
        )
    }

    pub(super) fn unary(&mut self, unary: &'a ExprUnaryOp) -> ValueId {
        let span = span_of(unary);
        let value = self.expression(&unary.operand);
        if unary.op == UnaryOp::Not {
            if let Some(truth) = self.truth(value) {
                return self.constant_value(Constant::Bool(!truth), span);
            }
            return self.emit(Op::Unary(flow::UnaryOp::Not, value), span);
        }
        if let Some(Constant::Number(number)) = self.constant(value) {
            match unary.op {
                UnaryOp::USub => return self.constant_value(Constant::Number(-number), span),
                UnaryOp::UAdd => return self.constant_value(Constant::Number(number), span),
                _ => {}
            }
        }
        self.emit(Op::Unary(flow::UnaryOp::Number, value), span)
    }

    /// Comparisons. A chain of several ones yields a bool.
    pub(super) fn comparison(&mut self, comparison: &'a ExprCompare) -> ValueId {
        let span = span_of(comparison);
        let mut left = self.expression(&comparison.left);
        let mut result = None;
        for (operator, comparator) in comparison.ops.iter().zip(&comparison.comparators) {
            let right = self.expression(comparator);
            let value = self.compare(*operator, left, right, span);
            result = Some(match result {
                None => value,
                Some(before) => match (self.truth(before), self.truth(value)) {
                    (Some(false), _) => before,
                    (_, Some(false)) => value,
                    (Some(true), _) => value,
                    (_, Some(true)) => before,
                    _ => self.emit(Op::Binary(BinaryOp::Comparison, before, value), span),
                },
            });
            left = right;
        }
        result.unwrap_or(left)
    }

    fn compare(&mut self, operator: CmpOp, left: ValueId, right: ValueId, span: Span) -> ValueId {
        if let (Some(first), Some(second)) = (self.constant(left), self.constant(right))
            && let Some(result) = self.fold_comparison(operator, first, second)
        {
            return self.constant_value(Constant::Bool(result), span);
        }
        if let (CmpOp::In | CmpOp::NotIn, Some(constant)) = (operator, self.constant(left))
            && let Some(Note::Members(members)) = self.notes.get(&self.canon(right))
            && let Constant::String(key) = constant
        {
            let is_in = members.contains_key(&key);
            return self.constant_value(Constant::Bool(is_in == (operator == CmpOp::In)), span);
        }
        self.emit(Op::Binary(BinaryOp::Comparison, left, right), span)
    }
}

/// Methods that an operator calls: of the left operand, of the right one.
fn operator_methods(operator: Operator) -> (&'static str, &'static str) {
    match operator {
        Operator::Add => ("__add__", "__radd__"),
        Operator::Sub => ("__sub__", "__rsub__"),
        Operator::Mult => ("__mul__", "__rmul__"),
        Operator::MatMult => ("__matmul__", "__rmatmul__"),
        Operator::Div => ("__truediv__", "__rtruediv__"),
        Operator::Mod => ("__mod__", "__rmod__"),
        Operator::Pow => ("__pow__", "__rpow__"),
        Operator::LShift => ("__lshift__", "__rlshift__"),
        Operator::RShift => ("__rshift__", "__rrshift__"),
        Operator::BitOr => ("__or__", "__ror__"),
        Operator::BitXor => ("__xor__", "__rxor__"),
        Operator::BitAnd => ("__and__", "__rand__"),
        Operator::FloorDiv => ("__floordiv__", "__rfloordiv__"),
    }
}

/// Name of the builtin function that an operator stands for.
fn operator_name(operator: Operator) -> &'static str {
    match operator {
        Operator::Div => "%divide",
        Operator::Mult => "%multiply",
        Operator::Mod => "%format",
        _ => "%unite",
    }
}
