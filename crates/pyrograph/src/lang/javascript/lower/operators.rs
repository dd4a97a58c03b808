//! Operators and template strings.

use oxc_ast::ast::{
    BinaryExpression, BinaryOperator, Expression, TaggedTemplateExpression, TemplateLiteral, UnaryExpression,
    UnaryOperator,
};

use crate::flow::{AllocateKind, Argument, BinaryOp, Call, CallKind, Constant, Op, Span, UnaryOp, ValueId};
use crate::lang::ssa::{Key, MemberKey};

use super::{Lowerer, at};

/// Longest text that constant parts make together.
const LONGEST_TEXT: usize = 512;

/// Parts of a text.
struct Parts {
    values: Vec<ValueId>,
    /// Constant parts after the last value.
    text: String,
    /// Number of the constant parts.
    count: usize,
    /// Last constant part.
    single: ValueId,
    span: Span,
}

impl Default for Parts {
    fn default() -> Parts {
        Parts { values: Vec::new(), text: String::new(), count: 0, single: ValueId(0), span: Span::default() }
    }
}

impl<'a> Lowerer<'a, '_> {
    /// Binary operators, which nest to the left.
    pub(super) fn binary(&mut self, expression: &'a Expression<'a>) -> ValueId {
        let mut chain: Vec<&'a BinaryExpression<'a>> = Vec::new();
        let mut left = expression;
        while let Expression::BinaryExpression(binary) = left {
            chain.push(binary);
            left = &binary.left;
        }
        let is_sum = |binary: &BinaryExpression<'a>| binary.operator == BinaryOperator::Addition;
        let mut value = match chain.last() {
            Some(first) if is_sum(first) => self.passed(left, None),
            _ => self.expression(left),
        };
        // A text that is being built.
        let mut parts = Parts::default();
        let mut is_text = false;
        while let Some(binary) = chain.pop() {
            let right = match is_sum(binary) {
                true => self.passed(&binary.right, None),
                false => self.expression(&binary.right),
            };
            let span = at(binary.span);
            if binary.operator != BinaryOperator::Addition {
                value = self.operator(binary.operator, value, right, span);
                continue;
            }
            if !is_text && (self.is_text(value) || self.is_text(right)) {
                is_text = true;
                self.append_part(&mut parts, value);
            }
            if !is_text {
                value = self.operator(binary.operator, value, right, span);
                continue;
            }
            self.append_part(&mut parts, right);
            if chain.last().is_none_or(|next| next.operator != BinaryOperator::Addition) {
                value = self.concat(std::mem::take(&mut parts), span);
                is_text = false;
            }
        }
        value
    }

    /// Appends a part to a text. Constant neighbours become one.
    fn append_part(&mut self, parts: &mut Parts, value: ValueId) {
        let text = self.constant(value).and_then(|constant| self.constant_text(constant));
        match text {
            Some(text) if parts.text.len() + text.len() <= LONGEST_TEXT => {
                let span = self.builder.module().instructions[value.index()].span;
                if parts.count == 0 {
                    parts.span = span;
                }
                parts.span.end = parts.span.end.max(span.end);
                parts.count += 1;
                parts.single = value;
                parts.text.push_str(&text);
            }
            _ => {
                self.end_text(parts);
                parts.values.push(value);
            }
        }
    }

    fn end_text(&mut self, parts: &mut Parts) {
        let is_single = parts.count == 1 && self.is_text(parts.single);
        if is_single {
            parts.values.push(parts.single);
        } else if parts.count > 0 {
            let value = self.text(&parts.text, parts.span);
            parts.values.push(value);
        }
        parts.text.clear();
        parts.count = 0;
    }

    /// Text of parts.
    fn concat(&mut self, mut parts: Parts, span: Span) -> ValueId {
        self.end_text(&mut parts);
        if let [part] = parts.values.as_slice()
            && let Some(Constant::String(_)) = self.constant(*part)
        {
            return *part;
        }
        let list = self.builder.list(&parts.values);
        self.emit(Op::Concat(list), span)
    }

    /// Result of a binary operator.
    pub(super) fn operator(&mut self, operator: BinaryOperator, left: ValueId, right: ValueId, span: Span) -> ValueId {
        if let (Some(first), Some(second)) = (self.constant(left), self.constant(right))
            && let Some(constant) = self.fold(operator, first, second)
        {
            return self.constant_value(constant, span);
        }
        let kind = match operator {
            BinaryOperator::Addition => {
                if self.is_text(left) || self.is_text(right) {
                    let mut parts = Parts::default();
                    self.append_part(&mut parts, left);
                    self.append_part(&mut parts, right);
                    return self.concat(parts, span);
                }
                BinaryOp::Add
            }
            BinaryOperator::Equality
            | BinaryOperator::Inequality
            | BinaryOperator::StrictEquality
            | BinaryOperator::StrictInequality
            | BinaryOperator::LessThan
            | BinaryOperator::LessEqualThan
            | BinaryOperator::GreaterThan
            | BinaryOperator::GreaterEqualThan
            | BinaryOperator::In
            | BinaryOperator::Instanceof => BinaryOp::Comparison,
            _ => BinaryOp::Arithmetic,
        };
        self.emit(Op::Binary(kind, left, right), span)
    }

    pub(super) fn unary(&mut self, unary: &'a UnaryExpression<'a>) -> ValueId {
        let span = at(unary.span);
        if unary.operator == UnaryOperator::Delete {
            return self.delete(&unary.argument, span);
        }
        let value = self.expression(&unary.argument);
        match unary.operator {
            UnaryOperator::LogicalNot => {
                if let Some(truth) = self.truth(value) {
                    return self.constant_value(Constant::Bool(!truth), span);
                }
                self.emit(Op::Unary(UnaryOp::Not, value), span)
            }
            UnaryOperator::Typeof => {
                if let Some(name) = self.type_name(value) {
                    return self.text(name, span);
                }
                self.emit(Op::Unary(UnaryOp::TypeOf, value), span)
            }
            UnaryOperator::Void => self.undefined(span),
            operator => {
                if let Some(Constant::Number(number)) = self.constant(value) {
                    let folded = match operator {
                        UnaryOperator::UnaryNegation => Some(-number),
                        UnaryOperator::UnaryPlus => Some(number),
                        _ => None,
                    };
                    if let Some(number) = folded {
                        return self.constant_value(Constant::Number(number), span);
                    }
                }
                self.emit(Op::Unary(UnaryOp::Number, value), span)
            }
        }
    }

    fn delete(&mut self, argument: &'a Expression<'a>, span: Span) -> ValueId {
        if let Some(member) = argument.as_member_expression() {
            let object = self.expression(member.object());
            let key = self.member_key(member);
            self.note_store_all(object);
            let value = self.emit(Op::Unary(UnaryOp::Void, object), span);
            if let MemberKey::Name(field) = key {
                let undefined = self.undefined(span);
                let base = self.canon(object);
                self.state.set_fact(Key::field(base, field), undefined);
            }
            return value;
        }
        let value = self.expression(argument);
        self.emit(Op::Unary(UnaryOp::Void, value), span)
    }

    /// Template string.
    pub(super) fn template(&mut self, template: &'a TemplateLiteral<'a>) -> ValueId {
        let span = at(template.span);
        let mut parts = Parts::default();
        for (index, quasi) in template.quasis.iter().enumerate() {
            let text = quasi.value.cooked.unwrap_or(quasi.value.raw);
            if !text.is_empty() || template.expressions.is_empty() {
                let part = self.text(text.as_str(), at(quasi.span));
                self.append_part(&mut parts, part);
            }
            if let Some(expression) = template.expressions.get(index) {
                let value = self.passed(expression, None);
                self.append_part(&mut parts, value);
            }
        }
        self.concat(parts, span)
    }

    /// Tagged template: a call with the array of the constant parts, then the values.
    pub(super) fn tagged_template(&mut self, template: &'a TaggedTemplateExpression<'a>) -> ValueId {
        let span = at(template.span);
        let (callee, receiver) = self.callee(&template.tag);
        let quasi_span = at(template.quasi.span);
        let texts = self.allocate(AllocateKind::Array, quasi_span);
        for (index, quasi) in template.quasi.quasis.iter().enumerate() {
            let text = quasi.value.cooked.unwrap_or(quasi.value.raw);
            let part = self.text(text.as_str(), at(quasi.span));
            let field = self.symbol(&index.to_string());
            self.store_field(texts, field, part, at(quasi.span));
        }
        let mut arguments = vec![Argument { value: texts, is_spread: false, name: None }];
        for expression in &template.quasi.expressions {
            let value = self.passed(expression, None);
            arguments.push(Argument { value, is_spread: false, name: None });
        }
        let call = Call { callee, receiver, arguments, kind: CallKind::Template };
        self.emit_call(call, false, span)
    }
}
