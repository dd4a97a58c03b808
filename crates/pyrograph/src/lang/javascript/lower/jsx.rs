//! JSX.

use oxc_ast::ast::{
    Expression, JSXAttribute, JSXAttributeItem, JSXAttributeName, JSXAttributeValue, JSXChild, JSXElement,
    JSXElementName, JSXExpression, JSXFragment, JSXMemberExpression, JSXMemberExpressionObject, ObjectPropertyKind,
};

use crate::flow::{AllocateKind, Argument, Call, CallKind, Constant, Op, Span, ValueId, field};

use super::{Lowerer, at};

impl<'a> Lowerer<'a, '_> {
    /// Element: a call of a component with its properties, or an object.
    pub(super) fn element(&mut self, element: &'a JSXElement<'a>) -> ValueId {
        let span = at(element.span);
        if !self.enter() {
            self.leave();
            return self.undefined(span);
        }
        let opening = &element.opening_element;
        let component = match &opening.name {
            JSXElementName::Identifier(_) | JSXElementName::NamespacedName(_) => None,
            JSXElementName::IdentifierReference(identifier) => Some((self.read_identifier(identifier), None)),
            JSXElementName::MemberExpression(member) => Some(self.jsx_member(member)),
            JSXElementName::ThisExpression(this) => Some((self.this(at(this.span)), None)),
        };
        let properties = self.allocate(AllocateKind::Object, at(opening.span));
        for attribute in &opening.attributes {
            match attribute {
                JSXAttributeItem::Attribute(attribute) => {
                    self.attribute(properties, attribute, component.is_none());
                }
                JSXAttributeItem::SpreadAttribute(spread) => {
                    let value = self.expression(&spread.argument);
                    self.emit(Op::CopyFields(properties, value), at(spread.span));
                    self.note_store_all(properties);
                }
            }
        }
        if !element.children.is_empty() {
            let children = match self.only_child(&element.children) {
                Some(child) => child,
                None => self.children(&element.children, span),
            };
            let name = self.symbol("children");
            self.store_field(properties, name, children, span);
        }
        let value = match component {
            Some((callee, receiver)) => {
                // Instances of a class component read `this.props`, which the prototype stands for.
                let prototype = self.load_field(callee, "prototype", span);
                let name = self.symbol("props");
                self.store_field(prototype, name, properties, span);
                let arguments = vec![Argument { value: properties, is_spread: false, name: None }];
                let call = Call { callee, receiver, arguments, kind: CallKind::Call };
                self.emit_call(call, false, span)
            }
            None => properties,
        };
        self.leave();
        value
    }

    pub(super) fn fragment(&mut self, fragment: &'a JSXFragment<'a>) -> ValueId {
        let span = at(fragment.span);
        if !self.enter() {
            self.leave();
            return self.undefined(span);
        }
        let value = self.children(&fragment.children, span);
        self.leave();
        value
    }

    /// Member, and the object that has it.
    fn jsx_member(&mut self, member: &'a JSXMemberExpression<'a>) -> (ValueId, Option<ValueId>) {
        let mut names = vec![(member.property.name.as_str(), at(member.span))];
        let mut object = &member.object;
        let mut value = loop {
            match object {
                JSXMemberExpressionObject::IdentifierReference(identifier) => break self.read_identifier(identifier),
                JSXMemberExpressionObject::ThisExpression(this) => break self.this(at(this.span)),
                JSXMemberExpressionObject::MemberExpression(member) => {
                    names.push((member.property.name.as_str(), at(member.span)));
                    object = &member.object;
                }
            }
        };
        let mut object = None;
        while let Some((name, span)) = names.pop() {
            object = Some(value);
            value = self.load_field(value, name, span);
        }
        (value, object)
    }

    fn attribute(&mut self, properties: ValueId, attribute: &'a JSXAttribute<'a>, is_intrinsic: bool) {
        let span = at(attribute.span);
        let name = match &attribute.name {
            JSXAttributeName::Identifier(name) => self.symbol(name.name.as_str()),
            JSXAttributeName::NamespacedName(name) => {
                let text = format!("{}:{}", name.namespace.name, name.name.name);
                self.symbol(&text)
            }
        };
        if self.builder.text(name) == "dangerouslySetInnerHTML"
            && let Some(JSXAttributeValue::ExpressionContainer(container)) = &attribute.value
            && let Some(expression) = container.expression.as_expression()
        {
            let value = self.inner_html(expression, span);
            let markup = self.emit(Op::Markup(name, value), span);
            self.store_field(properties, name, markup, span);
            return;
        }
        let value = match &attribute.value {
            None => self.constant_value(Constant::Bool(true), span),
            Some(JSXAttributeValue::StringLiteral(text)) => self.text(text.value.as_str(), at(text.span)),
            Some(JSXAttributeValue::ExpressionContainer(container)) => {
                match self.jsx_expression(&container.expression) {
                    Some(value) => value,
                    None => return,
                }
            }
            Some(JSXAttributeValue::Element(element)) => self.element(element),
            Some(JSXAttributeValue::Fragment(fragment)) => self.fragment(fragment),
        };
        let is_address = matches!(self.builder.text(name), "href" | "src" | "action" | "formAction" | "srcDoc");
        if is_intrinsic && is_address && self.constant(value).is_none() {
            self.emit(Op::Markup(name, value), span);
        }
        self.store_field(properties, name, value, span);
    }

    /// Value of `__html` in `{__html: value}`, or of that member of an object.
    fn inner_html(&mut self, expression: &'a Expression<'a>, span: Span) -> ValueId {
        if let Expression::ObjectExpression(literal) = expression
            && let [ObjectPropertyKind::ObjectProperty(property)] = literal.properties.as_slice()
            && property.key.is_specific_static_name("__html")
        {
            return self.expression(&property.value);
        }
        let object = self.expression(expression);
        self.load_field(object, "__html", span)
    }

    fn jsx_expression(&mut self, expression: &'a JSXExpression<'a>) -> Option<ValueId> {
        expression.as_expression().map(|expression| self.expression(expression))
    }

    /// Value of the only child, which is no array then.
    fn only_child(&mut self, children: &'a [JSXChild<'a>]) -> Option<ValueId> {
        let is_content = |child: &&JSXChild<'a>| !matches!(child, JSXChild::Text(text) if text.value.trim().is_empty() && text.value.contains('\n'));
        let mut children = children.iter().filter(is_content);
        let (child, None) = (children.next()?, children.next()) else { return None };
        match child {
            JSXChild::ExpressionContainer(container) => self.jsx_expression(&container.expression),
            JSXChild::Element(element) => Some(self.element(element)),
            JSXChild::Text(text) => Some(self.text(text.value.as_str(), at(text.span))),
            JSXChild::Fragment(_) | JSXChild::Spread(_) => None,
        }
    }

    /// Array of children.
    fn children(&mut self, children: &'a [JSXChild<'a>], span: Span) -> ValueId {
        let array = self.allocate(AllocateKind::Array, span);
        let element_field = self.symbol(field::ELEMENT);
        for child in children {
            let value = match child {
                JSXChild::Text(_) => continue,
                JSXChild::Element(element) => self.element(element),
                JSXChild::Fragment(fragment) => self.fragment(fragment),
                JSXChild::ExpressionContainer(container) => match self.jsx_expression(&container.expression) {
                    Some(value) => value,
                    None => continue,
                },
                JSXChild::Spread(spread) => {
                    let value = self.expression(&spread.expression);
                    self.emit(Op::Element(value), at(spread.span))
                }
            };
            self.escape(value);
            self.emit(Op::StoreField(array, element_field, value), span);
        }
        array
    }
}
