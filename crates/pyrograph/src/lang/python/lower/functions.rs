//! Functions and their parameters.

use ruff_python_ast::{Expr, ExprLambda, ModModule, ParameterWithDefault, Parameters, StmtFunctionDef};
use ruff_text_size::Ranged;

use crate::flow::{self, CellId, FunctionId, FunctionKind, Op, Span, SymbolId, Test, ValueId};
use crate::lang::python::bind::number;
use crate::lang::ssa::{Check, Tested};

use super::types::is_plain_type;
use super::{Body, Current, Lowerer, Pending, at, span_of};

/// A function without anything.
fn record(kind: FunctionKind, parent: Option<FunctionId>, span: Span) -> flow::Function {
    flow::Function {
        name: None,
        parent,
        parameters: Vec::new(),
        kind,
        is_async: false,
        is_generator: false,
        decorators: Vec::new(),
        parameter_decorators: Vec::new(),
        predicate: None,
        parameter_types: Vec::new(),
        span,
    }
}

/// Parameters with positions, then those with names only.
pub(super) fn parameters_of(
    parameters: &Parameters,
    has_receiver: bool,
) -> impl Iterator<Item = &ParameterWithDefault> + Clone {
    let positional = parameters.posonlyargs.iter().chain(&parameters.args);
    positional.skip(usize::from(has_receiver)).chain(&parameters.kwonlyargs)
}

/// Text of a decorator such as `@app.route("/users/<int:id>")`.
fn route(decorator: &Expr) -> Option<&str> {
    let Expr::Call(call) = decorator else { return None };
    match call.arguments.args.first() {
        Some(Expr::StringLiteral(text)) => Some(text.value.to_str()),
        _ => None,
    }
}

/// Number of parameters with positions.
fn position_count(parameters: &Parameters, has_receiver: bool) -> usize {
    (parameters.posonlyargs.len() + parameters.args.len()).saturating_sub(usize::from(has_receiver))
}

