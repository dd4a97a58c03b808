//! `try`, `catch` and `finally`.

use oxc_ast::ast::TryStatement;
use oxc_span::GetSpan;

use crate::flow::{Op, Span, ValueId};

use super::state::{Exit, UNDEFINED, UNSET};
use super::{Lowerer, at};

impl<'a> Lowerer<'a, '_> {
    pub(super) fn try_statement(&mut self, statement: &'a TryStatement<'a>) {
        let span = at(statement.span);
        let region = statement.node_id.get().index() as u32;
        let first = self.builder.module().instructions.len();
        let mark = self.mark();
        let first_version = self.state.versions.len();
        let kept = std::mem::replace(&mut self.state.keeps_versions, true);
        self.current.handlers.push(Vec::new());
        self.statements(&statement.block.body);
        let protected = self.current.handlers.pop().unwrap_or_default();
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
                self.current.is_reachable = true;
                self.enter_handler(versions.clone(), region, handler_span);
                let list = self.builder.list(&protected);
                let parameter = handler.param.as_ref();
                let exception_span = parameter.map_or(handler_span, |parameter| at(parameter.pattern.span()));
                let exception = self.emit(Op::Catch(list), exception_span);
                if let Some(parameter) = parameter {
                    self.bind(&parameter.pattern, exception, exception_span);
                }
                self.statements(&handler.body.body);
                states.extend(self.depart(mark));
            }
            None => {
                if let Some(outer) = self.current.handlers.last_mut() {
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
            self.current.is_reachable = true;
            self.enter_handler(versions, region, at(finalizer.span));
        }
        let end = self.builder.module().instructions.len();
        self.statements(&finalizer.body);
        if !self.current.is_reachable {
            self.discard_returns(first, end);
        }
        self.current.is_reachable &= completes;
    }

    /// A final block that leaves the function itself replaces what the blocks before it return.
    fn discard_returns(&mut self, first: usize, end: usize) {
        let function = self.current.id;
        for instruction in &mut self.builder.module_mut().instructions[first..end] {
            if let Op::Return(value) = instruction.op
                && instruction.function == function
            {
                instruction.op = Op::Copy(value);
            }
        }
    }

    /// State at a handler: a variable has any of the values that it had in the protected block.
    fn enter_handler(&mut self, mut versions: Vec<(u32, ValueId)>, region: u32, span: Span) {
        let start = Span::new(span.start, span.start);
        self.forget(region);
        versions.sort_unstable();
        versions.dedup();
        for group in versions.chunk_by(|a, b| a.0 == b.0) {
            let variable = group[0].0;
            let mut values: Vec<ValueId> =
                group.iter().map(|&(_, value)| value).filter(|&value| value != UNSET && value != UNDEFINED).collect();
            match self.state.value(variable) {
                UNSET => continue,
                UNDEFINED => values.push(self.undefined(start)),
                value => values.push(value),
            }
            let value = self.phi(&values, start);
            self.state.set(variable, value);
        }
    }
}
