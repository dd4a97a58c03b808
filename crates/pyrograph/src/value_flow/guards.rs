//! Rules that a guard sanitises.

use super::build::Builder;
use super::graph::IDENTITY;
use super::lists::{INCLUDES_ANY, LOOKED_UP, ONE_OF_EVERY, ONE_OF_SOME};
use super::trust::Trust;
use crate::flow::{Constant, Fact, Op, Predicate, Test, TestId, ValueId, ValueList};
use crate::knowledge::{Root, RuleMask, Shown, TestFacts};
use crate::points_to::{ActualArgument, LibraryCall, NodeIndex};
use crate::program::{Module, ValueIndex};

/// Largest number of predicates that call one another.
pub(super) const MAX_PREDICATES: u32 = 4;

/// Largest number of calls of predicates that are looked at for one value.
const MAX_WORK: u32 = 500;

/// Largest number of tests of a value that are seen together.
pub(super) const MAX_TESTS: usize = 16;

/// Method of a test of all characters of a text: `[...text].every(isSafe)`.
pub(super) const EVERY_CHARACTER: &str = "every character";

/// What a test is about.
#[derive(Clone, Copy)]
pub(super) struct Subject<'s> {
    pub(super) value: ValueIndex,
    /// Number of predicates around the test.
    depth: u32,
    /// What compared values show can be taken back later.
    is_guard: bool,
    /// Call of the predicate that the test is in.
    call: Option<(&'s Module, ValueId)>,
}

impl Subject<'_> {
    pub(super) fn new(value: ValueIndex) -> Self {
        Subject { value, depth: 0, is_guard: false, call: None }
    }

    /// Value of a test's operand: for a parameter of a predicate, the argument of its call.
    pub(super) fn operand(&self, module: &Module, operand: ValueId) -> ValueIndex {
        if let Some((caller, call)) = self.call
            && let Op::Parameter(position) = module.flow.instructions[operand.index()].op
            && let Op::Call(id) = caller.flow.instructions[call.index()].op
            && let Some(argument) = caller.flow.calls[id.index()].arguments.get(position as usize)
        {
            return caller.value(argument.value);
        }
        module.value(operand)
    }
}

