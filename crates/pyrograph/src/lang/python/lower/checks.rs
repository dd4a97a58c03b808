//! Tests in conditions, and the guards that they make.

use ruff_python_ast::{CmpOp, Expr, ExprCall, ExprCompare, UnaryOp};

use crate::flow::{self, BinaryOp, Constant, Op, SymbolId, Test, ValueId};
use crate::lang::ssa::{Check, Key, MAX_CHECKS, Note, Tested};

use super::{Lowerer, span_of};

impl<'a> Lowerer<'a, '_> {
    /// Object that an expression names, and its value. The expression was lowered just before.
    pub(super) fn place(&mut self, expression: &Expr) -> Option<(Tested, ValueId)> {
        match expression {
            Expr::Name(name) => match Self::variable_of(name) {
                Some(variable) => self.name(variable).map(|name| (Tested::Variable(variable), name)),
                None => {
                    let key = Key::global(self.symbol(name.id.as_str()));
                    self.fact(key).map(|name| (Tested::Memory(key), name))
                }
            },
            Expr::Named(named) => self.place(&named.target),
            Expr::Await(inner) => self.place(&inner.value),
            Expr::Attribute(_) | Expr::Subscript(_) => self.loaded(span_of(expression)),
            _ => None,
        }
    }

    pub(super) fn check(&mut self, expression: &Expr, test: Test, holds: bool) -> Vec<Check> {
        let mut derived = self.derived_checks(expression, &test, holds);
        derived.extend(self.inside_checks(expression, &test, holds));
        let mut checks = match self.place(expression) {
            Some((tested, name)) => {
                let test = self.builder.test(test);
                vec![Check::new(tested, name, test, holds)]
            }
            None => Vec::new(),
        };
        checks.extend(derived);
        checks
    }

    /// Tests in a condition without `and`, `or`. Its value was computed just before.
    pub(super) fn checks(&mut self, condition: &'a Expr, value: ValueId) -> Vec<Check> {
        if !self.enter() {
            self.leave();
            return Vec::new();
        }
        let checks = self.checks_inner(condition, value);
        self.leave();
        checks
    }

    fn checks_inner(&mut self, condition: &'a Expr, value: ValueId) -> Vec<Check> {
        let mut value = value;
        while let Op::Await(inner) | Op::Copy(inner) = self.op(value) {
            value = inner;
        }
        match condition {
            Expr::Await(inner) => self.checks(&inner.value, value),
            Expr::Named(named) => {
                let mut checks = self.check(condition, Test::Truthy, true);
                checks.extend(self.checks(&named.value, value));
                checks
            }
            Expr::UnaryOp(unary) => match (unary.op, self.op(value)) {
                (UnaryOp::Not, Op::Unary(flow::UnaryOp::Not, inner)) => {
                    self.checks(&unary.operand, inner).into_iter().map(Check::negated).collect()
                }
                _ => Vec::new(),
            },
            Expr::Compare(comparison) => self.comparison_checks(comparison, value),
            Expr::Call(call) => self.call_checks(call, value),
            _ => {
                let mut checks = self.check(condition, Test::Truthy, true);
                if let Some(Note::Tests(tests)) = self.notes.get(&self.canon(value)) {
                    checks.extend(tests.iter().copied());
                }
                checks
            }
        }
    }

    fn comparison_checks(&mut self, comparison: &'a ExprCompare, value: ValueId) -> Vec<Check> {
        let ([operator], [comparator]) = (&*comparison.ops, &*comparison.comparators) else {
            return self.chain_checks(comparison);
        };
        let Op::Binary(BinaryOp::Comparison, left, right) = self.op(value) else { return Vec::new() };
        let equal = match operator {
            CmpOp::Eq | CmpOp::Is => true,
            CmpOp::NotEq | CmpOp::IsNot => false,
            CmpOp::In | CmpOp::NotIn => {
                let holds = *operator == CmpOp::In;
                let mut checks = Vec::new();
                if self.constant(left).is_none() {
                    let test = self.member_test(right);
                    checks = self.check(&comparison.left, test, holds);
                }
                checks.extend(self.segment_check(left, right, holds));
                if !self.is_collection(right) {
                    // A part of a text.
                    let method = self.symbol("includes");
                    let list = self.builder.list(&[left]);
                    checks.extend(self.check(comparator, Test::Method(method, list), holds));
                }
                return checks;
            }
            _ => {
                let mut checks = Vec::new();
                for (expression, value) in [(&*comparison.left, left), (comparator, right)] {
                    // Counters are not worth a name.
                    if !matches!(self.op(self.canon(value)), Op::Phi(_) | Op::Binary(..) | Op::Constant(_)) {
                        checks.extend(self.check(expression, Test::Ordered, true));
                    }
                }
                return checks;
            }
        };
        match (self.constant(left), self.constant(right)) {
            (None, Some(constant)) => self.constant_checks(&comparison.left, left, constant, right, equal),
            (Some(constant), None) => self.constant_checks(comparator, right, constant, left, equal),
            _ => {
                let mut checks = self.check(&comparison.left, Test::EqualsValue(right), equal);
                checks.extend(self.check(comparator, Test::EqualsValue(left), equal));
                // `os.path.commonpath([base, path]) == base`.
                for result in [left, right] {
                    checks.extend(self.common_path_checks(result, equal));
                }
                checks
            }
        }
    }

    /// A chain of comparisons with numbers.
    fn chain_checks(&mut self, comparison: &'a ExprCompare) -> Vec<Check> {
        let is_order = |operator: &CmpOp| matches!(operator, CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE);
        if !comparison.ops.iter().all(is_order) {
            return Vec::new();
        }
        let mut checks = Vec::new();
        for comparator in &comparison.comparators {
            checks.extend(self.check(comparator, Test::Ordered, true).into_iter().filter_map(Check::if_true));
        }
        checks
    }

    /// Equality of an expression with a constant.
    fn constant_checks(
        &mut self,
        expression: &'a Expr,
        value: ValueId,
        constant: Constant,
        constant_value: ValueId,
        equal: bool,
    ) -> Vec<Check> {
        match (self.op(value), constant) {
            (Op::Call(_), Constant::Bool(flag)) => {
                let checks = self.checks(expression, value);
                return if flag == equal { checks } else { checks.into_iter().map(Check::negated).collect() };
            }
            // A match of a regular expression is None if there is none.
            (Op::Call(_), Constant::Null) => {
                let checks = self.checks(expression, value);
                return if equal { checks.into_iter().map(Check::negated).collect() } else { checks };
            }
            // `text.find(part) == -1`.
            (Op::Call(id), Constant::Number(-1.0)) => {
                if let (Expr::Call(call), Some(needle)) =
                    (expression, self.builder.module().calls[id.index()].arguments.first().map(|first| first.value))
                    && let Expr::Attribute(attribute) = &*call.func
                    && matches!(attribute.attr.as_str(), "find" | "rfind")
                {
                    let method = self.symbol("includes");
                    let list = self.builder.list(&[needle]);
                    return self.check(&attribute.value, Test::Method(method, list), !equal);
                }
            }
            _ => {}
        }
        let mut checks = self.check(expression, Test::EqualsConstant(constant), equal);
        if let (Constant::Null, Some(Note::Tests(tests))) = (constant, self.notes.get(&self.canon(value))) {
            let tests = tests.clone();
            checks.extend(tests.into_iter().map(|check| if equal { check.negated() } else { check }));
        }
        if let (Constant::String(_), Expr::Subscript(subscript)) = (constant, expression) {
            // `text[0] == "/"`.
            let is_first = match (&*subscript.slice, self.op(value)) {
                (Expr::NumberLiteral(_), Op::LoadField(_, field)) => self.builder.text(field) == "0",
                (Expr::Slice(slice), _) => slice.lower.is_none(),
                _ => false,
            };
            if is_first {
                let method = self.symbol("startsWith");
                let list = self.builder.list(&[constant_value]);
                checks.extend(self.check(&subscript.value, Test::Method(method, list), equal));
            }
        }
        checks
    }

    fn call_checks(&mut self, call: &'a ExprCall, value: ValueId) -> Vec<Check> {
        let Op::Call(id) = self.op(value) else { return Vec::new() };
        let flow_call = &self.builder.module().calls[id.index()];
        let (callee, receiver) = (flow_call.callee, flow_call.receiver);
        let values: Vec<ValueId> = flow_call.arguments.iter().map(|argument| argument.value).collect();
        let expressions: Vec<&'a Expr> = call
            .arguments
            .args
            .iter()
            .take_while(|argument| !matches!(argument, Expr::Starred(_)))
            .take(MAX_CHECKS)
            .collect();
        if let Some(checks) = self.regex_checks(call, callee, receiver, &expressions, &values) {
            return checks;
        }
        match &*call.func {
            Expr::Name(name) if Self::variable_of(name).is_none() => match (name.id.as_str(), expressions.as_slice()) {
                ("bool", [argument]) => return self.check(argument, Test::Truthy, true),
                ("isinstance", [argument, class]) => return self.instance_checks(argument, class, values[1]),
                _ => {}
            },
            Expr::Attribute(attribute) => {
                let method = attribute.attr.as_str();
                let is_module = receiver.is_some_and(|receiver| self.is_module(receiver));
                if !is_module {
                    let checks = self.method_checks(&attribute.value, method, &values);
                    if !checks.is_empty() {
                        let mut checks = checks;
                        for (position, argument) in expressions.into_iter().enumerate() {
                            checks.extend(self.check(argument, Test::Call(value, position as u32), true));
                        }
                        return checks;
                    }
                }
            }
            _ => {}
        }
        let mut checks = Vec::new();
        for (position, argument) in expressions.into_iter().enumerate() {
            checks.extend(self.check(argument, Test::Call(value, position as u32), true));
        }
        checks
    }

    /// True if a value is a module, or a module of one.
    pub(super) fn is_module(&self, value: ValueId) -> bool {
        match self.op(self.canon(value)) {
            Op::Import(_) => true,
            Op::LoadField(object, _) => matches!(self.op(self.canon(object)), Op::Import(_)),
            _ => false,
        }
    }

    /// Tests of a text by its methods. The names of methods are those that rules know.
    fn method_checks(&mut self, object: &'a Expr, method: &str, values: &[ValueId]) -> Vec<Check> {
        let pattern = match method {
            "isdigit" | "isdecimal" | "isnumeric" => Some("^[0-9]+$"),
            "isalnum" => Some("^[a-zA-Z0-9]+$"),
            "isalpha" => Some("^[a-zA-Z]+$"),
            "isidentifier" => Some("^[a-zA-Z_][a-zA-Z0-9_]*$"),
            _ => None,
        };
        if let Some(pattern) = pattern {
            let (pattern, flags) = (self.symbol(pattern), self.symbol(""));
            let checks = self.check(object, Test::Matches(pattern, flags), true);
            return checks.into_iter().filter_map(Check::if_true).collect();
        }
        let name = match method {
            "startswith" => "startsWith",
            "endswith" => "endsWith",
            "__contains__" => "includes",
            "is_relative_to" => "startsWith",
            _ => return Vec::new(),
        };
        let name = self.symbol(name);
        let list = self.builder.list(values);
        self.check(object, Test::Method(name, list), true)
    }

    /// `re.match(pattern, text)`, `pattern.match(text)`.
    fn regex_checks(
        &mut self,
        call: &'a ExprCall,
        callee: ValueId,
        receiver: Option<ValueId>,
        expressions: &[&'a Expr],
        values: &[ValueId],
    ) -> Option<Vec<Check>> {
        let Op::LoadField(object, method) = self.op(self.canon(callee)) else { return None };
        let method = self.builder.text(method);
        let is_anchored = match method {
            "match" => [true, false],
            "fullmatch" => [true, true],
            "search" => [false, false],
            _ => return None,
        };
        let (pattern, text) = if self.is_import(object, "re") {
            (self.constant_symbol(*values.first()?)?, *expressions.get(1)?)
        } else {
            (self.regex(receiver?)?.0, *expressions.first()?)
        };
        let flags = call.arguments.keywords.iter().any(|keyword| keyword.arg.is_some()) || expressions.len() > 2;
        let pattern = self.anchored(pattern, is_anchored);
        let flags = self.symbol(if flags { "i" } else { "" });
        Some(self.check(text, Test::Matches(pattern, flags), true))
    }

    /// Pattern with anchors at its start and end.
    fn anchored(&mut self, pattern: SymbolId, [start, end]: [bool; 2]) -> SymbolId {
        let text = self.builder.text(pattern).to_owned();
        // Other names of the anchors of the whole text.
        let text = text.replace(r"\A", "^").replace(r"\Z", "$").replace(r"\z", "$");
        let (has_start, has_end) = (text.starts_with('^'), text.ends_with('$') && !text.ends_with(r"\$"));
        let needs_group = text.contains('|') && (start && !has_start || end && !has_end);
        let inner = if needs_group { format!("(?:{text})") } else { text };
        let text = format!(
            "{}{inner}{}",
            if start && (!has_start || needs_group) { "^" } else { "" },
            if end && (!has_end || needs_group) { "$" } else { "" }
        );
        self.symbol(&text)
    }

    /// `isinstance(value, class)`.
    fn instance_checks(&mut self, value: &'a Expr, class: &'a Expr, class_value: ValueId) -> Vec<Check> {
        let classes: Vec<&Expr> = match class {
            Expr::Tuple(tuple) => tuple.elts.iter().collect(),
            class => vec![class],
        };
        let mut names = classes.iter().map(|class| match class {
            Expr::Name(name) if Self::variable_of(name).is_none() => type_name(name.id.as_str()),
            _ => None,
        });
        let first = names.next().flatten();
        match first {
            Some(first) if names.all(|name| name == Some(first)) => {
                let name = self.symbol(first);
                self.check(value, Test::TypeIs(name), true)
            }
            _ => self.check(value, Test::InstanceOf(class_value), true),
        }
    }
}

/// Name of a type that rules know.
fn type_name(class: &str) -> Option<&'static str> {
    Some(match class {
        "int" | "float" | "complex" => "number",
        "bool" => "boolean",
        "str" | "bytes" => "string",
        _ => return None,
    })
}
