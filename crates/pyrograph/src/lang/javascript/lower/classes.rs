//! Classes.

use oxc_ast::ast::{
    Class, ClassElement, Decorator, Expression, FormalParameters, Function, MethodDefinition, MethodDefinitionKind,
};

use crate::flow::{self, Argument, Call, CallKind, Constant, FunctionId, FunctionKind, Op, Span, SymbolId, ValueId};
use crate::lang::ssa::MemberKey;

use super::{Body, Lowerer, at};

impl<'a> Lowerer<'a, '_> {
    /// Value of a class: its constructor.
    pub(super) fn class(&mut self, class: &'a Class<'a>, name: Option<SymbolId>) -> ValueId {
        let span = at(class.span);
        let decorators = self.decorators(&class.decorators);
        let parent = class.heritage.as_ref().map(|heritage| self.expression(&heritage.expression));
        let variable = class.scope_id.get().map(|scope| scope.index() as u32);
        if let (Some(parent), Some(variable)) = (parent, variable) {
            let entry = &self.scopes.variables[variable as usize];
            if entry.is_captured || entry.reads > 0 {
                self.write(variable, parent, span);
            }
        }
        let home = parent.and(variable);
        let name = match &class.id {
            Some(id) => Some(self.symbol(id.name.as_str())),
            None => name,
        };
        let constructor = class.body.body.iter().find_map(|element| match element {
            ClassElement::MethodDefinition(method)
                if method.kind == MethodDefinitionKind::Constructor && method.value.body.is_some() =>
            {
                Some(&*method.value)
            }
            _ => None,
        });
        let parameters = constructor.map(|method| self.parameter_names(&method.params)).unwrap_or_default();
        let parameter_types = constructor.map(|method| self.parameter_types(&method.params)).unwrap_or_default();
        let record = flow::Function {
            name,
            parent: Some(self.frame.id),
            parameters,
            kind: FunctionKind::Constructor,
            is_async: false,
            is_generator: false,
            decorators,
            parameter_decorators: Vec::new(),
            predicate: None,
            parameter_types,
            span,
        };
        let number = class.node_id.get().index() as u32;
        let (value, id) = self.create(Body::Constructor(class, constructor), number, record, home, false);
        if let Some(method) = constructor {
            self.parameter_decorators(&method.params, id);
        }
        let prototype = self.load_field(value, "prototype", span);
        if let Some(parent) = parent {
            self.emit(Op::Inherit(value, parent), span);
            let parent_prototype = self.load_field(parent, "prototype", span);
            self.emit(Op::Inherit(prototype, parent_prototype), span);
        }
        if let Some(id) = &class.id
            && let Some(variable) = Self::declared(id)
        {
            self.write(variable, value, at(id.span));
        }
        let this = self.current.this_override.replace(value);
        for element in &class.body.body {
            self.class_element(element, value, prototype, home);
        }
        self.current.this_override = this;
        value
    }

    pub(super) fn decorators(&mut self, decorators: &'a [Decorator<'a>]) -> Vec<ValueId> {
        decorators.iter().map(|decorator| self.expression(&decorator.expression)).collect()
    }

    fn parameter_decorators(&mut self, parameters: &'a FormalParameters<'a>, function: FunctionId) {
        for (position, parameter) in parameters.items.iter().enumerate() {
            for value in self.decorators(&parameter.decorators) {
                let function = &mut self.builder.module_mut().functions[function.index()];
                function.parameter_decorators.push((position as u32, value));
            }
        }
    }

    fn class_element(
        &mut self,
        element: &'a ClassElement<'a>,
        class: ValueId,
        prototype: ValueId,
        parent: Option<u32>,
    ) {
        match element {
            ClassElement::MethodDefinition(method)
                if method.kind != MethodDefinitionKind::Constructor && method.value.body.is_some() =>
            {
                let target = if method.r#static { class } else { prototype };
                self.method(method, target, parent);
            }
            ClassElement::PropertyDefinition(property) if property.r#static && !property.declare => {
                let key = self.property_key(&property.key, property.computed);
                let value = match &property.value {
                    Some(value) => self.named(value, key_name(key)),
                    None => self.undefined(at(property.span)),
                };
                self.store(class, key, value, at(property.span));
            }
            ClassElement::AccessorProperty(property) if property.r#static => {
                let key = self.property_key(&property.key, property.computed);
                if let Some(value) = &property.value {
                    let value = self.named(value, key_name(key));
                    self.store(class, key, value, at(property.span));
                }
            }
            ClassElement::StaticBlock(block) => {
                let span = at(block.span);
                let record = flow::Function {
                    name: None,
                    parent: Some(self.frame.id),
                    parameters: Vec::new(),
                    kind: FunctionKind::Method,
                    is_async: false,
                    is_generator: false,
                    decorators: Vec::new(),
                    parameter_decorators: Vec::new(),
                    predicate: None,
                    parameter_types: Vec::new(),
                    span,
                };
                let number = block.node_id.get().index() as u32;
                let (callee, _) = self.create(Body::StaticBlock(block), number, record, parent, true);
                let call = Call { callee, receiver: Some(class), arguments: Vec::new(), kind: CallKind::Call };
                self.emit_call(call, false, span);
            }
            _ => {}
        }
    }

    fn method(&mut self, method: &'a MethodDefinition<'a>, target: ValueId, parent: Option<u32>) {
        let span = at(method.span);
        let decorators = self.decorators(&method.decorators);
        let key = self.property_key(&method.key, method.computed);
        let name = key_name(key);
        let value = self.function_value(&method.value, FunctionKind::Method, name, parent, method.r#static);
        if let Op::Function(id) = self.op(value) {
            self.builder.module_mut().functions[id.index()].decorators = decorators;
            self.parameter_decorators(&method.value.params, id);
        }
        match (method.kind, name) {
            (MethodDefinitionKind::Get, Some(name)) => {
                self.emit(Op::DefineGetter(target, name, value), span);
            }
            (MethodDefinitionKind::Set, Some(name)) => {
                self.emit(Op::DefineSetter(target, name, value), span);
            }
            _ => self.store(target, key, value, span),
        }
    }

    /// Body of a constructor: parameters, fields, statements.
    pub(super) fn constructor_body(&mut self, class: &'a Class<'a>, method: Option<&'a Function<'a>>) {
        let span = at(class.span);
        let is_derived = class.heritage.is_some();
        self.current.fields = Some(class);
        match method {
            Some(method) => {
                if !is_derived {
                    self.store_fields();
                }
                self.parameters(&method.params);
                if let Some(body) = &method.body {
                    self.statements(&body.statements);
                }
            }
            None => {
                let start = Span::new(span.start, span.start);
                if is_derived {
                    let rest = self.emit(Op::RestParameter(0), start);
                    let callee = self.super_class(start);
                    let receiver = self.receiver(start);
                    let arguments = vec![Argument { value: rest, is_spread: true, name: None }];
                    let call = Call { callee, receiver: Some(receiver), arguments, kind: CallKind::Super };
                    self.emit_call(call, false, start);
                }
                self.store_fields();
            }
        }
        if self.frame.is_reachable {
            self.store_fields();
        }
    }

    /// Stores the initial values of the fields of the class, once.
    pub(super) fn store_fields(&mut self) {
        if self.current.kind != FunctionKind::Constructor {
            return;
        }
        let Some(class) = self.current.fields.take() else { return };
        for element in &class.body.body {
            let (key, is_computed, value, span) = match element {
                ClassElement::PropertyDefinition(property) if !property.r#static && !property.declare => {
                    (&property.key, property.computed, &property.value, property.span)
                }
                ClassElement::AccessorProperty(property) if !property.r#static => {
                    (&property.key, property.computed, &property.value, property.span)
                }
                _ => continue,
            };
            let Some(value) = value else { continue };
            self.store_instance_field(key, is_computed, value, at(span));
        }
    }

    fn store_instance_field(
        &mut self,
        key: &'a oxc_ast::ast::PropertyKey<'a>,
        is_computed: bool,
        value: &'a Expression<'a>,
        span: Span,
    ) {
        // A computed key belongs to the function around the class; here only its constant value is known.
        let key = match key.as_expression() {
            Some(Expression::StringLiteral(name)) => MemberKey::Name(self.symbol(name.value.as_str())),
            Some(_) if is_computed => MemberKey::Value(self.constant_value(Constant::Undefined, span)),
            _ => self.property_key(key, is_computed),
        };
        let value = self.named(value, key_name(key));
        let receiver = self.receiver(span);
        match key {
            MemberKey::Name(_) => self.store(receiver, key, value, span),
            MemberKey::Value(_) => {
                let name = self.symbol(flow::field::ELEMENT);
                self.store_field(receiver, name, value, span);
            }
        }
    }

    /// Value of the superclass.
    pub(super) fn super_class(&mut self, span: Span) -> ValueId {
        match self.current.parent {
            Some(variable) => self.read(variable, span),
            None => {
                let this = self.this(span);
                self.load_field(this, flow::field::PARENT, span)
            }
        }
    }

    /// Object in which `super.name` is looked up.
    pub(super) fn super_home(&mut self, span: Span) -> ValueId {
        let parent = self.super_class(span);
        if self.current.parent.is_none() || self.current.is_static {
            return parent;
        }
        self.load_field(parent, "prototype", span)
    }
}

fn key_name(key: MemberKey) -> Option<SymbolId> {
    match key {
        MemberKey::Name(name) => Some(name),
        MemberKey::Value(_) => None,
    }
}
