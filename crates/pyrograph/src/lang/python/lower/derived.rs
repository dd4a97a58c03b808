//! Values that say something about another one: `os.path.normpath(name)`, `name.strip()`.

use ruff_python_ast::{Expr, ExprCall};

use crate::flow::{Test, ValueId};
use crate::lang::ssa::{Check, Note};

use super::Lowerer;

impl<'a> Lowerer<'a, '_> {
    /// Notes what the result of a call was made of. The call was lowered just before.
    pub(super) fn note_derived(&mut self, call: &ExprCall, value: ValueId) {
        if let Some(origin) = origin_of(call)
            && !self.notes.contains_key(&value)
            && matches!(origin, Expr::Name(_))
            && let Some((tested, name)) = self.place(origin)
        {
            self.notes.insert(value, Note::Derived(tested, name));
        }
    }

    /// Tests of the text that a tested text was made of.
    pub(super) fn derived_checks(&mut self, expression: &Expr, test: &Test, holds: bool) -> Vec<Check> {
        // What is known of the name of an entry or upload is known of the entry.
        if let (Expr::Attribute(attribute), Test::Method(..) | Test::Call(..) | Test::Matches(..)) = (expression, test)
            && matches!(attribute.attr.as_str(), "name" | "filename")
            && let entry @ Expr::Name(_) = &*attribute.value
            && let Some((tested, name)) = self.place(entry)
        {
            let test = self.builder.test(test.clone());
            return vec![Check::new(tested, name, test, holds)];
        }
        if let Test::MemberOfConstants(_)
        | Test::MemberOf(_)
        | Test::EqualsConstant(_)
        | Test::EqualsValue(_)
        | Test::Truthy = test
        {
            return self.url_checks(expression, test, holds);
        }
        if !matches!(test, Test::Method(..) | Test::Matches(..)) {
            return Vec::new();
        }
        let origin = match expression {
            Expr::Call(call) => origin_of(call).and_then(|origin| self.place(origin)),
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

impl Lowerer<'_, '_> {
    /// A test of the host of a URL says with what the URL starts. A URL without a host leads to the same site.
    fn url_checks(&mut self, expression: &Expr, test: &Test, holds: bool) -> Vec<Check> {
        let Expr::Attribute(attribute) = expression else { return Vec::new() };
        if !matches!(attribute.attr.as_str(), "netloc" | "hostname") {
            return Vec::new();
        }
        let origin = match &*attribute.value {
            Expr::Call(call) => parsed_url(call).and_then(|origin| self.place(origin)),
            parsed => self.place(parsed).and_then(|(_, name)| match self.notes.get(&self.canon(name)) {
                Some(&Note::Derived(tested, name)) => Some((tested, name)),
                _ => None,
            }),
        };
        let Some((tested, name)) = origin else { return Vec::new() };
        let method = self.symbol("startsWith");
        let list = self.builder.list(&[name]);
        let is_truth = matches!(test, Test::Truthy);
        let test = self.builder.test(Test::Method(method, list));
        let check = Check::new(tested, name, test, true);
        // Only the side where the host is known shows something.
        let check = if holds != is_truth { check.if_true() } else { check.negated().only_if(false) };
        check.into_iter().collect()
    }
}

/// Text of a URL that a call takes apart.
fn parsed_url(call: &ExprCall) -> Option<&Expr> {
    let name = match &*call.func {
        Expr::Attribute(attribute) => attribute.attr.as_str(),
        Expr::Name(name) => name.id.as_str(),
        _ => return None,
    };
    if matches!(name, "urlparse" | "urlsplit") { call.arguments.args.first() } else { None }
}

/// Value about which the result of a call says something.
fn origin_of(call: &ExprCall) -> Option<&Expr> {
    if let Some(origin) = parsed_url(call) {
        return Some(origin);
    }
    match &*call.func {
        Expr::Attribute(attribute) => match attribute.attr.as_str() {
            "normpath" | "unquote" | "unquote_plus" => call.arguments.args.first(),
            "strip" | "lower" | "upper" | "casefold" if call.arguments.args.is_empty() => Some(&attribute.value),
            _ => None,
        },
        Expr::Name(callee) => match callee.id.as_str() {
            "unquote" | "unquote_plus" | "str" => call.arguments.args.first(),
            _ => None,
        },
        _ => None,
    }
}
