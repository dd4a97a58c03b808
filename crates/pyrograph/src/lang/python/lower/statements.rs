//! Statements.

use ruff_python_ast::{Expr, Stmt};

use crate::flow::{Call, CallKind, Constant, Op, Span, ValueId};
use crate::lang::ssa::{Exits, Note};

use super::{Lowerer, span_of};

impl<'a> Lowerer<'a, '_> {
    /// Statements of a block or body.
    pub(super) fn statements(&mut self, statements: &'a [Stmt]) {
        for statement in statements {
            if self.stopped.is_some() {
                return;
            }
            if !self.frame.is_reachable {
                break;
            }
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &'a Stmt) {
        if self.enter() {
            self.any_statement(statement);
            self.frame.loads.clear();
        }
        self.leave();
    }

    fn any_statement(&mut self, statement: &'a Stmt) {
        let span = span_of(statement);
        match statement {
            Stmt::Expr(inner) => {
                let value = self.expression(&inner.value);
                self.assertion(&inner.value, value);
            }
            Stmt::Assign(inner) => {
                let value = self.expression(&inner.value);
                if let [Expr::Name(name)] = inner.targets.as_slice()
                    && let Some(variable) = Self::variable_of(name)
                {
                    self.note_initial(variable, &inner.value, value);
                }
                for target in &inner.targets {
                    self.assign(target, value);
                }
            }
            Stmt::AnnAssign(inner) => {
                if let Some(expression) = &inner.value {
                    let value = self.expression(expression);
                    if let Expr::Name(name) = &*inner.target
                        && let Some(variable) = Self::variable_of(name)
                    {
                        self.note_initial(variable, expression, value);
                    }
                    self.assign(&inner.target, value);
                }
            }
            Stmt::AugAssign(inner) => self.augmented(inner),
            Stmt::Return(inner) => self.return_value(inner.value.as_deref(), span),
            Stmt::Raise(inner) => self.raise(inner.exc.as_deref(), inner.cause.as_deref(), span),
            Stmt::Assert(inner) => {
                let mark = self.mark();
                let mut exits = Exits::default();
                self.jump(&inner.test, true, mark, &mut exits);
                if !exits.states.is_empty() {
                    self.frame.returns.has_throw |= self.frame.handlers.is_empty();
                }
                self.state.release(mark);
            }
            Stmt::Delete(inner) => inner.targets.iter().for_each(|target| self.delete(target)),
            Stmt::If(inner) => self.if_statement(inner),
            Stmt::While(inner) => self.while_statement(inner),
            Stmt::For(inner) => self.for_statement(inner),
            Stmt::With(inner) => self.with_statement(inner),
            Stmt::Try(inner) => self.try_statement(inner),
            Stmt::Match(inner) => self.match_statement(inner),
            Stmt::FunctionDef(inner) => self.function_statement(inner),
            Stmt::ClassDef(inner) => self.class_statement(inner),
            Stmt::Import(inner) => self.import_statement(inner),
            Stmt::ImportFrom(inner) => self.import_from(inner),
            Stmt::Break(_) => self.leave_target(None, false),
            Stmt::Continue(_) => self.leave_target(None, true),
            Stmt::Pass(_) | Stmt::Global(_) | Stmt::Nonlocal(_) | Stmt::TypeAlias(_) | Stmt::IpyEscapeCommand(_) => {}
        }
    }

    /// Notes what an initial value says about a variable: results of tests, dictionaries that do not change.
    fn note_initial(&mut self, variable: u32, expression: &'a Expr, value: ValueId) {
        match expression {
            Expr::Dict(literal) if self.is_constant_table(variable) => self.note_members(literal, value),
            Expr::Call(_) | Expr::Compare(_) | Expr::UnaryOp(_) => {
                let is_fresh = matches!(self.op(value), Op::Call(_) | Op::Unary(..) | Op::Binary(..) | Op::Await(_));
                if is_fresh && !self.notes.contains_key(&value) {
                    let checks = self.checks(expression, value);
                    if !checks.is_empty() {
                        self.notes.insert(value, Note::Tests(checks));
                    }
                }
            }
            Expr::BoolOp(_) => {
                let checks = std::mem::take(&mut self.frame.returns.conjunction);
                if !checks.is_empty() && self.canon(value) == value {
                    self.notes.insert(value, Note::Tests(checks));
                }
            }
            _ => {}
        }
    }

    /// True if the name of a variable says that its value is a constant: `TABLE`, assigned once.
    fn is_constant_table(&self, variable: u32) -> bool {
        let entry = &self.scopes.variables[variable as usize];
        entry.assignments == 1 && entry.name.bytes().all(|byte| !byte.is_ascii_lowercase())
    }

    pub(super) fn return_value(&mut self, argument: Option<&'a Expr>, span: Span) {
        let value = match argument {
            Some(argument) => {
                let value = self.expression(argument);
                if self.frame.is_reachable {
                    self.note_return(Some((argument, value)));
                }
                value
            }
            None => {
                self.note_return(None);
                self.constant_value(Constant::Null, span)
            }
        };
        if self.frame.is_reachable {
            self.escape(value);
            let span = argument.map_or(span, span_of);
            self.emit(Op::Return(value), span);
        }
        self.frame.is_reachable = false;
    }

    fn raise(&mut self, exception: Option<&'a Expr>, cause: Option<&'a Expr>, span: Span) {
        let value = match exception {
            Some(exception) => {
                let value = self.expression(exception);
                // A class that is raised makes an instance.
                match exception_name(exception) {
                    Some(name) if name.starts_with(char::is_uppercase) => {
                        let call = Call { callee: value, receiver: None, arguments: Vec::new(), kind: CallKind::Call };
                        self.emit_call(call, true, span)
                    }
                    _ => value,
                }
            }
            None => self.undefined(span),
        };
        if let Some(cause) = cause {
            self.expression(cause);
        }
        self.escape(value);
        let throw = self.emit(Op::Throw(value), span);
        match self.frame.handlers.last_mut() {
            Some(handler) => handler.push(throw),
            None => self.frame.returns.has_throw = true,
        }
        self.frame.is_reachable = false;
    }
}

/// Name of an exception that is no call.
fn exception_name(exception: &Expr) -> Option<&str> {
    match exception {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        _ => None,
    }
}
