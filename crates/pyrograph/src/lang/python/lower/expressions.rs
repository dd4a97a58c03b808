//! Expressions.

use ruff_python_ast::{Expr, ExprAttribute, ExprSubscript, Number};

use crate::flow::{Constant, Op, Span, ValueId};
use crate::lang::python::bind::number;
use crate::lang::ssa::MemberKey;

use super::constants::number_text;
use super::{Lowerer, span_of};

impl<'a> Lowerer<'a, '_> {
    /// Value of an expression.
    pub(super) fn expression(&mut self, expression: &'a Expr) -> ValueId {
        if !self.enter() {
            self.leave();
            return self.undefined(Span::default());
        }
        let value = self.any_expression(expression);
        self.leave();
        value
    }

    fn any_expression(&mut self, expression: &'a Expr) -> ValueId {
        let span = span_of(expression);
        match expression {
            Expr::StringLiteral(literal) => self.text(literal.value.to_str(), span),
            Expr::BytesLiteral(literal) => {
                let bytes: Vec<u8> = literal.value.bytes().collect();
                self.text(&String::from_utf8_lossy(&bytes), span)
            }
            Expr::NumberLiteral(literal) => {
                let value = match &literal.value {
                    Number::Int(number) => match number.as_i64() {
                        Some(number) => number as f64,
                        None => f64::INFINITY,
                    },
                    Number::Float(number) => *number,
                    Number::Complex { .. } => f64::NAN,
                };
                self.constant_value(Constant::Number(value), span)
            }
            Expr::BooleanLiteral(literal) => self.constant_value(Constant::Bool(literal.value), span),
            Expr::NoneLiteral(_) => self.constant_value(Constant::Null, span),
            Expr::EllipsisLiteral(_) | Expr::IpyEscapeCommand(_) => self.undefined(span),
            Expr::FString(string) => self.formatted(string),
            Expr::TString(string) => self.template(string),
            Expr::Name(name) => self.read_name(name),
            Expr::Attribute(attribute) => self.attribute(attribute),
            Expr::Subscript(subscript) => self.subscript(subscript),
            Expr::List(list) => self.sequence(&list.elts, span),
            Expr::Tuple(tuple) => self.sequence(&tuple.elts, span),
            Expr::Set(set) => self.set(&set.elts, span),
            Expr::Dict(dict) => self.dictionary(dict),
            Expr::ListComp(_) | Expr::SetComp(_) | Expr::Generator(_) | Expr::DictComp(_) => {
                self.comprehension(expression)
            }
            Expr::Lambda(lambda) => self.lambda(lambda),
            Expr::BinOp(_) => self.binary(expression),
            Expr::UnaryOp(unary) => self.unary(unary),
            Expr::Compare(comparison) => self.comparison(comparison),
            Expr::BoolOp(_) => self.logical(expression),
            Expr::If(_) => self.conditional(expression),
            Expr::Call(call) => self.call(call),
            Expr::Named(named) => {
                let value = self.expression(&named.value);
                if let Expr::Name(name) = &*named.target
                    && let Some(variable) = number(&name.node_index)
                {
                    self.write(variable, value, span_of(name));
                }
                value
            }
            Expr::Await(inner) => {
                let value = self.expression(&inner.value);
                self.state.kill_shared();
                self.emit(Op::Await(value), span)
            }
            Expr::Yield(inner) => {
                let value = match &inner.value {
                    Some(value) => self.expression(value),
                    None => self.constant_value(Constant::Null, span),
                };
                self.escape(value);
                self.state.kill_shared();
                self.emit(Op::Yield(value), span)
            }
            Expr::YieldFrom(inner) => {
                let value = self.expression(&inner.value);
                self.escape(value);
                self.state.kill_shared();
                self.emit(Op::YieldAll(value), span)
            }
            Expr::Starred(inner) => self.expression(&inner.value),
            Expr::Slice(slice) => {
                for part in [&slice.lower, &slice.upper, &slice.step].into_iter().flatten() {
                    self.expression(part);
                }
                self.undefined(span)
            }
        }
    }

    fn attribute(&mut self, attribute: &'a ExprAttribute) -> ValueId {
        let span = span_of(attribute);
        if let Some(value) = self.super_member(&attribute.value, attribute.attr.as_str()) {
            let key = self.symbol(attribute.attr.as_str());
            let receiver = self.receiver(span);
            let own = self.load(receiver, MemberKey::Name(key), span);
            return self.phi(&[value, own], span);
        }
        let object = self.expression(&attribute.value);
        // The table of the attributes is the object.
        if attribute.attr.as_str() == "__dict__" {
            return object;
        }
        self.load_field(object, attribute.attr.as_str(), span)
    }

    fn subscript(&mut self, subscript: &'a ExprSubscript) -> ValueId {
        let span = span_of(subscript);
        let object = self.expression(&subscript.value);
        if let Expr::Slice(slice) = &*subscript.slice {
            let mut arguments = vec![object];
            for part in [&slice.lower, &slice.upper, &slice.step] {
                arguments.push(match part {
                    Some(part) => self.expression(part),
                    None => self.constant_value(Constant::Null, span),
                });
            }
            if let Some(value) = self.folded_slice(&arguments, span) {
                return value;
            }
            if let Some(value) = self.list_slice(object, &arguments[1..], span) {
                return value;
            }
            return self.builtin_call("%slice", &arguments, span);
        }
        let key = self.expression(&subscript.slice);
        if let Some(value) = self.folded_item(object, key, span) {
            return value;
        }
        if let Expr::Name(name) = &*subscript.value
            && let Some(variable) = Self::variable_of(name)
        {
            let list = self.canon(object);
            self.frame.lists.insert(list, variable);
        }
        let key = self.key(object, key);
        self.load(object, key, span)
    }

    /// Slice of a constant text.
    fn folded_slice(&mut self, arguments: &[ValueId], span: Span) -> Option<ValueId> {
        let Some(Constant::String(text)) = self.constant(arguments[0]) else { return None };
        let characters: Vec<char> = self.builder.text(text).chars().collect();
        let length = characters.len() as f64;
        let mut bounds = [0.0, length];
        for (bound, &argument) in bounds.iter_mut().zip(&arguments[1..3]) {
            match self.constant(argument) {
                Some(Constant::Null) => {}
                Some(Constant::Number(number)) if number < 0.0 => *bound = (length + number).max(0.0),
                Some(Constant::Number(number)) => *bound = number.min(length),
                _ => return None,
            }
        }
        if !matches!(self.constant(arguments[3]), Some(Constant::Null)) {
            return None;
        }
        let part: String = characters.get(bounds[0] as usize..bounds[1] as usize).unwrap_or_default().iter().collect();
        Some(self.text(&part, span))
    }

    /// Character of a constant text.
    fn folded_item(&mut self, object: ValueId, key: ValueId, span: Span) -> Option<ValueId> {
        let (Some(Constant::String(text)), Some(Constant::Number(index))) = (self.constant(object), self.constant(key))
        else {
            return None;
        };
        let characters: Vec<char> = self.builder.text(text).chars().collect();
        let index = if index < 0.0 { index + characters.len() as f64 } else { index };
        let character = (index >= 0.0).then(|| characters.get(index as usize).copied()).flatten()?;
        Some(self.text(&character.to_string(), span))
    }

    /// Key of an item. A constant is a name.
    pub(super) fn key(&mut self, object: ValueId, key: ValueId) -> MemberKey {
        match self.constant(key) {
            Some(Constant::String(text)) => MemberKey::Name(text),
            Some(Constant::Number(number)) => {
                let number = match self.list_length(object) {
                    Some(length) if number < 0.0 => number + length as f64,
                    _ => number,
                };
                match number_text(number).filter(|_| number >= 0.0) {
                    Some(text) => MemberKey::Name(self.symbol(&text)),
                    None => MemberKey::Value(key),
                }
            }
            _ => MemberKey::Value(key),
        }
    }

    pub(super) fn load_field(&mut self, object: ValueId, name: &str, span: Span) -> ValueId {
        let field = self.symbol(name);
        self.load(object, MemberKey::Name(field), span)
    }
}
