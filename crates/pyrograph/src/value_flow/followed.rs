//! Keys that lead from an object to its constructor.
//!
//! A merge that refuses the key `__proto__` still reaches a prototype by `constructor` and `prototype`, unless it never goes into
//! a function: the constructor of an object is one.

use super::build::Builder;
use crate::flow::{Op, Test, ValueId};
use crate::points_to::NodeIndex;
use crate::program::{Module, ValueIndex};

/// Largest distance of instructions that are looked at.
const MAX_DISTANCE: usize = 4000;

/// Words in the names of functions that tell objects from functions.
const WORDS: [&str; 5] = ["plain", "object", "mergeable", "record", "dictionary"];

impl Builder<'_> {
    /// True if a function stores to an object by a key, and follows the key in this object without a test that tells objects from
    /// functions.
    pub(super) fn is_followed(&self, key: ValueIndex) -> bool {
        let key = self.unnamed(key);
        if key >= self.program.value_count {
            return false;
        }
        let module = self.program.module_of_value(key);
        let is_key = |value: ValueId| self.unnamed(module.value(value)) == key;
        let mut loads: Vec<(ValueIndex, NodeIndex)> = Vec::new();
        let mut stores: Vec<NodeIndex> = Vec::new();
        for (value, op) in around(module, key) {
            match op {
                Op::LoadKey(base, key) if is_key(key) => loads.push((value, module.value(base))),
                Op::StoreKey(base, key, _) if is_key(key) => stores.push(module.value(base)),
                _ => {}
            }
        }
        stores.iter().any(|&store| {
            let mut of_store = loads.iter().filter(|&&(_, base)| self.is_same(base, store)).peekable();
            of_store.peek().is_some()
                && !of_store.any(|&(load, _)| self.is_told_from_functions(load))
                && !self.is_told_from_functions(self.resolved(store))
        })
    }

    /// True if the function of a value tests somewhere that it is no function.
    fn is_told_from_functions(&self, value: ValueIndex) -> bool {
        if value >= self.program.value_count {
            return false;
        }
        let module = self.program.module_of_value(value);
        around(module, value).any(|(_, op)| {
            let Op::Guard(origin, test, holds) = op else { return false };
            let origin = self.unnamed(module.value(origin));
            let test = &module.flow.tests[test.index()];
            if origin == value {
                return self.excludes_functions(module, test, holds, 0);
            }
            // `value.constructor === Object`
            if let (true, Test::EqualsValue(_)) = (holds, test)
                && origin < self.program.value_count
                && let Op::LoadField(base, name) = module.instruction(origin).op
            {
                return module.flow.text(name) == "constructor" && self.unnamed(module.value(base)) == value;
            }
            false
        })
    }

    /// True if a test with a result shows that a value is no function.
    fn excludes_functions(&self, module: &Module, test: &Test, holds: bool, depth: u32) -> bool {
        match test {
            Test::TypeIs(name) => match module.flow.text(*name) {
                "object" => holds,
                "function" => !holds,
                _ => false,
            },
            Test::Call(call, position) if holds && depth < 3 => {
                let call = module.value(*call);
                let mut targets = self.points_to.links_of(call).iter().filter(|link| link.result == Some(call));
                let by_predicate = |function: u32| {
                    let (target, id) = self.program.function(function);
                    let predicate = target.flow.function(id).predicate.as_deref()?;
                    let shows = |facts: &Vec<crate::flow::Fact>| {
                        facts.iter().filter(|fact| fact.parameter == *position).any(|fact| {
                            let test = &target.flow.tests[fact.test.index()];
                            self.excludes_functions(target, test, fact.holds, depth + 1)
                        })
                    };
                    let alternatives = &predicate.if_true;
                    (!alternatives.is_empty()).then(|| alternatives.iter().all(shows))
                };
                // A function whose tests say nothing is known by its name.
                match targets.next() {
                    Some(link) => by_predicate(link.function) == Some(true) || self.has_telling_name(call),
                    None => self.has_telling_name(call),
                }
            }
            _ => false,
        }
    }

    /// True if the name of the function that is called says that it knows objects.
    fn has_telling_name(&self, call: ValueIndex) -> bool {
        let module = self.program.module_of_value(call);
        let Op::Call(id) = module.instruction(call).op else { return false };
        let callee = module.flow.calls[id.index()].callee;
        // Functions are objects to lodash.
        let is_loose = |path: &str| path.ends_with(".isObject") || path.ends_with(".isObjectLike");
        if self
            .points_to
            .library_calls_of(call)
            .iter()
            .any(|library| library.path.is_some_and(|path| is_loose(self.points_to.paths.text(path))))
        {
            return false;
        }
        let own = match module.flow.instructions[callee.index()].op {
            Op::LoadField(_, name) | Op::Global(name) => Some(module.flow.text(name)),
            Op::LoadCell(cell) => Some(module.flow.text(module.flow.cells[cell.index()].name)),
            _ => None,
        };
        let targets = self.points_to.links_of(call).iter().filter_map(|link| {
            let (module, id) = self.program.function(link.function);
            module.flow.function(id).name.map(|name| module.flow.text(name))
        });
        own.into_iter().chain(targets).any(|name| {
            let name = name.to_ascii_lowercase();
            WORDS.iter().any(|word| name.contains(word))
        })
    }
}

/// Instructions of the function of a value, as far as they are near.
fn around(module: &Module, value: ValueIndex) -> impl Iterator<Item = (ValueIndex, Op)> + '_ {
    let position = (value - module.values) as usize;
    let instructions = &module.flow.instructions;
    let function = instructions[position].function;
    let first = position.saturating_sub(MAX_DISTANCE);
    let last = (position + MAX_DISTANCE).min(instructions.len());
    instructions[first..last]
        .iter()
        .enumerate()
        .filter(move |(_, instruction)| instruction.function == function)
        .map(move |(offset, instruction)| (module.values + (first + offset) as u32, instruction.op))
}
