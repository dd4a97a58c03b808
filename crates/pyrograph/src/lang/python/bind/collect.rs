//! Names that the code of a scope binds.

use ruff_python_ast::visitor::{Visitor, walk_except_handler, walk_expr, walk_pattern, walk_stmt};
use ruff_python_ast::{ExceptHandler, Expr, ExprContext, Pattern, Stmt};

/// Deepest expression that is looked into for assignments.
const MAX_DEPTH: u32 = 1_000;

/// Names of a scope.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    /// Names that the scope binds, with repetitions.
    pub(super) bound: Vec<&'a str>,
    /// Names that `global` declares.
    pub(super) globals: Vec<&'a str>,
}

/// Names that statements bind, without those of functions and classes in them.
pub(super) fn of_statements<'a>(body: &'a [Stmt], has_walrus: bool) -> Names<'a> {
    let mut collector = Collector { names: Names::default(), others: Vec::new(), has_walrus, depth: 0, inside: 0 };
    collector.visit_body(body);
    collector.finish()
}

/// Names that assignments in an expression bind.
pub(super) fn of_expression<'a>(expression: &'a Expr, has_walrus: bool) -> Names<'a> {
    let mut collector = Collector { names: Names::default(), others: Vec::new(), has_walrus, depth: 0, inside: 0 };
    collector.visit_expr(expression);
    collector.finish()
}

struct Collector<'a> {
    names: Names<'a>,
    /// Names that `nonlocal` declares.
    others: Vec<&'a str>,
    has_walrus: bool,
    depth: u32,
    /// Number of comprehensions around, whose targets are names of their own.
    inside: u32,
}

impl<'a> Collector<'a> {
    fn finish(self) -> Names<'a> {
        let Collector { mut names, others, .. } = self;
        names.bound.retain(|name| !names.globals.contains(name) && !others.contains(name));
        names
    }

    fn bind(&mut self, name: &'a str) {
        if self.names.bound.last() != Some(&name) {
            self.names.bound.push(name);
        }
    }
}

impl<'a> Visitor<'a> for Collector<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        match statement {
            Stmt::FunctionDef(function) => self.bind(function.name.as_str()),
            Stmt::ClassDef(class) => self.bind(class.name.as_str()),
            Stmt::Global(statement) => self.names.globals.extend(statement.names.iter().map(|name| name.as_str())),
            Stmt::Nonlocal(statement) => self.others.extend(statement.names.iter().map(|name| name.as_str())),
            Stmt::Import(statement) => {
                for alias in &statement.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
                    self.bind(name.split('.').next().unwrap_or(name));
                }
            }
            Stmt::ImportFrom(statement) => {
                for alias in &statement.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
                    if name != "*" {
                        self.bind(name);
                    }
                }
            }
            _ => walk_stmt(self, statement),
        }
        self.depth -= 1;
    }

    fn visit_annotation(&mut self, _: &'a Expr) {}

    fn visit_expr(&mut self, expression: &'a Expr) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        match expression {
            Expr::Name(name) if name.ctx != ExprContext::Load && self.inside == 0 => self.bind(name.id.as_str()),
            Expr::Name(_) => {}
            Expr::Tuple(_) | Expr::List(_) | Expr::Starred(_) => walk_expr(self, expression),
            Expr::Named(named) => {
                if let Expr::Name(name) = &*named.target {
                    self.bind(name.id.as_str());
                }
                self.visit_expr(&named.value);
            }
            Expr::Lambda(_) => {}
            Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => {
                self.inside += 1;
                if self.has_walrus {
                    walk_expr(self, expression);
                }
                self.inside -= 1;
            }
            _ if self.has_walrus => walk_expr(self, expression),
            _ => {}
        }
        self.depth -= 1;
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        if let Some(name) = &inner.name {
            self.bind(name.as_str());
        }
        walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        let name = match pattern {
            Pattern::MatchAs(pattern) => pattern.name.as_ref(),
            Pattern::MatchStar(pattern) => pattern.name.as_ref(),
            Pattern::MatchMapping(pattern) => pattern.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            self.bind(name.as_str());
        }
        walk_pattern(self, pattern);
        self.depth -= 1;
    }
}
