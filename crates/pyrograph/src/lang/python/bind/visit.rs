//! Walk over statements and expressions.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_pattern, walk_stmt};
use ruff_python_ast::{
    AtomicNodeIndex, Comprehension, ExceptHandler, Expr, ExprContext, Identifier, ModModule, Parameters, Pattern, Stmt,
    StmtClassDef, StmtFunctionDef,
};

use super::collect::{Names, of_expression, of_statements};
use super::{Binder, ScopeKind, scope, set};

impl<'a> Binder<'a, '_> {
    pub(super) fn file(&mut self, module: &'a ModModule) {
        let names = of_statements(&module.body, self.has_walrus);
        self.open(ScopeKind::Module, names);
        self.visit_body(&module.body);
        if let Some(open) = self.scopes.pop() {
            self.out.module_names = open.names;
        }
    }

    fn bind_identifier(&mut self, identifier: &'a Identifier) {
        self.write(&identifier.node_index, identifier.as_str());
    }

    /// Default values, which the function around evaluates.
    fn defaults(&mut self, parameters: &'a Parameters) {
        for parameter in parameters.iter_non_variadic_params() {
            if let Some(default) = parameter.default() {
                self.visit_expr(default);
            }
        }
    }

    /// Code of a function. The result is its number.
    fn function(&mut self, parameters: Option<&'a Parameters>, names: Names<'a>, visit: impl FnOnce(&mut Self)) -> u32 {
        let number = u32::try_from(self.out.scopes.functions.len()).unwrap_or(u32::MAX);
        self.out.scopes.functions.push(scope(self.function));
        let outer = std::mem::replace(&mut self.function, number);
        let (writes, stores) = (std::mem::take(&mut self.writes), std::mem::take(&mut self.stores));
        let events = self.events;
        let mut all: Vec<&'a str> = Vec::new();
        if let Some(parameters) = parameters {
            all.extend(parameters.iter().map(|parameter| parameter.name().as_str()));
        }
        all.extend(names.bound);
        self.open(ScopeKind::Function, Names { bound: all, globals: names.globals });
        if let Some(parameters) = parameters {
            for parameter in parameters.iter() {
                let identifier = parameter.name();
                self.bind_identifier(identifier);
            }
        }
        visit(self);
        self.close();
        self.end_captures(number);
        self.function = outer;
        (self.writes, self.stores) = (writes, stores);
        self.events = events;
        number
    }

    fn function_statement(&mut self, function: &'a StmtFunctionDef) {
        for decorator in &function.decorator_list {
            self.visit_expr(&decorator.expression);
            self.events += 1;
            if let Expr::Name(name) = &decorator.expression
                && matches!(name.id.as_str(), "property" | "cached_property")
            {
                self.out.accessors.push(function.name.as_str());
            }
        }
        if function.name.starts_with("__") {
            self.out.special.insert(function.name.as_str());
        }
        self.defaults(&function.parameters);
        let names = of_statements(&function.body, self.has_walrus);
        let number = self.function(Some(&function.parameters), names, |binder| binder.visit_body(&function.body));
        set(&function.node_index, number);
        self.bind_identifier(&function.name);
    }

    fn class_statement(&mut self, class: &'a StmtClassDef) {
        for decorator in &class.decorator_list {
            self.visit_expr(&decorator.expression);
            self.events += 1;
        }
        if let Some(arguments) = &class.arguments {
            self.visit_arguments(arguments);
        }
        self.events += 1;
        let bases = self.pseudo("%bases");
        self.classes.push(bases);
        let names = of_statements(&class.body, self.has_walrus);
        self.open(ScopeKind::Class, names);
        self.visit_body(&class.body);
        self.close();
        self.classes.pop();
        // The constructor is the function of the class.
        let number = match constructor(class).and_then(|function| super::number(&function.node_index)) {
            Some(number) => number,
            None => self.function(None, Names::default(), |_| {}),
        };
        self.out.bases.insert(number, bases);
        if let Some(arguments) = &class.arguments
            && !arguments.args.is_empty()
        {
            // Constructors call those of the base classes.
            let outer = std::mem::replace(&mut self.function, number);
            self.capture(bases);
            self.function = outer;
        }
        set(&class.node_index, number);
        self.bind_identifier(&class.name);
    }

    /// A comprehension: its targets are visible inside of it only.
    fn comprehension(&mut self, node: &AtomicNodeIndex, generators: &'a [Comprehension], parts: &[&'a Expr]) {
        let start = self.begin_region();
        let mut is_open = false;
        for generator in generators {
            self.visit_expr(&generator.iter);
            let names = of_expression(&generator.target, false);
            if is_open {
                for name in names.bound {
                    self.declare(name);
                }
            } else {
                self.open(ScopeKind::Comprehension, names);
                is_open = true;
            }
            self.visit_expr(&generator.target);
            for condition in &generator.ifs {
                self.visit_expr(condition);
            }
        }
        for part in parts {
            self.visit_expr(part);
        }
        if is_open {
            self.close();
        }
        let region = self.end_region(&start);
        set(node, region);
    }

    fn expression(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) => {
                if name.ctx == ExprContext::Load {
                    self.read(&name.node_index, name.id.as_str());
                } else {
                    self.write(&name.node_index, name.id.as_str());
                }
            }
            Expr::Named(named) => {
                self.visit_expr(&named.value);
                if let Expr::Name(name) = &*named.target {
                    // The name is one of the scope around comprehensions.
                    let inner = self.scopes.iter().rposition(|open| open.kind != ScopeKind::Comprehension);
                    let hidden = self.scopes.split_off(inner.map_or(0, |inner| inner + 1));
                    self.write(&name.node_index, name.id.as_str());
                    self.scopes.extend(hidden);
                }
            }
            Expr::BinOp(_) => {
                // Operators nest to the left.
                let mut rights = Vec::new();
                let mut left = expression;
                while let Expr::BinOp(operator) = left {
                    rights.push(&*operator.right);
                    left = &operator.left;
                }
                self.visit_expr(left);
                for right in rights.into_iter().rev() {
                    self.visit_expr(right);
                }
            }
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.defaults(parameters);
                }
                let names = of_expression(&lambda.body, self.has_walrus);
                let parameters = lambda.parameters.as_deref();
                let number = self.function(parameters, names, |binder| binder.visit_expr(&lambda.body));
                set(&lambda.node_index, number);
            }
            Expr::ListComp(inner) => self.comprehension(&inner.node_index, &inner.generators, &[&inner.elt]),
            Expr::SetComp(inner) => self.comprehension(&inner.node_index, &inner.generators, &[&inner.elt]),
            Expr::Generator(inner) => self.comprehension(&inner.node_index, &inner.generators, &[&inner.elt]),
            Expr::DictComp(inner) => {
                let parts: Vec<&Expr> = inner.key.as_deref().into_iter().chain([&*inner.value]).collect();
                self.comprehension(&inner.node_index, &inner.generators, &parts);
            }
            Expr::Attribute(attribute) => {
                if attribute.ctx != ExprContext::Load {
                    self.stores.push(attribute.attr.as_str());
                }
                self.visit_expr(&attribute.value);
            }
            Expr::Subscript(subscript) => {
                if subscript.ctx != ExprContext::Load {
                    match &*subscript.slice {
                        Expr::StringLiteral(key) => self.stores.push(key.value.to_str()),
                        _ => self.events += 1,
                    }
                }
                walk_expr(self, expression);
            }
            Expr::Call(call) => {
                self.events += 1;
                if let Expr::Name(name) = &*call.func
                    && name.id == "super"
                    && let Some(&bases) = self.classes.last()
                {
                    self.capture(bases);
                }
                walk_expr(self, expression);
            }
            Expr::Yield(_) | Expr::YieldFrom(_) => {
                self.events += 1;
                self.out.generators.insert(self.function);
                walk_expr(self, expression);
            }
            Expr::Await(_) => {
                self.events += 1;
                walk_expr(self, expression);
            }
            _ => walk_expr(self, expression),
        }
    }

    fn statement(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => self.function_statement(function),
            Stmt::ClassDef(class) => self.class_statement(class),
            Stmt::Import(import) => {
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
                    self.write(&alias.node_index, name.split('.').next().unwrap_or(name));
                }
            }
            Stmt::ImportFrom(import) => {
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
                    if name != "*" {
                        self.write(&alias.node_index, name);
                    }
                }
            }
            Stmt::AugAssign(assign) => {
                self.visit_expr(&assign.value);
                self.visit_expr(&assign.target);
                self.events += 1;
            }
            Stmt::For(inner) => {
                self.visit_expr(&inner.iter);
                let start = self.begin_region();
                self.visit_expr(&inner.target);
                self.visit_body(&inner.body);
                let region = self.end_region(&start);
                set(&inner.node_index, region);
                self.visit_body(&inner.orelse);
            }
            Stmt::While(inner) => {
                let start = self.begin_region();
                self.visit_expr(&inner.test);
                self.visit_body(&inner.body);
                let region = self.end_region(&start);
                set(&inner.node_index, region);
                self.visit_body(&inner.orelse);
            }
            Stmt::Try(inner) => {
                let start = self.begin_region();
                self.visit_body(&inner.body);
                for handler in &inner.handlers {
                    let ExceptHandler::ExceptHandler(handler) = handler;
                    if let Some(class) = &handler.type_ {
                        self.visit_expr(class);
                    }
                    if let Some(name) = &handler.name {
                        self.bind_identifier(name);
                    }
                    self.visit_body(&handler.body);
                }
                self.visit_body(&inner.orelse);
                let region = self.end_region(&start);
                set(&inner.node_index, region);
                self.visit_body(&inner.finalbody);
            }
            Stmt::With(_) | Stmt::Match(_) => {
                self.events += 1;
                walk_stmt(self, statement);
            }
            Stmt::Global(_) | Stmt::Nonlocal(_) | Stmt::TypeAlias(_) => {}
            _ => walk_stmt(self, statement),
        }
    }
}

impl<'a> Visitor<'a> for Binder<'a, '_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if self.enter() {
            self.statement(statement);
        }
        self.leave();
    }

    fn visit_annotation(&mut self, _: &'a Expr) {}

    fn visit_expr(&mut self, expression: &'a Expr) {
        if self.enter() {
            self.expression(expression);
        }
        self.leave();
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        if self.enter() {
            let name = match pattern {
                Pattern::MatchAs(pattern) => pattern.name.as_ref(),
                Pattern::MatchStar(pattern) => pattern.name.as_ref(),
                Pattern::MatchMapping(pattern) => pattern.rest.as_ref(),
                _ => None,
            };
            if let Some(name) = name {
                self.bind_identifier(name);
            }
            walk_pattern(self, pattern);
        }
        self.leave();
    }
}

/// Constructor of a class: its last method `__init__`.
pub(in crate::lang::python) fn constructor(class: &StmtClassDef) -> Option<&StmtFunctionDef> {
    class.body.iter().rev().find_map(|statement| match statement {
        Stmt::FunctionDef(function) if function.name.as_str() == "__init__" => Some(function),
        _ => None,
    })
}
