//! Output of compilers: async functions and generators as TypeScript, Babel and esbuild write them for old platforms.
//!
//! `__awaiter(this, void 0, void 0, function* () { ... })` is a call of an async function, in which `yield` awaits. In a
//! state machine (`__generator(this, function (_a) { ... })`, `regeneratorRuntime.wrap(function (_context) { ... })`) a returned
//! value is awaited or yielded, and `_a.sent()` or `_context.sent` is the result of the last one before it in the text.

use oxc_ast::ast::{
    self, Argument as Passed, BindingPattern, CallExpression, Expression, Function, MemberExpression,
    StaticMemberExpression,
};

use crate::flow::{Argument, Call, CallKind, Op, Span, ValueId};

use super::{Lowerer, at};

/// Kinds of state machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MachineKind {
    /// `__generator` of TypeScript.
    TypeScript,
    /// `regeneratorRuntime.wrap` of Babel.
    Regenerator,
}

/// State machine that a function is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Machine {
    kind: MachineKind,
    /// It awaits; otherwise it yields.
    is_async: bool,
    /// Variable of its parameter.
    variable: Option<u32>,
    /// Result of the last awaited or yielded value.
    sent: Option<ValueId>,
}

impl<'a> Lowerer<'a, '_> {
    /// Calls of helper functions of compilers.
    pub(super) fn compiled_call(&mut self, call: &'a CallExpression<'a>) -> Option<ValueId> {
        let span = at(call.span);
        if let Some(value) = self.sent_call(call, span) {
            return Some(value);
        }
        let name = helper_name(&call.callee)?;
        let arguments = call.arguments.as_slice();
        match name {
            "__awaiter" | "__async" => {
                let function = plain_function(arguments.last()?.as_expression()?)?;
                let [first, second, ..] = arguments else { return None };
                self.asynchronous.insert(function.node_id.get().index() as u32);
                let receiver = self.expression(first.as_expression()?);
                let mut passed = Vec::new();
                if let Some(Expression::Identifier(_)) = second.as_expression() {
                    let value = self.expression(second.as_expression()?);
                    passed.push(Argument { value, is_spread: true, name: None });
                }
                let callee = self.function_expression(function, None);
                let call = Call { callee, receiver: Some(receiver), arguments: passed, kind: CallKind::Call };
                Some(self.emit_call(call, false, span))
            }
            "__generator" => {
                let [first, second] = arguments else { return None };
                let function = plain_function(second.as_expression()?)?;
                let receiver = self.expression(first.as_expression()?);
                Some(self.machine_call(function, MachineKind::TypeScript, Some(receiver), span))
            }
            "wrap" | "w" if is_regenerator(&call.callee) => {
                let function = plain_function(arguments.first()?.as_expression()?)?;
                Some(self.machine_call(function, MachineKind::Regenerator, None, span))
            }
            "mark" | "m" if is_regenerator(&call.callee) => {
                let function = plain_function(arguments.first()?.as_expression()?)?;
                Some(self.function_expression(function, None))
            }
            "__assign" | "_extends" | "_objectSpread" | "_objectSpread2" => {
                let object = self.global("Object", span);
                let callee = self.load_field(object, "assign", span);
                let arguments = self.arguments(arguments);
                let call = Call { callee, receiver: Some(object), arguments, kind: CallKind::Call };
                Some(self.emit_call(call, false, span))
            }
            name if is_async_to_generator(name) => {
                let function = plain_function(arguments.first()?.as_expression()?)?;
                self.asynchronous.insert(function.node_id.get().index() as u32);
                Some(self.function_expression(function, None))
            }
            // Older than `Object.defineProperty`, for compatibility in all engines.
            "__defineGetter__" | "__defineSetter__" => {
                let Expression::StaticMemberExpression(member) = &call.callee else { return None };
                let [Passed::StringLiteral(key), accessor] = arguments else { return None };
                let object = self.expression(&member.object);
                let key = self.symbol(key.value.as_str());
                let accessor = self.expression(accessor.as_expression()?);
                self.escape(accessor);
                match name {
                    "__defineGetter__" => self.emit(Op::DefineGetter(object, key, accessor), span),
                    _ => self.emit(Op::DefineSetter(object, key, accessor), span),
                };
                Some(self.undefined(span))
            }
            // `co.wrap(function* () { ... })` and `Promise.coroutine` do the same.
            "wrap" | "coroutine" => {
                let [only] = arguments else { return None };
                let function = plain_function(only.as_expression()?).filter(|function| function.generator)?;
                self.asynchronous.insert(function.node_id.get().index() as u32);
                Some(self.function_expression(function, None))
            }
            _ => None,
        }
    }

    /// Call of a state machine.
    fn machine_call(
        &mut self,
        function: &'a Function<'a>,
        kind: MachineKind,
        receiver: Option<ValueId>,
        span: Span,
    ) -> ValueId {
        let number = function.node_id.get().index() as u32;
        let is_async = self.asynchronous.contains(&self.frame.number);
        self.machines.insert(number, (kind, is_async));
        let callee = self.function_expression(function, None);
        self.emit_call(Call { callee, receiver, arguments: Vec::new(), kind: CallKind::Call }, false, span)
    }

    /// Begins the body of a function that may be a state machine.
    pub(super) fn begin_machine(&mut self, function: &'a Function<'a>) {
        let Some(&(kind, is_async)) = self.machines.get(&self.frame.number) else { return };
        let variable = function.params.items.first().and_then(|parameter| match &parameter.pattern {
            BindingPattern::BindingIdentifier(identifier) => Self::declared(identifier),
            _ => None,
        });
        self.current.machine = Some(Machine { kind, is_async, variable, sent: None });
    }

    /// Awaits or yields a value.
    fn suspend(&mut self, value: ValueId, is_async: bool, span: Span) -> ValueId {
        self.escape(value);
        self.state.kill_shared();
        self.emit(if is_async { Op::Await(value) } else { Op::Yield(value) }, span)
    }

    /// `return` of a state machine. False: the function is none.
    pub(super) fn machine_return(&mut self, argument: Option<&'a Expression<'a>>, span: Span) -> bool {
        let Some(machine) = self.current.machine else { return false };
        let Some(argument) = argument else { return false };
        let is_context = |expression: &Expression<'a>| {
            matches!(expression, Expression::Identifier(identifier)
                if machine.variable.is_some() && Self::variable_of(identifier) == machine.variable)
        };
        let suspended = match (machine.kind, argument) {
            (MachineKind::TypeScript, Expression::ArrayExpression(array)) => {
                let mut elements = array.elements.iter();
                let Some(Expression::NumericLiteral(code)) = elements.next().and_then(|code| code.as_expression())
                else {
                    return false;
                };
                let value = elements.next().and_then(|value| value.as_expression());
                match (code.value as i64, value) {
                    (2, value) => return self.machine_result(value, span),
                    (4 | 5, Some(value)) => value,
                    _ => {
                        self.frame.is_reachable = false;
                        return true;
                    }
                }
            }
            (MachineKind::Regenerator, Expression::CallExpression(call)) => match &call.callee {
                Expression::StaticMemberExpression(member) if is_context(&member.object) => {
                    let second = call.arguments.get(1).and_then(Passed::as_expression);
                    match member.property.name.as_str() {
                        "abrupt" | "a" => return self.machine_result(second, span),
                        "delegateYield" | "d" => match call.arguments.first().and_then(Passed::as_expression) {
                            Some(value) => value,
                            None => return false,
                        },
                        _ => {
                            self.frame.is_reachable = false;
                            return true;
                        }
                    }
                }
                _ => argument,
            },
            (MachineKind::Regenerator, argument) => argument,
            _ => return false,
        };
        let value = self.expression(suspended);
        let sent = self.suspend(value, machine.is_async, span);
        if let Some(machine) = &mut self.current.machine {
            machine.sent = Some(sent);
        }
        self.frame.is_reachable = false;
        true
    }

    fn machine_result(&mut self, value: Option<&'a Expression<'a>>, span: Span) -> bool {
        let value = match value {
            Some(value) => self.expression(value),
            None => self.undefined(span),
        };
        if self.frame.is_reachable {
            self.escape(value);
            self.emit(Op::Return(value), span);
        }
        self.frame.is_reachable = false;
        true
    }

    /// `_a.sent()`.
    fn sent_call(&mut self, call: &'a CallExpression<'a>, span: Span) -> Option<ValueId> {
        let machine = self.current.machine?;
        let Expression::StaticMemberExpression(member) = &call.callee else { return None };
        if machine.kind != MachineKind::TypeScript || !is_sent(member, machine.variable, &["sent"]) {
            return None;
        }
        Some(machine.sent.unwrap_or_else(|| self.undefined(span)))
    }

    /// `_context.sent`.
    pub(super) fn sent_member(&mut self, member: &'a MemberExpression<'a>, span: Span) -> Option<ValueId> {
        let machine = self.current.machine?;
        let MemberExpression::StaticMemberExpression(member) = member else { return None };
        if machine.kind != MachineKind::Regenerator || !is_sent(member, machine.variable, &["sent", "v"]) {
            return None;
        }
        Some(machine.sent.unwrap_or_else(|| self.undefined(span)))
    }
}

