//! Destructuring.

use oxc_ast::ast::{
    AssignmentTarget, AssignmentTargetMaybeDefault, AssignmentTargetProperty, BindingPattern, Expression, PropertyKey,
};
use oxc_span::GetSpan;

use crate::flow::{AllocateKind, Constant, Op, Span, ValueId, field};
use crate::lang::ssa::MemberKey;

use super::{Lowerer, at};

impl<'a> Lowerer<'a, '_> {
    /// Assigns a value to the names of a declared pattern.
    pub(super) fn bind(&mut self, pattern: &'a BindingPattern<'a>, value: ValueId, span: Span) {
        if !self.enter() {
            return self.leave();
        }
        match pattern {
            BindingPattern::BindingIdentifier(identifier) => {
                if let Some(variable) = Self::declared(identifier) {
                    self.write(variable, value, span);
                }
            }
            BindingPattern::ObjectPattern(pattern) => {
                let mut names = Vec::new();
                for property in &pattern.properties {
                    let loaded = self.pattern_member(
                        value,
                        &property.key,
                        property.computed,
                        pattern.rest.is_some().then_some(&mut names),
                        at(property.span),
                    );
                    self.bind(&property.value, loaded, at(property.value.span()));
                }
                if let Some(rest) = &pattern.rest {
                    let span = at(rest.span);
                    let list = self.builder.list(&names);
                    let rest_value = self.emit(Op::RestOf(value, list), span);
                    self.bind(&rest.argument, rest_value, span);
                }
            }
            BindingPattern::ArrayPattern(pattern) => {
                for (index, element) in pattern.elements.iter().enumerate() {
                    if let Some(element) = element {
                        let span = at(element.span());
                        let loaded = self.load_field(value, &index.to_string(), span);
                        self.bind(element, loaded, span);
                    }
                }
                if let Some(rest) = &pattern.rest {
                    let span = at(rest.span);
                    let rest_value = self.array_rest(value, span);
                    self.bind(&rest.argument, rest_value, span);
                }
            }
            BindingPattern::AssignmentPattern(pattern) => {
                let value = self.with_default(value, &pattern.right, Some(&pattern.left));
                self.bind(&pattern.left, value, span);
            }
        }
        self.leave();
    }

    /// Load of a member that a pattern names. The constant names are collected for a rest pattern.
    fn pattern_member(
        &mut self,
        object: ValueId,
        key: &'a PropertyKey<'a>,
        is_computed: bool,
        names: Option<&mut Vec<ValueId>>,
        span: Span,
    ) -> ValueId {
        let key = self.property_key(key, is_computed);
        if let (Some(names), MemberKey::Name(name)) = (names, key) {
            let constant = self.constant_value(Constant::String(name), span);
            names.push(constant);
        }
        self.load(object, key, span)
    }

    /// Array of the remaining elements.
    fn array_rest(&mut self, value: ValueId, span: Span) -> ValueId {
        let array = self.allocate(AllocateKind::Array, span);
        let element = self.emit(Op::Element(value), span);
        let name = self.symbol(field::ELEMENT);
        self.emit(Op::StoreField(array, name, element), span);
        array
    }

    /// A value, or a default if it is `undefined`.
    pub(super) fn with_default(
        &mut self,
        value: ValueId,
        default: &'a Expression<'a>,
        target: Option<&'a BindingPattern<'a>>,
    ) -> ValueId {
        let span = at(default.span());
        let name = match target {
            Some(BindingPattern::BindingIdentifier(identifier)) => Some(self.symbol(identifier.name.as_str())),
            _ => None,
        };
        match self.constant(value) {
            Some(Constant::Undefined) => return self.named(default, name),
            Some(_) => {
                self.prune(span);
                return value;
            }
            None => {}
        }
        if default.is_literal() {
            let default = self.expression(default);
            return self.phi(&[value, default], span);
        }
        let mark = self.mark();
        let unchanged = self.exit(mark);
        let default = self.named(default, name);
        self.finish_branches(mark, unchanged.into_iter().collect(), vec![value, default], span)
    }

    /// Assigns a value to a target, which may be a pattern.
    pub(super) fn assign_target(&mut self, target: &'a AssignmentTarget<'a>, value: ValueId, span: Span) {
        if !self.enter() {
            return self.leave();
        }
        match target {
            AssignmentTarget::ArrayAssignmentTarget(pattern) => {
                for (index, element) in pattern.elements.iter().enumerate() {
                    if let Some(element) = element {
                        let span = at(element.span());
                        let loaded = self.load_field(value, &index.to_string(), span);
                        self.assign_with_default(element, loaded, span);
                    }
                }
                if let Some(rest) = &pattern.rest {
                    let span = at(rest.span);
                    let rest_value = self.array_rest(value, span);
                    self.assign_target(&rest.target, rest_value, span);
                }
            }
            AssignmentTarget::ObjectAssignmentTarget(pattern) => {
                let mut names = Vec::new();
                for property in &pattern.properties {
                    match property {
                        AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(property) => {
                            let span = at(property.span);
                            let name = property.binding.name.as_str();
                            if pattern.rest.is_some() {
                                names.push(self.text(name, span));
                            }
                            let mut loaded = self.load_field(value, name, span);
                            if let Some(init) = &property.init {
                                loaded = self.with_default(loaded, init, None);
                            }
                            self.write_identifier(&property.binding, loaded, span);
                        }
                        AssignmentTargetProperty::AssignmentTargetPropertyProperty(property) => {
                            let span = at(property.span);
                            let loaded = self.pattern_member(
                                value,
                                &property.name,
                                property.computed,
                                pattern.rest.is_some().then_some(&mut names),
                                span,
                            );
                            self.assign_with_default(&property.binding, loaded, span);
                        }
                    }
                }
                if let Some(rest) = &pattern.rest {
                    let span = at(rest.span);
                    let list = self.builder.list(&names);
                    let rest_value = self.emit(Op::RestOf(value, list), span);
                    self.assign_target(&rest.target, rest_value, span);
                }
            }
            target => self.assign_simple(target, value, span),
        }
        self.leave();
    }

    fn assign_with_default(&mut self, target: &'a AssignmentTargetMaybeDefault<'a>, value: ValueId, span: Span) {
        match target {
            AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(target) => {
                let value = self.with_default(value, &target.init, None);
                self.assign_target(&target.binding, value, span);
            }
            target => self.assign_target(target.to_assignment_target(), value, span),
        }
    }
}
