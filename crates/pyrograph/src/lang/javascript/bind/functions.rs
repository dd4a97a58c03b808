//! Names in functions and classes.

use oxc_ast::ast::{
    ArrowFunctionBody, ArrowFunctionExpression, Class, ClassElement, FormalParameters, Function, FunctionBody,
    MethodDefinitionKind,
};
use oxc_syntax::node::NodeId;

use super::{Binder, RegionStart, SUPER, Scope};

/// What a function hides of the one around it.
struct Outer<'a> {
    function: u32,
    writes: Vec<u32>,
    stores: Vec<&'a str>,
    events: RegionStart,
}

impl<'a> Binder<'a, '_> {
    pub(super) fn new_function(&mut self, is_arrow: bool) -> u32 {
        let number = u32::try_from(self.out.scopes.functions.len()).unwrap_or(u32::MAX);
        self.out.scopes.functions.push(Scope {
            parent: self.function,
            is_arrow,
            this: None,
            arguments: None,
            captures: Vec::new(),
        });
        number
    }

    fn enter_function(&mut self, function: u32) -> Outer<'a> {
        let events = self.begin_region();
        let outer = Outer {
            function: self.function,
            writes: std::mem::take(&mut self.writes),
            stores: std::mem::take(&mut self.stores),
            events,
        };
        self.function = function;
        outer
    }

    fn leave_function(&mut self, outer: Outer<'a>) {
        self.end_captures(self.function);
        self.function = outer.function;
        self.writes = outer.writes;
        self.stores = outer.stores;
        self.events = outer.events.events;
    }

    pub(super) fn function_declaration(&mut self, function: &Function<'a>) {
        if let Some(name) = &function.id
            && let Some(symbol) = name.symbol_id.get()
        {
            self.out.scopes.variables[symbol.index()].is_initialised = true;
            self.assign(symbol.index() as u32);
        }
        self.function(function);
    }

    pub(super) fn function_expression(&mut self, function: &Function<'a>) {
        self.open();
        if let Some(name) = &function.id {
            let variable = self.declare_identifier(name, true);
            self.out.scopes.variables[variable as usize].is_initialised = true;
            self.out.scopes.variables[variable as usize].assignments = 1;
        }
        self.function(function);
        self.close();
    }

    pub(super) fn function(&mut self, function: &Function<'a>) {
        let number = self.new_function(false);
        function.node_id.set(NodeId::new(number as usize));
        self.function_in(function, number);
    }

    fn function_in(&mut self, function: &Function<'a>, number: u32) {
        if !self.enter() {
            return self.leave();
        }
        let outer = self.enter_function(number);
        self.open();
        self.parameters(&function.params);
        if let Some(body) = &function.body {
            self.body(body);
        }
        self.close();
        self.leave_function(outer);
        self.leave();
    }

    pub(super) fn arrow(&mut self, arrow: &ArrowFunctionExpression<'a>) {
        let number = self.new_function(true);
        arrow.node_id.set(NodeId::new(number as usize));
        let outer = self.enter_function(number);
        self.open();
        self.parameters(&arrow.params);
        match &arrow.body {
            ArrowFunctionBody::FunctionBody(body) => self.body(body),
            body => self.expression(body.to_expression()),
        }
        self.close();
        self.leave_function(outer);
    }

    fn parameters(&mut self, parameters: &FormalParameters<'a>) {
        for parameter in &parameters.items {
            self.declare_pattern(&parameter.pattern, true);
        }
        if let Some(rest) = &parameters.rest {
            self.declare_pattern(&rest.rest.argument, true);
        }
        for parameter in &parameters.items {
            if let Some(initializer) = &parameter.initializer {
                self.expression(initializer);
            }
            self.initialise(&parameter.pattern);
        }
        if let Some(rest) = &parameters.rest {
            self.initialise(&rest.rest.argument);
        }
    }

    fn body(&mut self, body: &FunctionBody<'a>) {
        self.hoist_variables(&body.statements);
        self.declare_block(&body.statements, true);
        for statement in &body.statements {
            self.statement(statement);
        }
    }

    pub(super) fn class_declaration(&mut self, class: &Class<'a>) {
        if class.declare {
            return;
        }
        if let Some(name) = &class.id
            && let Some(symbol) = name.symbol_id.get()
        {
            self.out.scopes.variables[symbol.index()].is_initialised = true;
            self.assign(symbol.index() as u32);
        }
        self.class(class);
    }

    pub(super) fn class_expression(&mut self, class: &Class<'a>) {
        self.open();
        if let Some(name) = &class.id {
            let variable = self.declare_identifier(name, true);
            self.out.scopes.variables[variable as usize].is_initialised = true;
            self.out.scopes.variables[variable as usize].assignments = 1;
        }
        self.class(class);
        self.close();
    }

    fn class(&mut self, class: &Class<'a>) {
        if !self.enter() {
            return self.leave();
        }
        for decorator in &class.decorators {
            self.expression(&decorator.expression);
        }
        if let Some(heritage) = &class.heritage {
            self.expression(&heritage.expression);
        }
        self.open();
        let parent = self.declare(SUPER, true);
        self.out.scopes.variables[parent as usize].is_initialised = true;
        self.out.scopes.variables[parent as usize].assignments = 1;
        let is_implicit = !class.body.body.iter().any(|element| {
            matches!(element, ClassElement::MethodDefinition(method)
                if method.kind == MethodDefinitionKind::Constructor && method.value.body.is_some())
        });
        if class.heritage.is_some() && is_implicit {
            // The constructor calls that of the superclass.
            self.out.scopes.variables[parent as usize].is_captured = true;
        }
        class.scope_id.set(Some(oxc_syntax::scope::ScopeId::new(parent as usize)));
        let constructor = self.new_function(false);
        class.node_id.set(NodeId::new(constructor as usize));
        for element in &class.body.body {
            self.class_element(element, constructor);
        }
        self.close();
        self.leave();
    }

    fn class_element(&mut self, element: &ClassElement<'a>, constructor: u32) {
        match element {
            ClassElement::MethodDefinition(method) => {
                for decorator in &method.decorators {
                    self.expression(&decorator.expression);
                }
                if matches!(method.kind, MethodDefinitionKind::Get | MethodDefinitionKind::Set) {
                    self.accessor(&method.key);
                }
                self.property_key(&method.key, method.computed);
                for parameter in &method.value.params.items {
                    for decorator in &parameter.decorators {
                        self.expression(&decorator.expression);
                    }
                }
                if method.kind == MethodDefinitionKind::Constructor {
                    if method.value.body.is_some() {
                        method.value.node_id.set(NodeId::new(constructor as usize));
                        self.function_in(&method.value, constructor);
                    }
                } else {
                    self.function(&method.value);
                }
            }
            ClassElement::PropertyDefinition(property) => {
                for decorator in &property.decorators {
                    self.expression(&decorator.expression);
                }
                self.property_key(&property.key, property.computed);
                if let Some(value) = &property.value {
                    self.field(value, property.r#static, constructor);
                }
            }
            ClassElement::AccessorProperty(property) => {
                self.property_key(&property.key, property.computed);
                if let Some(value) = &property.value {
                    self.field(value, property.r#static, constructor);
                }
            }
            ClassElement::StaticBlock(block) => {
                let number = self.new_function(false);
                block.node_id.set(NodeId::new(number as usize));
                let outer = self.enter_function(number);
                self.open();
                self.hoist_variables(&block.body);
                self.declare_block(&block.body, true);
                for statement in &block.body {
                    self.statement(statement);
                }
                self.close();
                self.leave_function(outer);
            }
            ClassElement::TSIndexSignature(_) => {}
        }
    }

    /// Initial value of a field. That of an instance is code of the constructor.
    fn field(&mut self, value: &oxc_ast::ast::Expression<'a>, is_static: bool, constructor: u32) {
        if is_static {
            self.expression(value);
            return;
        }
        let outer = self.enter_function(constructor);
        self.expression(value);
        self.leave_function(outer);
    }
}
