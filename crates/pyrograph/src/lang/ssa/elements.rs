//! Loops that test every element of a list and leave at the first bad one.

use crate::flow::{Op, Span, Test, TestId, ValueId};

use super::Ssa;
use super::state::Key;

/// Most instructions of a loop that is looked at.
const MAX_INSTRUCTIONS: usize = 400;

/// Most names of a list, each with a test.
const MAX_NAMES: usize = 16;

/// Most tests of an element.
const MAX_TESTS: usize = 8;

/// A test that all elements of a list have passed.
#[derive(Clone, Copy, Debug)]
pub(in crate::lang) struct ElementTest {
    list: ValueId,
    element: ValueId,
    test: TestId,
    holds: bool,
}

/// A test of a variable against all elements of a list of constants.
#[derive(Clone, Copy, Debug)]
pub(in crate::lang) struct ListSearch {
    variable: u32,
    /// Value of the variable.
    value: ValueId,
    list: ValueId,
    /// The elements were searched in the variable. Otherwise they were compared with it.
    is_inside: bool,
}

impl Ssa<'_, '_> {
    /// Variables of which a loop over constants has found that they have none of these in them, or are none of these. The state is
    /// the one at the end of the body.
    pub(in crate::lang) fn list_searches(&self, start: usize) -> Vec<ListSearch> {
        let count = self.builder.module().instructions.len();
        let has_breaks = self.frame.targets.last().is_none_or(|target| target.breaks.points > 0);
        if !self.frame.is_reachable || has_breaks || count - start > MAX_INSTRUCTIONS {
            return Vec::new();
        }
        let mut searches = Vec::new();
        for number in start..count {
            let mut name = ValueId(number as u32);
            let mut found = Vec::new();
            for _ in 0..MAX_TESTS {
                let Op::Guard(inner, test, holds) = self.op(name) else { break };
                if !holds && let Some((list, is_inside)) = self.searched_list(test, start) {
                    found.push((list, is_inside));
                }
                name = inner;
            }
            if found.is_empty() {
                continue;
            }
            let name = ValueId(number as u32);
            if let Some(variable) = self.state.variable_named(name) {
                let value = self.canon(name);
                let search = |(list, is_inside)| ListSearch { variable, value, list, is_inside };
                searches.extend(found.into_iter().map(search));
            }
        }
        searches
    }

    /// List of constants whose elements a test in a loop is about, and true if it searches them in the value.
    fn searched_list(&self, test: TestId, start: usize) -> Option<(ValueId, bool)> {
        let module = self.builder.module();
        let (element, is_inside) = match module.tests[test.index()] {
            Test::Method(method, arguments) if self.builder.text(method) == "includes" => {
                (*module.list(arguments).first()?, true)
            }
            Test::EqualsValue(other) => (other, false),
            _ => return None,
        };
        let list = match self.op(self.canon(element)) {
            Op::Element(list) if list.index() < start => list,
            // The key must be the counter of the loop.
            Op::LoadKey(list, key) if self.canon(key).index() >= start => list,
            _ => return None,
        };
        self.is_collection(list).then_some((list, is_inside))
    }

    /// Names the variables that were tested against lists, after the loop.
    pub(in crate::lang) fn name_searched(&mut self, searches: &[ListSearch], span: Span) {
        for search in searches {
            let Some(name) = self.name(search.variable) else { continue };
            if !self.frame.is_reachable || self.canon(name) != search.value {
                continue;
            }
            let test = match search.is_inside {
                true => {
                    let method = self.symbol("includes any");
                    let list = self.builder.list(&[search.list]);
                    Test::Method(method, list)
                }
                false => Test::MemberOfConstants(search.list),
            };
            let test = self.builder.test(test);
            let guarded = self.emit(Op::Guard(name, test, false), span);
            self.rename_variable(search.variable, guarded);
        }
    }

    /// A list gets new elements: what tests of its elements showed holds no longer.
    pub(in crate::lang) fn forget_elements(&mut self, list: ValueId) {
        if self.canon(list) == list {
            return;
        }
        let mut kept = Vec::new();
        let mut name = list;
        let mut is_tested = false;
        for _ in 0..MAX_NAMES {
            match self.op(name) {
                Op::Guard(inner, test, holds) => {
                    let test_of = &self.builder.module().tests[test.index()];
                    match test_of {
                        Test::Elements(..) | Test::Method(..) | Test::Call(..) | Test::Returned(..) => is_tested = true,
                        _ => kept.push((test, holds)),
                    }
                    name = inner;
                }
                Op::Copy(inner) => name = inner,
                _ => break,
            }
        }
        if !is_tested {
            return;
        }
        let Some(variable) = self.state.variable_named(list) else { return };
        let span = self.builder.module().instructions[list.index()].span;
        for (test, holds) in kept.into_iter().rev() {
            name = self.emit(Op::Guard(name, test, holds), span);
        }
        self.rename_variable(variable, name);
    }

    /// Tests of elements that have a result where a loop continues. `start` is the first instruction of the loop. The state is
    /// the one at the end of the body.
    pub(in crate::lang) fn element_tests(&self, start: usize, region: u32) -> Vec<ElementTest> {
        let count = self.builder.module().instructions.len();
        let has_breaks = self.frame.targets.last().is_none_or(|target| target.breaks.points > 0);
        if !self.frame.is_reachable || has_breaks || count - start > MAX_INSTRUCTIONS {
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
            for _ in 0..MAX_TESTS {
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
