//! Builtin functions and methods of containers that are lowered to loads and stores.

use ruff_python_ast::{Expr, ExprCall};

use crate::flow::{AllocateKind, Argument, Call, CallKind, Constant, Op, Span, Test, ValueId};
use crate::lang::ssa::MemberKey;

use super::containers::is_list_method;
use super::{Lowerer, span_of};

impl<'a> Lowerer<'a, '_> {
    /// Builtin function. None: it is called like any other.
    pub(super) fn builtin_function(&mut self, name: &str, call: &'a ExprCall, span: Span) -> Option<ValueId> {
        let arguments = &call.arguments;
        let has_star = arguments.args.iter().any(|argument| matches!(argument, Expr::Starred(_)));
        let has_keywords = !arguments.keywords.is_empty();
        match (name, &*arguments.args) {
            ("getattr", [object, attribute, default @ ..]) if !has_star && !has_keywords && default.len() < 2 => {
                let object = self.expression(object);
                let attribute = self.expression(attribute);
                let value = match self.constant_symbol(attribute) {
                    Some(name) => self.load(object, MemberKey::Name(name), span),
                    None => self.builtin_call("getattr", &[object, attribute], span),
                };
                match default.first() {
                    Some(default) => {
                        let default = self.expression(default);
                        Some(self.phi(&[value, default], span))
                    }
                    None => Some(value),
                }
            }
            ("setattr", [object, attribute, value]) if !has_star => {
                let object = self.expression(object);
                let attribute = self.expression(attribute);
                let value = self.expression(value);
                let key = match self.constant_symbol(attribute) {
                    Some(name) => MemberKey::Name(name),
                    None => MemberKey::Value(attribute),
                };
                self.store(object, key, value, span);
                Some(self.constant_value(Constant::Null, span))
            }
            ("dict", positional) if positional.len() < 2 && !has_star => Some(self.new_dictionary(call, span)),
            ("list" | "tuple" | "set", []) if !has_keywords => {
                let empty: &'a [Expr] = &[];
                Some(self.sequence(empty, span))
            }
            ("len", [value]) if !has_star => {
                let value = self.expression(value);
                match self.constant_length(value) {
                    Some(length) => Some(self.constant_value(Constant::Number(length), span)),
                    None => Some(self.builtin_call("len", &[value], span)),
                }
            }
            ("str", [value]) if !has_star && !has_keywords => {
                let value = self.expression(value);
                if let Some(text) = self.text_of_constant(value) {
                    return Some(self.text(&text, span));
                }
                let converted = self.converted(value, "__str__", span);
                let result = self.builtin_call("str", &[converted], span);
                self.note_derived(call, result);
                Some(result)
            }
            ("int" | "float", [argument]) if !has_star && !has_keywords => {
                let value = self.expression(argument);
                match self.constant(value) {
                    Some(Constant::Number(number)) if name == "int" => {
                        Some(self.constant_value(Constant::Number(number.trunc()), span))
                    }
                    _ => {
                        let result = self.builtin_call(name, &[value], span);
                        // What can be converted is the text of a number.
                        if matches!(argument, Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_)) {
                            let kind = self.symbol("number");
                            let checks = self.check(argument, Test::TypeIs(kind), true);
                            self.guard(&checks, true, value, span);
                        }
                        Some(result)
                    }
                }
            }
            ("next", [iterator, default @ ..])
                if !has_star && default.len() < 2 && self.bindings.special.contains("__next__") =>
            {
                let mut values = vec![self.expression(iterator)];
                let item = self.method_call(values[0], "__next__", &[], span);
                values.extend(default.first().map(|default| self.expression(default)));
                let next = self.builtin_call("next", &values, span);
                Some(self.phi(&[next, item], span))
            }
            ("__import__", [module, ..]) if !has_star && is_text(module) => {
                let module = self.expression(module);
                let symbol = self.constant_symbol(module)?;
                Some(self.import_symbol(symbol, span))
            }
            ("vars", [object]) if !has_star && !has_keywords => Some(self.expression(object)),
            ("locals" | "globals" | "vars", []) => {
                // The names of a program are not data of an attacker. The name of the function shows the use.
                self.global(name, span);
                Some(self.allocate(AllocateKind::Object, span))
            }
            _ => None,
        }
    }

    /// `dict(...)`.
    fn new_dictionary(&mut self, call: &'a ExprCall, span: Span) -> ValueId {
        let object = self.allocate(AllocateKind::Object, span);
        for argument in &call.arguments.args {
            let origin = self.expression(argument);
            self.copy_fields(object, origin, span_of(argument));
            // A list of pairs.
            let pair = self.emit(Op::Element(origin), span);
            let one = self.symbol("1");
            let value = self.emit(Op::LoadField(pair, one), span);
            self.store_element(object, value, span);
        }
        for keyword in &call.arguments.keywords {
            let value = self.expression(&keyword.value);
            let span = span_of(&keyword.value);
            match &keyword.arg {
                Some(name) => {
                    let field = self.symbol(name.as_str());
                    self.store_field(object, field, value, span);
                }
                None => self.copy_fields(object, value, span),
            }
        }
        object
    }

    /// Methods of lists and dictionaries. None: a method like any other. All arguments are positional.
    pub(super) fn container_method(
        &mut self,
        object: ValueId,
        method: &str,
        call: &'a ExprCall,
        span: Span,
    ) -> Option<ValueId> {
        let arguments = &*call.arguments.args;
        let base = self.canon(object);
        let is_new = matches!(self.op(base), Op::Allocate(_)) && self.state.is_local(base);
        match (method, arguments) {
            ("get" | "pop" | "setdefault", [key, default @ ..]) if default.len() < 2 => {
                if self.is_list(object) {
                    return self.list_call(object, method, arguments, span);
                }
                let is_dictionary = matches!(self.op(base), Op::Allocate(AllocateKind::Object));
                if !is_dictionary && !is_key(key) && (method != "get" || self.is_module(object)) {
                    return None;
                }
                let key = self.expression(key);
                let default = default.first().map(|default| self.expression(default));
                self.keyed_method(object, method, key, default, is_new, span)
            }
            // Tables with two keys, such as those of configurations.
            ("set", [Expr::StringLiteral(first), Expr::StringLiteral(second), value]) => {
                let field = format!("{}.{}", first.value.to_str(), second.value.to_str());
                let field = self.symbol(&field);
                let keys = [self.text(first.value.to_str(), span), self.text(second.value.to_str(), span)];
                let value = self.expression(value);
                self.store_field(object, field, value, span);
                Some(self.called_method(object, method, &[keys[0], keys[1], value], true, span))
            }
            ("update", [Expr::Dict(other)])
                if is_new
                    && matches!(self.op(base), Op::Allocate(AllocateKind::Object))
                    && other.items.iter().all(|item| matches!(item.key, Some(Expr::StringLiteral(_)))) =>
            {
                for item in &other.items {
                    let Some(Expr::StringLiteral(key)) = &item.key else { continue };
                    let value = self.expression(&item.value);
                    let field = self.symbol(key.value.to_str());
                    self.store_field(object, field, value, span_of(&item.value));
                }
                Some(self.constant_value(Constant::Null, span))
            }
            ("update", [other]) if is_new && matches!(self.op(base), Op::Allocate(AllocateKind::Object)) => {
                let other = self.expression(other);
                self.copy_fields(object, other, span);
                Some(self.constant_value(Constant::Null, span))
            }
            _ if self.is_list(object) => self.list_call(object, method, arguments, span),
            _ => None,
        }
    }

    /// `configuration.get("section", "name", fallback=value)`.
    pub(super) fn get_with_fallback(&mut self, object: ValueId, call: &'a ExprCall, span: Span) -> Option<ValueId> {
        let [Expr::StringLiteral(first), Expr::StringLiteral(second)] = &*call.arguments.args else { return None };
        let [fallback] = &*call.arguments.keywords else { return None };
        if fallback.arg.as_ref().is_none_or(|name| name.as_str() != "fallback") {
            return None;
        }
        let fallback = self.expression(&fallback.value);
        let field = format!("{}.{}", first.value.to_str(), second.value.to_str());
        let loaded = self.load_field(object, &field, span);
        let keys = [self.text(first.value.to_str(), span), self.text(second.value.to_str(), span)];
        let called = self.called_method(object, "get", &keys, true, span);
        Some(self.phi(&[loaded, called, fallback], span))
    }

    fn list_call(&mut self, list: ValueId, method: &str, arguments: &'a [Expr], span: Span) -> Option<ValueId> {
        if !is_list_method(method) {
            return None;
        }
        self.list_length(list)?;
        // The arguments are evaluated once: here, or by the call. Constants and names have no effects.
        let is_simple = |argument: &Expr| {
            matches!(argument, Expr::Name(_) | Expr::StringLiteral(_) | Expr::NumberLiteral(_) | Expr::UnaryOp(_))
        };
        if !matches!(method, "append" | "appendleft" | "popleft" | "clear" | "copy") && !arguments.iter().all(is_simple)
        {
            return None;
        }
        let values: Vec<ValueId> = arguments.iter().map(|argument| self.expression(argument)).collect();
        self.list_method(list, method, &values, span)
    }

    /// `get`, `pop` and `setdefault` with a key: a load, or what the method of another object yields.
    fn keyed_method(
        &mut self,
        object: ValueId,
        method: &str,
        key: ValueId,
        default: Option<ValueId>,
        is_new: bool,
        span: Span,
    ) -> Option<ValueId> {
        let member = self.key(object, key);
        let loaded = self.load(object, member, span);
        let mut values = vec![loaded];
        if !is_new {
            // Members of modules, such as `os.environ`, have one key.
            if let (Some(first), Some(second), false) = (
                self.constant_symbol(key),
                default.and_then(|default| self.constant_symbol(default)),
                self.is_module(object),
            ) {
                let field = format!("{}.{}", self.builder.text(first), self.builder.text(second));
                values.push(self.load_field(object, &field, span));
            }
            let mut arguments = vec![key];
            arguments.extend(default);
            values.push(self.called_method(object, method, &arguments, method == "get", span));
        }
        if let Some(default) = default {
            let is_known = is_new && self.is_present(loaded);
            if !is_known {
                values.push(default);
            }
            if method == "setdefault" {
                self.store(object, member, default, span);
            }
        }
        Some(self.phi(&values, span))
    }

    /// Call of a method with values.
    fn called_method(
        &mut self,
        object: ValueId,
        method: &str,
        arguments: &[ValueId],
        is_harmless: bool,
        span: Span,
    ) -> ValueId {
        let name = self.symbol(method);
        let callee = self.emit(Op::LoadField(object, name), span);
        let arguments = arguments.iter().map(|&value| Argument { value, is_spread: false, name: None }).collect();
        let call = Call { callee, receiver: Some(object), arguments, kind: CallKind::Call };
        self.emit_call(call, is_harmless, span)
    }

    /// True if a value that was loaded is certainly there.
    fn is_present(&self, loaded: ValueId) -> bool {
        !matches!(
            self.op(self.canon(loaded)),
            Op::LoadField(..) | Op::LoadKey(..) | Op::Constant(Constant::Undefined | Constant::Null) | Op::Phi(_)
        )
    }

    /// `importlib.import_module("name")`.
    pub(super) fn import_function(&mut self, callee: ValueId, call: &'a ExprCall, span: Span) -> Option<ValueId> {
        if !self.is_function_of(callee, "importlib", "import_module") {
            return None;
        }
        match call.arguments.args.first() {
            Some(Expr::StringLiteral(name)) => Some(self.import(name.value.to_str(), span)),
            Some(argument) if is_text(argument) => {
                let value = self.expression(argument);
                let symbol = self.constant_symbol(value)?;
                Some(self.import_symbol(symbol, span))
            }
            _ => None,
        }
    }
}

/// True if an expression may fold to a text, and its evaluation twice changes nothing.
fn is_text(expression: &Expr) -> bool {
    match expression {
        Expr::StringLiteral(_) | Expr::Name(_) | Expr::FString(_) => true,
        Expr::BinOp(operation) => {
            // Left-deep chains of `+` are long in obfuscated code.
            let mut left = &*operation.left;
            let mut is_simple = is_leaf(&operation.right);
            while let Expr::BinOp(inner) = left {
                is_simple &= is_leaf(&inner.right);
                left = &inner.left;
            }
            is_simple && is_leaf(left)
        }
        _ => false,
    }
}

fn is_leaf(expression: &Expr) -> bool {
    matches!(expression, Expr::StringLiteral(_) | Expr::Name(_))
}

/// True if an argument looks like the key of a dictionary.
fn is_key(expression: &Expr) -> bool {
    matches!(expression, Expr::StringLiteral(_))
}
