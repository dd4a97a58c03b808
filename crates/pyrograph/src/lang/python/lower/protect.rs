//! `try` and `with`.

use ruff_python_ast::{ExceptHandler, Expr, StmtTry, StmtWith};
use ruff_text_size::Ranged;

use crate::flow::{Argument, Call, CallKind, Op, Span, ValueId};
use crate::lang::python::bind::number;
use crate::lang::ssa::Exit;

use super::{Lowerer, at, span_of};

impl<'a> Lowerer<'a, '_> {
    pub(super) fn try_statement(&mut self, statement: &'a StmtTry) {
        let span = span_of(statement);
        let region = number(&statement.node_index).unwrap_or(0);
        let first = self.builder.module().instructions.len();
        let mark = self.mark();
        let first_version = self.state.versions.len();
        let kept = std::mem::replace(&mut self.state.keeps_versions, true);
        self.frame.handlers.push(Vec::new());
        self.statements(&statement.body);
        let protected = self.frame.handlers.pop().unwrap_or_default();
        if self.frame.is_reachable && !statement.orelse.is_empty() {
            self.statements(&statement.orelse);
        }
        let mut states: Vec<Exit> = self.depart(mark).into_iter().collect();
        self.state.keeps_versions = kept;
        let versions = self.state.versions[first_version..].to_vec();
        if !kept {
            self.state.versions.clear();
        } else if !statement.handlers.is_empty() {
            // The names at the handlers stand for them.
            self.state.versions.truncate(first_version);
        }
        for handler in &statement.handlers {
            let ExceptHandler::ExceptHandler(handler) = handler;
            let handler_span = at(handler.range());
            self.frame.is_reachable = true;
            self.enter_handler(versions.clone(), region, handler_span);
            let list = self.builder.list(&protected);
            if let Some(class) = &handler.type_ {
                self.expression(class);
            }
            let exception_span = handler.name.as_ref().map_or(handler_span, |name| at(name.range()));
            let exception = self.emit(Op::Catch(list), exception_span);
            if let Some(name) = &handler.name {
                self.write_identifier(name, exception);
            }
            self.statements(&handler.body);
            states.extend(self.depart(mark));
        }
        if statement.handlers.is_empty()
            && let Some(outer) = self.frame.handlers.last_mut()
        {
            outer.extend_from_slice(&protected);
        }
        self.state.release(mark);
        if statement.finalbody.is_empty() {
            self.join(states, span);
            return;
        }
        let completes = !states.is_empty();
        if completes {
            self.join(states, span);
        } else {
            self.frame.is_reachable = true;
            self.enter_handler(versions, region, span);
        }
        let end = self.builder.module().instructions.len();
        self.statements(&statement.finalbody);
        if !self.frame.is_reachable {
            self.discard_returns(first, end);
        }
        self.frame.is_reachable &= completes;
    }

    pub(super) fn with_statement(&mut self, statement: &'a StmtWith) {
        for item in &statement.items {
            let value = self.expression(&item.context_expr);
            let span = span_of(&item.context_expr);
            let method = if statement.is_async { "__aenter__" } else { "__enter__" };
            let entered = self.method_call(value, method, &[], span);
            if let Some(target) = &item.optional_vars {
                // Managers of libraries mostly yield themselves. A generator with a decorator is a manager that yields its element.
                let mut values = vec![value, entered];
                if calls_function(&item.context_expr) {
                    values.push(self.emit(Op::Element(value), span));
                }
                let value = self.phi(&values, span);
                self.assign(target, value);
            }
        }
        self.statements(&statement.body);
    }

    /// Call of a method that the syntax implies.
    pub(super) fn method_call(&mut self, object: ValueId, method: &str, arguments: &[ValueId], span: Span) -> ValueId {
        let name = self.symbol(method);
        let callee = self.emit(Op::LoadField(object, name), span);
        let arguments = arguments.iter().map(|&value| Argument { value, is_spread: false, name: None }).collect();
        let call = Call { callee, receiver: Some(object), arguments, kind: CallKind::Call };
        self.emit_call(call, false, span)
    }
}

/// True if an expression calls a function, to judge by its name, and no class.
fn calls_function(expression: &Expr) -> bool {
    let Expr::Call(call) = expression else { return false };
    let name = match &*call.func {
        Expr::Name(name) => name.id.as_str(),
        Expr::Attribute(attribute) => attribute.attr.as_str(),
        _ => return false,
    };
    name.starts_with(|first: char| first.is_lowercase())
}
