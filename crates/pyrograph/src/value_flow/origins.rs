//! Where values come from, as far as guards and conditions ask.

use super::build::Builder;
use crate::flow::{BinaryOp, Constant, Op, Test};
use crate::points_to::{ActualArgument, NodeIndex, ObjectKind};
use crate::program::{Name, ValueIndex};

/// Largest number of steps back.
const MAX_STEPS: u32 = 6;

/// Largest number of callers that are looked at.
const MAX_CALLERS: usize = 8;

/// Origin of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Result of one of the calls.
    Listed,
    /// Something else.
    Other,
    /// Not known.
    Unknown,
}

impl Origin {
    /// Origin of a value that is one of two.
    fn or(self, other: Origin) -> Origin {
        match (self, other) {
            (Origin::Other, _) | (_, Origin::Other) => Origin::Other,
            (Origin::Listed, Origin::Listed) => Origin::Listed,
            _ => Origin::Unknown,
        }
    }
}

impl Builder<'_> {
    /// True unless a value is known to be something else than a result of one of these calls.
    pub(super) fn may_come_from(&self, value: NodeIndex, calls: &[String]) -> bool {
        self.origin(value, calls, 0) != Origin::Other
    }

    /// True if a test of the origin of a message holds: `if (event.origin === "https://example.com")`.
    pub(super) fn has_known_sender(&self, mut value: NodeIndex) -> bool {
        while value < self.program.value_count {
            let module = self.program.module_of_value(value);
            let origin = match module.instruction(value).op {
                Op::Guard(origin, test, holds) => {
                    if let Test::Method(name, _) = module.flow.tests[test.index()]
                        && holds
                        && module.flow.text(name) == "origin"
                    {
                        return true;
                    }
                    module.value(origin)
                }
                Op::Copy(origin) => module.value(origin),
                _ => return false,
            };
            // Operands of copies precede them, so this ends.
            if origin >= value {
                return false;
            }
            value = origin;
        }
        false
    }

    /// True if a value is certainly a result of one of several calls, or made of it.
    pub(super) fn certainly_comes_from(&self, value: NodeIndex, calls: &[String]) -> bool {
        self.origin(value, calls, 0) == Origin::Listed
    }

    fn origin(&self, value: NodeIndex, calls: &[String], depth: u32) -> Origin {
        let value = self.resolved(value);
        if value >= self.program.value_count || depth > MAX_STEPS {
            return Origin::Unknown;
        }
        let module = self.program.module_of_value(value);
        let all = |values: &mut dyn Iterator<Item = NodeIndex>| {
            let origins = values.take(MAX_CALLERS).map(|value| self.origin(value, calls, depth + 1));
            origins.reduce(Origin::or).unwrap_or(Origin::Unknown)
        };
        match module.instruction(value).op {
            Op::Concat(_) | Op::Binary(BinaryOp::Add, ..) => Origin::Other,
            Op::EnumerateKey(_) => match calls.iter().any(|call| call == "global.Object.keys") {
                true => Origin::Listed,
                false => Origin::Other,
            },
            Op::Phi(list) => {
                all(&mut module.flow.list(list).iter().map(|&value| module.value(value)).filter(|&v| v != value))
            }
            Op::Call(_) => {
                let libraries = self.points_to.library_calls_of(value);
                let is_listed = libraries.iter().any(|library| {
                    let text = library.path.map(|path| self.points_to.paths.text(path));
                    text.is_some_and(|text| calls.iter().any(|call| call == text))
                });
                if is_listed {
                    return Origin::Listed;
                }
                let returned: Vec<NodeIndex> = self
                    .points_to
                    .links_of(value)
                    .iter()
                    .flat_map(|link| self.returns.get(&link.function).into_iter().flatten().copied())
                    .collect();
                if !returned.is_empty() {
                    return all(&mut returned.into_iter());
                }
                // Methods of texts and arrays keep what their receiver is.
                match libraries.iter().find(|library| library.model.is_some()).map(|library| library.receiver) {
                    Some(Some(receiver)) => match self.origin(receiver, calls, depth + 1) {
                        Origin::Listed => Origin::Listed,
                        _ => Origin::Other,
                    },
                    Some(None) => Origin::Other,
                    None => Origin::Unknown,
                }
            }
            Op::Element(base) | Op::LoadKey(base, _) => self.origin(module.value(base), calls, depth + 1),
            Op::LoadField(base, symbol) => {
                let base = module.value(base);
                let name = self.program.names.text(module.name(symbol));
                let is_source = self.points_to.paths_of(base).any(|path| self.is_source(&format!("{path}.{name}")));
                if is_source {
                    return Origin::Other;
                }
                match self.points_to.objects_of(base) {
                    &[object] => match self.stored_once(object, module.name(symbol)) {
                        Some(stored) if stored != value => self.origin(stored, calls, depth + 1),
                        _ => self.origin(base, calls, depth + 1),
                    },
                    _ => self.origin(base, calls, depth + 1),
                }
            }
            Op::Parameter(position) => {
                let function = module.function(module.instruction(value).function);
                if let Some(&receiver) = self.callback_receivers.get(&function) {
                    return self.origin(receiver, calls, depth + 1);
                }
                let instances = self.callers.get(&function).map_or(&[][..], Vec::as_slice);
                let mut actuals = instances
                    .iter()
                    .map(|&instance| match self.actuals[instance as usize].1.get(position as usize) {
                        Some(&ActualArgument::One(node)) => self.unnamed(node),
                        _ => value,
                    })
                    .filter(|&node| node != value)
                    .peekable();
                match actuals.peek() {
                    Some(_) => all(&mut actuals),
                    None => Origin::Other,
                }
            }
            _ => Origin::Unknown,
        }
    }

    /// True if a value is the result of one of these calls.
    pub(super) fn comes_from_call(&self, value: NodeIndex, calls: &[String]) -> bool {
        self.origin(value, calls, 0) == Origin::Listed
    }

    /// True if loads of an API path are sources.
    fn is_source(&self, path: &str) -> bool {
        self.knowledge.member(path).is_some_and(|member| !member.sources.is_empty())
    }

    /// The only value that the program stores to a field of an object, as far as it stores to the object by name.
    pub(super) fn stored_once(&self, object: u32, name: Name) -> Option<ValueIndex> {
        let values = match self.points_to.objects.kind(object) {
            ObjectKind::Exports(module) => self.exported.get(&(module, name)),
            ObjectKind::Allocation(value) => self.stored.get(&(value, name)),
            _ => None,
        };
        match values.map(Vec::as_slice) {
            Some(&[value]) => Some(value),
            _ => None,
        }
    }

    /// True if replacements treat every quote of a kind in a text, and every other character that has a meaning for a shell between
    /// such quotes.
    pub(super) fn is_replaced(&self, value: NodeIndex, quote: &str) -> bool {
        if quote != "\"" {
            return self.is_treated(value, quote, false);
        }
        // Backslashes come first. Otherwise the backslash before a quote is doubled, and the quote ends the text.
        let others = ["\"", "$", "`"];
        self.is_treated(value, "\\", true) && others.iter().all(|other| self.is_treated(value, other, false))
    }

    /// True if a replacement treats every occurrence of a character in a text. `is_first`: it is the first of all replacements.
    fn is_treated(&self, value: NodeIndex, quote: &str, is_first: bool) -> bool {
        let mut value = self.unnamed(value);
        let mut was_treated = false;
        for _ in 0..16 {
            if value >= self.program.value_count {
                return false;
            }
            let module = self.program.module_of_value(value);
            let Op::Call(call) = module.instruction(value).op else { return was_treated };
            let call = &module.flow.calls[call.index()];
            let Op::LoadField(receiver, method) = module.flow.instructions[call.callee.index()].op else {
                return was_treated;
            };
            let pattern = call.arguments.first().and_then(|argument| self.constant_of(module.value(argument.value), 0));
            let is_treated = match (module.flow.text(method), pattern) {
                ("replace" | "replaceAll", Some((module, Constant::Regex(pattern, flags)))) => {
                    let pattern = module.flow.text(pattern);
                    let inner = pattern.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(pattern);
                    let is_class = inner.starts_with('[') && !inner.starts_with("[^") && inner.ends_with(']');
                    let flags = module.flow.text(flags);
                    let is_escaped = inner.strip_prefix('\\') == Some(quote);
                    let has = match quote {
                        "\\" => inner.contains("\\\\"),
                        quote => inner.contains(quote),
                    };
                    flags.contains('g')
                        && (inner == quote && !matches!(quote, "\\" | "$") || is_escaped || is_class && has)
                }
                ("replaceAll", Some((module, Constant::String(text)))) => module.flow.text(text) == quote,
                ("join", _) => self.is_split_at(module.value(receiver), quote),
                _ => false,
            };
            if is_treated && !is_first {
                return true;
            }
            if matches!(module.flow.text(method), "replace" | "replaceAll" | "join") {
                was_treated = is_treated;
            }
            value = self.unnamed(module.value(receiver));
        }
        false
    }

    /// True if a value is `text.split(separator)`.
    fn is_split_at(&self, list: NodeIndex, separator: &str) -> bool {
        let list = self.unnamed(list);
        if list >= self.program.value_count {
            return false;
        }
        let module = self.program.module_of_value(list);
        let Op::Call(call) = module.instruction(list).op else { return false };
        let argument = module.flow.calls[call.index()].arguments.first();
        let constant = argument.and_then(|argument| self.constant_of(module.value(argument.value), 0));
        self.method_of(list) == Some("split")
            && matches!(constant, Some((module, Constant::String(text))) if module.flow.text(text) == separator)
    }
}
