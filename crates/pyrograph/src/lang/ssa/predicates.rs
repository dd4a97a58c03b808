//! What functions say about tests of their parameters.

use crate::flow::{Fact, Op, Predicate, Span, Test, TestId, ValueId};

use super::checks::Check;
use super::state::Key;
use super::{Note, Ssa};

/// Method of a test that the absolute path of a file is inside of a folder. Rules know it.
pub(in crate::lang) const INSIDE: &str = "inside";

/// Most parameters that are looked at.
const MAX_PARAMETERS: usize = 8;

/// Most alternatives of a result.
const MAX_ALTERNATIVES: usize = 24;

/// Most facts of an alternative.
const MAX_FACTS: usize = 12;

/// Most instructions before a call of the next handler that are looked at.
const MAX_BEFORE: usize = 1000;

/// Alternatives for a false and for a true value, each with all of its facts.
pub(in crate::lang) type Outcomes = [Vec<Vec<Fact>>; 2];

/// What is known at the returns of a function.
#[derive(Debug, Default)]
pub(in crate::lang) struct Returns {
    /// The function throws.
    pub(in crate::lang) has_throw: bool,
    /// Tests of the last `&&` or `||`.
    pub(in crate::lang) conjunction: Vec<Check>,
    /// Outcomes of the last `&&` or `||`, with its place.
    pub(in crate::lang) logical: Option<(Span, Outcomes)>,
    /// Facts that hold here, one list of which applies: those of the last condition whose parts met again.
    pub(in crate::lang) met: Vec<Vec<Fact>>,
    /// Returns here say nothing about the parameters that matters.
    pub(in crate::lang) is_ignored: bool,
    /// Variables of the parameters: position, variable.
    pub(in crate::lang) parameters: Vec<(u32, u32)>,
    outcomes: Outcomes,
    /// Facts at all returns.
    always: Vec<Vec<Fact>>,
}

impl Ssa<'_, '_> {
    pub(in crate::lang) fn note_parameter(&mut self, position: usize, variable: u32) {
        if position < MAX_PARAMETERS {
            self.frame.returns.parameters.push((position as u32, variable));
        }
    }

    /// Tests of parameters that have a result here.
    pub(in crate::lang) fn held(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        for &(parameter, variable) in &self.frame.returns.parameters {
            let Some(mut name) = self.name(variable) else { continue };
            // `path = os.path.abspath(path)`.
            let is_resolved = match self.notes.get(&self.canon(name)) {
                Some(&Note::Resolved(_, path)) => self.op(self.canon(path)) == Op::Parameter(parameter),
                _ => false,
            };
            if !is_resolved && self.op(self.canon(name)) != Op::Parameter(parameter) {
                continue;
            }
            for _ in 0..16 {
                let Op::Guard(inner, test, holds) = self.op(name) else { break };
                if !is_resolved || self.is_inside(test) {
                    facts.push(Fact { parameter, test, holds });
                }
                name = inner;
            }
        }
        facts
    }

    /// True for tests that a path is inside of a folder.
    fn is_inside(&self, test: TestId) -> bool {
        match self.builder.module().tests[test.index()] {
            Test::Method(method, _) => self.builder.text(method) == INSIDE,
            _ => false,
        }
    }

    /// Notes the tested members that are known where the function calls its third parameter without arguments.
    pub(in crate::lang) fn note_pass(&mut self, callee: ValueId) {
        if self.op(self.canon(callee)) != Op::Parameter(2) {
            return;
        }
        let function = self.frame.id;
        let count = self.builder.module().instructions.len();
        let mut tested = Vec::new();
        for number in count.saturating_sub(MAX_BEFORE)..count {
            let instruction = self.builder.module().instructions[number];
            let value = ValueId(number as u32);
            if instruction.function == function
                && matches!(instruction.op, Op::Guard(..))
                && let Op::LoadField(base, field) = self.op(self.canon(value))
                && (self.fact(Key::field(self.canon(base), field)) == Some(value) || self.state.is_name(value))
            {
                tested.push(value);
            }
        }
        self.builder.module_mut().passes.push((function, tested));
    }

    /// Notes what is known of the parameters at a return: for a false and for a true value.
    pub(in crate::lang) fn note_outcomes(&mut self, outcomes: Option<Outcomes>) {
        if self.frame.returns.is_ignored {
            return;
        }
        let held = self.held();
        add(&mut self.frame.returns.always, vec![held.clone()]);
        let [if_false, if_true] = outcomes.unwrap_or_else(|| [vec![held], Vec::new()]);
        add(&mut self.frame.returns.outcomes[0], if_false);
        add(&mut self.frame.returns.outcomes[1], if_true);
    }

    /// Sets the predicate of the function, at its end.
    pub(in crate::lang) fn finish_predicate(&mut self) {
        if self.frame.returns.parameters.is_empty() {
            return;
        }
        if self.frame.is_reachable {
            self.note_outcomes(None);
        }
        let returns = std::mem::take(&mut self.frame.returns);
        let [if_false, if_true] = returns.outcomes.map(informative);
        let returned = if returns.has_throw { informative(returns.always) } else { Vec::new() };
        if !if_true.is_empty() || !if_false.is_empty() || !returned.is_empty() {
            let predicate = Predicate { if_true, if_false, returned };
            self.builder.module_mut().functions[self.frame.id.index()].predicate = Some(Box::new(predicate));
        }
    }
}

/// Alternatives of two facts that both hold. Too many alternatives are those of the first one alone.
pub(in crate::lang) fn combined(first: Vec<Vec<Fact>>, second: &[Vec<Fact>]) -> Vec<Vec<Fact>> {
    if second.is_empty() || first.len() * second.len() > MAX_ALTERNATIVES {
        return first;
    }
    let both = |facts: &Vec<Fact>| second.iter().map(|more| [facts.as_slice(), more].concat()).collect::<Vec<_>>();
    first.iter().flat_map(both).collect()
}

/// Appends alternatives. Beyond the limit one says nothing.
fn add(known: &mut Vec<Vec<Fact>>, alternatives: Vec<Vec<Fact>>) {
    for mut facts in alternatives {
        if known.len() == MAX_ALTERNATIVES {
            known.push(Vec::new());
        }
        if known.len() > MAX_ALTERNATIVES {
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
        facts.truncate(MAX_FACTS);
        if !known.contains(&facts) {
            known.push(facts);
        }
    }
}

/// Alternatives, all of which say something.
fn informative(alternatives: Vec<Vec<Fact>>) -> Vec<Vec<Fact>> {
    if alternatives.iter().any(Vec::is_empty) { Vec::new() } else { alternatives }
}
