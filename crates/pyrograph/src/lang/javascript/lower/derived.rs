//! Values that say something about another one: `path.normalize(file)`, `decodeURIComponent(name)`.

use oxc_ast::ast::{Argument, CallExpression, Expression};

use crate::flow::{Test, ValueId};
use crate::lang::ssa::Check;

use super::checks::strip;
use super::{Lowerer, Note};

impl<'a> Lowerer<'a, '_> {
    /// Notes what the result of a call was made of. The call was lowered just before.
    pub(super) fn note_derived(&mut self, call: &CallExpression<'a>, value: ValueId) {
        if let Some(origin) = origin_of(call)
            && !self.notes.contains_key(&value)
            && matches!(strip(origin), Expression::Identifier(_))
            && let Some((tested, name)) = self.place(origin)
        {
            self.notes.insert(value, Note::Derived(tested, name));
        }
    }

    /// Tests of the text that a tested text was made of.
    pub(super) fn derived_checks(&mut self, expression: &Expression<'a>, test: &Test, holds: bool) -> Vec<Check> {
        if let Test::MemberOfConstants(_) | Test::EqualsConstant(_) | Test::MemberOf(_) = test {
            return self.url_checks(expression, holds);
        }
        if !matches!(test, Test::Method(..) | Test::Matches(..)) {
            return Vec::new();
        }
        let origin = match strip(expression) {
            Expression::CallExpression(call) => origin_of(call).and_then(|origin| self.place(origin)),
            expression => self.place(expression).and_then(|(_, name)| match self.notes.get(&self.canon(name)) {
                Some(&Note::Derived(tested, name)) => Some((tested, name)),
                _ => None,
            }),
        };
        match origin {
            Some((tested, name)) => {
                let test = self.builder.test(test.clone());
                vec![Check::new(tested, name, test, holds)]
            }
            None => Vec::new(),
        }
    }
}

impl<'a> Lowerer<'a, '_> {
    /// A test of the host of a URL says with what the URL starts.
    fn url_checks(&mut self, expression: &Expression<'a>, holds: bool) -> Vec<Check> {
        let Expression::StaticMemberExpression(member) = strip(expression) else { return Vec::new() };
        if !matches!(member.property.name.as_str(), "hostname" | "host" | "origin") {
            return Vec::new();
        }
        let Some((tested, name)) = self.place(&member.object) else { return Vec::new() };
        let method = self.symbol("startsWith");
        let list = self.builder.list(&[name]);
        let test = self.builder.test(Test::Method(method, list));
        let mut checks = vec![Check::new(tested, name, test, holds)];
        if member.property.name == "origin" {
            // The sender of a message.
            let method = self.symbol("origin");
            let list = self.builder.list(&[]);
            let test = self.builder.test(Test::Method(method, list));
            checks.push(Check::new(tested, name, test, holds));
        }
        checks
    }
}

/// Value about which the result of a call says something.
fn origin_of<'a, 'b>(call: &'b CallExpression<'a>) -> Option<&'b Expression<'a>> {
    let argument = |position: usize| call.arguments.get(position).and_then(Argument::as_expression);
    match strip(&call.callee) {
        Expression::StaticMemberExpression(member) => match member.property.name.as_str() {
            "normalize" if !call.arguments.is_empty() => argument(0),
            "trim" | "toString" | "toLowerCase" | "toUpperCase" => Some(&member.object),
            _ => None,
        },
        Expression::Identifier(callee) => match callee.name.as_str() {
            "decodeURIComponent" | "decodeURI" | "unescape" | "String" => argument(0),
            _ => None,
        },
        _ => None,
    }
}
