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
        // A loop whose condition does not hold at first does not run.
        if is_simple(&statement.test) {
            let first = self.expression(&statement.test);
            if self.truth(first) == Some(false) {
                statement.body.first().map(span_of).into_iter().for_each(|span| self.prune(span));
                self.statements(&statement.orelse);
                return;
            }
        }
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

/// True if a condition compares variables and constants only, so that it may be evaluated once more.
fn is_simple(condition: &Expr) -> bool {
    let is_operand = |operand: &Expr| {
        matches!(operand, Expr::Name(_) | Expr::NumberLiteral(_) | Expr::StringLiteral(_) | Expr::BooleanLiteral(_))
    };
    match condition {
        Expr::Compare(comparison) => is_operand(&comparison.left) && comparison.comparators.iter().all(is_operand),
        condition => is_operand(condition),
    }
}
