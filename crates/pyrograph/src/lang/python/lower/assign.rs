//! Assignments and deletions.

use ruff_python_ast::{Expr, StmtAugAssign};

use crate::flow::{AllocateKind, Constant, Op, Span, UnaryOp, ValueId};
use crate::lang::ssa::{Key, MemberKey};

use super::{Lowerer, span_of};

impl<'a> Lowerer<'a, '_> {
    /// Assigns a value to a target.
    pub(super) fn assign(&mut self, target: &'a Expr, value: ValueId) {
        if !self.enter() {
            return self.leave();
        }
        let span = span_of(target);
        match target {
            Expr::Name(name) => {
                if let Some(variable) = Self::variable_of(name) {
                    self.write(variable, value, span);
                }
            }
            Expr::Attribute(attribute) => {
                let object = self.expression(&attribute.value);
                let field = self.symbol(attribute.attr.as_str());
                self.store_field(object, field, value, span);
            }
            Expr::Subscript(subscript) => {
                let object = self.expression(&subscript.value);
                let key = self.expression(&subscript.slice);
                self.store_item(object, key, value, span);
            }
            Expr::Tuple(tuple) => self.unpack(&tuple.elts, value),
            Expr::List(list) => self.unpack(&list.elts, value),
            Expr::Starred(starred) => self.assign(&starred.value, value),
            _ => {}
        }
        self.leave();
    }

    pub(super) fn store_item(&mut self, object: ValueId, key: ValueId, value: ValueId, span: Span) {
        let base = self.canon(object);
        self.notes.remove(&base);
        let key = self.key(object, key);
        self.store(object, key, value, span);
    }

    /// Assigns the elements of a value.
    fn unpack(&mut self, targets: &'a [Expr], value: ValueId) {
        let star = targets.iter().position(|target| matches!(target, Expr::Starred(_)));
        for (position, target) in targets.iter().enumerate() {
            let span = span_of(target);
            let part = match star {
                Some(star) if position == star => {
                    let list = self.allocate(AllocateKind::Array, span);
                    let element = self.emit(Op::Element(value), span);
                    self.store_element(list, element, span);
                    list
                }
                Some(star) if position > star => match self.list_length(value) {
                    Some(length) if length >= targets.len() - position => {
                        let field = self.symbol(&(length - (targets.len() - position)).to_string());
                        self.load(value, MemberKey::Name(field), span)
                    }
                    _ => self.emit(Op::Element(value), span),
                },
                _ => {
                    let field = self.symbol(&position.to_string());
                    self.load(value, MemberKey::Name(field), span)
                }
            };
            self.assign(target, part);
        }
    }

    /// `target += value`.
    pub(super) fn augmented(&mut self, statement: &'a StmtAugAssign) {
        let span = span_of(statement);
        match &*statement.target {
            Expr::Name(name) => {
                let Some(variable) = Self::variable_of(name) else { return };
                let old = self.read(variable, span_of(name));
                let value = self.combined(statement, old, span);
                self.write(variable, value, span);
            }
            Expr::Attribute(attribute) => {
                let object = self.expression(&attribute.value);
                let field = self.symbol(attribute.attr.as_str());
                let old = self.load(object, MemberKey::Name(field), span_of(attribute));
                let value = self.combined(statement, old, span);
                self.store_field(object, field, value, span);
            }
            Expr::Subscript(subscript) => {
                let object = self.expression(&subscript.value);
                let key = self.expression(&subscript.slice);
                let member = self.key(object, key);
                let old = self.load(object, member, span_of(subscript));
                let value = self.combined(statement, old, span);
                self.store_item(object, key, value, span);
            }
            _ => {}
        }
    }

    fn combined(&mut self, statement: &'a StmtAugAssign, old: ValueId, span: Span) -> ValueId {
        use ruff_python_ast::Operator;
        if statement.op == Operator::Mod && self.is_text(old) {
            return self.format_percent(old, &statement.value, span);
        }
        let right = self.expression(&statement.value);
        if statement.op == Operator::Add && self.is_list(old) {
            // The list itself changes.
            if self.list_method(old, "extend", &[right], span).is_none() {
                let element = self.emit(Op::Element(right), span);
                self.store_element(old, element, span);
                self.note_store_all(old);
            }
            return old;
        }
        self.operator(statement.op, old, right, span)
    }

    /// `del target`.
    pub(super) fn delete(&mut self, target: &'a Expr) {
        let span = span_of(target);
        match target {
            Expr::Name(name) => {
                if let Some(variable) = Self::variable_of(name) {
                    let value = self.undefined(span);
                    self.write(variable, value, span);
                }
            }
            Expr::Attribute(attribute) => {
                let object = self.expression(&attribute.value);
                let field = self.symbol(attribute.attr.as_str());
                self.remove_field(object, MemberKey::Name(field), span);
            }
            Expr::Subscript(subscript) => {
                let object = self.expression(&subscript.value);
                let key = self.expression(&subscript.slice);
                if self.list_method(object, "pop", &[key], span).is_some() {
                    return;
                }
                let key = self.key(object, key);
                self.remove_field(object, key, span);
            }
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|target| self.delete(target)),
            Expr::List(list) => list.elts.iter().for_each(|target| self.delete(target)),
            _ => {}
        }
    }

    /// Removes a field.
    fn remove_field(&mut self, object: ValueId, key: MemberKey, span: Span) {
        self.note_store_all(object);
        self.emit(Op::Unary(UnaryOp::Void, object), span);
        if let MemberKey::Name(field) = key {
            let none = self.constant_value(Constant::Undefined, span);
            let base = self.canon(object);
            self.state.set_fact(Key::field(base, field), none);
        }
    }
}
