//! Loops, labels, `break` and `continue`.

use oxc_ast::ast::{
    DoWhileStatement, Expression, ForInStatement, ForOfStatement, ForStatement, ForStatementInit, ForStatementLeft,
    Statement, WhileStatement,
};
use oxc_span::GetSpan;

use crate::flow::{Op, Span, ValueId, ValueList};

use super::branches::Exits;
use super::elements::ElementTest;
use super::state::{Collector, Exit, Kill, Mark, UNDEFINED, UNSET};
use super::{Lowerer, Target, at};

/// A loop that is being lowered.
struct Loop {
    /// Variables that the loop assigns: variable, phi, value before the loop.
    phis: Vec<(u32, ValueId, ValueId)>,
    mark: Mark,
    region: u32,
    /// First instruction.
    start: usize,
    /// Tests of elements at the end of the body.
    tests: Vec<ElementTest>,
}

impl<'a> Lowerer<'a, '_> {
    /// What a loop or protected block may change becomes unknown.
    pub(super) fn forget(&mut self, region: u32) {
        let region = self.bindings.regions[region as usize];
        if region.changes_all {
            let next = self.builder.module().instructions.len() as u32;
            self.state.kill_all(next);
        }
        for index in region.variables.0..region.variables.1 {
            let variable = self.bindings.region_variables[index as usize];
            if self.bindings.variables[variable as usize].is_assigned_inside
                && let Some(cell) = self.cells[variable as usize]
            {
                self.state.kill(Kill::Cell(cell));
            }
        }
        for index in region.fields.0..region.fields.1 {
            let name = self.bindings.region_fields[index as usize];
            let field = self.builder.symbol(name);
            self.state.kill(Kill::AnyField(field));
        }
    }

    /// If `break` leaves the innermost statement: what it may change becomes unknown.
    pub(super) fn forget_breaks(&mut self, region: u32) {
        if self.current.targets.last().is_some_and(|target| target.breaks.points > 0) {
            self.forget(region);
        }
    }

    /// Head of a loop: phis of the variables that it assigns.
    fn begin_loop(&mut self, region: u32, labels: Vec<&'a str>, span: Span) -> Loop {
        let range = self.bindings.regions[region as usize].variables;
        let start = self.builder.module().instructions.len();
        let mut phis = Vec::new();
        let head = Span::new(span.start, span.start);
        for index in range.0..range.1 {
            let variable = self.bindings.region_variables[index as usize];
            if self.bindings.variables[variable as usize].is_assigned_inside {
                self.state.kill_shared();
                continue;
            }
            let mut entry = self.state.value(variable);
            if entry == UNSET {
                continue;
            }
            if entry == UNDEFINED {
                entry = self.undefined(head);
            }
            self.escape(entry);
            let phi = self.emit(Op::Phi(ValueList { start: 0, len: 0 }), head);
            self.state.set(variable, phi);
            phis.push((variable, phi, entry));
        }
        self.forget(region);
        let mark = self.mark();
        self.push_target(labels, true, true);
        Loop { phis, mark, region, start, tests: Vec::new() }
    }

    /// Point that the end of the body and `continue` reach.
    fn join_continues(&mut self, head: &mut Loop, span: Span) {
        let mut states: Vec<Exit> = self.depart(head.mark).into_iter().collect();
        if let Some(target) = self.current.targets.last_mut() {
            let continues = std::mem::take(&mut target.continues);
            states.extend(self.arrive(continues, span));
        }
        self.join(states, span);
        head.tests = self.element_tests(head.start, head.region);
    }

    /// End of a loop: completes the phis, and continues after the loop.
    fn end_loop(&mut self, head: Loop, mut exits: Vec<Exit>, span: Span) {
        for &(variable, phi, entry) in &head.phis {
            let mut operands = vec![entry];
            if self.current.is_reachable {
                let back = self.state.value(variable);
                if back != phi && back != entry {
                    self.escape(back);
                    operands.push(back);
                }
            }
            let op = match operands.as_slice() {
                [entry] => Op::Copy(*entry),
                operands => Op::Phi(self.builder.list(operands)),
            };
            self.builder.module_mut().instructions[phi.index()].op = op;
        }
        self.state.rollback(head.mark);
        self.state.release(head.mark);
        exits.extend(self.pop_target(span));
        self.join(exits, span);
        self.name_tested_lists(&head.tests, span);
    }

    /// Opens a statement that `break` or `continue` leaves.
    pub(super) fn push_target(&mut self, labels: Vec<&'a str>, is_loop: bool, is_breakable: bool) {
        let breaks = self.state.collector();
        let continues = if is_loop { self.state.collector() } else { Collector::default() };
        self.current.targets.push(Target { labels, is_loop, is_breakable, breaks, continues });
    }

    /// Closes the innermost such statement: where its `break`s lead.
    pub(super) fn pop_target(&mut self, span: Span) -> Option<Exit> {
        let target = self.current.targets.pop()?;
        self.arrive(target.breaks, span)
    }

    /// The place that collected points lead to. The state is the one before them.
    fn arrive(&mut self, collector: Collector, span: Span) -> Option<Exit> {
        let is_reached = collector.points > 0;
        let names = self.state.collected(collector);
        if !is_reached {
            return None;
        }
        let mut variables = Vec::with_capacity(names.len());
        for (variable, values) in names {
            let value = self.merge(values, span);
            variables.push((variable, value));
        }
        Some(self.state.exit_with(variables))
    }

    fn loop_body(&mut self, body: &'a Statement<'a>) {
        if self.current.is_reachable {
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
        if self.current.is_reachable {
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
        if self.current.is_reachable
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

    /// `break` or `continue`.
    pub(super) fn leave_target(&mut self, label: Option<&'a str>, is_continue: bool) {
        let position = self.current.targets.iter().rposition(|target| match label {
            Some(label) => target.labels.contains(&label),
            None if is_continue => target.is_loop,
            None => target.is_breakable,
        });
        if let Some(position) = position
            && self.current.is_reachable
        {
            let target = &mut self.current.targets[position];
            let collector = if is_continue && target.is_loop { &mut target.continues } else { &mut target.breaks };
            self.state.collect(collector);
        }
        self.current.is_reachable = false;
    }
}