impl<'a> Lowerer<'a, '_> {
    /// Lowers the whole file.
    pub(super) fn file(&mut self, module: &'a ModModule) {
        let end = u32::try_from(self.source.len()).unwrap_or(u32::MAX);
        let span = Span::new(0, end);
        self.builder.function(record(FunctionKind::Module, None, span));
        self.function_ids[0] = Some(FunctionId(0));
        for name in std::mem::take(&mut self.bindings.accessors) {
            let symbol = self.builder.symbol(name);
            self.accessors.insert(symbol);
        }
        self.state.begin_function();
        self.statements(&module.body);
        self.note_public_names(&module.body);
        self.export_all(Span::new(end, end));
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
        has_receiver: bool,
        is_static: bool,
        defaults: Vec<(usize, CellId)>,
    ) -> (ValueId, FunctionId) {
        let span = function.span;
        let id = self.builder.function(function);
        self.function_ids[number as usize] = Some(id);
        self.pass_tested(number, span);
        let (bases, class) = (self.current.bases, self.current.class);
        self.queue.push_back(Pending { id, number, body, has_receiver, bases, class, is_static, defaults });
        (self.emit(Op::Function(id), span), id)
    }

    /// Record of a function with its parameters.
    pub(super) fn function_record(
        &mut self,
        kind: FunctionKind,
        name: Option<SymbolId>,
        parameters: Option<&'a Parameters>,
        has_receiver: bool,
        span: Span,
    ) -> flow::Function {
        let mut function = record(kind, Some(self.frame.id), span);
        function.name = name;
        if let Some(parameters) = parameters {
            for (position, parameter) in parameters_of(parameters, has_receiver).enumerate() {
                function.parameters.push(Some(self.symbol(parameter.parameter.name.as_str())));
                if let Some(annotation) = &parameter.parameter.annotation
                    && let Some((module, name)) = self.annotated_type(annotation)
                {
                    function.parameter_types.push((position as u32, module, name));
                }
            }
        }
        function
    }

    /// Closure of a function.
    pub(super) fn function_value(
        &mut self,
        function: &'a StmtFunctionDef,
        kind: FunctionKind,
        has_receiver: bool,
        is_static: bool,
    ) -> (ValueId, FunctionId) {
        let name = self.symbol(function.name.as_str());
        let number = number(&function.node_index).unwrap_or(0);
        let span = span_of(function);
        let mut record = self.function_record(kind, Some(name), Some(&function.parameters), has_receiver, span);
        record.is_async = function.is_async;
        record.is_generator = self.bindings.generators.contains(&number);
        let defaults = self.default_values(&function.parameters, has_receiver);
        let (value, id) = self.create(Body::Function(function), number, record, has_receiver, is_static, defaults);
        self.note_result_type(function, id);
        (value, id)
    }

    pub(super) fn lambda(&mut self, lambda: &'a ExprLambda) -> ValueId {
        let number = number(&lambda.node_index).unwrap_or(0);
        let parameters = lambda.parameters.as_deref();
        let mut record = self.function_record(FunctionKind::Ordinary, None, parameters, false, span_of(lambda));
        record.is_generator = self.bindings.generators.contains(&number);
        let defaults = parameters.map(|parameters| self.default_values(parameters, false)).unwrap_or_default();
        self.create(Body::Lambda(lambda), number, record, false, false, defaults).0
    }

    /// Default values that are no constants, in cells, with the positions of their parameters. The function around evaluates
    /// them.
    pub(super) fn default_values(&mut self, parameters: &'a Parameters, has_receiver: bool) -> Vec<(usize, CellId)> {
        let mut cells = Vec::new();
        for (position, parameter) in parameters_of(parameters, has_receiver).enumerate() {
            if let Some(default) = parameter.default() {
                let value = self.expression(default);
                if self.constant(value).is_none() {
                    let cell = self.constant_cell(parameter.parameter.name.as_str(), value, span_of(default));
                    cells.push((position, cell));
                }
            }
        }
        cells
    }

    fn function_body(&mut self, pending: Pending<'a>) {
        let Pending { bases, class, is_static, .. } = pending;
        self.current = Current { bases, class, is_static, ..Current::default() };
        self.begin_function(pending.id, pending.number);
        match pending.body {
            Body::Function(function) => {
                self.parameters(&function.parameters, pending.has_receiver, &pending.defaults);
                self.convert_parameters(function);
                self.statements(&function.body);
            }
            Body::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.parameters(parameters, false, &pending.defaults);
                }
                self.return_value(Some(&lambda.body), span_of(&*lambda.body));
            }
            Body::Constructor(class) => self.constructor_body(class, &pending.defaults),
        }
        self.finish_predicate();
    }

    /// Binds the parameters.
    pub(super) fn parameters(&mut self, parameters: &'a Parameters, has_receiver: bool, defaults: &[(usize, CellId)]) {
        if has_receiver && let Some(first) = parameters.posonlyargs.iter().chain(&parameters.args).next() {
            let span = span_of(&first.parameter.name);
            let value = self.receiver(span);
            if let Some(variable) = number(&first.parameter.name.node_index) {
                self.current.self_variable = Some(variable);
                self.write(variable, value, span);
            }
        }
        let all: Vec<&'a ParameterWithDefault> = parameters_of(parameters, has_receiver).collect();
        let mut values = Vec::with_capacity(all.len());
        for (position, parameter) in all.iter().enumerate() {
            values.push(self.emit(Op::Parameter(position as u32), span_of(&parameter.parameter.name)));
        }
        for (position, parameter) in all.iter().enumerate() {
            let Some(variable) = number(&parameter.parameter.name.node_index) else { continue };
            let default = defaults.iter().find(|(known, _)| *known == position);
            let value = match default {
                Some(&(_, cell)) => {
                    let span = span_of(*parameter);
                    let default = self.emit(Op::LoadCell(cell), span);
                    self.phi(&[values[position], default], span)
                }
                None => values[position],
            };
            self.note_parameter(position, variable);
            self.write(variable, value, span_of(&parameter.parameter.name));
        }
        if let Some(rest) = &parameters.vararg {
            let position = position_count(parameters, has_receiver);
            let value = self.emit(Op::RestParameter(position as u32), at(rest.range()));
            if let Some(variable) = number(&rest.name.node_index) {
                self.write(variable, value, at(rest.range()));
            }
        }
        if let Some(rest) = &parameters.kwarg {
            let value = self.emit(Op::KeywordParameters, at(rest.range()));
            if let Some(variable) = number(&rest.name.node_index) {
                self.write(variable, value, at(rest.range()));
            }
        }
    }

    /// Parameters of routes that the framework converts: by their annotations, or as the path of the route says.
    fn convert_parameters(&mut self, function: &'a StmtFunctionDef) {
        if function.decorator_list.is_empty() {
            return;
        }
        let routes: Vec<&str> =
            function.decorator_list.iter().filter_map(|decorator| route(&decorator.expression)).collect();
        for parameter in parameters_of(&function.parameters, false) {
            let name = parameter.parameter.name.as_str();
            let is_converted = parameter.parameter.annotation.as_deref().is_some_and(is_plain_type)
                || routes.iter().any(|route| {
                    ["int", "float", "uuid"].iter().any(|kind| {
                        route.contains(&format!("<{kind}:{name}>")) || route.contains(&format!("{{{name}:{kind}}}"))
                    })
                });
            let Some(variable) = number(&parameter.parameter.name.node_index).filter(|_| is_converted) else {
                continue;
            };
            let span = span_of(&parameter.parameter.name);
            let Some(value) = self.name(variable) else { continue };
            let kind = self.symbol("number");
            let test = self.builder.test(Test::TypeIs(kind));
            let checks = [Check::new(Tested::Variable(variable), value, test, true)];
            self.guard(&checks, true, value, span);
        }
    }

    /// A function without code in the file, whose instructions `body` appends.
    pub(super) fn made_function(
        &mut self,
        name: SymbolId,
        parameters: &[SymbolId],
        kind: FunctionKind,
        span: Span,
        body: impl FnOnce(&mut Self),
    ) -> ValueId {
        let mut made = record(kind, Some(self.frame.id), span);
        made.name = Some(name);
        made.parameters = parameters.iter().copied().map(Some).collect();
        let id = self.builder.function(made);
        let outer = std::mem::replace(&mut self.frame.id, id);
        body(self);
        self.frame.id = outer;
        self.emit(Op::Function(id), span)
    }

    /// Receiver of the current function.
    pub(super) fn receiver(&mut self, span: Span) -> ValueId {
        if let Some(value) = self.current.receiver {
            return value;
        }
        let value = self.emit(Op::Receiver, span);
        self.current.receiver = Some(value);
        value
    }
}