impl Builder<'_> {
    /// Rules for which a guarded value is clean: by its test, and by that and the earlier ones together.
    pub(super) fn guard_mask(&self, module: &Module, guard: ValueId) -> RuleMask {
        let mut shown = Shown::default();
        self.predicate_work.set(0);
        self.asked_lists.borrow_mut().clear();
        let mut value = guard;
        for _ in 0..MAX_TESTS {
            match module.flow.instructions[value.index()].op {
                Op::Guard(origin, test, holds) => {
                    let subject = Subject { is_guard: true, ..Subject::new(module.value(origin)) };
                    self.show_test(module, test, holds, subject, &mut shown);
                    value = origin;
                }
                Op::Copy(origin) => value = origin,
                _ => break,
            }
        }
        self.settle(&shown, module.value(guard))
    }

    /// Rules of what is shown of a value, with those whose conditions hold.
    pub(super) fn settle(&self, shown: &Shown, value: ValueIndex) -> RuleMask {
        let mut rules = shown.rules;
        for &(needs, guard, mask) in &shown.conditional {
            if mask & !rules != 0 && needs & !shown.properties == 0 {
                let origins = self.knowledge.guard_origins(guard);
                let applies = match self.knowledge.guard_is_certain(guard) {
                    _ if origins.is_empty() => true,
                    true => self.certainly_comes_from(value, origins) && !self.is_followed(value),
                    false => self.may_come_from(value, origins),
                };
                let exceptions = self.knowledge.guard_exceptions(guard);
                if applies && (exceptions.is_empty() || !self.certainly_comes_from(value, exceptions)) {
                    rules |= mask;
                }
            }
        }
        rules
    }

    /// Adds what a test with a result shows of a value.
    pub(super) fn show_test(
        &self,
        module: &Module,
        test: TestId,
        holds: bool,
        subject: Subject<'_>,
        shown: &mut Shown,
    ) {
        let value = subject.value;
        let mut show = |facts: &TestFacts<'_>| self.knowledge.show(facts, holds, shown);
        match &module.flow.tests[test.index()] {
            Test::Truthy => show(&TestFacts::Truthy),
            Test::EqualsConstant(constant) => show(&TestFacts::EqualsConstant { text: text_of(module, *constant) }),
            Test::EqualsValue(other) => match self.constant_of(module.value(*other), 0) {
                Some((module, constant)) => {
                    show(&TestFacts::EqualsConstant { text: text_of(module, constant) });
                }
                None => {
                    let trust = match holds && subject.is_guard {
                        true => self.trust_in(subject.operand(module, *other)),
                        false => Trust::None,
                    };
                    if trust >= Trust::Caller {
                        show(&TestFacts::EqualsValue);
                    }
                    if trust == Trust::Full {
                        show(&TestFacts::EqualsConstant { text: None });
                    }
                    // An object that is not the prototype of all objects does not pollute that.
                    if !holds && self.is_root_prototype(module.value(*other)) {
                        shown.rules |= IDENTITY;
                    }
                }
            },
            Test::Ordered => show(&TestFacts::Ordered),
            Test::TypeIs(symbol) => show(&TestFacts::TypeIs(module.flow.text(*symbol))),
            Test::InstanceOf(_) => show(&TestFacts::InstanceOf),
            Test::MemberOfConstants(collection) if !holds => {
                self.show_absence(subject.operand(module, *collection), true, shown);
            }
            Test::MemberOfConstants(collection) => {
                if self.trusts(subject.operand(module, *collection)) {
                    show(&TestFacts::MemberOfConstants);
                }
            }
            Test::MemberOf(collection) => {
                let collection = subject.operand(module, *collection);
                if !holds {
                    self.show_absence(collection, false, shown);
                }
                let mut show = |facts: &TestFacts<'_>| self.knowledge.show(facts, holds, shown);
                if !self.is_part_of(value, collection) && (!holds || self.trusts(collection)) {
                    show(&TestFacts::MemberOf);
                }
            }
            Test::OwnKeyOf(object) => {
                if !holds || self.trusts(subject.operand(module, *object)) {
                    show(&TestFacts::MemberOf);
                }
                if !self.is_part_of(value, subject.operand(module, *object)) {
                    show(&TestFacts::OwnKey);
                }
            }
            Test::Matches(pattern, flags) => {
                show(&TestFacts::Matches { pattern: module.flow.text(*pattern), flags: module.flow.text(*flags) });
            }
            Test::Method(name, arguments) => {
                let name = module.flow.text(*name);
                let constants = constants(module, *arguments);
                show(&TestFacts::Method { name, constants: &constants });
                if name == "match"
                    && let [pattern] = module.flow.list(*arguments)
                    && let Some((module, Constant::Regex(pattern, flags))) = self.constant_of(module.value(*pattern), 0)
                {
                    show(&TestFacts::Matches { pattern: module.flow.text(pattern), flags: module.flow.text(flags) });
                }
                match (name, module.flow.list(*arguments)) {
                    // A text that has none of several texts in it is none of them, and neither are its parts.
                    (INCLUDES_ANY, &[list, ..]) if !holds => {
                        self.show_absence(subject.operand(module, list), true, shown);
                    }
                    (LOOKED_UP, &[table, ref rest @ ..]) if !holds => {
                        let looked_up = rest.first().map(|&value| module.value(value));
                        self.show_not_found(subject.operand(module, table), looked_up, shown);
                    }
                    // The value is one of the elements of a list that was tested.
                    (ONE_OF_SOME, &[callback, ..]) if !holds => {
                        self.show_callback(module.value(callback), value, Some(false), shown);
                    }
                    (ONE_OF_EVERY, &[callback, ..]) if holds => {
                        self.show_callback(module.value(callback), value, Some(true), shown);
                    }
                    _ => {}
                }
                if name == EVERY_CHARACTER
                    && holds
                    && let [callback, ..] = *module.flow.list(*arguments)
                {
                    shown.rules |= self.callback_mask(module.value(callback), value, Some(true));
                }
            }
            // What holds for elements is no property of the list.
            Test::Elements(..) => {}
            Test::Call(call, position) => self.show_call(module, *call, *position, Some(holds), subject, shown),
            Test::Returned(call, position) => self.show_call(module, *call, *position, None, subject, shown),
        }
    }

    /// Adds what the result of a call with the value as an argument shows: by a model, or by the predicate that the function is.
    /// `holds` is the result of the call. None: the call has returned.
    fn show_call(
        &self,
        module: &Module,
        call: ValueId,
        position: u32,
        holds: Option<bool>,
        subject: Subject<'_>,
        shown: &mut Shown,
    ) {
        let work = self.predicate_work.get() + 1;
        self.predicate_work.set(work);
        if subject.depth > MAX_PREDICATES || work > MAX_WORK {
            return;
        }
        if let (Some(holds), 0) = (holds, position) {
            self.show_pattern(module, call, holds, shown);
        }
        let inner = Subject { depth: subject.depth + 1, call: Some((module, call)), ..subject };
        let call = module.value(call);
        for library in self.points_to.library_calls_of(call).iter().filter(|library| library.result == call) {
            let Some(model) = &library.model else { continue };
            for (endpoint, result, rules) in &model.guards {
                if endpoint.root == Root::Argument(position) && endpoint.steps.is_empty() && Some(*result) == holds {
                    shown.rules |= rules;
                }
            }
        }
        // Every target must be a predicate.
        let mut common: Option<(RuleMask, u32)> = None;
        for link in self.points_to.links_of(call).iter().filter(|link| link.result == Some(call)) {
            let (target, _) = self.program.function(link.function);
            let predicate = self.predicate_of(link.function, Some(call));
            let found = match predicate.filter(|_| self.showing[link.function as usize]) {
                Some(predicate) => self.predicate_shows(target, predicate, position, holds, inner),
                None => (0, 0),
            };
            let (rules, properties) = common.unwrap_or((u64::MAX, u32::MAX));
            common = Some((rules & found.0, properties & found.1));
        }
        let (rules, properties) = common.unwrap_or((0, 0));
        shown.rules |= rules;
        shown.properties |= properties;
    }

    /// Predicate of a function that a call calls. The promise of an async function is always true, and what it throws comes too
    /// late, unless somebody awaits the call.
    pub(super) fn predicate_of(&self, function: u32, call: Option<ValueIndex>) -> Option<&Predicate> {
        let (module, id) = self.program.function(function);
        let function = module.flow.function(id);
        let is_late =
            function.is_generator || function.is_async && !call.is_some_and(|call| self.awaited.contains(&call));
        function.predicate.as_deref().filter(|_| !is_late)
    }

    /// A call of `test` or `exec` of a regular expression that is a constant of another file.
    fn show_pattern(&self, module: &Module, call: ValueId, holds: bool, shown: &mut Shown) {
        let Op::Call(id) = module.flow.instructions[call.index()].op else { return };
        let callee = module.flow.calls[id.index()].callee;
        let Op::LoadField(receiver, method) = module.flow.instructions[callee.index()].op else { return };
        if !matches!(module.flow.text(method), "test" | "exec") {
            return;
        }
        if let Some((module, Constant::Regex(pattern, flags))) = self.constant_of(module.value(receiver), 0) {
            let facts = TestFacts::Matches { pattern: module.flow.text(pattern), flags: module.flow.text(flags) };
            self.knowledge.show(&facts, holds, shown);
        }
    }

    /// Rules and properties that hold for an argument in all alternatives of a result.
    pub(super) fn predicate_shows(
        &self,
        module: &Module,
        predicate: &Predicate,
        position: u32,
        holds: Option<bool>,
        subject: Subject<'_>,
    ) -> (RuleMask, u32) {
        let mut rules = 0;
        let mut properties = 0;
        let by_result = match holds {
            Some(true) => &predicate.if_true,
            Some(false) => &predicate.if_false,
            None => &predicate.returned,
        };
        for alternatives in [by_result, &predicate.returned] {
            let mut common: Option<(RuleMask, u32)> = None;
            for facts in alternatives {
                let mut shown = Shown::default();
                for fact in facts.iter().filter(|fact| fact.parameter == position) {
                    let &Fact { test, holds, .. } = fact;
                    self.show_test(module, test, holds, subject, &mut shown);
                }
                let (rules, properties) = common.unwrap_or((u64::MAX, u32::MAX));
                common = Some((rules & self.settle(&shown, subject.value), properties & shown.properties));
            }
            let common = common.unwrap_or((0, 0));
            rules |= common.0;
            properties |= common.1;
        }
        (rules, properties)
    }

    /// Rules for which the elements that a callback accepts are clean: `list.filter(isSafe)`.
    pub(super) fn accepted_mask(&self, library: &LibraryCall, holds: bool) -> RuleMask {
        let Some(&ActualArgument::One(callback)) = library.arguments.first() else { return 0 };
        self.callback_mask(callback, library.call, Some(holds))
    }

    pub(super) fn callback_mask(&self, callback: NodeIndex, value: ValueIndex, holds: Option<bool>) -> RuleMask {
        self.predicate_work.set(0);
        let mut common: Option<RuleMask> = None;
        for function in self.functions_of(callback) {
            let (module, _) = self.program.function(function);
            let rules = match self.predicate_of(function, None) {
                Some(predicate) => self.predicate_shows(module, predicate, 0, holds, Subject::new(value)).0,
                None => 0,
            };
            common = Some(common.unwrap_or(u64::MAX) & rules);
        }
        common.unwrap_or(0) & !IDENTITY
    }

    /// True if a value was read from a collection, or enumerated from it: that it is in there says nothing.
    pub(super) fn is_part_of(&self, value: ValueIndex, collection: ValueIndex) -> bool {
        let value = self.unnamed(value);
        if value >= self.program.value_count {
            return false;
        }
        let module = self.program.module_of_value(value);
        let base = match module.instruction(value).op {
            Op::LoadKey(base, _) | Op::Element(base) | Op::EnumerateKey(base) | Op::LoadField(base, _) => base,
            Op::Parameter(_) => {
                // `Object.keys(source).forEach((key) => ...)`.
                let function = module.function(module.instruction(value).function);
                return match self.callback_receivers.get(&function) {
                    Some(&receiver) => self.is_part_of_keys(receiver, collection),
                    None => false,
                };
            }
            _ => return false,
        };
        let base = module.value(base);
        self.is_same(base, collection) || self.is_part_of_keys(base, collection)
    }

    /// True if a value is the result of a call with a collection as argument: `Object.keys(collection)`.
    fn is_part_of_keys(&self, value: ValueIndex, collection: ValueIndex) -> bool {
        self.points_to.library_calls_of(self.unnamed(value)).iter().any(|library| {
            let is_keys =
                library.path.is_some_and(|path| self.points_to.paths.text(path).starts_with("global.Object."));
            is_keys
                && library.arguments.iter().any(|argument| match *argument {
                    ActualArgument::One(node) => self.is_same(node, collection),
                    _ => false,
                })
        })
    }

    pub(super) fn is_same(&self, left: NodeIndex, right: NodeIndex) -> bool {
        let (left, right) = (self.unnamed(left), self.unnamed(right));
        if left == right {
            return true;
        }
        // Captured variables.
        let cell = |node: NodeIndex| {
            if node >= self.program.value_count {
                return None;
            }
            let module = self.program.module_of_value(node);
            match module.instruction(node).op {
                Op::LoadCell(cell) => Some(module.cells + cell.0),
                _ => self.cell_of.get(&node).copied(),
            }
        };
        cell(left).is_some_and(|left| cell(right) == Some(left))
    }

    /// Value of which a value is another name.
    pub(super) fn unnamed(&self, mut value: NodeIndex) -> NodeIndex {
        while value < self.program.value_count {
            let module = self.program.module_of_value(value);
            match module.instruction(value).op {
                // Operands of copies precede them, so this ends.
                Op::Guard(origin, ..) | Op::Copy(origin) | Op::Await(origin) if module.value(origin) < value => {
                    value = module.value(origin);
                }
                _ => break,
            }
        }
        value
    }

    /// Value of which a value is another name, through captured variables with one value too.
    pub(super) fn resolved(&self, value: NodeIndex) -> NodeIndex {
        let mut value = self.unnamed(value);
        for _ in 0..4 {
            if value >= self.program.value_count {
                break;
            }
            let module = self.program.module_of_value(value);
            let Op::LoadCell(cell) = module.instruction(value).op else { break };
            match self.cell_values.get(&(module.cells + cell.0)).map(Vec::as_slice) {
                Some(&[origin]) => value = self.unnamed(origin),
                _ => break,
            }
        }
        value
    }

    /// Constant that a value is, also that of another file.
    pub(super) fn constant_of(&self, value: NodeIndex, depth: u32) -> Option<(&Module, Constant)> {
        let value = self.resolved(value);
        if value >= self.program.value_count || depth > 4 {
            return None;
        }
        let module = self.program.module_of_value(value);
        match module.instruction(value).op {
            Op::Constant(constant) => Some((module, constant)),
            // `new RegExp("...", "g")`
            Op::Call(call) => {
                let call = &module.flow.calls[call.index()];
                let op = |value: ValueId| module.flow.instructions[value.index()].op;
                let [pattern, flags] = call.arguments.as_slice() else { return None };
                match (op(call.callee), op(pattern.value), op(flags.value)) {
                    (
                        Op::Global(name),
                        Op::Constant(Constant::String(pattern)),
                        Op::Constant(Constant::String(flags)),
                    ) if module.flow.text(name) == "RegExp" => Some((module, Constant::Regex(pattern, flags))),
                    _ => None,
                }
            }
            Op::LoadField(base, symbol) => {
                let &[object] = self.points_to.objects_of(module.value(base)) else { return None };
                match self.stored_once(object, module.name(symbol))? {
                    stored if stored != value => self.constant_of(stored, depth + 1),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Text of a constant.
fn text_of(module: &Module, constant: Constant) -> Option<&str> {
    match constant {
        Constant::String(symbol) => Some(module.flow.text(symbol)),
        _ => None,
    }
}

/// Constant texts of arguments.
fn constants(module: &Module, arguments: ValueList) -> Vec<Option<&str>> {
    module
        .flow
        .list(arguments)
        .iter()
        .map(|argument| match module.flow.instructions[argument.index()].op {
            Op::Constant(constant) => text_of(module, constant),
            _ => None,
        })
        .collect()
}
