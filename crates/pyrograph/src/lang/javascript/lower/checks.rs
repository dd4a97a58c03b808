//! Tests in conditions, and the guards that they make.

use oxc_ast::ast::{
    Argument, AssignmentOperator, AssignmentTarget, BinaryExpression, BinaryOperator, ChainElement, Expression,
    UnaryOperator,
};
use oxc_span::GetSpan;

use crate::flow::{BinaryOp, Constant, Op, SymbolId, Test, UnaryOp, ValueId};
use crate::lang::ssa::{Check, Key, MAX_CHECKS, Tested};

use super::forms::{characters_of, compared_element, is_match, position_call};
use super::{Lowerer, Note, at};

/// Expression without parentheses, assertions of types, `await`.
pub(super) fn strip<'a, 'b>(expression: &'b Expression<'a>) -> &'b Expression<'a> {
    let mut expression = expression;
    loop {
        expression = match expression {
            Expression::ParenthesizedExpression(inner) => &inner.expression,
            Expression::TSAsExpression(inner) => &inner.expression,
            Expression::TSSatisfiesExpression(inner) => &inner.expression,
            Expression::TSTypeAssertion(inner) => &inner.expression,
            Expression::TSNonNullExpression(inner) => &inner.expression,
            Expression::AwaitExpression(inner) => &inner.argument,
            _ => return expression,
        }
    }
}

