//! `try`, `catch` and `finally`.

use oxc_ast::ast::{BinaryOperator, BlockStatement, Expression, Statement, TryStatement};
use oxc_span::GetSpan;

use crate::flow::Op;
use crate::lang::ssa::Exit;

use super::checks::strip;
use super::{Lowerer, at};

impl<'a> Lowerer<'a, '_> {
    pub(super) fn try_statement(&mut self, statement: &'a TryStatement<'a>) {
        let span = at(statement.span);
        let region = statement.node_id.get().index() as u32;
        let first = self.builder.module().instructions.len();
        let mark = self.mark();
        let first_version = self.state.versions.len();
        let kept = std::mem::replace(&mut self.state.keeps_versions, true);
        self.frame.handlers.push(Vec::new());
        self.statements(&statement.block.body);
        let protected = self.frame.handlers.pop().unwrap_or_default();
        let mut states: Vec<Exit> = self.depart(mark).into_iter().collect();
        self.state.keeps_versions = kept;
        let versions = self.state.versions[first_version..].to_vec();
        if !kept {
            self.state.versions.clear();
        } else if statement.handler.is_some() {
            // The names at the handler stand for them.
            self.state.versions.truncate(first_version);
        }
        match &statement.handler {
            Some(handler) => {
                let handler_span = at(handler.span);
                self.frame.is_reachable = true;
                self.enter_handler(versions.clone(), region, handler_span);
                let list = self.builder.list(&protected);
                let parameter = handler.param.as_ref();
                let exception_span = parameter.map_or(handler_span, |parameter| at(parameter.pattern.span()));
                let exception = self.emit(Op::Catch(list), exception_span);
                if let Some(parameter) = parameter {
                    self.bind(&parameter.pattern, exception, exception_span);
                }
                let is_ignored =
                    std::mem::replace(&mut self.frame.returns.is_ignored, is_member_test(&statement.block));
                self.statements(&handler.body.body);
                self.frame.returns.is_ignored = is_ignored;
                states.extend(self.depart(mark));
            }
            None => {
                if let Some(outer) = self.frame.handlers.last_mut() {
                    outer.extend_from_slice(&protected);
                }
            }
        }
        self.state.release(mark);
        let Some(finalizer) = &statement.finalizer else {
            self.join(states, span);
            return;
        };
        let completes = !states.is_empty();
        if completes {
            self.join(states, span);
        } else {
            self.frame.is_reachable = true;
            self.enter_handler(versions, region, at(finalizer.span));
        }
        let end = self.builder.module().instructions.len();
        self.statements(&finalizer.body);
        if !self.frame.is_reachable {
            self.discard_returns(first, end);
        }
        self.frame.is_reachable &= completes;
    }
}

/// True if a block is `return key in object;`. It throws only if there is no object, which nobody can follow or change.
fn is_member_test(block: &BlockStatement<'_>) -> bool {
    let [Statement::ReturnStatement(statement)] = block.body.as_slice() else { return false };
    let argument = statement.argument.as_ref().map(strip);
    matches!(argument, Some(Expression::BinaryExpression(binary)) if binary.operator == BinaryOperator::In)
}
