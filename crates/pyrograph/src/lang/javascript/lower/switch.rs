//! `switch`.

use oxc_ast::ast::{Expression, SwitchStatement, UnaryOperator};
use oxc_span::GetSpan;

use crate::flow::{BinaryOp, Constant, Op, Test, ValueId};
use crate::lang::ssa::{Check, Exit, Exits, Mark};

use super::checks::strip;
use super::{Lowerer, at};

/// Cases whose tests guard something.
const MAX_TESTED: usize = 256;

impl<'a> Lowerer<'a, '_> {
    pub(super) fn switch_statement(&mut self, statement: &'a SwitchStatement<'a>, labels: Vec<&'a str>) {
        let span = at(statement.span);
        let value = self.expression(&statement.discriminant);
        // The tests of very many cases are evaluated first, and guard nothing.
        for test in statement.cases.iter().skip(MAX_TESTED).filter_map(|case| case.test.as_ref()) {
            self.expression(test);
        }
        let mark = self.mark();
        self.push_target(labels, false, true);
        for case in &statement.cases {
            self.hoist_functions(&case.consequent);
        }
        // The tests run in order; each one that matches leaves to its case.
        let mut entries: Vec<Vec<Exit>> = Vec::with_capacity(statement.cases.len());
        for (index, case) in statement.cases.iter().enumerate() {
            let mut matched = Exits::default();
            if let Some(test) = &case.test
                && self.frame.is_reachable
            {
                if index < MAX_TESTED {
                    self.case_test(&statement.discriminant, value, test, mark, &mut matched);
                } else {
                    matched.states.push(self.state.exit_with(Vec::new()));
                }
            }
            entries.push(matched.states);
        }
        // Where no test matches.
        let otherwise = self.depart(mark);
        let mut otherwise: Vec<Exit> = otherwise.into_iter().collect();
        self.frame.is_reachable = false;
        for (case, mut states) in statement.cases.iter().zip(entries) {
            states.extend(self.depart(mark));
            if case.test.is_none() {
                states.append(&mut otherwise);
            }
            self.join(states, span);
            if !self.frame.is_reachable {
                self.prune(at(case.span));
                continue;
            }
            for statement in &case.consequent {
                if !self.frame.is_reachable || self.stopped.is_some() {
                    break;
                }
                self.statement(statement);
            }
        }
        let mut states: Vec<Exit> = self.depart(mark).into_iter().collect();
        self.state.release(mark);
        states.append(&mut otherwise);
        self.forget_breaks(statement.node_id.get().index() as u32);
        states.extend(self.pop_target(span));
        self.join(states, span);
    }

    /// Test of a case: continues where it does not match.
    fn case_test(
        &mut self,
        discriminant: &'a Expression<'a>,
        value: ValueId,
        test: &'a Expression<'a>,
        mark: Mark,
        matched: &mut Exits,
    ) {
        let span = at(test.span());
        if let Some(Constant::Bool(sense)) = self.constant(value) {
            // `switch (true)`: the cases are conditions.
            self.jump(test, !sense, mark, matched);
            return;
        }
        let constant_value = self.expression(test);
        if let (Some(left), Some(right)) = (self.constant(value), self.constant(constant_value)) {
            let equal = self.fold(oxc_ast::ast::BinaryOperator::StrictEquality, left, right);
            if let Some(Constant::Bool(equal)) = equal {
                if equal {
                    matched.states.extend(self.depart(mark));
                    self.frame.is_reachable = false;
                }
                return;
            }
        }
        let check = self.case_check(discriminant, value, constant_value);
        let result = self.emit(Op::Binary(BinaryOp::Comparison, value, constant_value), span);
        let checks: Vec<Check> = check.into_iter().collect();
        self.split(&checks, result, false, mark, matched, span);
    }

    fn case_check(
        &mut self,
        discriminant: &'a Expression<'a>,
        value: ValueId,
        constant_value: ValueId,
    ) -> Option<Check> {
        let constant = self.constant(constant_value);
        if let (Expression::UnaryExpression(unary), Some(Constant::String(name))) = (strip(discriminant), constant)
            && unary.operator == UnaryOperator::Typeof
        {
            let (tested, name_value) = self.place(&unary.argument)?;
            let test = self.builder.test(Test::TypeIs(name));
            return Some(Check::new(tested, name_value, test, true));
        }
        let (tested, name) = self.place(discriminant)?;
        if self.canon(name) != self.canon(value) {
            return None;
        }
        let test = match constant {
            Some(constant) => Test::EqualsConstant(constant),
            None => Test::EqualsValue(constant_value),
        };
        let test = self.builder.test(test);
        Some(Check::new(tested, name, test, true))
    }
}
