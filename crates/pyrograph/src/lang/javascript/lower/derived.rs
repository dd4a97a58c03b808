//! Values that say something about another one: `path.normalize(file)`, `decodeURIComponent(name)`.

use oxc_ast::ast::{Argument, CallExpression, Expression};

use crate::flow::{Constant, Op, Span, Test, ValueId};
use crate::lang::ssa::{Check, Key, MemberKey, Tested};

use super::checks::strip;
use super::forms::segments_of;
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
        let mut checks = Vec::new();
        if let Test::MemberOfConstants(_) | Test::EqualsConstant(_) | Test::MemberOf(_) = test {
            checks = self.url_checks(expression, holds);
        }
        // A text is none of some constants, if its conversion to a text, or to small letters, is none.
        let only_false = matches!(test, Test::MemberOfConstants(_) | Test::EqualsConstant(Constant::String(_)));
        if !matches!(test, Test::Method(..) | Test::Matches(..)) && !only_false {
            return checks;
        }
        let origin = match strip(expression) {
            Expression::CallExpression(call) => origin_of(call).and_then(|origin| self.place(origin)),
            expression => self.place(expression).and_then(|(_, name)| match self.notes.get(&self.canon(name)) {
                Some(&Note::Derived(tested, name)) => Some((tested, name)),
                _ => None,
            }),
        };
        if let Some((tested, name)) = origin {
            let test = self.builder.test(test.clone());
            let check = Check::new(tested, name, test, holds);
            checks.extend(if only_false { check.only_if(!holds) } else { Some(check) });
        }
        checks
    }

    /// Notes that a value is the list of the segments of a path.
    pub(super) fn note_segments(&mut self, init: &Expression<'a>, value: ValueId) {
        if let Some(path) = segments_of(init)
            && let Some((tested, name)) = self.place(path)
        {
            self.notes.insert(value, Note::Segments(tested, name));
        }
    }

    /// Search for `..` among the segments of a path: the path has it, or has it not.
    pub(super) fn segment_check(&mut self, list: &Expression<'a>, needle: ValueId, holds: bool) -> Option<Check> {
        match self.constant(needle) {
            Some(Constant::String(text)) if self.builder.text(text) == ".." => {}
            _ => return None,
        }
        let (tested, name) = match segments_of(list) {
            Some(path) => self.place(path)?,
            None => {
                let (_, list) = self.place(list)?;
                match self.notes.get(&self.canon(list)) {
                    Some(&Note::Segments(tested, name)) => (tested, name),
                    _ => return None,
                }
            }
        };
        let method = self.symbol("includes");
        let arguments = self.builder.list(&[needle]);
        let test = self.builder.test(Test::Method(method, arguments));
        Some(Check::new(tested, name, test, holds))
    }

    /// A new object is stored where a key was missing. What the object has under the key is now its own.
    pub(super) fn note_own_store(&mut self, object: ValueId, key: MemberKey, value: ValueId, span: Span) {
        let MemberKey::Value(key) = key else { return };
        let is_new = matches!(self.op(self.canon(value)), Op::Allocate(_));
        let is_missing = match self.op(key) {
            Op::Guard(_, test, false) => {
                let object = self.canon(object);
                match self.builder.module().tests[test.index()] {
                    Test::OwnKeyOf(tested) => self.canon(tested) == object,
                    _ => false,
                }
            }
            _ => false,
        };
        if !is_new || !is_missing {
            return;
        }
        let tested = self.state.variable_named(key).map(Tested::Variable).or_else(|| match self.op(self.canon(key)) {
            Op::LoadKey(list, index) => {
                let place = Key::computed(self.canon(list), self.canon(index));
                (self.fact(place) == Some(key)).then_some(Tested::Memory(place))
            }
            _ => None,
        });
        if let Some(tested) = tested {
            let test = self.builder.test(Test::OwnKeyOf(object));
            let check = Check::new(tested, key, test, true);
            self.guard(&[check], true, key, span);
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
