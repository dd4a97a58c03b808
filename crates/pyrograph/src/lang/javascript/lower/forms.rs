//! Forms of expressions that tests look at.

use oxc_ast::ast::{
    ArrayExpressionElement, ArrowFunctionBody, BinaryOperator, BindingPattern, ChainElement, Expression, Statement,
};

use super::checks::strip;

/// Parameter of a callback, and the expression that it returns: `(element) => element === key`.
pub(super) fn returned_for_element<'a, 'b>(callback: &'b Expression<'a>) -> Option<(&'b str, &'b Expression<'a>)> {
    let returned = |statements: &'b [Statement<'a>]| match statements {
        [Statement::ReturnStatement(statement)] => statement.argument.as_ref(),
        _ => None,
    };
    let (parameters, result) = match strip(callback) {
        Expression::ArrowFunctionExpression(arrow) => match &arrow.body {
            ArrowFunctionBody::FunctionBody(body) => (&arrow.params, returned(&body.statements)?),
            body => (&arrow.params, body.as_expression()?),
        },
        Expression::FunctionExpression(function) => (&function.params, returned(&function.body.as_ref()?.statements)?),
        _ => return None,
    };
    let [parameter] = parameters.items.as_slice() else { return None };
    let BindingPattern::BindingIdentifier(element) = &parameter.pattern else { return None };
    Some((element.name.as_str(), result))
}

/// The value that a callback compares with its parameter: `key` of `(element) => element === key`.
pub(super) fn compared_element<'a, 'b>(callback: &'b Expression<'a>) -> Option<&'b Expression<'a>> {
    let (element, result) = returned_for_element(callback)?;
    let Expression::BinaryExpression(binary) = strip(result) else { return None };
    if !matches!(binary.operator, BinaryOperator::Equality | BinaryOperator::StrictEquality) {
        return None;
    }
    match (strip(&binary.left), strip(&binary.right)) {
        (Expression::Identifier(left), Expression::Identifier(right)) if left.name != right.name => {
            if left.name == element { Some(&binary.right) } else { (right.name == element).then_some(&binary.left) }
        }
        (Expression::Identifier(left), Expression::StringLiteral(_)) if left.name == element => Some(&binary.right),
        (Expression::StringLiteral(_), Expression::Identifier(right)) if right.name == element => Some(&binary.left),
        _ => None,
    }
}

/// The text whose characters an expression lists: `[...text]`, `Array.from(text)`, `text.split("")`.
pub(super) fn characters_of<'a, 'b>(expression: &'b Expression<'a>) -> Option<&'b Expression<'a>> {
    match strip(expression) {
        Expression::ArrayExpression(array) => match array.elements.as_slice() {
            [ArrayExpressionElement::SpreadElement(spread)] => Some(&spread.argument),
            _ => None,
        },
        Expression::CallExpression(call) => {
            let Expression::StaticMemberExpression(member) = strip(&call.callee) else { return None };
            let [argument] = call.arguments.as_slice() else { return None };
            match (member.property.name.as_str(), strip(&member.object), argument.as_expression()?) {
                ("from", Expression::Identifier(array), text) if array.name == "Array" => Some(text),
                ("split", _, Expression::StringLiteral(empty)) if empty.value.is_empty() => Some(&member.object),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The path whose segments an expression lists: `path.split("/")`.
pub(super) fn segments_of<'a, 'b>(expression: &'b Expression<'a>) -> Option<&'b Expression<'a>> {
    let Expression::CallExpression(call) = strip(expression) else { return None };
    let Expression::StaticMemberExpression(member) = strip(&call.callee) else { return None };
    if member.property.name != "split" {
        return None;
    }
    let is_separator = match strip(call.arguments.first()?.as_expression()?) {
        Expression::StringLiteral(text) => matches!(text.value.as_str(), "/" | "\\"),
        Expression::RegExpLiteral(pattern) => pattern.regex.pattern.text.contains('/'),
        Expression::StaticMemberExpression(member) => member.property.name == "sep",
        Expression::Identifier(name) => name.name == "sep",
        _ => false,
    };
    is_separator.then_some(&member.object)
}

/// True if an expression is a call of `match` or `exec`.
pub(super) fn is_match(expression: &Expression<'_>) -> bool {
    let Expression::CallExpression(call) = expression else { return false };
    let Expression::StaticMemberExpression(member) = &call.callee else { return false };
    matches!(member.property.name.as_str(), "match" | "exec")
}

/// Parts of `object.indexOf(argument)` and its like.
pub(super) fn position_call<'a, 'b>(
    expression: &'b Expression<'a>,
) -> Option<(&'b Expression<'a>, &'b str, &'b Expression<'a>)> {
    let call = match expression {
        Expression::CallExpression(call) => call,
        Expression::ChainExpression(chain) => match &chain.expression {
            ChainElement::CallExpression(call) => call,
            _ => return None,
        },
        _ => return None,
    };
    let Expression::StaticMemberExpression(member) = &call.callee else { return None };
    let method = member.property.name.as_str();
    if !matches!(method, "indexOf" | "lastIndexOf" | "search" | "findIndex" | "findLastIndex") {
        return None;
    }
    Some((&member.object, method, call.arguments.first()?.as_expression()?))
}
