//! Functions that test a parameter.

use oxc_ast::ast::Expression;

use crate::flow::{Op, Outcome, Predicate, Test, TestId, ValueId};

use super::Lowerer;
use super::checks::Check;

/// Most parameters that are looked at.
const MOST_PARAMETERS: usize = 8;

/// A test of a parameter that has a result: position, test, result.
type Fact = (u32, TestId, bool);

/// What is known at the returns of a function.
#[derive(Debug, Default)]
pub(super) struct Returns {
    /// The function throws.
    pub(super) has_throw: bool,
    /// Tests of the last `&&` or `||`.
    pub(super) conjunction: Vec<Check>,
    /// Variables of the parameters: position, variable.
    pub(super) parameters: Vec<(u32, u32)>,
    /// Facts at all returns of true values.
    if_true: Option<Vec<Fact>>,
    /// Opposites of the facts at all returns of false values.
    if_false: Option<Vec<Fact>>,
    /// Facts at all returns.
    always: Option<Vec<Fact>>,
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
        merge(&mut self.current.returns.always, &held);
        let opposite = |facts: &[Fact]| -> Vec<Fact> {
            facts.iter().map(|&(position, test, result)| (position, test, !result)).collect()
        };
        let Some((expression, value)) = returned else {
            merge(&mut self.current.returns.if_false, &opposite(&held));
            return;
        };
        let truth = self.truth(value);
        let mut facts = [opposite(&held), held];
        if truth.is_none() {
            let checks = match expression {
                Expression::LogicalExpression(_) => std::mem::take(&mut self.current.returns.conjunction),
                _ => self.checks(expression, value),
            };
            for check in checks {
                let Op::Parameter(position) = self.op(self.canon(check.name)) else { continue };
                if let Some(result) = check.result(true) {
                    facts[1].push((position, check.test, result));
                }
                if let Some(result) = check.result(false) {
                    facts[0].push((position, check.test, !result));
                }
            }
        }
        if truth != Some(false) {
            merge(&mut self.current.returns.if_true, &facts[1]);
        }
        if truth != Some(true) {
            merge(&mut self.current.returns.if_false, &facts[0]);
        }
    }

    /// Tests of parameters that have a result here.
    fn held(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        for &(position, variable) in &self.current.returns.parameters {
            let Some(mut name) = self.name(variable) else { continue };
            if self.op(self.canon(name)) != Op::Parameter(position) {
                continue;
            }
            for _ in 0..16 {
                let Op::Guard(inner, test, holds) = self.op(name) else { break };
                facts.push((position, test, holds));
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
        let always = returns.always.unwrap_or_default();
        let asserts = returns.has_throw && !always.is_empty();
        let mut facts: Vec<(Fact, Outcome)> = Vec::new();
        if asserts {
            facts.extend(always.into_iter().map(|fact| (fact, Outcome::Both)));
        } else {
            let if_true = returns.if_true.unwrap_or_default();
            let if_false = returns.if_false.unwrap_or_default();
            facts.extend(
                if_true
                    .iter()
                    .map(|&fact| (fact, if if_false.contains(&fact) { Outcome::Both } else { Outcome::True })),
            );
            facts.extend(if_false.iter().map(|&fact| (fact, Outcome::False)));
        }
        let tests = &self.builder.module().tests;
        let best = facts
            .into_iter()
            .filter(|&((_, test, _), _)| !matches!(tests[test.index()], Test::Truthy | Test::Ordered))
            .min_by_key(|&((_, test, _), outcome)| {
                (rank(&tests[test.index()]), outcome != Outcome::Both, outcome != Outcome::True, test)
            });
        if let Some(((parameter, test, holds), outcome)) = best {
            let predicate = Predicate { parameter, test, holds, outcome, asserts };
            self.builder.module_mut().functions[self.current.id.index()].predicate = Some(predicate);
        }
    }
}

/// Keeps the facts that hold at both places.
fn merge(known: &mut Option<Vec<Fact>>, facts: &[Fact]) {
    match known {
        Some(known) => known.retain(|fact| facts.contains(fact)),
        None => *known = Some(facts.to_vec()),
    }
}

/// Order of tests by how much they say of a value.
fn rank(test: &Test) -> u32 {
    match test {
        Test::MemberOfConstants => 0,
        Test::Matches(..) => 1,
        Test::EqualsConstant(_) => 2,
        Test::Method(..) => 3,
        Test::MemberOf(_) => 4,
        Test::Call(..) => 5,
        Test::EqualsValue(_) => 6,
        Test::InstanceOf(_) => 7,
        Test::TypeIs(_) => 8,
        Test::Ordered => 9,
        Test::Truthy => 10,
    }
}
