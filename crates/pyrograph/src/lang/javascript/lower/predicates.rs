//! Functions that test their parameters.

use oxc_ast::ast::{Expression, LogicalOperator, UnaryOperator};
use oxc_span::GetSpan;

use crate::flow::{Fact, Op, Predicate, Span, ValueId};

use super::checks::{Check, strip};
use super::{Lowerer, at};

/// Most parameters that are looked at.
const MOST_PARAMETERS: usize = 8;

/// Most alternatives of a result.
const MOST_ALTERNATIVES: usize = 24;

/// Most facts of an alternative.
const MOST_FACTS: usize = 12;

/// Alternatives for a false and for a true value, each with all of its facts.
pub(super) type Outcomes = [Vec<Vec<Fact>>; 2];

/// What is known at the returns of a function.
#[derive(Debug, Default)]
pub(super) struct Returns {
    /// The function throws.
    pub(super) has_throw: bool,
    /// Tests of the last `&&` or `||`.
    pub(super) conjunction: Vec<Check>,
    /// Outcomes of the last `&&` or `||`, with its place.
    pub(super) logical: Option<(Span, Outcomes)>,
    /// Variables of the parameters: position, variable.
    pub(super) parameters: Vec<(u32, u32)>,
    outcomes: Outcomes,
    /// Facts at all returns.
    always: Vec<Vec<Fact>>,
}

impl<'a> Lowerer<'a, '_> {
    pub(super) fn note_parameter(&mut self, position: usize, variable: u32) {
        if position < MOST_PARAMETERS {
            self.current.returns.parameters.push((position as u32, variable));
        }
    }

    /// Notes what is known of the parameters at a return.
    pub(super) fn note_return(&mut self, returned: Option<(&'a Expression<'a>, ValueId)>) {
        if self.current.returns.parameters.is_empty() {
            return;
        }
        let held = self.held();
        add(&mut self.current.returns.always, vec![held.clone()]);
        let outcomes = match returned {
            Some((expression, value)) => self.outcomes(expression, value),
            None => [vec![held], Vec::new()],
        };
        let [if_false, if_true] = outcomes;
        add(&mut self.current.returns.outcomes[0], if_false);
        add(&mut self.current.returns.outcomes[1], if_true);
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
            && let Some((span, [if_false, if_true])) = self.current.returns.logical.take()
            && span == at(expression.span())
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

    /// Tests of parameters that have a result here.
    pub(super) fn held(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        for &(parameter, variable) in &self.current.returns.parameters {
            let Some(mut name) = self.name(variable) else { continue };
            if self.op(self.canon(name)) != Op::Parameter(parameter) {
                continue;
            }
            for _ in 0..16 {
                let Op::Guard(inner, test, holds) = self.op(name) else { break };
                facts.push(Fact { parameter, test, holds });
                name = inner;
            }
        }
        facts
    }

    /// Sets the predicate of the function, at its end.
    pub(super) fn finish_predicate(&mut self) {
        if self.current.returns.parameters.is_empty() {
            return;
        }
        if self.current.is_reachable {
            self.note_return(None);
        }
        let returns = std::mem::take(&mut self.current.returns);
        let [if_false, if_true] = returns.outcomes.map(informative);
        let returned = if returns.has_throw { informative(returns.always) } else { Vec::new() };
        if !if_true.is_empty() || !if_false.is_empty() || !returned.is_empty() {
            let predicate = Predicate { if_true, if_false, returned };
            self.builder.module_mut().functions[self.current.id.index()].predicate = Some(Box::new(predicate));
        }
    }
}

fn is_logical(expression: &Expression<'_>) -> bool {
    matches!(expression, Expression::LogicalExpression(logical) if logical.operator != LogicalOperator::Coalesce)
}

/// Appends alternatives. Beyond the limit one says nothing.
fn add(known: &mut Vec<Vec<Fact>>, alternatives: Vec<Vec<Fact>>) {
    for mut facts in alternatives {
        if known.len() == MOST_ALTERNATIVES {
            known.push(Vec::new());
        }
        if known.len() > MOST_ALTERNATIVES {
            return;
        }
        let mut position = 0;
        while position < facts.len() {
            if facts[..position].contains(&facts[position]) {
                facts.remove(position);
            } else {
                position += 1;
            }
        }
        facts.truncate(MOST_FACTS);
        if !known.contains(&facts) {
            known.push(facts);
        }
    }
}

/// Alternatives, all of which say something.
fn informative(alternatives: Vec<Vec<Fact>>) -> Vec<Vec<Fact>> {
    if alternatives.iter().any(Vec::is_empty) { Vec::new() } else { alternatives }
}
