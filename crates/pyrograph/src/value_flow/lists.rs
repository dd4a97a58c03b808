//! Tests of all elements of a list, and lists of constants.

use super::build::Builder;
use super::graph::IDENTITY;
use super::guards::{EVERY_CHARACTER, MAX_PREDICATES, MAX_TESTS, Subject};
use crate::flow::{AllocateKind, Constant, Fact, Op, Test, TestId, ValueId};
use crate::knowledge::{RuleMask, Shown, TestFacts};
use crate::points_to::{NodeIndex, ObjectKind};
use crate::program::{Module, ValueIndex};

/// Method of a search for all elements of a list in the value: `list.some((each) => value.includes(each))`.
pub(super) const INCLUDES_ANY: &str = "includes any";

/// Method of a look into a table with the value as the key: table, expected content. Without the latter, any true one.
pub(super) const LOOKED_UP: &str = "looked up";

/// Methods of tests of a list that has the value among its elements: `keys.concat(value).some(isBad)`.
pub(super) const ONE_OF_SOME: &str = "one of some";
pub(super) const ONE_OF_EVERY: &str = "one of every";

/// Largest number of instructions behind an allocation that are looked at.
const MAX_DISTANCE: usize = 400;

/// Largest number of steps to the place where a list is made.
const MAX_STEPS: u32 = 6;

