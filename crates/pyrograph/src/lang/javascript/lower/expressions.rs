//! Expressions.

use oxc_ast::ast::{ChainElement, Expression, RegExpFlags, RegExpLiteral, YieldExpression};
use oxc_span::GetSpan;

use crate::flow::{BinaryOp, Constant, Op, Span, SymbolId, ValueId};

use super::{Lowerer, at};

impl<'a> Lowerer<'a, '_> {
    /// Value of an expression.
    pub(super) fn expression(&mut self, expression: &'a Expression<'a>) -> ValueId {
        self.named(expression, None)
    }

    /// Value of an expression that gives a function its name.
    pub(super) fn named(&mut self, expression: &'a Expression<'a>, name: Option<SymbolId>) -> ValueId {
        if !self.enter() {
            self.leave();
            return self.undefined(Span::default());
        }
        let value = self.any_expression(expression, name);
        self.leave();
        value
    }

    fn any_expression(&mut self, expression: &'a Expression<'a>, name: Option<SymbolId>) -> ValueId {
        match expression {
            Expression::BooleanLiteral(literal) => self.constant_value(Constant::Bool(literal.value), at(literal.span)),
            Expression::NullLiteral(literal) => self.constant_value(Constant::Null, at(literal.span)),
            Expression::NumericLiteral(literal) => {
                self.constant_value(Constant::Number(literal.value), at(literal.span))
            }
            Expression::BigIntLiteral(literal) => {
                let number = literal.value.as_str().parse().unwrap_or(f64::INFINITY);
                self.constant_value(Constant::Number(number), at(literal.span))
            }
            Expression::RegExpLiteral(literal) => self.regex_literal(literal),
            Expression::StringLiteral(literal) => self.text(literal.value.as_str(), at(literal.span)),
            Expression::TemplateLiteral(template) => self.template(template),
            Expression::TaggedTemplateExpression(template) => self.tagged_template(template),
            Expression::Identifier(identifier) => self.read_identifier(identifier),
            Expression::ThisExpression(this) => self.this(at(this.span)),
            Expression::Super(parent) => self.super_class(at(parent.span)),
            Expression::ArrayExpression(array) => self.array(array),
            Expression::ObjectExpression(object) => self.object(object),
            Expression::ArrowFunctionExpression(arrow) => self.arrow(arrow, name),
            Expression::FunctionExpression(function) => self.function_expression(function, name),
            Expression::ClassExpression(class) => self.class(class, name),
            Expression::AssignmentExpression(assignment) => self.assignment(assignment),
            Expression::UpdateExpression(update) => self.update(update),
            Expression::UnaryExpression(unary) => self.unary(unary),
            Expression::BinaryExpression(_) => self.binary(expression),
            Expression::LogicalExpression(_) => self.logical(expression),
            Expression::ConditionalExpression(_) => self.conditional(expression),
            Expression::PrivateInExpression(expression) => {
                let name = self.text(expression.left.name.as_str(), at(expression.left.span));
                let object = self.expression(&expression.right);
                self.emit(Op::Binary(BinaryOp::Comparison, name, object), at(expression.span))
            }
            Expression::SequenceExpression(sequence) => {
                let mut value = None;
                for expression in &sequence.expressions {
                    value = Some(self.expression(expression));
                }
                value.unwrap_or_else(|| self.undefined(at(sequence.span)))
            }
            Expression::AwaitExpression(expression) => {
                let value = self.expression(&expression.argument);
                self.state.kill_shared();
                self.emit(Op::Await(value), at(expression.span))
            }
            Expression::YieldExpression(expression) => self.yield_value(expression),
            Expression::CallExpression(call) => self.call(call),
            Expression::NewExpression(call) => self.new_object(call),
            Expression::ImportExpression(import) => self.dynamic_import(import),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(call) => self.call(call),
                ChainElement::TSNonNullExpression(inner) => self.expression(&inner.expression),
                element => self.member(element.to_member_expression()),
            },
            Expression::ImportMeta(meta) => self.global("import.meta", at(meta.span)),
            Expression::NewTarget(target) => self.global("new.target", at(target.span)),
            Expression::TSAsExpression(inner) => self.named(&inner.expression, name),
            Expression::TSSatisfiesExpression(inner) => self.named(&inner.expression, name),
            Expression::TSTypeAssertion(inner) => self.named(&inner.expression, name),
            Expression::TSNonNullExpression(inner) => self.named(&inner.expression, name),
            Expression::TSInstantiationExpression(inner) => self.named(&inner.expression, name),
            Expression::ParenthesizedExpression(inner) => self.named(&inner.expression, name),
            Expression::JSXElement(element) => self.element(element),
            Expression::JSXFragment(fragment) => self.fragment(fragment),
            Expression::V8IntrinsicExpression(call) => self.undefined(at(call.span)),
            _ => match expression.as_member_expression() {
                Some(member) => self.member(member),
                None => self.undefined(at(expression.span())),
            },
        }
    }

    fn regex_literal(&mut self, literal: &RegExpLiteral<'a>) -> ValueId {
        let pattern = self.symbol(literal.regex.pattern.text.as_str());
        let flags = self.symbol(&flags_text(literal.regex.flags));
        self.constant_value(Constant::Regex(pattern, flags), at(literal.span))
    }

    fn yield_value(&mut self, expression: &'a YieldExpression<'a>) -> ValueId {
        let span = at(expression.span);
        let value = match &expression.argument {
            Some(argument) => self.expression(argument),
            None => self.undefined(span),
        };
        self.escape(value);
        self.state.kill_shared();
        let op = match expression.delegate {
            // Helper functions of compilers await what the function yields.
            _ if self.asynchronous.contains(&self.frame.number) => Op::Await(value),
            true => Op::YieldAll(value),
            false => Op::Yield(value),
        };
        let value = self.emit(op, span);
        // A consumer may throw an error into the generator.
        if let (Op::Yield(_), Some(handler)) = (op, self.frame.handlers.last_mut()) {
            handler.push(value);
        }
        value
    }
}

/// Flags of a regular expression in the order of the language.
pub(super) fn flags_text(flags: RegExpFlags) -> String {
    let letters = [
        (RegExpFlags::D, 'd'),
        (RegExpFlags::G, 'g'),
        (RegExpFlags::I, 'i'),
        (RegExpFlags::M, 'm'),
        (RegExpFlags::S, 's'),
        (RegExpFlags::U, 'u'),
        (RegExpFlags::V, 'v'),
        (RegExpFlags::Y, 'y'),
    ];
    letters.iter().filter(|(flag, _)| flags.contains(*flag)).map(|&(_, letter)| letter).collect()
}
