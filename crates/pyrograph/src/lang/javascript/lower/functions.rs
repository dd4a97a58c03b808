//! Functions.

use oxc_ast::ast::{
    ArrowFunctionBody, ArrowFunctionExpression, BindingPattern, Declaration, ExportDefaultDeclarationKind,
    FormalParameters, Function, Program, Statement,
};
use oxc_span::GetSpan;

use crate::flow::{self, FunctionId, FunctionKind, Op, SymbolId, ValueId};

use super::{Body, Current, Lowerer, Pending, at};

impl<'a> Lowerer<'a, '_> {
    /// Lowers the whole file.
    pub(super) fn file(&mut self, program: &'a Program<'a>) {
        self.builder.function(flow::Function {
            name: None,
            parent: None,
            parameters: Vec::new(),
            kind: FunctionKind::Module,
            is_async: false,
            is_generator: false,
            decorators: Vec::new(),
            parameter_decorators: Vec::new(),
            predicate: None,
            parameter_types: Vec::new(),
            span: at(program.span),
        });
        self.function_ids[0] = Some(FunctionId(0));
        let mut globals: Vec<&str> = Vec::with_capacity(self.bindings.assigned_globals.len());
        #[expect(clippy::iter_over_hash_type, reason = "the names are sorted")]
        for &name in self.bindings.assigned_globals.keys() {
            globals.push(name);
        }
        globals.sort_unstable();
        for name in globals {
            let symbol = self.builder.symbol(name);
            self.assigned_globals.insert(symbol);
        }
        let mut accessors: Vec<&str> = Vec::with_capacity(self.bindings.accessors.len());
        #[expect(clippy::iter_over_hash_type, reason = "the names are sorted")]
        for &name in self.bindings.accessors.keys() {
            accessors.push(name);
        }
        accessors.sort_unstable();
        for name in accessors {
            let symbol = self.builder.symbol(name);
            self.accessors.insert(symbol);
        }
        self.state.begin_function();
        if let Some(variable) = self.scopes.functions[0].this {
            let span = flow::Span::default();
            let value = self.receiver(span);
            self.write(variable, value, span);
        }
        self.imports(&program.body);
        self.statements(&program.body);
        while let Some(pending) = self.queue.pop_front() {
            if self.stopped.is_some() {
                return;
            }
            self.function_body(pending);
        }
    }

    /// Creates a function and queues its body. The value is the closure.
    pub(super) fn create(
        &mut self,
        body: Body<'a>,
        number: u32,
        function: flow::Function,
        parent: Option<u32>,
        is_static: bool,
    ) -> (ValueId, FunctionId) {
        let (kind, span) = (function.kind, function.span);
        let id = self.builder.function(function);
        self.function_ids[number as usize] = Some(id);
        self.pass_tested(number, span);
        self.queue.push_back(Pending { id, number, kind, body, parent, is_static });
        (self.emit(Op::Function(id), span), id)
    }

    /// Closure of a function.
    pub(super) fn function_value(
        &mut self,
        function: &'a Function<'a>,
        kind: FunctionKind,
        name: Option<SymbolId>,
        parent: Option<u32>,
        is_static: bool,
    ) -> ValueId {
        let name = match &function.id {
            Some(id) => Some(self.symbol(id.name.as_str())),
            None => name,
        };
        let parameters = self.parameter_names(&function.params);
        let parameter_types = self.parameter_types(&function.params);
        let number = function.node_id.get().index() as u32;
        let is_compiled = self.asynchronous.contains(&number);
        let record = flow::Function {
            name,
            parent: Some(self.frame.id),
            parameters,
            kind,
            is_async: function.r#async || is_compiled,
            is_generator: (function.generator && !is_compiled)
                || self.machines.get(&number).is_some_and(|&(_, is_async)| !is_async),
            decorators: Vec::new(),
            parameter_decorators: Vec::new(),
            predicate: None,
            parameter_types,
            span: at(function.span),
        };
        self.create(Body::Function(function), number, record, parent, is_static).0
    }

    pub(super) fn function_expression(&mut self, function: &'a Function<'a>, name: Option<SymbolId>) -> ValueId {
        let value = self.function_value(function, FunctionKind::Ordinary, name, None, false);
        if let Some(id) = &function.id
            && let Some(variable) = Self::declared(id)
            && self.scopes.variables[variable as usize].is_captured
        {
            self.write(variable, value, at(id.span));
        }
        value
    }

    pub(super) fn arrow(&mut self, arrow: &'a ArrowFunctionExpression<'a>, name: Option<SymbolId>) -> ValueId {
        let parameters = self.parameter_names(&arrow.params);
        let parameter_types = self.parameter_types(&arrow.params);
        let record = flow::Function {
            name,
            parent: Some(self.frame.id),
            parameters,
            kind: FunctionKind::Arrow,
            is_async: arrow.r#async,
            is_generator: false,
            decorators: Vec::new(),
            parameter_decorators: Vec::new(),
            predicate: None,
            parameter_types,
            span: at(arrow.span),
        };
        let number = arrow.node_id.get().index() as u32;
        let (parent, is_static) = (self.current.parent, self.current.is_static);
        self.create(Body::Arrow(arrow), number, record, parent, is_static).0
    }

    pub(super) fn parameter_names(&mut self, parameters: &FormalParameters<'a>) -> Vec<Option<SymbolId>> {
        let names = parameters.items.iter().map(|parameter| match &parameter.pattern {
            BindingPattern::BindingIdentifier(identifier) => Some(self.builder.symbol(identifier.name.as_str())),
            _ => None,
        });
        names.collect()
    }

    fn function_body(&mut self, pending: Pending<'a>) {
        self.current = Current::new(pending.kind);
        self.begin_function(pending.id, pending.number);
        self.current.parent = pending.parent;
        self.current.is_static = pending.is_static;
        let scope = &self.scopes.functions[pending.number as usize];
        let (this, arguments) = (scope.this, scope.arguments);
        let first = self.builder.module().instructions.len();
        let span = self.builder.module().functions[pending.id.index()].span;
        let start = flow::Span::new(span.start, span.start);
        if let Some(variable) = this {
            let value = self.receiver(start);
            self.write(variable, value, start);
        }
        if let Some(variable) = arguments {
            let value = self.emit(Op::Arguments, start);
            self.write(variable, value, start);
        }
        match pending.body {
            Body::Function(function) => {
                self.parameters(&function.params);
                self.begin_machine(function);
                if let Some(body) = &function.body {
                    self.statements(&body.statements);
                }
            }
            Body::Arrow(arrow) => {
                self.parameters(&arrow.params);
                match &arrow.body {
                    ArrowFunctionBody::FunctionBody(body) => self.statements(&body.statements),
                    body => {
                        let expression = body.to_expression();
                        self.return_value(Some(expression), at(expression.span()));
                    }
                }
            }
            Body::Constructor(class, method) => self.constructor_body(class, method),
            Body::StaticBlock(block) => self.statements(&block.body),
        }
        self.note_ending(pending.id, first);
        self.finish_predicate();
    }

    /// Notes a function that never returns, at its end. `first` is its first instruction.
    fn note_ending(&mut self, id: FunctionId, first: usize) {
        let module = self.builder.module();
        let function = module.function(id);
        let returns =
            |instruction: &flow::Instruction| instruction.function == id && matches!(instruction.op, Op::Return(_));
        // A call of an async function or a generator returns at once.
        let is_late = function.is_async || function.is_generator || function.kind == FunctionKind::Constructor;
        if !self.frame.is_reachable && !is_late && !module.instructions[first..].iter().any(returns) {
            self.builder.module_mut().ending.push(id);
        }
    }

    /// Notes the parameter `require` of `function (require, module, exports)`.
    fn note_loader(&mut self, parameters: &FormalParameters<'a>) {
        let [first, second, ..] = parameters.items.as_slice() else { return };
        let (BindingPattern::BindingIdentifier(first), BindingPattern::BindingIdentifier(second)) =
            (&first.pattern, &second.pattern)
        else {
            return;
        };
        if first.name == "require"
            && matches!(second.name.as_str(), "module" | "exports")
            && let Some(variable) = Self::declared(first)
        {
            self.loaders.insert(variable);
        }
    }

    pub(super) fn parameters(&mut self, parameters: &'a FormalParameters<'a>) {
        self.note_loader(parameters);
        for (position, parameter) in parameters.items.iter().enumerate() {
            let span = at(parameter.pattern.span());
            let value = self.emit(Op::Parameter(position as u32), span);
            self.current.parameters.push(value);
        }
        for (position, parameter) in parameters.items.iter().enumerate() {
            let span = at(parameter.pattern.span());
            let mut value = self.current.parameters[position];
            if let Some(initializer) = &parameter.initializer {
                value = self.with_default(value, initializer, Some(&parameter.pattern));
            }
            if let BindingPattern::BindingIdentifier(identifier) = &parameter.pattern
                && let Some(variable) = Self::declared(identifier)
            {
                self.note_parameter(position, variable);
            }
            self.bind(&parameter.pattern, value, span);
            if (parameter.accessibility.is_some() || parameter.readonly || parameter.r#override)
                && self.current.kind == FunctionKind::Constructor
                && let BindingPattern::BindingIdentifier(identifier) = &parameter.pattern
            {
                let receiver = self.receiver(span);
                let field = self.symbol(identifier.name.as_str());
                self.store_field(receiver, field, value, span);
            }
        }
        if let Some(rest) = &parameters.rest {
            let span = at(rest.span);
            let value = self.emit(Op::RestParameter(parameters.items.len() as u32), span);
            self.bind(&rest.rest.argument, value, span);
        }
    }

    /// Creates the functions that statements declare, before the statements run.
    pub(super) fn hoist_functions(&mut self, statements: &'a [Statement<'a>]) {
        for statement in statements {
            let function = match statement {
                Statement::FunctionDeclaration(function) => function,
                Statement::ExportDeclaration(export) => match &export.declaration {
                    Declaration::FunctionDeclaration(function) => function,
                    _ => continue,
                },
                Statement::ExportDefaultDeclaration(export) => match &export.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                        if function.id.is_none() && function.body.is_some() {
                            let name = self.symbol("default");
                            let value = self.function_value(function, FunctionKind::Ordinary, Some(name), None, false);
                            self.export("default", value, at(export.span));
                            continue;
                        }
                        function
                    }
                    _ => continue,
                },
                _ => continue,
            };
            if function.body.is_none() || function.declare {
                continue;
            }
            let value = self.function_value(function, FunctionKind::Ordinary, None, None, false);
            if let Some(id) = &function.id
                && let Some(variable) = Self::declared(id)
            {
                self.write(variable, value, at(id.span));
            }
        }
    }

    /// Creates the functions of a statement that does not run.
    pub(super) fn skip(&mut self, statement: &'a Statement<'a>) {
        if self.bindings.is_module || self.frame.is_reachable {
            return;
        }
        if let Statement::FunctionDeclaration(_) = statement {
            self.hoist_functions(std::slice::from_ref(statement));
        }
    }
}
