//! Array and object literals.

use std::collections::HashMap;
use std::rc::Rc;

use oxc_ast::ast::{
    ArrayExpression, ArrayExpressionElement, Expression, ObjectExpression, ObjectProperty, ObjectPropertyKind,
    PropertyKey, PropertyKind,
};
use oxc_span::GetSpan;

use crate::flow::{AllocateKind, FunctionKind, Op, ValueId, field};
use crate::lang::ssa::{Key, MemberKey};

use super::{Lowerer, Note, at};

/// Elements of an array that have fields of their own.
const MAX_ELEMENTS: usize = 256;

impl<'a> Lowerer<'a, '_> {
    pub(super) fn array(&mut self, array: &'a ArrayExpression<'a>) -> ValueId {
        let span = at(array.span);
        let object = self.allocate(AllocateKind::Array, span);
        let element_field = self.symbol(field::ELEMENT);
        let mut is_constant = !array.elements.is_empty();
        let mut has_positions = true;
        for (index, element) in array.elements.iter().enumerate() {
            match element {
                ArrayExpressionElement::Elision(_) => {}
                ArrayExpressionElement::SpreadElement(spread) => {
                    let value = self.expression(&spread.argument);
                    is_constant &= self.is_collection(value);
                    has_positions = false;
                    let element_span = at(spread.span);
                    let element = self.emit(Op::Element(value), element_span);
                    self.emit(Op::StoreField(object, element_field, element), element_span);
                }
                element => {
                    let expression = element.to_expression();
                    if index >= MAX_ELEMENTS && is_data(expression, 0) {
                        continue;
                    }
                    let value = self.passed(expression, None);
                    is_constant &= self.constant(value).is_some();
                    if has_positions && index < MAX_ELEMENTS {
                        let field = self.symbol(&index.to_string());
                        self.store_field(object, field, value, at(expression.span()));
                    } else {
                        self.escape(value);
                        self.emit(Op::StoreField(object, element_field, value), at(expression.span()));
                    }
                }
            }
        }
        if is_constant {
            self.notes.insert(object, Note::Collection);
        }
        object
    }

    pub(super) fn object(&mut self, literal: &'a ObjectExpression<'a>) -> ValueId {
        let object = self.allocate(AllocateKind::Object, at(literal.span));
        let mut is_constant = !literal.properties.is_empty();
        for (index, property) in literal.properties.iter().enumerate() {
            match property {
                ObjectPropertyKind::ObjectProperty(property)
                    if index >= MAX_ELEMENTS && !property.computed && is_data(&property.value, 0) => {}
                ObjectPropertyKind::ObjectProperty(property) => is_constant &= self.property(object, property),
                ObjectPropertyKind::SpreadProperty(spread) => {
                    let value = self.expression(&spread.argument);
                    is_constant &= self.is_collection(value);
                    self.emit(Op::CopyFields(object, value), at(spread.span));
                    self.note_store_all(object);
                }
            }
        }
        if is_constant {
            self.notes.insert(object, Note::Collection);
        }
        self.component(literal, object);
        object
    }

    /// Adds a property to an object. True: its name is constant.
    fn property(&mut self, object: ValueId, property: &'a ObjectProperty<'a>) -> bool {
        let span = at(property.span);
        let key = self.property_key(&property.key, property.computed);
        let name = match key {
            MemberKey::Name(name) => Some(name),
            MemberKey::Value(_) => None,
        };
        let is_method = property.method || property.kind != PropertyKind::Init;
        let value = match &property.value {
            Expression::FunctionExpression(function) if is_method => {
                self.function_value(function, FunctionKind::Method, name, None, false)
            }
            value => self.passed(value, name),
        };
        match (property.kind, name) {
            (PropertyKind::Get, Some(name)) => {
                self.emit(Op::DefineGetter(object, name, value), span);
            }
            (PropertyKind::Set, Some(name)) => {
                self.emit(Op::DefineSetter(object, name, value), span);
            }
            (PropertyKind::Init, Some(name)) => {
                let is_parent = !property.computed && !property.shorthand && !property.method;
                if is_parent && self.builder.text(name) == "__proto__" {
                    self.emit(Op::Inherit(object, value), span);
                } else {
                    self.store_field(object, name, value, span);
                }
            }
            (_, None) => self.store(object, key, value, span),
        }
        name.is_some()
    }

    pub(super) fn property_key(&mut self, key: &'a PropertyKey<'a>, is_computed: bool) -> MemberKey {
        match key {
            PropertyKey::StaticIdentifier(name) => MemberKey::Name(self.symbol(name.name.as_str())),
            PropertyKey::PrivateIdentifier(name) => {
                let name = format!("#{}", name.name);
                MemberKey::Name(self.symbol(&name))
            }
            PropertyKey::StringLiteral(name) if !is_computed => MemberKey::Name(self.symbol(name.value.as_str())),
            key => match key.as_expression() {
                Some(expression) => {
                    let value = self.expression(expression);
                    self.key(value)
                }
                None => MemberKey::Name(self.symbol("")),
            },
        }
    }

    /// Notes the constant fields of an object that does not change.
    pub(super) fn note_members(&mut self, literal: &'a ObjectExpression<'a>, object: ValueId) {
        let base = self.canon(object);
        if !matches!(self.op(base), Op::Allocate(_)) {
            return;
        }
        let mut members = HashMap::default();
        for property in &literal.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else { return };
            if property.kind != PropertyKind::Init {
                continue;
            }
            let Some(name) = property.key.static_name().filter(|_| !property.computed) else { continue };
            let name = self.symbol(&name);
            let value = self.fact(Key::field(base, name));
            if let Some(constant) = value.and_then(|value| self.constant(value)) {
                members.insert(name, constant);
            } else {
                members.remove(&name);
            }
        }
        self.notes.insert(base, Note::Members(Rc::new(members)));
    }
}

/// True if an expression is data without code: literals, and arrays and objects of them.
fn is_data(expression: &Expression<'_>, depth: u32) -> bool {
    match expression {
        Expression::ArrayExpression(array) if depth < 16 => array.elements.iter().all(|element| {
            element.is_elision() || element.as_expression().is_some_and(|element| is_data(element, depth + 1))
        }),
        Expression::ObjectExpression(object) if depth < 16 => object.properties.iter().all(|property| {
            property.as_property().is_some_and(|property| !property.computed && is_data(&property.value, depth + 1))
        }),
        Expression::UnaryExpression(unary) => unary.argument.is_literal(),
        expression => expression.is_literal(),
    }
}