impl Builder<'_> {
    /// Rules for which the elements of a value are clean, because of a test of all of them: `list.every(isSafe)`.
    pub(super) fn element_mask(&self, base: NodeIndex) -> RuleMask {
        let mut rules = 0;
        let mut shown = Shown::default();
        let mut tested = None;
        let mut node = base;
        for _ in 0..MAX_TESTS {
            if node >= self.program.value_count {
                break;
            }
            let module = self.program.module_of_value(node);
            match module.instruction(node).op {
                Op::Guard(origin, test, holds) => {
                    if let Test::Elements(element, test) = module.flow.tests[test.index()] {
                        self.predicate_work.set(0);
                        tested = Some(module.value(element));
                        self.show_test(module, test, holds, Subject::new(module.value(element)), &mut shown);
                    } else {
                        rules |= self.elements_mask(module, test, holds, node, 0, &mut shown);
                    }
                    node = module.value(origin);
                }
                Op::Copy(origin) => node = module.value(origin),
                // The elements of a part of a list are among those of the list.
                Op::Call(call) => {
                    let call = &module.flow.calls[call.index()];
                    let Op::LoadField(list, method) = module.flow.instructions[call.callee.index()].op else { break };
                    if !matches!(module.flow.text(method), "slice" | "filter" | "reverse") {
                        break;
                    }
                    node = module.value(list);
                }
                _ => break,
            }
        }
        (rules | self.settle_elements(shown, tested)) & !IDENTITY
    }

    /// Rules of what is shown of the elements of a list. What depends on the origin of an element needs an element.
    fn settle_elements(&self, mut shown: Shown, element: Option<ValueIndex>) -> RuleMask {
        match element {
            Some(element) => self.settle(&shown, element),
            None => {
                shown.conditional.retain(|&(_, guard, _)| {
                    self.knowledge.guard_origins(guard).is_empty() && self.knowledge.guard_exceptions(guard).is_empty()
                });
                self.settle(&shown, 0)
            }
        }
    }

    /// Rules for which the elements of a value are clean by one test of it. What depends on other tests is added to `shown`.
    fn elements_mask(
        &self,
        module: &Module,
        test: TestId,
        holds: bool,
        node: NodeIndex,
        depth: u32,
        shown: &mut Shown,
    ) -> RuleMask {
        match module.flow.tests[test.index()] {
            Test::Method(name, arguments) => {
                let [first, ..] = *module.flow.list(arguments) else { return 0 };
                let first = module.value(first);
                match (module.flow.text(name), holds) {
                    ("every" | EVERY_CHARACTER | ONE_OF_EVERY, true) => {
                        self.show_callback(first, node, Some(true), shown);
                    }
                    ("some" | "find" | "findLast" | ONE_OF_SOME, false) => {
                        self.show_callback(first, node, Some(false), shown);
                    }
                    ("forEach", true) => return self.callback_mask(first, node, None),
                    ("includes", false) => {
                        if let Some((module, Constant::String(text))) = self.constant_of(first, 0) {
                            let facts = TestFacts::EqualsConstant { text: Some(module.flow.text(text)) };
                            self.knowledge.show(&facts, false, shown);
                        }
                    }
                    (INCLUDES_ANY, false) => self.show_absence(first, true, shown),
                    _ => {}
                }
                0
            }
            Test::Call(call, position) => self.checked_elements(module, call, position, Some(holds), depth),
            Test::Returned(call, position) => self.checked_elements(module, call, position, None, depth),
            _ => 0,
        }
    }

    /// Adds what the result of a callback shows of the element that it gets.
    pub(super) fn show_callback(&self, callback: NodeIndex, value: ValueIndex, holds: Option<bool>, shown: &mut Shown) {
        // Alternatives have what they have in common. One alone may complete other tests.
        if let [function] = self.functions_of(callback)[..]
            && let Some(predicate) = self.predicate_of(function, None)
            && let Some(holds) = holds
            && let [facts] = if holds { &predicate.if_true[..] } else { &predicate.if_false[..] }
        {
            let (module, _) = self.program.function(function);
            for fact in facts.iter().filter(|fact| fact.parameter == 0) {
                self.show_test(module, fact.test, fact.holds, Subject::new(value), shown);
            }
        }
        shown.rules |= self.callback_mask(callback, value, holds);
    }

    /// Rules for which the elements of an argument are clean, because a function tests them: `check(keys)`.
    fn checked_elements(
        &self,
        module: &Module,
        call: ValueId,
        position: u32,
        holds: Option<bool>,
        depth: u32,
    ) -> RuleMask {
        if depth > MAX_PREDICATES {
            return 0;
        }
        let call = module.value(call);
        let mut common: Option<RuleMask> = None;
        for link in self.points_to.links_of(call).iter().filter(|link| link.result == Some(call)) {
            let (target, _) = self.program.function(link.function);
            let alternatives = match (self.predicate_of(link.function, Some(call)), holds) {
                (Some(predicate), Some(true)) => predicate.if_true.as_slice(),
                (Some(predicate), Some(false)) => predicate.if_false.as_slice(),
                (Some(predicate), None) => predicate.returned.as_slice(),
                (None, _) => &[],
            };
            let of_facts = |facts: &Vec<Fact>| {
                let mut shown = Shown::default();
                let mut rules = 0;
                let mut tested = None;
                for fact in facts.iter().filter(|fact| fact.parameter == position) {
                    if let Test::Elements(element, test) = target.flow.tests[fact.test.index()] {
                        tested = Some(target.value(element));
                        self.show_test(target, test, fact.holds, Subject::new(target.value(element)), &mut shown);
                    } else {
                        rules |= self.elements_mask(target, fact.test, fact.holds, call, depth + 1, &mut shown);
                    }
                }
                rules | self.settle_elements(shown, tested)
            };
            let rules = alternatives.iter().map(of_facts).reduce(|left, right| left & right).unwrap_or(0);
            common = Some(common.unwrap_or(u64::MAX) & rules);
        }
        common.unwrap_or(0) & !IDENTITY
    }

    /// Adds what a value is that is not in a list. `is_constant`: the list was made of constants.
    pub(super) fn show_absence(&self, list: NodeIndex, is_constant: bool, shown: &mut Shown) {
        match self.texts_in(list, 0) {
            Some(texts) => {
                for text in texts {
                    self.knowledge.show(&TestFacts::EqualsConstant { text: Some(text) }, false, shown);
                }
            }
            // Constants of which a value is none stay such, whatever else is in the list.
            None if is_constant => self.knowledge.show(&TestFacts::MemberOfConstants, false, shown),
            None => {}
        }
    }

    /// Adds what a key is under which a table has nothing true, or not the expected content.
    pub(super) fn show_not_found(&self, table: NodeIndex, expected: Option<NodeIndex>, shown: &mut Shown) {
        let table = match self.points_to.objects_of(table) {
            &[object] => match self.points_to.objects.kind(object) {
                ObjectKind::Allocation(literal) => literal,
                _ => return,
            },
            _ => self.resolved(table),
        };
        let Some(stores) = self.stores_to(table) else { return };
        let expected = match expected.map(|expected| self.constant_of(expected, 0)) {
            None => None,
            Some(Some((_, constant))) => Some(constant),
            Some(None) => return,
        };
        let mut differs = |text: &str| {
            self.knowledge.show(&TestFacts::EqualsConstant { text: Some(text) }, false, shown);
        };
        let module = self.program.module_of_value(table);
        for (name, value) in stores {
            let is_found = match (self.constant_of(value, 0), expected) {
                (Some((_, constant)), Some(expected)) => constant == expected,
                (Some((module, constant)), None) => match constant {
                    Constant::String(text) => !module.flow.text(text).is_empty(),
                    Constant::Number(number) => number != 0.0 && !number.is_nan(),
                    Constant::Bool(flag) => flag,
                    Constant::Null | Constant::Undefined => false,
                    Constant::Regex(..) => true,
                },
                (None, _) => false,
            };
            if is_found {
                differs(name);
            }
        }
        // An object has a prototype and a constructor, unless it says something else of itself.
        if expected.is_none() && matches!(module.instruction(table).op, Op::Allocate(AllocateKind::Object)) {
            differs("__proto__");
            differs("constructor");
        }
    }

    /// True if a value is `Object.prototype`.
    pub(super) fn is_root_prototype(&self, value: NodeIndex) -> bool {
        let value = self.resolved(value);
        if value >= self.program.value_count {
            return false;
        }
        let module = self.program.module_of_value(value);
        let op = |value: ValueId| module.flow.instructions[value.index()].op;
        let is_object = |base: ValueId| matches!(op(base), Op::Global(name) if module.flow.text(name) == "Object");
        match module.instruction(value).op {
            Op::LoadField(base, name) => module.flow.text(name) == "prototype" && is_object(base),
            // `Object.getPrototypeOf({})`
            Op::Call(call) => {
                let call = &module.flow.calls[call.index()];
                let Op::LoadField(base, name) = op(call.callee) else { return false };
                let is_literal = |value: ValueId| matches!(op(value), Op::Allocate(AllocateKind::Object));
                module.flow.text(name) == "getPrototypeOf"
                    && is_object(base)
                    && call.arguments.first().is_some_and(|argument| is_literal(argument.value))
            }
            _ => false,
        }
    }

    /// Texts in a list or set, or the keys of an object or map. None: they are not known.
    fn texts_in(&self, list: NodeIndex, depth: u32) -> Option<Vec<&str>> {
        let list = self.resolved(list);
        if list >= self.program.value_count || depth > MAX_STEPS {
            return None;
        }
        let module = self.program.module_of_value(list);
        match module.instruction(list).op {
            Op::Allocate(AllocateKind::Array) => {
                let mut texts = Vec::new();
                for (_, value) in self.stores_to(list)? {
                    let origin = self.resolved(value);
                    if let Some((module, constant)) = self.constant_of(value, 0) {
                        if let Constant::String(text) = constant {
                            texts.push(module.flow.text(text));
                        }
                    } else if origin < self.program.value_count
                        && let Op::Element(inner) = self.program.module_of_value(origin).instruction(origin).op
                    {
                        // `[...list, "x"]`
                        texts.extend(self.texts_in(self.program.module_of_value(origin).value(inner), depth + 1)?);
                    } else {
                        return None;
                    }
                }
                Some(texts)
            }
            Op::Allocate(_) => Some(self.stores_to(list)?.into_iter().map(|(name, _)| name).collect()),
            Op::Call(call) => {
                let call = &module.flow.calls[call.index()];
                let first = module.value(call.arguments.first()?.value);
                let op = |value: ValueId| module.flow.instructions[value.index()].op;
                match op(call.callee) {
                    Op::Global(name) if module.flow.text(name) == "Set" => self.texts_in(first, depth + 1),
                    Op::Global(name) if module.flow.text(name) == "Map" => self.keys_of_entries(first),
                    Op::LoadField(base, method) => {
                        let Op::Global(name) = op(base) else { return None };
                        let is_same = matches!(
                            (module.flow.text(name), module.flow.text(method)),
                            ("Object", "freeze" | "seal" | "keys") | ("Array", "from")
                        );
                        if is_same { self.texts_in(first, depth + 1) } else { None }
                    }
                    _ => None,
                }
            }
            Op::LoadField(base, symbol) => {
                let &[object] = self.points_to.objects_of(module.value(base)) else { return None };
                match self.stored_once(object, module.name(symbol))? {
                    stored if stored != list => self.texts_in(stored, depth + 1),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Keys of a list of pairs: `[["a", 1], ["b", 2]]`.
    fn keys_of_entries(&self, list: NodeIndex) -> Option<Vec<&str>> {
        let mut texts = Vec::new();
        for (_, entry) in self.stores_to(self.resolved(list))? {
            let stores = self.stores_to(self.resolved(entry))?;
            let &(_, key) = stores.iter().find(|(name, _)| *name == "0")?;
            match self.constant_of(key, 0) {
                Some((module, Constant::String(text))) => texts.push(module.flow.text(text)),
                _ => return None,
            }
        }
        Some(texts)
    }

    /// Fields that the code behind a literal stores to it, by name. None: it is no literal, or stores fields of unknown names.
    fn stores_to(&self, literal: NodeIndex) -> Option<Vec<(&str, NodeIndex)>> {
        if literal >= self.program.value_count {
            return None;
        }
        let module = self.program.module_of_value(literal);
        let Op::Allocate(_) = module.instruction(literal).op else { return None };
        let position = (literal - module.values) as usize;
        let instructions = &module.flow.instructions;
        let object = ValueId(position as u32);
        let mut stores = Vec::new();
        for instruction in instructions[position..].iter().take(MAX_DISTANCE) {
            match instruction.op {
                Op::StoreField(base, name, value) if base == object => {
                    stores.push((module.flow.text(name), module.value(value)));
                }
                Op::StoreKey(base, ..) | Op::CopyFields(base, _) if base == object => return None,
                _ => {}
            }
        }
        Some(stores)
    }
}
