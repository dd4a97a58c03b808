//! Calls.

use ruff_python_ast::{Arguments, Expr, ExprAttribute, ExprCall};

use crate::flow::{Argument, Call, CallId, CallKind, Constant, Op, Span, SymbolId, Test, ValueId, field};
use crate::lang::ssa::{Check, MemberKey, Note};

use super::{Lowerer, span_of};

impl<'a> Lowerer<'a, '_> {
    pub(super) fn call(&mut self, call: &'a ExprCall) -> ValueId {
        let span = self.call_span(call);
        match &*call.func {
            Expr::Attribute(attribute) => {
                if let Some(value) = self.super_call(attribute, &call.arguments, span) {
                    return value;
                }
                let object = self.expression(&attribute.value);
                self.method(attribute, object, call, span)
            }
            Expr::Name(name) => {
                if let Some(builtin) = Self::builtin(name)
                    && let Some(value) = self.builtin_function(builtin, call, span)
                {
                    return value;
                }
                let callee = self.read_name(name);
                self.plain_call(callee, None, call, span)
            }
            callee => {
                let callee = self.expression(callee);
                self.plain_call(callee, None, call, span)
            }
        }
    }

    /// Call of a method.
    fn method(&mut self, attribute: &'a ExprAttribute, object: ValueId, call: &'a ExprCall, span: Span) -> ValueId {
        let name = attribute.attr.as_str();
        let is_plain = call.arguments.keywords.is_empty()
            && !call.arguments.args.iter().any(|argument| matches!(argument, Expr::Starred(_)));
        if name == "format" && matches!(self.constant(object), Some(Constant::String(_))) {
            return self.format_call(object, call, span);
        }
        // `Class.method(self, ...)`.
        if let (Some(Expr::Name(first)), Some(variable)) = (call.arguments.args.first(), self.current.self_variable)
            && Self::variable_of(first) == Some(variable)
            && !matches!(&*attribute.value, Expr::Name(object) if Self::variable_of(object) == Some(variable))
            && matches!(&*attribute.value, Expr::Name(class) if class.id.starts_with(char::is_uppercase))
        {
            let receiver = self.expression(&call.arguments.args[0]);
            let arguments = self.arguments_from(&call.arguments, 1);
            let (callee, kind) = match name {
                "__init__" => (object, CallKind::Super),
                _ => (self.load_field(object, name, span_of(attribute)), CallKind::Call),
            };
            return self.emit_call(Call { callee, receiver: Some(receiver), arguments, kind }, false, span);
        }
        if is_plain && let Some(value) = self.container_method(object, name, call, span) {
            return value;
        }
        if name == "get"
            && let Some(value) = self.get_with_fallback(object, call, span)
        {
            return value;
        }
        let field = self.symbol(name);
        let callee = self.load(object, MemberKey::Name(field), span_of(attribute));
        if let Some(value) = self.import_function(callee, call, span) {
            return value;
        }
        let value = self.plain_call(callee, Some(object), call, span);
        if name == "as_view" { self.view_methods(object, value, span) } else { value }
    }

    fn plain_call(&mut self, callee: ValueId, receiver: Option<ValueId>, call: &'a ExprCall, span: Span) -> ValueId {
        if let Some(value) = self.collection(callee, call, span) {
            return value;
        }
        let arguments = self.arguments_from(&call.arguments, 0);
        if let Some(value) = self.partial(callee, &arguments, span) {
            return value;
        }
        let is_harmless = self.is_harmless(callee, receiver);
        let values: Vec<ValueId> =
            arguments.iter().take_while(|argument| argument.name.is_none()).map(|argument| argument.value).collect();
        let routed = (arguments.len() > 1 && self.has_routes).then(|| arguments.clone());
        let value = self.emit_call(Call { callee, receiver, arguments, kind: CallKind::Call }, is_harmless, span);
        if let Some(arguments) = routed {
            self.route_call(callee, &arguments, span);
        }
        self.note_result(callee, values.first().copied(), value);
        self.note_derived(call, value);
        self.note_paths(call, value);
        self.replaced(callee, receiver, &values, value, span)
    }

    /// `"...".format(...)`.
    fn format_call(&mut self, format: ValueId, call: &'a ExprCall, span: Span) -> ValueId {
        let arguments = self.arguments_from(&call.arguments, 0);
        let is_plain = arguments.iter().all(|argument| !argument.is_spread);
        if is_plain {
            let positional: Vec<ValueId> =
                arguments.iter().filter(|argument| argument.name.is_none()).map(|argument| argument.value).collect();
            let named = arguments.iter().filter_map(|argument| {
                let name = argument.name?;
                Some((self.builder.text(name).to_owned(), argument.value))
            });
            let named: Vec<(String, ValueId)> = named.collect();
            if let Some(value) = self.format_method(format, &positional, &named, span) {
                return value;
            }
        }
        let field = self.symbol("format");
        let callee = self.emit(Op::LoadField(format, field), span);
        self.emit_call(Call { callee, receiver: Some(format), arguments, kind: CallKind::Call }, true, span)
    }

    /// Place of a call. A method on a line of its own is the place of its call, not the beginning of the chain.
    fn call_span(&self, call: &ExprCall) -> Span {
        let span = span_of(call);
        let Expr::Attribute(attribute) = &*call.func else { return span };
        let (end, start) = (span_of(&*attribute.value).end, span_of(&attribute.attr).start);
        match self.source.get(end as usize..start as usize) {
            Some(between) if between.contains('\n') => Span::new(start, span.end),
            _ => span,
        }
    }

    /// Arguments from a position on.
    pub(super) fn arguments_from(&mut self, arguments: &'a Arguments, first: usize) -> Vec<Argument> {
        let mut values = Vec::with_capacity(arguments.args.len() + arguments.keywords.len());
        for argument in arguments.args.iter().skip(first) {
            let is_spread = matches!(argument, Expr::Starred(_));
            let value = self.expression(argument);
            values.push(Argument { value, is_spread, name: None });
        }
        for keyword in &arguments.keywords {
            let value = self.expression(&keyword.value);
            let (name, is_spread) = match &keyword.arg {
                Some(name) => (name.as_str(), false),
                None => ("", true),
            };
            let name = Some(self.symbol(name));
            values.push(Argument { value, is_spread, name });
        }
        values
    }

    /// Call of a builtin function with values.
    pub(super) fn builtin_call(&mut self, name: &str, arguments: &[ValueId], span: Span) -> ValueId {
        let callee = self.global(name, span);
        let arguments = arguments.iter().map(|&value| Argument { value, is_spread: false, name: None }).collect();
        self.emit_call(Call { callee, receiver: None, arguments, kind: CallKind::Call }, true, span)
    }

    /// `super().name`. None: the expression is no call of `super`.
    pub(super) fn super_member(&mut self, expression: &'a Expr, name: &str) -> Option<ValueId> {
        let span = span_of(expression);
        let bases = self.super_bases(expression)?;
        let receiver = self.super_receiver(span);
        if let Some(value) = self.behind(receiver, name, span) {
            return Some(value);
        }
        let home = if self.current.is_static { bases } else { self.load_field(bases, "prototype", span) };
        Some(self.load_field(home, name, span))
    }

    /// Name behind the current class, in the order of the classes of the receiver. Only the whole program shows the order.
    pub(super) fn behind(&mut self, receiver: ValueId, name: &str, span: Span) -> Option<ValueId> {
        let class = self.current.class?;
        let symbol = self.symbol(&format!("{}{} {name}", field::SUPER, class.0));
        Some(self.emit(Op::LoadField(receiver, symbol), span))
    }

    fn super_receiver(&mut self, span: Span) -> ValueId {
        match self.current.self_variable {
            Some(variable) => self.read(variable, span),
            None => self.receiver(span),
        }
    }

    fn super_bases(&mut self, expression: &'a Expr) -> Option<ValueId> {
        let Expr::Call(call) = expression else { return None };
        let Expr::Name(name) = &*call.func else { return None };
        if name.id != "super" || Self::variable_of(name).is_some() {
            return None;
        }
        let variable = self.current.bases?;
        Some(self.read(variable, span_of(expression)))
    }

    /// `super().name(...)`.
    fn super_call(&mut self, attribute: &'a ExprAttribute, arguments: &'a Arguments, span: Span) -> Option<ValueId> {
        let bases = self.super_bases(&attribute.value)?;
        let receiver = self.super_receiver(span);
        let name = attribute.attr.as_str();
        let (callee, kind) = if name == "__init__" {
            (self.behind(receiver, name, span).unwrap_or(bases), CallKind::Super)
        } else {
            (self.super_member(&attribute.value, name)?, CallKind::Call)
        };
        let arguments = self.arguments_from(arguments, 0);
        Some(self.emit_call(Call { callee, receiver: Some(receiver), arguments, kind }, false, span))
    }

    /// Notes what is known of results of some functions.
    fn note_result(&mut self, callee: ValueId, first: Option<ValueId>, value: ValueId) {
        let Some(first) = first else { return };
        match self.op(self.canon(callee)) {
            Op::LoadField(object, method) => {
                if self.is_import(object, "re")
                    && self.builder.text(method) == "compile"
                    && let Some(Constant::String(pattern)) = self.constant(first)
                {
                    let flags = self.symbol("");
                    self.notes.insert(value, Note::Regex(pattern, flags));
                }
            }
            Op::Global(name)
                if matches!(self.builder.text(name), "set" | "frozenset" | "list" | "tuple" | "sorted")
                    && self.is_collection(first) =>
            {
                self.notes.insert(value, Note::Collection);
            }
            _ => {}
        }
    }

    /// True if a value is a module of this name.
    pub(super) fn is_import(&self, value: ValueId, module: &str) -> bool {
        matches!(self.op(self.canon(value)), Op::Import(name) if self.builder.text(name) == module)
    }

    /// True if a value is a function of a module.
    pub(super) fn is_function_of(&self, value: ValueId, module: &str, name: &str) -> bool {
        match self.op(self.canon(value)) {
            Op::LoadField(object, field) => self.builder.text(field) == name && self.is_import(object, module),
            _ => false,
        }
    }

    /// A call that stands as a statement: if it returns, it may assert something about its arguments.
    pub(super) fn assertion(&mut self, expression: &'a Expr, value: ValueId) {
        let mut called = value;
        while let Op::Await(inner) = self.op(called) {
            called = inner;
        }
        let expression = match expression {
            Expr::Await(inner) => &*inner.value,
            expression => expression,
        };
        let (Expr::Call(call), Op::Call(id)) = (expression, self.op(called)) else { return };
        if self.ends_program(id) {
            self.frame.is_reachable = false;
            return;
        }
        let is_assertion = match &*call.func {
            Expr::Name(_) => true,
            Expr::Attribute(attribute) => sounds_like_assertion(attribute.attr.as_str()),
            _ => false,
        };
        if !is_assertion {
            return;
        }
        let span = span_of(expression);
        let mut checks = Vec::new();
        for (position, argument) in call.arguments.args.iter().take(4).enumerate() {
            let is_place = matches!(argument, Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_));
            if is_place && let Some((tested, name)) = self.place(argument) {
                let test = self.builder.test(Test::Returned(called, position as u32));
                checks.push(Check::new(tested, name, test, true));
            }
        }
        self.frame.returns.has_throw |= !checks.is_empty();
        self.guard(&checks, true, value, span);
    }

    /// `sys.exit()`, `abort(404)`.
    fn ends_program(&self, call: CallId) -> bool {
        let callee = self.builder.module().calls[call.index()].callee;
        match self.op(self.canon(callee)) {
            Op::LoadField(object, function) => {
                let function = self.builder.text(function);
                let Op::Import(module) = self.op(self.canon(object)) else { return false };
                matches!(
                    (self.builder.text(module), function),
                    ("sys", "exit") | ("os", "_exit" | "abort") | ("flask" | "werkzeug.exceptions", "abort")
                )
            }
            Op::Global(name) => matches!(self.builder.text(name), "exit" | "quit"),
            _ => false,
        }
    }

    /// Name of a constant text.
    pub(super) fn constant_symbol(&self, value: ValueId) -> Option<SymbolId> {
        match self.constant(value) {
            Some(Constant::String(text)) => Some(text),
            _ => None,
        }
    }

    /// `functools.partial(function, ...)`: a bound function.
    fn partial(&mut self, callee: ValueId, arguments: &[Argument], span: Span) -> Option<ValueId> {
        let (function, rest) = arguments.split_first()?;
        if !self.is_function_of(callee, "functools", "partial") || function.is_spread || function.name.is_some() {
            return None;
        }
        let field = self.symbol("bind");
        let bind = self.emit(Op::LoadField(function.value, field), span);
        let receiver = self.constant_value(Constant::Null, span);
        let mut bound = vec![Argument { value: receiver, is_spread: false, name: None }];
        bound.extend_from_slice(rest);
        let call = Call { callee: bind, receiver: Some(function.value), arguments: bound, kind: CallKind::Call };
        Some(self.emit_call(call, true, span))
    }
}

/// True if a method may raise unless its argument is valid.
fn sounds_like_assertion(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["assert", "check", "valid", "ensure", "verify", "guard", "must", "enforce", "reject", "require", "forbid"]
        .iter()
        .any(|word| name.contains(word))
}
