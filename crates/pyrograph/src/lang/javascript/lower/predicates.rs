//! Functions that test their parameters.

use oxc_ast::ast::{Expression, LogicalOperator, UnaryOperator};
use oxc_span::GetSpan;

use crate::flow::{Fact, Op, ValueId};
use crate::lang::ssa::Outcomes;

use super::checks::strip;
use super::{Lowerer, at};

impl<'a> Lowerer<'a, '_> {
    /// Notes what is known of the parameters at a return.
    pub(super) fn note_return(&mut self, returned: Option<(&'a Expression<'a>, ValueId)>) {
        if self.frame.returns.parameters.is_empty() {
            return;
        }
        let outcomes = returned.map(|(expression, value)| self.outcomes(expression, value));
        self.note_outcomes(outcomes);
    }

    /// Alternatives for the results of an expression, which was lowered just before.
    pub(super) fn outcomes(&mut self, expression: &'a Expression<'a>, value: ValueId) -> Outcomes {
        let held = self.held();
        match self.truth(value) {
            Some(true) => return [Vec::new(), vec![held]],
            Some(false) => return [vec![held], Vec::new()],
            None => {}
        }
        let mut expression = strip(expression);
        let mut is_negated = false;
        while let Expression::UnaryExpression(unary) = expression
            && unary.operator == UnaryOperator::LogicalNot
            && is_logical(strip(&unary.argument))
        {
            is_negated = !is_negated;
            expression = strip(&unary.argument);
        }
        if is_logical(expression)
            && let Some((span, [if_false, if_true])) = self.frame.returns.logical.take()
            && span == at(expression.span())
        {
            return if is_negated { [if_true, if_false] } else { [if_false, if_true] };
        }
        let mut facts = [held.clone(), held];
        if !is_negated {
            for (result, facts) in [false, true].into_iter().zip(&mut facts) {
                facts.extend(self.flag_facts(value, result));
            }
        }
        if !is_negated {
            for check in self.checks(expression, value) {
                let Op::Parameter(parameter) = self.op(self.canon(check.name)) else { continue };
                for (condition, facts) in [false, true].into_iter().zip(&mut facts) {
                    if let Some(holds) = check.result(condition) {
                        facts.push(Fact { parameter, test: check.test, holds });
                    }
                }
            }
        }
        facts.map(|facts| vec![facts])
    }
}

fn is_logical(expression: &Expression<'_>) -> bool {
    matches!(expression, Expression::LogicalExpression(logical) if logical.operator != LogicalOperator::Coalesce)
}
