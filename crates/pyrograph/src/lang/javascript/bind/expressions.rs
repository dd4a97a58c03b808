//! Names in expressions.

use oxc_ast::ast::{
    Argument, ArrayExpressionElement, AssignmentOperator, AssignmentTarget, AssignmentTargetMaybeDefault,
    AssignmentTargetProperty, CallExpression, ChainElement, Expression, JSXAttributeItem, JSXAttributeValue, JSXChild,
    JSXElement, JSXElementName, JSXExpression, JSXMemberExpressionObject, MemberExpression, ObjectPropertyKind,
    PropertyKey, PropertyKind, SimpleAssignmentTarget, UnaryOperator,
};

use super::{Binder, SUPER};

impl<'a> Binder<'a, '_> {
    pub(super) fn expression(&mut self, expression: &Expression<'a>) {
        if !self.enter() {
            return self.leave();
        }
        match expression {
            Expression::Identifier(identifier) => {
                self.read(identifier);
            }
            Expression::ThisExpression(_) => self.this(),
            Expression::Super(_) => self.super_class(),
            Expression::TemplateLiteral(template) => self.expressions(&template.expressions),
            Expression::TaggedTemplateExpression(template) => {
                self.expression(&template.tag);
                self.expressions(&template.quasi.expressions);
                self.events += 1;
            }
            Expression::ArrayExpression(array) => {
                for element in &array.elements {
                    match element {
                        ArrayExpressionElement::SpreadElement(spread) => self.expression(&spread.argument),
                        ArrayExpressionElement::Elision(_) => {}
                        element => self.expression(element.to_expression()),
                    }
                }
            }
            Expression::ObjectExpression(object) => {
                for property in &object.properties {
                    match property {
                        ObjectPropertyKind::ObjectProperty(property) => {
                            if property.kind != PropertyKind::Init {
                                self.accessor(&property.key);
                            }
                            self.property_key(&property.key, property.computed);
                            self.expression(&property.value);
                        }
                        ObjectPropertyKind::SpreadProperty(spread) => self.expression(&spread.argument),
                    }
                }
            }
            Expression::ArrowFunctionExpression(arrow) => self.arrow(arrow),
            Expression::FunctionExpression(function) => self.function_expression(function),
            Expression::ClassExpression(class) => {
                self.events += 1;
                self.class_expression(class);
            }
            Expression::AssignmentExpression(assignment) => {
                if assignment.operator != AssignmentOperator::Assign {
                    self.read_target(&assignment.left);
                }
                if let Some(target) = assignment.left.as_simple_assignment_target() {
                    self.simple_target(target, &assignment.right);
                } else {
                    self.expression(&assignment.right);
                    self.assignment_target(&assignment.left);
                }
            }
            Expression::UpdateExpression(update) => {
                if let SimpleAssignmentTarget::AssignmentTargetIdentifier(identifier) = &update.argument {
                    self.read(identifier);
                    self.write(identifier);
                } else {
                    self.store(&update.argument);
                }
            }
            Expression::UnaryExpression(unary) => {
                if unary.operator == UnaryOperator::Delete {
                    self.events += 1;
                }
                self.expression(&unary.argument);
            }
            Expression::BinaryExpression(_) | Expression::LogicalExpression(_) => self.operators(expression),
            Expression::PrivateInExpression(expression) => self.expression(&expression.right),
            Expression::ConditionalExpression(conditional) => {
                self.expression(&conditional.test);
                self.expression(&conditional.consequent);
                let mut alternate = &conditional.alternate;
                while let Expression::ConditionalExpression(next) = alternate {
                    self.expression(&next.test);
                    self.expression(&next.consequent);
                    alternate = &next.alternate;
                }
                self.expression(alternate);
            }
            Expression::SequenceExpression(sequence) => self.expressions(&sequence.expressions),
            Expression::AwaitExpression(expression) => {
                self.events += 1;
                self.expression(&expression.argument);
            }
            Expression::YieldExpression(expression) => {
                self.events += 1;
                if let Some(argument) = &expression.argument {
                    self.expression(argument);
                }
            }
            Expression::CallExpression(call) => {
                self.defined_accessor(call);
                self.expression(&call.callee);
                self.arguments(&call.arguments);
                self.events += 1;
            }
            Expression::NewExpression(call) => {
                self.expression(&call.callee);
                self.arguments(&call.arguments);
                self.events += 1;
            }
            Expression::ImportExpression(import) => {
                self.expression(&import.source);
                if let Some(options) = &import.options {
                    self.expression(options);
                }
            }
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(call) => {
                    self.expression(&call.callee);
                    self.arguments(&call.arguments);
                    self.events += 1;
                }
                ChainElement::TSNonNullExpression(inner) => self.expression(&inner.expression),
                element => self.member(element.to_member_expression()),
            },
            Expression::TSAsExpression(inner) => self.expression(&inner.expression),
            Expression::TSSatisfiesExpression(inner) => self.expression(&inner.expression),
            Expression::TSTypeAssertion(inner) => self.expression(&inner.expression),
            Expression::TSNonNullExpression(inner) => self.expression(&inner.expression),
            Expression::TSInstantiationExpression(inner) => self.expression(&inner.expression),
            Expression::ParenthesizedExpression(inner) => self.expression(&inner.expression),
            Expression::JSXElement(element) => self.element(element),
            Expression::JSXFragment(fragment) => self.children(&fragment.children),
            Expression::V8IntrinsicExpression(call) => self.arguments(&call.arguments),
            _ => {
                if let Some(member) = expression.as_member_expression() {
                    self.member(member);
                }
            }
        }
        self.leave();
    }

    fn expressions(&mut self, expressions: &[Expression<'a>]) {
        for expression in expressions {
            self.expression(expression);
        }
    }

    /// Operators that nest to the left, without recursion on that side.
    fn operators(&mut self, expression: &Expression<'a>) {
        let mut rights = Vec::new();
        let mut left = expression;
        loop {
            match left {
                Expression::BinaryExpression(binary) => {
                    rights.push(&binary.right);
                    left = &binary.left;
                }
                Expression::LogicalExpression(logical) => {
                    rights.push(&logical.right);
                    left = &logical.left;
                }
                _ => break,
            }
        }
        self.expression(left);
        while let Some(right) = rights.pop() {
            self.expression(right);
        }
    }

    fn super_class(&mut self) {
        self.this();
        if let Some(variable) = self.resolve(SUPER) {
            self.out.scopes.variables[variable as usize].reads += 1;
            self.capture(variable);
        }
    }

    fn arguments(&mut self, arguments: &[Argument<'a>]) {
        for argument in arguments {
            match argument {
                Argument::SpreadElement(spread) => self.expression(&spread.argument),
                argument => self.expression(argument.to_expression()),
            }
        }
    }

    fn member(&mut self, member: &MemberExpression<'a>) {
        let object = member.object();
        if let Expression::Identifier(identifier) = object {
            let is_static = !matches!(member, MemberExpression::ComputedMemberExpression(_));
            if let Some(variable) = self.read(identifier)
                && is_static
            {
                self.out.scopes.variables[variable as usize].member_reads += 1;
            }
        } else {
            self.expression(object);
        }
        if let MemberExpression::ComputedMemberExpression(member) = member {
            self.expression(&member.expression);
        }
    }

    pub(super) fn property_key(&mut self, key: &PropertyKey<'a>, is_computed: bool) {
        if is_computed && let Some(expression) = key.as_expression() {
            self.expression(expression);
        }
    }

    /// Notes that a property has a getter or setter.
    pub(super) fn accessor(&mut self, key: &PropertyKey<'a>) {
        let name = match key {
            PropertyKey::StaticIdentifier(name) => name.name.as_str(),
            PropertyKey::StringLiteral(name) => name.value.as_str(),
            _ => return,
        };
        self.out.accessors.insert(name, ());
    }

    /// `Object.defineProperty(object, "name", { get() { ... } })`.
    fn defined_accessor(&mut self, call: &CallExpression<'a>) {
        let [_, Argument::StringLiteral(name), Argument::ObjectExpression(descriptor)] = call.arguments.as_slice()
        else {
            return;
        };
        let has_accessor = descriptor.properties.iter().any(|property| {
            property.as_property().is_some_and(|property| property.key.is_specific_static_name("get"))
                || property.as_property().is_some_and(|property| property.key.is_specific_static_name("set"))
        });
        if has_accessor {
            self.out.accessors.insert(name.value.as_str(), ());
        }
    }

    fn read_target(&mut self, target: &AssignmentTarget<'a>) {
        if let AssignmentTarget::AssignmentTargetIdentifier(identifier) = target {
            self.read(identifier);
        }
    }

    fn simple_target(&mut self, target: &SimpleAssignmentTarget<'a>, right: &Expression<'a>) {
        if let SimpleAssignmentTarget::AssignmentTargetIdentifier(identifier) = target {
            self.expression(right);
            self.write(identifier);
        } else {
            self.store(target);
            self.expression(right);
        }
    }

    /// Store to a member.
    fn store(&mut self, target: &SimpleAssignmentTarget<'a>) {
        match target {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(identifier) => self.write(identifier),
            SimpleAssignmentTarget::TSAsExpression(inner) => self.stored_expression(&inner.expression),
            SimpleAssignmentTarget::TSSatisfiesExpression(inner) => self.stored_expression(&inner.expression),
            SimpleAssignmentTarget::TSNonNullExpression(inner) => self.stored_expression(&inner.expression),
            SimpleAssignmentTarget::TSTypeAssertion(inner) => self.stored_expression(&inner.expression),
            target => self.stored_member(target.to_member_expression()),
        }
    }

    fn stored_expression(&mut self, expression: &Expression<'a>) {
        match expression.get_inner_expression() {
            Expression::Identifier(identifier) => {
                self.read(identifier);
                self.write(identifier);
            }
            expression => match expression.as_member_expression() {
                Some(member) => self.stored_member(member),
                None => self.expression(expression),
            },
        }
    }

    fn stored_member(&mut self, member: &MemberExpression<'a>) {
        match member {
            MemberExpression::ComputedMemberExpression(computed) => {
                self.events += 1;
                if let Expression::StringLiteral(name) = &computed.expression {
                    self.out.scopes.stored_fields.get_or_insert_default().insert(name.value.as_str());
                }
                self.expression(&computed.object);
                self.expression(&computed.expression);
            }
            MemberExpression::StaticMemberExpression(member) => {
                self.stores.push(member.property.name.as_str());
                self.out.scopes.stored_fields.get_or_insert_default().insert(member.property.name.as_str());
                self.expression(&member.object);
            }
            MemberExpression::PrivateFieldExpression(member) => {
                self.events += 1;
                self.expression(&member.object);
            }
        }
    }

    pub(super) fn assignment_target(&mut self, target: &AssignmentTarget<'a>) {
        if !self.enter() {
            return self.leave();
        }
        match target {
            AssignmentTarget::ArrayAssignmentTarget(pattern) => {
                for element in pattern.elements.iter().flatten() {
                    self.target_with_default(element);
                }
                if let Some(rest) = &pattern.rest {
                    self.assignment_target(&rest.target);
                }
            }
            AssignmentTarget::ObjectAssignmentTarget(pattern) => {
                for property in &pattern.properties {
                    match property {
                        AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(property) => {
                            if let Some(init) = &property.init {
                                self.expression(init);
                            }
                            self.write(&property.binding);
                        }
                        AssignmentTargetProperty::AssignmentTargetPropertyProperty(property) => {
                            self.property_key(&property.name, property.computed);
                            self.target_with_default(&property.binding);
                        }
                    }
                }
                if let Some(rest) = &pattern.rest {
                    self.assignment_target(&rest.target);
                }
            }
            target => self.store(target.to_simple_assignment_target()),
        }
        self.leave();
    }

    fn target_with_default(&mut self, target: &AssignmentTargetMaybeDefault<'a>) {
        match target {
            AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(target) => {
                self.expression(&target.init);
                self.assignment_target(&target.binding);
            }
            target => self.assignment_target(target.to_assignment_target()),
        }
    }

    fn element(&mut self, element: &JSXElement<'a>) {
        if !self.enter() {
            return self.leave();
        }
        self.events += 1;
        match &element.opening_element.name {
            JSXElementName::IdentifierReference(identifier) => {
                self.read(identifier);
            }
            JSXElementName::MemberExpression(member) => {
                let mut object = &member.object;
                loop {
                    match object {
                        JSXMemberExpressionObject::IdentifierReference(identifier) => {
                            self.read(identifier);
                            break;
                        }
                        JSXMemberExpressionObject::MemberExpression(member) => object = &member.object,
                        JSXMemberExpressionObject::ThisExpression(_) => {
                            self.this();
                            break;
                        }
                    }
                }
            }
            JSXElementName::ThisExpression(_) => self.this(),
            JSXElementName::Identifier(_) | JSXElementName::NamespacedName(_) => {}
        }
        for attribute in &element.opening_element.attributes {
            match attribute {
                JSXAttributeItem::Attribute(attribute) => match &attribute.value {
                    Some(JSXAttributeValue::ExpressionContainer(container)) => {
                        self.jsx_expression(&container.expression);
                    }
                    Some(JSXAttributeValue::Element(element)) => self.element(element),
                    Some(JSXAttributeValue::Fragment(fragment)) => self.children(&fragment.children),
                    _ => {}
                },
                JSXAttributeItem::SpreadAttribute(spread) => self.expression(&spread.argument),
            }
        }
        self.children(&element.children);
        self.leave();
    }

    fn jsx_expression(&mut self, expression: &JSXExpression<'a>) {
        if let Some(expression) = expression.as_expression() {
            self.expression(expression);
        }
    }

    fn children(&mut self, children: &[JSXChild<'a>]) {
        if !self.enter() {
            return self.leave();
        }
        for child in children {
            match child {
                JSXChild::Text(_) => {}
                JSXChild::Element(element) => self.element(element),
                JSXChild::Fragment(fragment) => self.children(&fragment.children),
                JSXChild::ExpressionContainer(container) => self.jsx_expression(&container.expression),
                JSXChild::Spread(spread) => self.expression(&spread.expression),
            }
        }
        self.leave();
    }
}
