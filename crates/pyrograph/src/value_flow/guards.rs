//! Rules that a guard sanitises.

use super::build::Builder;
use crate::flow::{Constant, Op, Outcome, Test, TestId, ValueId, ValueList};
use crate::knowledge::{Root, RuleMask, TestFacts};
use crate::program::Module;

/// Largest number of predicates that call one another.
const MAX_PREDICATES: u32 = 4;

impl Builder<'_> {
    /// Rules for which a value is clean, where a test of it has this result.
    pub(super) fn guard_mask(&self, module: &Module, test: TestId, holds: bool) -> RuleMask {
        self.test_mask(module, test, holds, 0)
    }

    fn test_mask(&self, module: &Module, test: TestId, holds: bool, depth: u32) -> RuleMask {
        let facts = |facts: &TestFacts<'_>| self.knowledge.guard(facts, holds);
        match &module.flow.tests[test.index()] {
            Test::Truthy => facts(&TestFacts::Truthy),
            Test::EqualsConstant(constant) => {
                let text = match *constant {
                    Constant::String(symbol) => Some(module.flow.text(symbol)),
                    _ => None,
                };
                facts(&TestFacts::EqualsConstant { text })
            }
            Test::EqualsValue(_) => facts(&TestFacts::EqualsValue),
            Test::Ordered => facts(&TestFacts::Ordered),
            Test::TypeIs(symbol) => facts(&TestFacts::TypeIs(module.flow.text(*symbol))),
            Test::InstanceOf(_) => facts(&TestFacts::InstanceOf),
            Test::MemberOfConstants => facts(&TestFacts::MemberOfConstants),
            Test::MemberOf(_) => facts(&TestFacts::MemberOf),
            Test::Matches(pattern, flags) => {
                facts(&TestFacts::Matches { pattern: module.flow.text(*pattern), flags: module.flow.text(*flags) })
            }
            Test::Method(name, arguments) => {
                let constants = constants(module, *arguments);
                facts(&TestFacts::Method { name: module.flow.text(*name), constants: &constants })
            }
            Test::Call(call, position) => self.call_mask(module, *call, *position, Some(holds), depth),
            Test::Returned(call, position) => self.call_mask(module, *call, *position, None, depth),
        }
    }

    /// Rules that the result of a call with the value as an argument sanitises: by a model, or by the predicate that the
    /// function is.
    /// `holds` is the result of the call. None: the call has returned.
    fn call_mask(&self, module: &Module, call: ValueId, position: u32, holds: Option<bool>, depth: u32) -> RuleMask {
        if depth > MAX_PREDICATES {
            return 0;
        }
        let call = module.value(call);
        let mut mask = 0;
        for library in self.points_to.library_calls_of(call).iter().filter(|library| library.result == call) {
            let Some(model) = &library.model else { continue };
            for (endpoint, result, rules) in &model.guards {
                if endpoint.root == Root::Argument(position) && endpoint.steps.is_empty() && Some(*result) == holds {
                    mask |= rules;
                }
            }
        }
        // Every target must be a predicate.
        let mut predicates: Option<RuleMask> = None;
        for link in self.points_to.links_of(call).iter().filter(|link| link.result == Some(call)) {
            let (target, id) = self.program.function(link.function);
            let rules = match target.flow.function(id).predicate {
                Some(predicate) if predicate.parameter == position && predicate.asserts => {
                    self.test_mask(target, predicate.test, predicate.holds, depth + 1)
                }
                // The function may return without the test.
                Some(predicate) if predicate.parameter == position => match (predicate.outcome, holds) {
                    (Outcome::True | Outcome::Both, Some(true)) => {
                        self.test_mask(target, predicate.test, predicate.holds, depth + 1)
                    }
                    (Outcome::False | Outcome::Both, Some(false)) => {
                        self.test_mask(target, predicate.test, !predicate.holds, depth + 1)
                    }
                    _ => 0,
                },
                _ => 0,
            };
            predicates = Some(predicates.unwrap_or(u64::MAX) & rules);
        }
        mask | predicates.unwrap_or(0)
    }
}

/// Constant texts of arguments.
fn constants(module: &Module, arguments: ValueList) -> Vec<Option<&str>> {
    module
        .flow
        .list(arguments)
        .iter()
        .map(|argument| match module.flow.instructions[argument.index()].op {
            Op::Constant(Constant::String(symbol)) => Some(module.flow.text(symbol)),
            _ => None,
        })
        .collect()
}