fn is_sent(member: &StaticMemberExpression<'_>, variable: Option<u32>, names: &[&str]) -> bool {
    let Expression::Identifier(object) = &member.object else { return false };
    names.contains(&member.property.name.as_str())
        && variable.is_some()
        && object.reference_id.get().map(|reference| reference.index() as u32) == variable
}

/// True for the names of the function that makes an async function of a generator: `_asyncToGenerator2`, `_async_to_generator`.
fn is_async_to_generator(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    name.starts_with("asyncToGenerator") || name.starts_with("async_to_generator")
}

/// Name of a called helper: `__awaiter`, `tslib_1.__awaiter`, `(0, _asyncToGenerator2.default)`, `_async_to_generator._`.
fn helper_name<'a>(callee: &'a Expression<'a>) -> Option<&'a str> {
    match callee {
        Expression::Identifier(identifier) => Some(identifier.name.as_str()),
        Expression::ParenthesizedExpression(inner) => match &inner.expression {
            Expression::SequenceExpression(sequence) => match sequence.expressions.last()? {
                Expression::StaticMemberExpression(member) => member_name(member),
                Expression::Identifier(identifier) => Some(identifier.name.as_str()),
                _ => None,
            },
            _ => None,
        },
        Expression::SequenceExpression(sequence) => match sequence.expressions.last()? {
            Expression::StaticMemberExpression(member) => member_name(member),
            Expression::Identifier(identifier) => Some(identifier.name.as_str()),
            _ => None,
        },
        Expression::StaticMemberExpression(member) => member_name(member),
        _ => None,
    }
}