impl<'a> Lowerer<'a, '_> {
    /// Object that an expression names, and its value. The expression was lowered just before.
    pub(super) fn place(&mut self, expression: &Expression<'a>) -> Option<(Tested, ValueId)> {
        match strip(expression) {
            Expression::Identifier(identifier) => match Self::variable_of(identifier) {
                Some(variable) => self.name(variable).map(|name| (Tested::Variable(variable), name)),
                None => {
                    let key = Key::global(self.symbol(identifier.name.as_str()));
                    self.fact(key).map(|name| (Tested::Memory(key), name))
                }
            },
            Expression::AssignmentExpression(assignment) if assignment.operator == AssignmentOperator::Assign => {
                if let AssignmentTarget::AssignmentTargetIdentifier(identifier) = &assignment.left {
                    let variable = Self::variable_of(identifier)?;
                    return self.name(variable).map(|name| (Tested::Variable(variable), name));
                }
                None
            }
            Expression::ChainExpression(chain) => self.loaded(at(chain.expression.span())),
            expression if expression.is_member_expression() => self.loaded(at(expression.span())),
            _ => None,
        }
    }

    /// A test of an expression that names something, and of what it was made of.
    pub(super) fn check(&mut self, expression: &Expression<'a>, test: Test, holds: bool) -> Vec<Check> {
        let derived = self.derived_checks(expression, &test, holds);
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

    /// Tests in a condition without `&&`, `||`. Its value was computed just before.
    pub(super) fn checks(&mut self, condition: &Expression<'a>, value: ValueId) -> Vec<Check> {
        if !self.enter() {
            self.leave();
            return Vec::new();
        }
        let checks = self.checks_inner(condition, value);
        self.leave();
        checks
    }

    fn checks_inner(&mut self, condition: &Expression<'a>, value: ValueId) -> Vec<Check> {
        let condition = strip(condition);
        let awaited = self.canon(value);
        let mut value = value;
        while let Op::Await(inner) | Op::Copy(inner) = self.op(value) {
            value = inner;
        }
        match condition {
            Expression::AssignmentExpression(assignment) => {
                let mut checks = self.check(condition, Test::Truthy, true);
                if assignment.operator == AssignmentOperator::Assign {
                    checks.extend(self.checks(&assignment.right, value));
                }
                checks
            }
            Expression::UnaryExpression(unary) => match (unary.operator, self.op(value)) {
                (UnaryOperator::LogicalNot, Op::Unary(UnaryOp::Not, inner)) => {
                    self.checks(&unary.argument, inner).into_iter().map(Check::negated).collect()
                }
                (UnaryOperator::BitwiseNot, Op::Unary(UnaryOp::Number, inner)) => {
                    self.position_checks(&unary.argument, inner, false, -1.0)
                }
                _ => Vec::new(),
            },
            Expression::BinaryExpression(binary) => self.comparison_checks(binary, value),
            Expression::CallExpression(call) => self.call_checks(&call.callee, &call.arguments, value),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(call) => self.call_checks(&call.callee, &call.arguments, value),
                _ => self.check(condition, Test::Truthy, true),
            },
            _ => {
                let mut checks = self.check(condition, Test::Truthy, true);
                let of_value = [awaited, self.canon(value)].map(|value| self.notes.get(&value));
                if let [Some(Note::Tests(tests)), _] | [_, Some(Note::Tests(tests))] = of_value {
                    checks.extend(tests.iter().copied());
                }
                if let (Expression::ComputedMemberExpression(member), Op::LoadKey(object, _)) =
                    (condition, self.op(value))
                    && self.is_collection(object)
                {
                    let inner = self.check(&member.expression, Test::MemberOfConstants(object), true);
                    checks.extend(inner.into_iter().filter_map(Check::if_true));
                }
                checks.extend(self.table_checks(condition, value, None, true));
                checks
            }
        }
    }

    /// Regular expression that a value is, or that a method of texts makes of a constant text.
    fn pattern(&mut self, value: ValueId) -> Option<(SymbolId, SymbolId)> {
        match (self.regex(value), self.constant(value)) {
            (Some(regex), _) => Some(regex),
            (None, Some(Constant::String(text))) => Some((text, self.symbol(""))),
            _ => None,
        }
    }

    fn comparison_checks(&mut self, binary: &BinaryExpression<'a>, value: ValueId) -> Vec<Check> {
        let Op::Binary(BinaryOp::Comparison, left, right) = self.op(value) else { return Vec::new() };
        let equal = match binary.operator {
            BinaryOperator::Equality | BinaryOperator::StrictEquality => true,
            BinaryOperator::Inequality | BinaryOperator::StrictInequality => false,
            BinaryOperator::In => {
                let test = self.member_test(right);
                let mut checks = self.check(&binary.left, test, true);
                // A key that is not in an object is no name of what all objects inherit.
                let method = self.symbol("in");
                let list = self.builder.list(&[right]);
                let absent = self.check(&binary.left, Test::Method(method, list), true);
                checks.extend(absent.into_iter().filter_map(|check| check.only_if(false)));
                return checks;
            }
            BinaryOperator::Instanceof => return self.check(&binary.left, Test::InstanceOf(right), true),
            _ => return self.order_checks(binary, left, right),
        };
        match (self.constant(left), self.constant(right)) {
            (None, Some(constant)) => self.constant_checks(&binary.left, left, constant, right, equal),
            (Some(constant), None) => self.constant_checks(&binary.right, right, constant, left, equal),
            _ => {
                let mut checks = self.check(&binary.left, Test::EqualsValue(right), equal);
                checks.extend(self.check(&binary.right, Test::EqualsValue(left), equal));
                // `text.slice(0, root.length) === root`
                for (part, value, whole) in [(&binary.left, left, right), (&binary.right, right, left)] {
                    checks.extend(self.parent_checks(part, value, whole, equal));
                    if let Some(object) = self.prefix_of(strip(part), value) {
                        let method = self.symbol("startsWith");
                        let list = self.builder.list(&[whole]);
                        checks.extend(self.check(object, Test::Method(method, list), equal));
                    }
                }
                checks
            }
        }
    }

    /// Equality of an expression with a constant.
    fn constant_checks(
        &mut self,
        expression: &Expression<'a>,
        value: ValueId,
        constant: Constant,
        constant_value: ValueId,
        equal: bool,
    ) -> Vec<Check> {
        let expression = strip(expression);
        match (self.op(value), constant) {
            (Op::Unary(UnaryOp::TypeOf, _), Constant::String(name)) => {
                if let Expression::UnaryExpression(unary) = expression {
                    let mut checks = self.check(&unary.argument, Test::TypeIs(name), equal);
                    if self.builder.text(name) == "function" {
                        checks.extend(self.constructor_checks(&unary.argument, equal));
                    }
                    return checks;
                }
            }
            (_, Constant::Number(number)) if matches!(self.op(value), Op::Call(_)) => {
                let checks = self.position_checks(expression, value, equal, number);
                if !checks.is_empty() {
                    return checks;
                }
            }
            (Op::Call(_), Constant::Bool(flag)) => {
                let checks = self.checks(expression, value);
                return if flag == equal { checks } else { checks.into_iter().map(Check::negated).collect() };
            }
            // `match` and `exec` answer with null if there is no match.
            (Op::Call(_), Constant::Null) if is_match(expression) => {
                let checks = self.checks(expression, value);
                return if equal { checks.into_iter().map(Check::negated).collect() } else { checks };
            }
            _ => {}
        }
        let mut checks = self.check(expression, Test::EqualsConstant(constant), equal);
        checks.extend(self.table_checks(expression, value, Some(constant_value), equal));
        if let Constant::String(_) = constant
            && let Some(object) = self.prefix_of(expression, value)
        {
            let method = self.symbol("startsWith");
            let list = self.builder.list(&[constant_value]);
            checks.extend(self.check(object, Test::Method(method, list), equal));
        }
        if let (Constant::String(character), Some(object)) = (constant, self.second_of(expression, value)) {
            // A text whose second character is no `/` does not start with `//`.
            let prefix = format!("/{}", self.builder.text(character));
            let method = self.symbol("startsWith");
            let prefix = self.text(&prefix, at(expression.span()));
            let list = self.builder.list(&[prefix]);
            let second = self.check(object, Test::Method(method, list), equal);
            checks.extend(second.into_iter().filter_map(|check| check.only_if(!equal)));
        }
        checks
    }

    /// The text whose second character an expression is: `text[1]`, `text.charAt(1)`.
    fn second_of<'b>(&self, expression: &'b Expression<'a>, value: ValueId) -> Option<&'b Expression<'a>> {
        match (expression, self.op(value)) {
            (Expression::ComputedMemberExpression(member), Op::LoadField(_, field)) => {
                (self.builder.text(field) == "1").then_some(&member.object)
            }
            (Expression::CallExpression(call), Op::Call(id)) => {
                let Expression::StaticMemberExpression(member) = &call.callee else { return None };
                let first = self.builder.module().calls[id.index()].arguments.first()?.value;
                let is_second = matches!(self.constant(first), Some(Constant::Number(1.0)));
                (is_second && member.property.name == "charAt").then_some(&member.object)
            }
            _ => None,
        }
    }

    /// The text whose first characters an expression is: `text[0]`, `text.charAt(0)`, `text.slice(0, 4)`.
    fn prefix_of<'b>(&self, expression: &'b Expression<'a>, value: ValueId) -> Option<&'b Expression<'a>> {
        match (expression, self.op(value)) {
            (Expression::ComputedMemberExpression(member), Op::LoadField(_, field)) => {
                (self.builder.text(field) == "0").then_some(&member.object)
            }
            (Expression::CallExpression(call), Op::Call(id)) => {
                let Expression::StaticMemberExpression(member) = &call.callee else { return None };
                let is_part = matches!(member.property.name.as_str(), "charAt" | "slice" | "substr" | "substring");
                let first = self.builder.module().calls[id.index()].arguments.first()?.value;
                let is_start = matches!(self.constant(first), Some(Constant::Number(0.0)));
                (is_part && is_start).then_some(&member.object)
            }
            _ => None,
        }
    }

    /// Comparison of `a.indexOf(b)` or `a.search(b)` with a number: equality, or with -1 and `equal` false, `~a.indexOf(b)`.
    fn position_checks(&mut self, expression: &Expression<'a>, value: ValueId, equal: bool, number: f64) -> Vec<Check> {
        let Some((object, method, argument)) = position_call(strip(expression)) else { return Vec::new() };
        let Op::Call(id) = self.op(value) else { return Vec::new() };
        let call = &self.builder.module().calls[id.index()];
        let (receiver, Some(needle)) = (call.receiver, call.arguments.first().map(|argument| argument.value)) else {
            return Vec::new();
        };
        let call_second = call.arguments.get(1).map(|argument| argument.value);
        if method.starts_with("find") {
            return match (compared_element(argument), receiver) {
                (Some(key), Some(receiver)) if number == -1.0 => {
                    let test = self.member_test(receiver);
                    self.check(key, test, !equal)
                }
                (None, _) if number == -1.0 => {
                    let some = self.symbol("some");
                    let list = self.builder.list(&[needle]);
                    self.check(object, Test::Method(some, list), !equal)
                }
                _ => Vec::new(),
            };
        }
        if method == "search" {
            let Some((pattern, flags)) = self.regex(needle) else { return Vec::new() };
            if number == -1.0 {
                return self.check(object, Test::Matches(pattern, flags), !equal);
            }
            return Vec::new();
        }
        // `text.lastIndexOf(prefix, 0)` looks at the beginning only: the result is 0 or -1.
        let second = call_second.and_then(|second| self.constant(second));
        if method == "lastIndexOf" && second == Some(Constant::Number(0.0)) {
            let starts = self.symbol("startsWith");
            let list = self.builder.list(&[needle]);
            return match number {
                0.0 => self.check(object, Test::Method(starts, list), equal),
                -1.0 => self.check(object, Test::Method(starts, list), !equal),
                _ => Vec::new(),
            };
        }
        if number == -1.0 {
            let mut checks = Vec::new();
            if let Some(receiver) = receiver {
                if self.constant(needle).is_none() {
                    let test = self.member_test(receiver);
                    checks = self.check(argument, test, !equal);
                }
                if !self.is_collection(receiver) {
                    let includes = self.symbol("includes");
                    let list = self.builder.list(&[needle]);
                    checks.extend(self.check(object, Test::Method(includes, list), !equal));
                }
                checks.extend(self.segment_check(object, needle, !equal));
            }
            return checks;
        }
        if number == 0.0 && method == "indexOf" {
            let starts = self.symbol("startsWith");
            let list = self.builder.list(&[needle]);
            let mut checks = self.check(object, Test::Method(starts, list), equal);
            let relative = receiver.and_then(|receiver| self.relative_check(receiver, &[needle]));
            checks.extend(relative.map(|check| if equal { check } else { check.negated() }));
            return checks;
        }
        Vec::new()
    }

    fn order_checks(&mut self, binary: &BinaryExpression<'a>, left: ValueId, right: ValueId) -> Vec<Check> {
        // With the constant on the right.
        let is_swapped = self.constant(left).is_some();
        let (expression, value, constant) = if is_swapped {
            (&binary.right, right, self.constant(left))
        } else {
            (&binary.left, left, self.constant(right))
        };
        let operator = match (binary.operator, is_swapped) {
            (BinaryOperator::LessThan, true) => BinaryOperator::GreaterThan,
            (BinaryOperator::GreaterThan, true) => BinaryOperator::LessThan,
            (BinaryOperator::LessEqualThan, true) => BinaryOperator::GreaterEqualThan,
            (BinaryOperator::GreaterEqualThan, true) => BinaryOperator::LessEqualThan,
            (operator, _) => operator,
        };
        if let Some(Constant::Number(number)) = constant
            && matches!(self.op(value), Op::Call(_))
            && position_call(strip(expression)).is_some()
        {
            let (is_found, is_exact) = match operator {
                BinaryOperator::GreaterThan => (true, number < 0.0),
                BinaryOperator::GreaterEqualThan => (true, number <= 0.0),
                BinaryOperator::LessThan => (false, number <= 0.0),
                BinaryOperator::LessEqualThan => (false, number < 0.0),
                _ => return Vec::new(),
            };
            let checks = self.position_checks(expression, value, !is_found, -1.0);
            if is_exact {
                return checks;
            }
            // `> 0`: a true result says that it is found, a false one says nothing.
            return checks.into_iter().filter_map(|check| check.only_if(is_found)).collect();
        }
        let mut checks = Vec::new();
        for (expression, value) in [(&binary.left, left), (&binary.right, right)] {
            // Counters and lengths are not worth a name.
            let is_counter = match self.op(self.canon(value)) {
                Op::Phi(_) | Op::Binary(..) => true,
                Op::LoadField(_, field) => self.builder.text(field) == "length",
                _ => false,
            };
            if !is_counter {
                checks.extend(self.check(expression, Test::Ordered, true));
            }
        }
        checks
    }

    fn call_checks(&mut self, callee: &Expression<'a>, arguments: &[Argument<'a>], value: ValueId) -> Vec<Check> {
        let Op::Call(id) = self.op(value) else { return Vec::new() };
        let call = &self.builder.module().calls[id.index()];
        let receiver = call.receiver;
        let values: Vec<ValueId> = call.arguments.iter().map(|argument| argument.value).collect();
        let callee = match strip(callee) {
            Expression::ChainExpression(_) => return Vec::new(),
            callee => callee,
        };
        let expressions: Vec<&Expression<'a>> =
            arguments.iter().map_while(Argument::as_expression).take(MAX_CHECKS).collect();
        if let (Expression::StaticMemberExpression(member), Some(receiver)) = (callee, receiver) {
            let method = member.property.name.as_str();
            let mut special = self.method_checks(&member.object, method, receiver, &expressions, &values);
            special.extend(self.part_checks(&member.object, method, &values));
            special.extend(self.function_checks(method, &expressions, &values));
            if !special.is_empty() {
                return special;
            }
        }
        if let (Expression::Identifier(identifier), [argument]) = (callee, expressions.as_slice())
            && identifier.name == "Boolean"
        {
            return self.check(argument, Test::Truthy, true);
        }
        let mut checks = Vec::new();
        for (position, argument) in expressions.into_iter().enumerate() {
            checks.extend(self.check(argument, Test::Call(value, position as u32), true));
        }
        let is_namespace =
            receiver.is_some_and(|receiver| matches!(self.op(self.canon(receiver)), Op::Global(_) | Op::Import(_)));
        if let Expression::StaticMemberExpression(member) = callee
            && !is_namespace
        {
            let method = self.symbol(member.property.name.as_str());
            let list = self.builder.list(&values);
            checks.extend(self.check(&member.object, Test::Method(method, list), true));
            if let ("startsWith", Some(receiver)) = (member.property.name.as_str(), receiver) {
                checks.extend(self.relative_check(receiver, &values));
            }
        }
        checks
    }

    /// `path.relative(folder, file).startsWith("..")` is a test of the file, with the name `relative`.
    fn relative_check(&mut self, relative: ValueId, arguments: &[ValueId]) -> Option<Check> {
        let Some(&Note::Relative(tested, name)) = self.notes.get(&self.canon(relative)) else { return None };
        let method = self.symbol("relative");
        let list = self.builder.list(arguments);
        let test = self.builder.test(Test::Method(method, list));
        Some(Check::new(tested, name, test, true))
    }

    fn method_checks(
        &mut self,
        object: &Expression<'a>,
        method: &str,
        receiver: ValueId,
        arguments: &[&Expression<'a>],
        values: &[ValueId],
    ) -> Vec<Check> {
        match (method, arguments) {
            ("test" | "exec", [argument, ..]) => match self.regex(receiver) {
                Some((pattern, flags)) => self.check(argument, Test::Matches(pattern, flags), true),
                None => Vec::new(),
            },
            ("match", [_, ..]) => match self.pattern(values[0]) {
                Some((pattern, flags)) => self.check(object, Test::Matches(pattern, flags), true),
                None => Vec::new(),
            },
            ("hasOwn" | "has", [_, key]) if matches!(self.op(receiver), Op::Global(_)) => {
                let test = if method == "hasOwn" { self.own_test(values[0]) } else { self.member_test(values[0]) };
                self.check(key, test, true)
            }
            ("call", [_, key]) => {
                let is_own = matches!(strip(object), Expression::StaticMemberExpression(member)
                    if member.property.name == "hasOwnProperty");
                if !is_own && !self.is_own_property(receiver) {
                    return Vec::new();
                }
                let test = self.own_test(values[0]);
                self.check(key, test, true)
            }
            ("hasOwnProperty" | "has", [key]) => {
                let is_own = method == "hasOwnProperty";
                let test = if is_own { self.own_test(receiver) } else { self.member_test(receiver) };
                self.check(key, test, true)
            }
            ("some" | "find" | "findLast", [callback]) => match compared_element(callback) {
                Some(Expression::StringLiteral(text)) => {
                    let text = self.text(text.value.as_str(), at(text.span));
                    self.segment_check(object, text, true).into_iter().collect()
                }
                Some(key) => {
                    let test = self.member_test(receiver);
                    self.check(key, test, true)
                }
                None => self.search_checks(method, receiver, callback),
            },
            ("every", [callback]) => match characters_of(object) {
                Some(text) => {
                    let method = self.symbol("every character");
                    let list = self.builder.list(values);
                    self.check(text, Test::Method(method, list), true)
                }
                None => self.search_checks("every", receiver, callback),
            },
            ("includes" | "contains", [key]) => {
                let mut checks = Vec::new();
                if self.constant(values[0]).is_none() {
                    let test = self.member_test(receiver);
                    checks = self.check(key, test, true);
                }
                if !self.is_collection(receiver) {
                    let method = self.symbol("includes");
                    let list = self.builder.list(values);
                    checks.extend(self.check(object, Test::Method(method, list), true));
                }
                checks.extend(self.segment_check(object, values[0], true));
                checks
            }
            _ => Vec::new(),
        }
    }
}
