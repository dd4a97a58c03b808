//! Loops.

use ruff_python_ast::{Expr, Stmt, StmtFor, StmtWhile};

use crate::flow::Span;
use crate::lang::python::bind::number;
use crate::lang::ssa::{Exit, Exits};

use super::{Lowerer, span_of};

impl<'a> Lowerer<'a, '_> {
    pub(super) fn for_statement(&mut self, statement: &'a StmtFor) {
        let span = span_of(statement);
        let iterable = self.expression(&statement.iter);
        if let Expr::Name(name) = &*statement.iter
            && let Some(variable) = Self::variable_of(name)
        {
            let list = self.canon(iterable);
            self.frame.lists.insert(list, variable);
        }
        let mut head = self.begin_loop(number(&statement.node_index).unwrap_or(0), Vec::new(), span);
        let exits: Vec<Exit> = self.exit(head.mark).into_iter().collect();
        let element = self.element_of(iterable, span_of(&*statement.target));
        self.assign(&statement.target, element);
        self.statements(&statement.body);
        self.join_continues(&mut head, span);
        self.end_loop(head, exits, span);
        self.after_loop(&statement.orelse, span);
    }

    pub(super) fn while_statement(&mut self, statement: &'a StmtWhile) {
        let span = span_of(statement);
        let mut head = self.begin_loop(number(&statement.node_index).unwrap_or(0), Vec::new(), span);
        let mut exits = Exits::default();
        self.jump(&statement.test, true, head.mark, &mut exits);
        if self.frame.is_reachable {
            self.statements(&statement.body);
        }
        self.join_continues(&mut head, span);
        self.end_loop(head, exits.states, span);
        self.after_loop(&statement.orelse, span);
    }

    /// The block that runs if no `break` left the loop: a loop may be left in both ways.
    fn after_loop(&mut self, otherwise: &'a [Stmt], span: Span) {
        if otherwise.is_empty() || !self.frame.is_reachable {
            return;
        }
        let mark = self.mark();
        let skipped = self.exit(mark);
        self.statements(otherwise);
        let mut states: Vec<Exit> = self.depart(mark).into_iter().collect();
        self.state.release(mark);
        states.extend(skipped);
        self.join(states, span);
    }
}