fn member_name<'a>(member: &'a StaticMemberExpression<'a>) -> Option<&'a str> {
    match (member.property.name.as_str(), &member.object) {
        ("default" | "_", Expression::Identifier(object)) => Some(object.name.as_str()),
        (name, _) => Some(name),
    }
}

/// Whether a method is one of the runtime of Babel's generators.
fn is_regenerator(callee: &Expression<'_>) -> bool {
    let Expression::StaticMemberExpression(member) = callee else { return false };
    let name = match &member.object {
        Expression::Identifier(identifier) => identifier.name.as_str(),
        Expression::StaticMemberExpression(inner) => match &inner.object {
            Expression::Identifier(identifier) => identifier.name.as_str(),
            _ => return false,
        },
        Expression::CallExpression(call) => match helper_name(&call.callee) {
            Some(name) => name,
            None => return false,
        },
        _ => return false,
    };
    name.contains("egenerator")
}

/// Function expression, also inside of `regeneratorRuntime.mark(...)`.
fn plain_function<'a>(expression: &'a Expression<'a>) -> Option<&'a ast::Function<'a>> {
    match expression {
        Expression::FunctionExpression(function) => Some(function),
        Expression::ParenthesizedExpression(inner) => match &inner.expression {
            Expression::FunctionExpression(function) => Some(function),
            _ => None,
        },
        Expression::CallExpression(call) if is_regenerator(&call.callee) => {
            match call.arguments.first()?.as_expression()? {
                Expression::FunctionExpression(function) => Some(function),
                _ => None,
            }
        }
        _ => None,
    }
}
