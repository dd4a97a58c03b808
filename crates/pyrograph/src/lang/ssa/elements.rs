//! Loops that test every element of a list and leave at the first bad one.

use crate::flow::{Op, Span, Test, TestId, ValueId};

use super::Ssa;
use super::state::Key;

/// Most instructions of a loop that is looked at.
const MOST_INSTRUCTIONS: usize = 400;

/// Most tests of an element.
const MOST_TESTS: usize = 8;

/// A test that all elements of a list have passed.
#[derive(Clone, Copy, Debug)]
pub(in crate::lang) struct ElementTest {
    list: ValueId,
    element: ValueId,
    test: TestId,
    holds: bool,
}

impl Ssa<'_, '_> {
    /// Tests of elements that have a result where a loop continues. `start` is the first instruction of the loop. The state is
    /// the one at the end of the body.
    pub(in crate::lang) fn element_tests(&self, start: usize, region: u32) -> Vec<ElementTest> {
        let count = self.builder.module().instructions.len();
        let has_breaks = self.frame.targets.last().is_none_or(|target| target.breaks.points > 0);
        if !self.frame.is_reachable || has_breaks || count - start > MOST_INSTRUCTIONS {
            return Vec::new();
        }
        let is_guarded = |name: ValueId| matches!(self.op(name), Op::Guard(..));
        let mut names: Vec<ValueId> = Vec::new();
        let (first, last) = self.scopes.regions[region as usize].variables;
        for index in first..last {
            names.extend(self.name(self.scopes.region_variables[index as usize]));
        }
        for value in (start..count).map(|value| ValueId(value as u32)) {
            if let Op::LoadKey(list, key) = self.op(value) {
                names.extend(self.fact(Key::computed(self.canon(list), self.canon(key))));
            }
        }
        names.retain(|&name| name.index() >= start && is_guarded(name));
        names.sort_unstable();
        names.dedup();
        let mut tests = Vec::new();
        for name in names {
            let element = self.canon(name);
            let list = match self.op(element) {
                Op::Element(list) => list,
                // The key must be the counter of the loop.
                Op::LoadKey(list, key) if self.canon(key).index() >= start => list,
                _ => continue,
            };
            if list.index() >= start {
                continue;
            }
            let mut name = name;
            for _ in 0..MOST_TESTS {
                let Op::Guard(inner, test, holds) = self.op(name) else { break };
                if !matches!(self.builder.module().tests[test.index()], Test::Elements(..)) {
                    tests.push(ElementTest { list, element, test, holds });
                }
                name = inner;
            }
        }
        tests
    }

    /// Names the lists whose elements were tested, after the loop.
    pub(in crate::lang) fn name_tested_lists(&mut self, tests: &[ElementTest], span: Span) {
        for test in tests {
            let list = self.canon(test.list);
            let Some(&variable) = self.frame.lists.get(&list) else { continue };
            let Some(name) = self.name(variable) else { continue };
            if !self.frame.is_reachable || self.canon(name) != list {
                continue;
            }
            let elements = self.builder.test(Test::Elements(test.element, test.test));
            let guarded = self.emit(Op::Guard(name, elements, test.holds), span);
            self.rename_variable(variable, guarded);
        }
    }
}
