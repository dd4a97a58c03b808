//! Loops, labels, `break` and `continue`.

use oxc_ast::ast::{
    DoWhileStatement, Expression, ForInStatement, ForOfStatement, ForStatement, ForStatementInit, ForStatementLeft,
    Statement, WhileStatement,
};
use oxc_span::GetSpan;

use crate::flow::{Op, Span, ValueId};
use crate::lang::ssa::{Exit, Exits};

use super::{Lowerer, at};

impl<'a> Lowerer<'a, '_> {
    fn loop_body(&mut self, body: &'a Statement<'a>) {
        if self.frame.is_reachable {
            self.statement(body);
        } else {
            self.prune(at(body.span()));
        }
    }

    pub(super) fn while_statement(&mut self, statement: &'a WhileStatement<'a>, labels: Vec<&'a str>) {
        let span = at(statement.span);
        let mut head = self.begin_loop(statement.node_id.get().index() as u32, labels, span);
        let mut exits = Exits::default();
        self.jump(&statement.test, true, head.mark, &mut exits);
        self.loop_body(&statement.body);
        self.join_continues(&mut head, span);
        self.end_loop(head, exits.states, span);
    }

    pub(super) fn do_statement(&mut self, statement: &'a DoWhileStatement<'a>, labels: Vec<&'a str>) {
        let span = at(statement.span);
        let mut head = self.begin_loop(statement.node_id.get().index() as u32, labels, span);
        self.statement(&statement.body);
        self.join_continues(&mut head, span);
        let mut exits = Exits::default();
        if self.frame.is_reachable {
            self.jump(&statement.test, true, head.mark, &mut exits);
        }
        self.end_loop(head, exits.states, span);
    }

    pub(super) fn for_statement(&mut self, statement: &'a ForStatement<'a>, labels: Vec<&'a str>) {
        let span = at(statement.span);
        match &statement.init {
            Some(ForStatementInit::VariableDeclaration(declaration)) => self.variable_declaration(declaration),
            Some(init) => {
                self.expression(init.to_expression());
            }
            None => {}
        }
        let mut head = self.begin_loop(statement.node_id.get().index() as u32, labels, span);
        let mut exits = Exits::default();
        if let Some(test) = &statement.test {
            self.jump(test, true, head.mark, &mut exits);
        }
        self.loop_body(&statement.body);
        self.join_continues(&mut head, span);
        if self.frame.is_reachable
            && let Some(update) = &statement.update
        {
            self.expression(update);
        }
        self.end_loop(head, exits.states, span);
    }

    pub(super) fn for_in(&mut self, statement: &'a ForInStatement<'a>, labels: Vec<&'a str>) {
        let region = statement.node_id.get().index() as u32;
        let span = at(statement.span);
        self.for_each(&statement.left, &statement.right, &statement.body, region, labels, span, Op::EnumerateKey);
    }

    pub(super) fn for_of(&mut self, statement: &'a ForOfStatement<'a>, labels: Vec<&'a str>) {
        let region = statement.node_id.get().index() as u32;
        let span = at(statement.span);
        self.for_each(&statement.left, &statement.right, &statement.body, region, labels, span, Op::Element);
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of two kinds of statements")]
    fn for_each(
        &mut self,
        left: &'a ForStatementLeft<'a>,
        right: &'a Expression<'a>,
        body: &'a Statement<'a>,
        region: u32,
        labels: Vec<&'a str>,
        span: Span,
        element: impl Fn(ValueId) -> Op,
    ) {
        let object = self.expression(right);
        self.note_list(right, object);
        let mut head = self.begin_loop(region, labels, span);
        let exits: Vec<Exit> = self.exit(head.mark).into_iter().collect();
        let left_span = at(left.span());
        let value = self.emit(element(object), left_span);
        match left {
            ForStatementLeft::VariableDeclaration(declaration) => {
                if let Some(declarator) = declaration.declarations.first() {
                    self.bind(&declarator.id, value, left_span);
                }
            }
            left => self.assign_target(left.to_assignment_target(), value, left_span),
        }
        self.loop_body(body);
        self.join_continues(&mut head, span);
        self.end_loop(head, exits, span);
    }

    /// Runs the lowering of a statement that `break` with a label leaves.
    pub(super) fn labeled(&mut self, labels: Vec<&'a str>, region: u32, span: Span, lower: impl FnOnce(&mut Self)) {
        if labels.is_empty() {
            return lower(self);
        }
        let mark = self.mark();
        self.push_target(labels, false, false);
        lower(self);
        let mut states: Vec<Exit> = self.depart(mark).into_iter().collect();
        self.state.release(mark);
        self.forget_breaks(region);
        states.extend(self.pop_target(span));
        self.join(states, span);
    }
}
