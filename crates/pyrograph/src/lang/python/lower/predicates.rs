//! Functions that test their parameters.

use ruff_python_ast::{Expr, UnaryOp};

use crate::flow::{Fact, Op, ValueId};
use crate::lang::ssa::Outcomes;

use super::{Lowerer, span_of};

impl<'a> Lowerer<'a, '_> {
    /// Notes what is known of the parameters at a return.
    pub(super) fn note_return(&mut self, returned: Option<(&'a Expr, ValueId)>) {
        if self.frame.returns.parameters.is_empty() {
            return;
        }
        let outcomes = returned.map(|(expression, value)| self.outcomes(expression, value));
        self.note_outcomes(outcomes);
    }

    /// Alternatives for the results of an expression, which was lowered just before.
    pub(super) fn outcomes(&mut self, expression: &'a Expr, value: ValueId) -> Outcomes {
        let held = self.held();
        match self.truth(value) {
            Some(true) => return [Vec::new(), vec![held]],
            Some(false) => return [vec![held], Vec::new()],
            None => {}
        }
        let mut expression = expression;
        let mut is_negated = false;
        while let Expr::UnaryOp(unary) = expression
            && unary.op == UnaryOp::Not
            && matches!(&*unary.operand, Expr::BoolOp(_))
        {
            is_negated = !is_negated;
            expression = &unary.operand;
        }
        if matches!(expression, Expr::BoolOp(_))
            && let Some((span, [if_false, if_true])) = self.frame.returns.logical.take()
            && span == span_of(expression)
        {
            return if is_negated { [if_true, if_false] } else { [if_false, if_true] };
        }
        let mut facts = [held.clone(), held];
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
