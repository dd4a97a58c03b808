//! Conditions of sinks on the arguments of their call.

use super::build::Builder;
use crate::flow::{BinaryOp, Constant, Op, ValueId};
use crate::knowledge::{Condition, ConditionKind, Endpoint, Root, Step};
use crate::points_to::{ActualArgument, LibraryCall, NodeIndex, ObjectKind};
use crate::program::{Names, ValueIndex};

/// Largest number of objects that a condition looks into.
const MAX_MADE: usize = 4;

/// Largest number of joins inside one another, and of values of a join, that a condition looks into.
const MAX_JOINS: u32 = 4;
const MAX_JOINED: usize = 8;

/// Largest number of elements of a list that a condition looks at.
const MAX_ELEMENTS: usize = 16;

impl Builder<'_> {
    /// True if a condition certainly holds for a call, as far as constants and object literals tell.
    pub(super) fn condition_holds(&mut self, library: &LibraryCall, condition: &Condition) -> bool {
        self.condition_is_met(library, condition, false)
    }

    /// True if a condition may hold for a call: one of several values of a variable is enough.
    pub(super) fn condition_may_hold(&mut self, library: &LibraryCall, condition: &Condition) -> bool {
        self.condition_is_met(library, condition, true)
    }

    fn condition_is_met(&mut self, library: &LibraryCall, condition: &Condition, is_possible: bool) -> bool {
        let is_met = match &condition.kind {
            ConditionKind::Value(endpoint, values) => {
                let nodes = self.condition_nodes(library, endpoint);
                match is_possible != condition.is_negated {
                    true => nodes.iter().any(|&node| self.may_be_one_of(node, values, 0)),
                    false => nodes.iter().any(|&node| self.is_one_of(node, values)),
                }
            }
            ConditionKind::From(endpoint, paths) => {
                let nodes = self.condition_nodes(library, endpoint);
                nodes.into_iter().any(|node| self.comes_from(node, paths))
            }
            ConditionKind::Starts(endpoint, start) => {
                let nodes = self.condition_nodes(library, endpoint);
                nodes.into_iter().any(|node| self.first_text(node).is_some_and(|text| text == *start))
            }
            ConditionKind::Relative(endpoint) => {
                let nodes = self.condition_nodes(library, endpoint);
                let is_relative = |text: String| text.starts_with("./") || text.starts_with("../");
                nodes.into_iter().any(|node| self.first_text(node).is_some_and(is_relative))
            }
            ConditionKind::Packaged(endpoint) => {
                let nodes = self.condition_nodes(library, endpoint);
                !nodes.is_empty() && nodes.into_iter().all(|node| self.is_packaged(node))
            }
            ConditionKind::Selector(endpoint) => {
                let nodes = self.condition_nodes(library, endpoint);
                nodes.into_iter().any(|node| self.is_selector(node, 0))
            }
            ConditionKind::Made(endpoint, name, values) => {
                let nodes = self.condition_nodes(library, endpoint);
                nodes.into_iter().any(|node| self.is_made_with(node, name, values))
            }
            ConditionKind::Called(endpoint, method, position, values) => {
                let nodes = self.condition_nodes(library, endpoint);
                nodes.into_iter().any(|node| self.was_called(library, node, method, *position as usize, values))
            }
            ConditionKind::Stored(endpoint, name, paths) => {
                let nodes = self.condition_nodes(library, endpoint);
                nodes.into_iter().any(|node| self.was_stored(library, node, name, paths))
            }
            ConditionKind::Prefixed(endpoint) => {
                let nodes = self.condition_nodes(library, endpoint);
                nodes.into_iter().any(|node| self.first_text(node).is_some_and(|text| !text.is_empty()))
            }
            ConditionKind::Constant(endpoint) => {
                let nodes = self.condition_nodes(library, endpoint);
                !nodes.is_empty() && nodes.into_iter().all(|node| self.constant_text(self.resolved(node)).is_some())
            }
            ConditionKind::Text(endpoint) => {
                let nodes = self.condition_nodes(library, endpoint);
                nodes.into_iter().any(|node| self.is_text(node, 0))
            }
            ConditionKind::Numbers(endpoint) => {
                let formats = self.condition_nodes(library, endpoint);
                let count = library.arguments.len().saturating_sub(1);
                let has_spread = library.arguments.iter().any(|argument| matches!(argument, ActualArgument::Spread(_)));
                !has_spread
                    && !formats.is_empty()
                    && formats.iter().all(|&format| {
                        self.constant_text(self.resolved(format)).is_some_and(|text| prints_numbers(&text, count))
                    })
            }
            ConditionKind::Escapes(endpoint) => self.escapes(library, endpoint),
            ConditionKind::Markup => self.may_be_markup(library),
            ConditionKind::Version(range) => {
                self.version_of(library).is_none_or(|version| range.contains(version) != Some(false))
            }
        };
        is_met != condition.is_negated
    }

    /// True if a template escapes its values. The constant parts of a template that the program puts together decide; a template
    /// without any (from a file) has the default of its language, which is to escape.
    fn escapes(&mut self, library: &LibraryCall, endpoint: &Endpoint) -> bool {
        let mut templates = self.condition_nodes(library, endpoint);
        let module = self.program.module_of_value(library.call);
        if let Op::Call(call) = module.instruction(library.call).op {
            let callee = self.resolved(module.value(module.flow.calls[call.index()].callee));
            if callee < self.program.value_count {
                let module = self.program.module_of_value(callee);
                if let Op::Call(made) = module.instruction(callee).op {
                    let arguments = module.flow.calls[made.index()].arguments.iter();
                    templates.extend(arguments.take(1).map(|argument| module.value(argument.value)));
                }
            }
        }
        templates.into_iter().all(|template| {
            let text = self.template_text(self.resolved(template), 0);
            text.is_none_or(|text| !text.contains("{{{") && !text.contains("{{&") && !text.contains("{{~{"))
        })
    }

    /// Constant parts of a text, one after the other.
    fn template_text(&self, node: NodeIndex, depth: u32) -> Option<String> {
        if let Some(text) = self.constant_text(node) {
            return Some(text);
        }
        if node >= self.program.value_count || depth > 4 {
            return None;
        }
        let module = self.program.module_of_value(node);
        let parts: Vec<ValueId> = match module.instruction(node).op {
            Op::Concat(list) | Op::Phi(list) => module.flow.list(list).to_vec(),
            Op::Binary(BinaryOp::Add, left, right) => vec![left, right],
            _ => return None,
        };
        let inner = |part: ValueId| self.template_text(self.resolved(module.value(part)), depth + 1);
        let texts: Vec<String> = parts.into_iter().take(64).filter_map(inner).collect();
        Some(texts.join("\0"))
    }

    /// Version of the library of a call that the package of the file asks for.
    pub(super) fn version_of(&self, library: &LibraryCall) -> Option<&str> {
        let path = self.points_to.paths.text(library.path?);
        let package = &self.knowledge.library_of(path)?.package;
        let versions = &self.program.module_of_value(library.call).versions;
        versions.iter().find(|(name, _)| name == package).map(|(_, version)| version.as_str())
    }

    /// True if a value is the result of a call with a named argument that is one of several constants.
    fn is_made_with(&self, node: NodeIndex, name: &str, values: &[String]) -> bool {
        let node = self.resolved(node);
        if node >= self.program.value_count {
            return false;
        }
        let module = self.program.module_of_value(node);
        let Op::Call(call) = module.instruction(node).op else { return false };
        module.flow.calls[call.index()].arguments.iter().any(|argument| {
            argument.name.is_some_and(|known| module.flow.text(known) == name)
                && self.is_one_of(module.value(argument.value), values)
        })
    }

    /// True if a method of a value was called before with one of several constants.
    fn was_called(
        &self,
        library: &LibraryCall,
        object: NodeIndex,
        method: &str,
        position: usize,
        values: &[String],
    ) -> bool {
        let object = self.resolved(object);
        let module = self.program.module_of_value(library.call);
        let end = (library.call - module.values) as usize;
        module.flow.instructions[..end].iter().any(|instruction| {
            let Op::Call(call) = instruction.op else { return false };
            let call = &module.flow.calls[call.index()];
            let Op::LoadField(base, name) = module.flow.instructions[call.callee.index()].op else { return false };
            module.flow.text(name) == method
                && self.resolved(module.value(base)) == object
                && call
                    .arguments
                    .get(position)
                    .is_some_and(|argument| self.is_one_of(module.value(argument.value), values))
        })
    }

    /// True if a field of a value was stored before, with another value than one with these API paths.
    fn was_stored(&self, library: &LibraryCall, object: NodeIndex, field: &str, except: &[String]) -> bool {
        let object = self.resolved(object);
        let module = self.program.module_of_value(library.call);
        let end = (library.call - module.values) as usize;
        module.flow.instructions[..end].iter().any(|instruction| {
            let Op::StoreField(base, name, value) = instruction.op else { return false };
            module.flow.text(name) == field
                && self.resolved(module.value(base)) == object
                && !self.comes_from(module.value(value), except)
        })
    }

    /// True if a value is one of several constants, or no constant that is false.
    fn is_one_of(&self, node: NodeIndex, values: &[String]) -> bool {
        match self.constant_text(self.resolved(node)) {
            Some(text) if values.is_empty() => !matches!(text.as_str(), "false" | "null" | "undefined" | "0" | ""),
            Some(text) => values.contains(&text),
            None => values.is_empty(),
        }
    }

    /// True if a value, or one of those that a variable may have, is one of several constants, or no constant that is false.
    fn may_be_one_of(&self, node: NodeIndex, values: &[String], depth: u32) -> bool {
        if self.is_one_of(node, values) {
            return true;
        }
        let node = self.resolved(node);
        if node >= self.program.value_count || depth > MAX_JOINS {
            return false;
        }
        let module = self.program.module_of_value(node);
        let any = |nodes: &mut dyn Iterator<Item = NodeIndex>| {
            nodes.take(MAX_JOINED).filter(|&each| each != node).any(|each| self.may_be_one_of(each, values, depth + 1))
        };
        match module.instruction(node).op {
            Op::Phi(list) => any(&mut module.flow.list(list).iter().map(|&value| module.value(value))),
            Op::LoadCell(cell) => {
                let stored = self.cell_values.get(&(module.cells + cell.0));
                any(&mut stored.into_iter().flatten().copied())
            }
            Op::LoadField(base, symbol) => match self.points_to.objects_of(module.value(base)) {
                &[object] => any(&mut self.stored_once(object, module.name(symbol)).into_iter()),
                _ => false,
            },
            _ => false,
        }
    }

    /// True if a value has one of these API paths, or is the result of a call with such a value.
    fn comes_from(&self, node: NodeIndex, paths: &[String]) -> bool {
        if self.has_path(node, paths) {
            return true;
        }
        let node = self.resolved(node);
        if node >= self.program.value_count {
            return false;
        }
        let module = self.program.module_of_value(node);
        match module.instruction(node).op {
            Op::Call(call) => {
                let call = &module.flow.calls[call.index()];
                call.arguments.iter().any(|argument| self.has_path(module.value(argument.value), paths))
            }
            _ => false,
        }
    }

    /// True if a value has one of these API paths. `a.b.*` stands for the members of `a.b`.
    fn has_path(&self, node: NodeIndex, paths: &[String]) -> bool {
        let is_listed = |path: &str| paths.iter().any(|each| each == path);
        if self.points_to.paths_of(node).any(is_listed) {
            return true;
        }
        let node = self.resolved(node);
        if node >= self.program.value_count {
            return false;
        }
        let module = self.program.module_of_value(node);
        let is_base = |path: &str| paths.iter().any(|each| each.strip_suffix(".*") == Some(path));
        match module.instruction(node).op {
            Op::LoadField(base, _) | Op::LoadKey(base, _) => self.points_to.paths_of(module.value(base)).any(is_base),
            _ => false,
        }
    }

    /// First part of a text, if it is constant.
    fn first_text(&self, node: NodeIndex) -> Option<String> {
        let node = self.resolved(node);
        if node >= self.program.value_count {
            return None;
        }
        let module = self.program.module_of_value(node);
        let first = match module.instruction(node).op {
            Op::Concat(list) => module.flow.list(list).first().map(|&first| module.value(first)),
            Op::Constant(_) => Some(node),
            _ => None,
        };
        first.and_then(|first| self.constant_text(first))
    }

    /// True if a value certainly begins with another character than `<`, or is no text.
    fn is_selector(&self, node: NodeIndex, depth: u32) -> bool {
        let node = self.resolved(node);
        if node >= self.program.value_count || depth > 4 {
            return false;
        }
        let is_location = |path: &str| {
            matches!(path, "global.location" | "global.location.hash" | "global.location.search" | "global.document")
        };
        let module = self.program.module_of_value(node);
        let is_load = matches!(module.instruction(node).op, Op::LoadField(..) | Op::Global(_));
        if is_load && self.points_to.paths_of(node).any(is_location) {
            return true;
        }
        let op = |value: ValueId| module.flow.instructions[value.index()].op;
        match module.instruction(node).op {
            Op::Concat(list) => match module.flow.list(list).first() {
                Some(&first) => match op(first) {
                    Op::Constant(Constant::String(text)) => {
                        let text = module.flow.text(text).trim_start();
                        !text.is_empty() && !text.starts_with('<')
                    }
                    _ => self.is_selector(module.value(first), depth + 1),
                },
                None => false,
            },
            Op::Binary(BinaryOp::Add, first, _) => self.is_selector(module.value(first), depth + 1),
            // Beginnings of such texts, and texts with something replaced in them.
            Op::Call(call) => {
                let call = &module.flow.calls[call.index()];
                let Op::LoadField(receiver, method) = op(call.callee) else { return false };
                let argument = |position: usize| call.arguments.get(position).map(|argument| op(argument.value));
                let is_kept = match module.flow.text(method) {
                    "toString" | "toLowerCase" | "toUpperCase" | "trim" => true,
                    "substring" | "substr" | "slice" => argument(0) == Some(Op::Constant(Constant::Number(0.0))),
                    "replace" => match argument(0) {
                        Some(Op::Constant(Constant::String(text))) => {
                            !module.flow.text(text).starts_with(['#', '?', '.'])
                        }
                        _ => false,
                    },
                    _ => false,
                };
                is_kept && self.is_selector(module.value(receiver), depth + 1)
            }
            _ => false,
        }
    }

    /// True if the elements of a value are certainly texts.
    fn has_text_elements(&self, node: NodeIndex, depth: u32) -> bool {
        let node = self.resolved(node);
        if node >= self.program.value_count || depth > MAX_JOINS {
            return false;
        }
        let module = self.program.module_of_value(node);
        match module.instruction(node).op {
            Op::Allocate(_) => {
                let position = |position: usize| self.program.names.get(&position.to_string());
                let elements = (0..MAX_ELEMENTS).map_while(|number| self.stored.get(&(node, position(number)?)));
                let mut elements = elements.flatten().peekable();
                elements.peek().is_some()
                    && !self.stored.contains_key(&(node, Names::ELEMENT))
                    && elements.all(|&element| self.is_text(element, depth + 1))
            }
            Op::Call(_) => match self.method_of(node) {
                Some("split") => true,
                Some("filter" | "slice" | "sort" | "reverse") => {
                    let Op::Call(call) = module.instruction(node).op else { return false };
                    let receiver = module.flow.calls[call.index()].receiver;
                    receiver.is_some_and(|receiver| self.has_text_elements(module.value(receiver), depth + 1))
                }
                _ => self.points_to.library_calls_of(node).iter().any(|library| {
                    library.path.is_some_and(|path| self.points_to.paths.text(path) == "global.Object.keys")
                }),
            },
            _ => false,
        }
    }

    /// True if a value is certainly a text.
    fn is_text(&self, node: NodeIndex, depth: u32) -> bool {
        let node = self.resolved(node);
        if node >= self.program.value_count || depth > MAX_JOINS {
            return false;
        }
        let module = self.program.module_of_value(node);
        match module.instruction(node).op {
            Op::Constant(Constant::String(_)) | Op::Concat(_) => true,
            Op::Element(base) => self.has_text_elements(module.value(base), depth + 1),
            // `["a", "b"].filter((text) => ...)`
            Op::Parameter(0) => {
                let function = module.function(module.instruction(node).function);
                let receiver = self.callback_receivers.get(&function);
                receiver.is_some_and(|&receiver| self.has_text_elements(receiver, depth + 1))
            }
            Op::Call(call) => match module.flow.instructions[module.flow.calls[call.index()].callee.index()].op {
                Op::LoadField(_, method) => matches!(
                    module.flow.text(method),
                    "toString"
                        | "toLowerCase"
                        | "toUpperCase"
                        | "trim"
                        | "replace"
                        | "replaceAll"
                        | "substring"
                        | "substr"
                        | "charAt"
                        | "join"
                        | "padStart"
                        | "padEnd"
                        | "repeat"
                ),
                Op::Global(name) => module.flow.text(name) == "String",
                _ => false,
            },
            _ => false,
        }
    }

    /// Values at the endpoint of a condition, as far as constants and object literals tell.
    fn condition_nodes(&mut self, library: &LibraryCall, endpoint: &Endpoint) -> Vec<NodeIndex> {
        let is_named = endpoint.root == Root::Keywords;
        let mut nodes = match is_named {
            true => self.named_nodes(library, endpoint),
            false => self.root_nodes(library, endpoint.root),
        };
        for step in endpoint.steps.iter().skip(usize::from(is_named)) {
            let mut next = Vec::new();
            for node in nodes {
                next.extend(self.stored_values(node, step));
            }
            nodes = next;
        }
        nodes
    }

    /// Values that the function stores to a field of an object.
    fn stored_values(&mut self, node: NodeIndex, step: &Step) -> Vec<ValueIndex> {
        let roots = self.roots(node);
        let values = self.stored_at(&roots, step);
        if !values.is_empty() {
            return values;
        }
        // Literals that another function or the module made: `spawn(program, words, DEFAULTS)`.
        let made = |&object: &u32| match self.points_to.objects.kind(object) {
            ObjectKind::Allocation(value) | ObjectKind::Array(value) => Some(value),
            _ => None,
        };
        let made: Vec<NodeIndex> = self.objects_of(node).iter().filter_map(made).take(MAX_MADE).collect();
        self.stored_at(&made, step)
    }

    /// Values that are stored to a field of these objects, by the values that they come into being at.
    fn stored_at(&self, roots: &[NodeIndex], step: &Step) -> Vec<ValueIndex> {
        let mut values = Vec::new();
        for &root in roots {
            match step {
                Step::Field(name) => {
                    if let Some(name) = self.program.names.get(name) {
                        values.extend(self.stored.get(&(root, name)).into_iter().flatten().copied());
                    }
                }
                Step::Element => {
                    for position in ["0", "1", "2", "3"] {
                        if let Some(name) = self.program.names.get(position) {
                            values.extend(self.stored.get(&(root, name)).into_iter().flatten().copied());
                        }
                    }
                    values.extend(self.stored.get(&(root, Names::ELEMENT)).into_iter().flatten().copied());
                }
                _ => {}
            }
        }
        values
    }

    /// Text of a constant.
    pub(super) fn constant_text(&self, mut node: NodeIndex) -> Option<String> {
        loop {
            if node >= self.program.value_count {
                return None;
            }
            let module = self.program.module_of_value(node);
            let constant = match module.instruction(node).op {
                Op::Constant(constant) => constant,
                // Operands of copies precede them, so this ends.
                Op::Copy(origin) if module.value(origin) < node => {
                    node = module.value(origin);
                    continue;
                }
                _ => return None,
            };
            return Some(match constant {
                Constant::String(symbol) => module.flow.text(symbol).to_owned(),
                Constant::Number(number) => number.to_string(),
                Constant::Bool(value) => value.to_string(),
                Constant::Null => "null".to_owned(),
                Constant::Undefined => "undefined".to_owned(),
                Constant::Regex(..) => return None,
            });
        }
    }
}

/// True if a format has a placeholder for a number for each of several values, and no other placeholders.
fn prints_numbers(format: &str, values: usize) -> bool {
    let mut numbers = 0;
    let mut rest = format;
    while let Some((_, after)) = rest.split_once('%') {
        match after.chars().next() {
            Some('d' | 'i' | 'f') => numbers += 1,
            Some('s' | 'j' | 'o' | 'O' | 'c') => return false,
            _ => {}
        }
        // `%%` is one character.
        rest = after.strip_prefix('%').unwrap_or(after);
    }
    numbers >= values
}
