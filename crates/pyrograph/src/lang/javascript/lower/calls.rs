//! Calls.

use oxc_ast::ast::{self, CallExpression, ChainElement, Expression, NewExpression};
use oxc_span::GetSpan;

use crate::flow::{AllocateKind, Argument, Call, CallId, CallKind, Constant, Op, Span, Test, ValueId};
use crate::lang::ssa::Check;

use super::checks::strip;
use super::{Lowerer, Note, at};

impl<'a> Lowerer<'a, '_> {
    pub(super) fn call(&mut self, call: &'a CallExpression<'a>) -> ValueId {
        let span = self.call_span(call);
        if let Expression::Super(parent) = &call.callee {
            return self.super_call(at(parent.span), &call.arguments, span);
        }
        if let Expression::Identifier(identifier) = &call.callee {
            let value = match (Self::variable_of(identifier), identifier.name.as_str()) {
                (Some(variable), _) if self.loaders.contains(&variable) => self.require(call),
                (None, "require") => self.require(call),
                (None, "define") => self.define(call),
                (Some(_), "define") if self.has_amdefine => self.define(call),
                _ => None,
            };
            if let Some(value) = value {
                return value;
            }
        }
        if let Some(value) = self.compiled_call(call) {
            return value;
        }
        let (mut callee, mut receiver) = self.callee(&call.callee);
        if self.is_loader(callee) {
            if let Some(value) = self.require(call) {
                return value;
            }
            callee = self.global("require", at(call.callee.span()));
            receiver = None;
        } else if let Some(value) = self.require_by_method(callee, call) {
            return value;
        }
        let arguments = self.arguments(&call.arguments);
        let is_harmless = self.is_harmless(callee, receiver);
        let first = arguments.first().map(|argument| argument.value);
        if arguments.len() == 1 && self.is_bare_creation(callee, first) {
            return self.allocate(AllocateKind::Bare, span);
        }
        if arguments.is_empty() {
            self.note_pass(callee);
        }
        if let Some(constant) = self.folded_call(callee, receiver, &arguments) {
            return self.constant_value(constant, span);
        }
        if let (Op::LoadField(_, method), Some(list)) = (self.op(callee), receiver)
            && matches!(self.builder.text(method), "push" | "unshift" | "splice" | "fill")
        {
            self.forget_elements(list);
        }
        if let Some(value) = self.array_method(callee, receiver, &arguments, span) {
            return value;
        }
        let passed = arguments.clone();
        let value = self.emit_call(Call { callee, receiver, arguments, kind: CallKind::Call }, is_harmless, span);
        self.note_passed(receiver, &passed, value);
        self.note_result(callee, first, value);
        if self.makes_list(callee) {
            self.note_fresh(value);
        }
        self.note_relative(callee, &call.arguments, value);
        self.note_derived(call, value);
        self.end_after(value, span);
        value
    }

    /// If a call never returns, this point is its end.
    fn end_after(&mut self, call: ValueId, span: Span) {
        let Op::Call(id) = self.op(call) else { return };
        let is_exit = self.ends_program(id);
        let is_ending = self.options.constants.is_some_and(|known| known.ending_calls.contains(&span));
        if is_exit || is_ending {
            self.frame.returns.has_throw |= is_exit || self.frame.handlers.is_empty();
            self.frame.is_reachable = false;
        }
    }

    /// Notes that a value is the path of a file relative to a folder.
    fn note_relative(&mut self, callee: ValueId, arguments: &'a [ast::Argument<'a>], value: ValueId) {
        let (Op::LoadField(_, method), [_, file]) = (self.op(callee), arguments) else { return };
        if self.builder.text(method) == "relative"
            && let Some(file) = file.as_expression()
            && let Some((tested, name)) = self.place(file)
        {
            self.notes.insert(value, Note::Relative(tested, name));
        }
    }

    /// True if a call is `Object.create(null)`.
    fn is_bare_creation(&self, callee: ValueId, first: Option<ValueId>) -> bool {
        let Op::LoadField(object, method) = self.op(self.canon(callee)) else { return false };
        let Op::Global(name) = self.op(self.canon(object)) else { return false };
        let is_null = first.is_some_and(|first| self.constant(first) == Some(Constant::Null));
        is_null && self.builder.text(name) == "Object" && self.builder.text(method) == "create"
    }

    /// Place of a call. A method on a line of its own is the place of its call, not the beginning of the chain.
    fn call_span(&self, call: &CallExpression<'a>) -> Span {
        let span = at(call.span);
        let Expression::StaticMemberExpression(member) = strip_types(&call.callee) else { return span };
        let (end, start) = (member.object.span().end as usize, member.property.span.start as usize);
        match self.source.get(end..start) {
            Some(between) if between.contains('\n') => Span::new(member.property.span.start, span.end),
            _ => span,
        }
    }

    pub(super) fn arguments(&mut self, arguments: &'a [ast::Argument<'a>]) -> Vec<Argument> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let (expression, is_spread) = match argument {
                ast::Argument::SpreadElement(spread) => (&spread.argument, true),
                argument => (argument.to_expression(), false),
            };
            let value = self.passed(expression, None);
            values.push(Argument { value, is_spread, name: None });
        }
        values
    }

    /// Function and receiver of a call.
    pub(super) fn callee(&mut self, callee: &'a Expression<'a>) -> (ValueId, Option<ValueId>) {
        let callee = match callee {
            Expression::AwaitExpression(_) => return (self.expression(callee), None),
            callee => strip_types(callee),
        };
        let member = match callee {
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(_) | ChainElement::TSNonNullExpression(_) => None,
                element => element.as_member_expression(),
            },
            callee => callee.as_member_expression(),
        };
        let Some(member) = member else { return (self.expression(callee), None) };
        let span = at(member.span());
        if !self.enter() {
            self.leave();
            return (self.undefined(span), None);
        }
        let (home, receiver) = match member.object() {
            Expression::Super(parent) => {
                let parent = at(parent.span);
                let home = self.super_home(parent);
                (home, self.this(parent))
            }
            object => {
                let object = self.expression(object);
                (object, object)
            }
        };
        let key = self.member_key(member);
        let value = self.load(home, key, span);
        self.leave();
        (value, Some(receiver))
    }

    pub(super) fn new_object(&mut self, call: &'a NewExpression<'a>) -> ValueId {
        let span = at(call.span);
        let callee = self.expression(&call.callee);
        let arguments = self.arguments(&call.arguments);
        let is_harmless = self.is_harmless(callee, None);
        let first = arguments.first().map(|argument| argument.value);
        let second = arguments.get(1).map(|argument| argument.value);
        let value = self.emit_call(Call { callee, receiver: None, arguments, kind: CallKind::New }, is_harmless, span);
        if let Op::Global(name) = self.op(callee) {
            match (self.builder.text(name), first) {
                ("Set", Some(first)) if self.is_collection(first) => {
                    self.notes.insert(value, Note::Collection);
                }
                ("RegExp", Some(first)) => self.note_regex(first, second, value),
                _ => {}
            }
        }
        value
    }

    fn note_regex(&mut self, pattern: ValueId, flags: Option<ValueId>, value: ValueId) {
        let flags = match flags.map(|flags| self.constant(flags)) {
            None => self.symbol(""),
            Some(Some(Constant::String(flags))) => flags,
            Some(_) => return,
        };
        if let Some(Constant::String(pattern)) = self.constant(pattern) {
            self.notes.insert(value, Note::Regex(pattern, flags));
        }
    }

    /// Notes what is known of results of some functions of the language.
    fn note_result(&mut self, callee: ValueId, first: Option<ValueId>, value: ValueId) {
        let Some(first) = first else { return };
        match self.op(callee) {
            Op::LoadField(object, method) => {
                let Op::Global(name) = self.op(self.canon(object)) else { return };
                let note = match (self.builder.text(name), self.builder.text(method)) {
                    ("Object", "freeze" | "seal") => self.notes.get(&self.canon(first)).cloned(),
                    ("Object", "keys") if self.is_collection(first) => Some(Note::Collection),
                    _ => None,
                };
                if let Some(note) = note {
                    self.notes.insert(value, note);
                }
            }
            Op::Global(name) if self.builder.text(name) == "RegExp" => self.note_regex(first, None, value),
            _ => {}
        }
    }

    /// True if a call makes a new list, as far as its name says.
    fn makes_list(&self, callee: ValueId) -> bool {
        let Op::LoadField(object, method) = self.op(self.canon(callee)) else { return false };
        let method = self.builder.text(method);
        match self.op(self.canon(object)) {
            Op::Global(name) => match self.builder.text(name) {
                "Object" => matches!(method, "keys" | "values" | "entries" | "getOwnPropertyNames"),
                "Array" => matches!(method, "from" | "of"),
                "Reflect" => method == "ownKeys",
                _ => false,
            },
            _ => matches!(method, "split" | "slice" | "concat" | "map" | "filter" | "match"),
        }
    }

    /// True if a call changes no object of the program, as far as its name says.
    fn is_harmless(&self, callee: ValueId, receiver: Option<ValueId>) -> bool {
        match self.op(self.canon(callee)) {
            Op::Global(name) => matches!(
                self.builder.text(name),
                "parseInt"
                    | "parseFloat"
                    | "Number"
                    | "String"
                    | "Boolean"
                    | "Symbol"
                    | "BigInt"
                    | "isNaN"
                    | "isFinite"
                    | "encodeURIComponent"
                    | "decodeURIComponent"
                    | "encodeURI"
                    | "decodeURI"
                    | "escape"
                    | "unescape"
                    | "require"
                    | "Error"
                    | "TypeError"
                    | "RangeError"
                    | "SyntaxError"
                    | "Date"
                    | "RegExp"
                    | "Set"
                    | "Map"
                    | "WeakMap"
                    | "WeakSet"
                    | "URL"
                    | "URLSearchParams"
                    | "Array"
                    | "Uint8Array"
            ),
            Op::LoadField(object, method) => {
                let method = self.builder.text(method);
                match self.op(self.canon(object)) {
                    Op::Global(name) => {
                        let changes = matches!(
                            method,
                            "assign" | "defineProperty" | "defineProperties" | "setPrototypeOf" | "set" | "apply"
                        );
                        let is_pure = matches!(
                            self.builder.text(name),
                            "console"
                                | "Math"
                                | "JSON"
                                | "Object"
                                | "Number"
                                | "String"
                                | "Array"
                                | "Date"
                                | "Buffer"
                                | "Reflect"
                                | "performance"
                        );
                        if is_pure && !changes {
                            return true;
                        }
                    }
                    Op::Import(name) => {
                        let module = self.builder.text(name).trim_start_matches("node:");
                        if matches!(module, "path" | "url" | "querystring" | "crypto" | "os" | "util") {
                            return true;
                        }
                    }
                    _ => {}
                }
                receiver.is_some()
                    && matches!(
                        method,
                        "startsWith"
                            | "endsWith"
                            | "includes"
                            | "indexOf"
                            | "lastIndexOf"
                            | "test"
                            | "match"
                            | "search"
                            | "split"
                            | "trim"
                            | "trimStart"
                            | "trimEnd"
                            | "toLowerCase"
                            | "toUpperCase"
                            | "toString"
                            | "substring"
                            | "substr"
                            | "slice"
                            | "charAt"
                            | "charCodeAt"
                            | "codePointAt"
                            | "padStart"
                            | "padEnd"
                            | "hasOwnProperty"
                            | "concat"
                            | "join"
                            | "has"
                            | "normalize"
                            | "localeCompare"
                            | "toFixed"
                            | "getTime"
                    )
            }
            _ => false,
        }
    }

    /// `super(...)`.
    fn super_call(&mut self, parent: Span, arguments: &'a [ast::Argument<'a>], span: Span) -> ValueId {
        let callee = self.super_class(parent);
        let receiver = self.this(parent);
        let arguments = self.arguments(arguments);
        let call = Call { callee, receiver: Some(receiver), arguments, kind: CallKind::Super };
        let value = self.emit_call(call, false, span);
        self.store_fields();
        value
    }

    /// A call that stands as a statement: if it returns, it may assert something about its arguments.
    pub(super) fn assertion(&mut self, expression: &'a Expression<'a>, value: ValueId) {
        let Expression::CallExpression(call) = strip(expression) else { return };
        let mut called = value;
        while let Op::Await(inner) = self.op(called) {
            called = inner;
        }
        let Op::Call(id) = self.op(called) else { return };
        if !self.frame.is_reachable {
            return;
        }
        let span = at(call.span);
        let name = match &call.callee {
            Expression::Identifier(identifier) => {
                let is_assert = matches!(identifier.name.as_str(), "assert" | "invariant");
                match Self::variable_of(identifier) {
                    None if !is_assert => return,
                    Some(variable) if !is_assert && self.is_parameter(variable) => return,
                    _ => {}
                }
                identifier.name.as_str()
            }
            Expression::StaticMemberExpression(member) => {
                let name = member.property.name.as_str();
                if name == "forEach" {
                    self.visited(&member.object, id, called, span);
                    return;
                }
                if !sounds_like_assertion(name) && !self.is_assert(self.builder.module().calls[id.index()].callee) {
                    return;
                }
                name
            }
            _ => return,
        };
        let is_module = self.is_assert(self.builder.module().calls[id.index()].callee);
        if is_module && self.assert_method(name, call, id, span) {
            return;
        }
        let is_callee = matches!(call.callee, Expression::Identifier(_));
        let is_plain = matches!(name, "assert" | "invariant" | "ok") || is_module && is_callee;
        if is_plain && let Some(condition) = call.arguments.first().and_then(ast::Argument::as_expression) {
            let Some(first) = self.builder.module().calls[id.index()].arguments.first().copied() else { return };
            let checks = self.checks(condition, first.value);
            self.frame.returns.has_throw |= !checks.is_empty();
            self.guard(&checks, true, first.value, span);
            return;
        }
        let mut checks = Vec::new();
        for (position, argument) in call.arguments.iter().take(4).enumerate() {
            let Some(argument) = argument.as_expression() else { break };
            let is_place =
                matches!(strip(argument), Expression::Identifier(_)) || strip(argument).is_member_expression();
            if is_place && let Some((tested, name)) = self.place(argument) {
                let test = self.builder.test(Test::Returned(called, position as u32));
                checks.push(Check::new(tested, name, test, true));
            }
        }
        self.frame.returns.has_throw |= !checks.is_empty();
        self.guard(&checks, true, value, span);
    }

    /// True if a function is one of the module `assert`.
    fn is_assert(&self, callee: ValueId) -> bool {
        let mut value = self.canon(callee);
        for _ in 0..3 {
            match self.op(value) {
                Op::Import(name) => {
                    let name = self.builder.text(name).trim_start_matches("node:");
                    return matches!(name, "assert" | "assert/strict");
                }
                Op::LoadField(object, _) => value = self.canon(object),
                _ => return false,
            }
        }
        false
    }

    /// A function of the module `assert` that compares has returned. False: it is another one.
    fn assert_method(&mut self, name: &str, call: &CallExpression<'a>, id: CallId, span: Span) -> bool {
        let [first, second, ..] = self.builder.module().calls[id.index()].arguments.as_slice() else { return false };
        let (first, second) = (first.value, second.value);
        let Some(tested) = call.arguments.first().and_then(ast::Argument::as_expression) else { return false };
        let checks = match name {
            "match" | "doesNotMatch" => match self.regex(second) {
                Some((pattern, flags)) => self.check(tested, Test::Matches(pattern, flags), name == "match"),
                None => return false,
            },
            "equal" | "strictEqual" | "deepEqual" | "deepStrictEqual" => match self.constant(second) {
                Some(Constant::Bool(flag)) => {
                    let checks = self.checks(tested, first);
                    if flag { checks } else { checks.into_iter().map(Check::negated).collect() }
                }
                Some(constant) => self.check(tested, Test::EqualsConstant(constant), true),
                None => return false,
            },
            _ => return false,
        };
        self.frame.returns.has_throw |= !checks.is_empty();
        self.guard(&checks, true, first, span);
        true
    }

    /// `list.forEach(visit)` has returned: nothing was thrown for any element.
    fn visited(&mut self, list: &Expression<'a>, call: CallId, value: ValueId, span: Span) {
        let Some(first) = self.builder.module().calls[call.index()].arguments.first().copied() else { return };
        if !matches!(self.op(self.canon(first.value)), Op::Function(_) | Op::LoadCell(_)) {
            return;
        }
        if let Some((tested, name)) = self.place(list) {
            let method = self.symbol("forEach");
            let arguments = self.builder.list(&[first.value]);
            let test = self.builder.test(Test::Method(method, arguments));
            self.frame.returns.has_throw = true;
            self.guard(&[Check::new(tested, name, test, true)], true, value, span);
        }
    }

    /// `process.exit()`.
    fn ends_program(&self, call: CallId) -> bool {
        let call = &self.builder.module().calls[call.index()];
        let Op::LoadField(object, method) = self.op(self.canon(call.callee)) else { return false };
        if self.builder.text(method) == "throw" {
            // `context.throw(403)` of koa throws an error for a status code.
            let status = call.arguments.first().and_then(|argument| self.constant(argument.value));
            return matches!(status, Some(Constant::Number(400.0..600.0)));
        }
        let Op::Global(name) = self.op(self.canon(object)) else { return false };
        self.builder.text(name) == "process" && matches!(self.builder.text(method), "exit" | "abort")
    }

    fn is_parameter(&self, variable: u32) -> bool {
        match self.name(variable) {
            Some(name) => matches!(self.op(self.canon(name)), Op::Parameter(_)),
            None => false,
        }
    }
}

/// True if a method may throw unless its argument is valid.
fn sounds_like_assertion(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["assert", "check", "valid", "ensure", "verify", "guard", "must", "enforce", "reject", "throw", "forbid", "ok"]
        .iter()
        .any(|word| if *word == "ok" { name == "ok" } else { name.contains(word) })
}

/// Expression without parentheses and assertions of types.
pub(super) fn strip_types<'a>(expression: &'a Expression<'a>) -> &'a Expression<'a> {
    let mut expression = expression;
    loop {
        expression = match expression {
            Expression::ParenthesizedExpression(inner) => &inner.expression,
            Expression::TSAsExpression(inner) => &inner.expression,
            Expression::TSSatisfiesExpression(inner) => &inner.expression,
            Expression::TSTypeAssertion(inner) => &inner.expression,
            Expression::TSNonNullExpression(inner) => &inner.expression,
            Expression::TSInstantiationExpression(inner) => &inner.expression,
            _ => return expression,
        }
    }
}
