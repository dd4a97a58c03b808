//! Tests of whole lists, and looks into tables.

use oxc_ast::ast::{Argument, ArrayExpressionElement, BinaryOperator, Expression, UnaryOperator};

use crate::flow::{Constant, Op, Test, ValueId};
use crate::lang::ssa::Check;

use super::Lowerer;
use super::checks::strip;
use super::forms::{position_call, returned_for_element};

/// Part of a list that a test is about.
enum Part<'b, 'a> {
    /// An element.
    Element(&'b Expression<'a>),
    /// A list, all of whose elements are in it.
    List(&'b Expression<'a>),
    /// An argument of `concat`: an element or a list.
    Either(&'b Expression<'a>),
}

impl<'a> Lowerer<'a, '_> {
    /// `bad.some((each) => value.includes(each))` with a list of constants: the value has one of them in it, or none.
    pub(super) fn search_checks(&mut self, method: &str, receiver: ValueId, callback: &Expression<'a>) -> Vec<Check> {
        if !self.is_collection(receiver) {
            return Vec::new();
        }
        let Some((searched, is_found)) = searched_for_element(callback) else { return Vec::new() };
        let holds = match (method, is_found) {
            ("some" | "find", true) => true,
            ("every", false) => false,
            _ => return Vec::new(),
        };
        let includes = self.symbol("includes any");
        let list = self.builder.list(&[receiver]);
        self.check(searched, Test::Method(includes, list), holds)
    }

    /// Test of a list that is made on the spot: `keys.concat(last).some(isBad)`, `[a, b].includes("x")`.
    pub(super) fn part_checks(&mut self, list: &Expression<'a>, method: &str, values: &[ValueId]) -> Vec<Check> {
        // The result of the test that says something about all elements.
        let result = match method {
            "some" | "find" | "findLast" | "includes" => false,
            "every" => true,
            _ => return Vec::new(),
        };
        let constant = values.first().and_then(|&value| self.constant(value));
        let mut checks = Vec::new();
        for part in parts_of(list) {
            let (Part::Element(expression) | Part::List(expression) | Part::Either(expression)) = part;
            if !matches!(strip(expression), Expression::Identifier(_)) {
                continue;
            }
            let arguments = self.builder.list(values);
            let mut tests = Vec::new();
            match (method, &part) {
                ("includes", Part::List(_)) => tests.push(Test::Method(self.symbol("includes"), arguments)),
                ("includes", _) => {
                    tests.extend(constant.map(Test::EqualsConstant));
                    if let Part::Either(_) = part {
                        tests.push(Test::Method(self.symbol("includes"), arguments));
                    }
                }
                ("every", Part::List(_)) => tests.push(Test::Method(self.symbol("every"), arguments)),
                ("every", _) => tests.push(Test::Method(self.symbol("one of every"), arguments)),
                (_, Part::List(_)) => tests.push(Test::Method(self.symbol("some"), arguments)),
                _ => tests.push(Test::Method(self.symbol("one of some"), arguments)),
            }
            for test in tests {
                let found = self.check(expression, test, true);
                checks.extend(found.into_iter().filter_map(|check| check.only_if(result)));
            }
        }
        checks
    }

    /// `_.includes(list, key)` with a list of constants.
    pub(super) fn function_checks(
        &mut self,
        method: &str,
        arguments: &[&Expression<'a>],
        values: &[ValueId],
    ) -> Vec<Check> {
        match (method, arguments, values) {
            ("includes" | "contains" | "include", [_, key, ..], &[list, value, ..])
                if self.is_collection(list) && self.constant(value).is_none() =>
            {
                self.check(key, Test::MemberOfConstants(list), true)
            }
            _ => Vec::new(),
        }
    }

    /// A look into a table: `table[key]`, or `table[key] === expected`. A key under which nothing is found is none of its keys.
    pub(super) fn table_checks(
        &mut self,
        expression: &Expression<'a>,
        value: ValueId,
        expected: Option<ValueId>,
        holds: bool,
    ) -> Vec<Check> {
        let (Expression::ComputedMemberExpression(member), Op::LoadKey(table, _)) = (strip(expression), self.op(value))
        else {
            return Vec::new();
        };
        let is_imported = match self.op(self.canon(table)) {
            Op::LoadField(base, _) => matches!(self.op(self.canon(base)), Op::Import(_)),
            Op::Import(_) => true,
            _ => matches!(self.notes.get(&self.canon(table)), Some(super::Note::Imported(..))),
        };
        if !is_imported && !self.is_collection(table) {
            return Vec::new();
        }
        let method = self.symbol("looked up");
        let list: Vec<ValueId> = [table].into_iter().chain(expected).collect();
        let list = self.builder.list(&list);
        let checks = self.check(&member.expression, Test::Method(method, list), holds);
        checks.into_iter().filter_map(|check| check.only_if(!holds)).collect()
    }

    /// `object[key] === Object.getPrototypeOf(object)`: if it is not, the key is not `__proto__`.
    pub(super) fn parent_checks(
        &mut self,
        expression: &Expression<'a>,
        value: ValueId,
        other: ValueId,
        holds: bool,
    ) -> Vec<Check> {
        let (Expression::ComputedMemberExpression(member), Op::LoadKey(object, _)) =
            (strip(expression), self.op(self.canon(value)))
        else {
            return Vec::new();
        };
        let Op::Call(call) = self.op(self.canon(other)) else { return Vec::new() };
        let call = &self.builder.module().calls[call.index()];
        let [argument] = call.arguments.as_slice() else { return Vec::new() };
        let Op::LoadField(base, method) = self.op(self.canon(call.callee)) else { return Vec::new() };
        let is_parent = matches!(self.op(self.canon(base)), Op::Global(name)
            if self.builder.text(name) == "Object" && self.builder.text(method) == "getPrototypeOf");
        if !is_parent || self.canon(argument.value) != self.canon(object) {
            return Vec::new();
        }
        let name = self.symbol("__proto__");
        let checks = self.check(&member.expression, Test::EqualsConstant(Constant::String(name)), holds);
        checks.into_iter().filter_map(|check| check.only_if(!holds)).collect()
    }

    /// `typeof object[key] === "function"` where the key is `constructor`: if it is not, the key leads to no constructor, which is
    /// what the test of the key asks for.
    pub(super) fn constructor_checks(&mut self, expression: &Expression<'a>, equal: bool) -> Vec<Check> {
        let Expression::ComputedMemberExpression(member) = strip(expression) else { return Vec::new() };
        let Some((tested, name)) = self.place(&member.expression) else { return Vec::new() };
        let Op::Guard(_, test, true) = self.op(name) else { return Vec::new() };
        match self.builder.module().tests[test.index()] {
            Test::EqualsConstant(Constant::String(text)) if self.builder.text(text) == "constructor" => {
                Check::new(tested, name, test, equal).only_if(!equal).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Parts of a list: an array literal, or `list.concat(more)`.
fn parts_of<'a, 'b>(list: &'b Expression<'a>) -> Vec<Part<'b, 'a>> {
    match strip(list) {
        Expression::ArrayExpression(array) => array
            .elements
            .iter()
            .filter_map(|element| match element {
                ArrayExpressionElement::SpreadElement(spread) => Some(Part::List(&spread.argument)),
                element => element.as_expression().map(Part::Element),
            })
            .collect(),
        Expression::CallExpression(call) => {
            let Expression::StaticMemberExpression(member) = strip(&call.callee) else { return Vec::new() };
            if member.property.name != "concat" {
                return Vec::new();
            }
            let arguments = call.arguments.iter().filter_map(Argument::as_expression).map(Part::Either);
            let mut parts = match strip(&member.object) {
                Expression::ArrayExpression(_) => parts_of(&member.object),
                _ => vec![Part::List(&member.object)],
            };
            parts.extend(arguments);
            parts
        }
        _ => Vec::new(),
    }
}

/// The value in which a callback searches its parameter, and true if it answers with true where it finds it:
/// `(each) => value.includes(each)`, `(each) => value.indexOf(each) === -1`.
fn searched_for_element<'a, 'b>(callback: &'b Expression<'a>) -> Option<(&'b Expression<'a>, bool)> {
    let (element, result) = returned_for_element(callback)?;
    let is_element =
        |expression: &Expression<'a>| matches!(strip(expression), Expression::Identifier(name) if name.name == element);
    let searched = match strip(result) {
        Expression::CallExpression(call) => {
            let Expression::StaticMemberExpression(member) = strip(&call.callee) else { return None };
            let [argument] = call.arguments.as_slice() else { return None };
            let is_search = matches!(member.property.name.as_str(), "includes" | "contains");
            (is_search && is_element(argument.as_expression()?)).then_some((&member.object, true))
        }
        Expression::UnaryExpression(unary) if unary.operator == UnaryOperator::LogicalNot => {
            let Expression::CallExpression(call) = strip(&unary.argument) else { return None };
            let Expression::StaticMemberExpression(member) = strip(&call.callee) else { return None };
            let [argument] = call.arguments.as_slice() else { return None };
            let is_search = matches!(member.property.name.as_str(), "includes" | "contains");
            (is_search && is_element(argument.as_expression()?)).then_some((&member.object, false))
        }
        Expression::BinaryExpression(binary) => {
            let (object, method, argument) = position_call(strip(&binary.left))?;
            let number = number_of(&binary.right)?;
            let is_found = match binary.operator {
                BinaryOperator::Equality | BinaryOperator::StrictEquality if number == -1.0 => false,
                BinaryOperator::Inequality | BinaryOperator::StrictInequality if number == -1.0 => true,
                BinaryOperator::GreaterThan if number == -1.0 => true,
                BinaryOperator::GreaterEqualThan if number == 0.0 => true,
                BinaryOperator::LessThan if number == 0.0 => false,
                _ => return None,
            };
            (matches!(method, "indexOf" | "lastIndexOf") && is_element(argument)).then_some((object, is_found))
        }
        _ => None,
    };
    searched.filter(|(object, _)| matches!(strip(object), Expression::Identifier(name) if name.name != element))
}

fn number_of(expression: &Expression<'_>) -> Option<f64> {
    match strip(expression) {
        Expression::NumericLiteral(number) => Some(number.value),
        Expression::UnaryExpression(unary) if unary.operator == UnaryOperator::UnaryNegation => {
            match strip(&unary.argument) {
                Expression::NumericLiteral(number) => Some(-number.value),
                _ => None,
            }
        }
        _ => None,
    }
}
