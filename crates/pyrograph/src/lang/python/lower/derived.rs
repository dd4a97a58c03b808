//! Values that say something about another one: `os.path.normpath(name)`, `name.strip()`.

use ruff_python_ast::{Expr, ExprCall};

use crate::flow::{Constant, Op, Test, ValueId};
use crate::lang::ssa::{Check, INSIDE, MAX_CHECKS, Note, Tested};

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

    /// Notes what the result of a call says about paths. The call was lowered just before.
    pub(super) fn note_paths(&mut self, call: &'a ExprCall, value: ValueId) {
        if self.notes.contains_key(&value) {
            return;
        }
        let note = if let Some(path) = resolved_path(call) {
            self.place(path).map(|(tested, name)| Note::Resolved(tested, name))
        } else if let Some(path) = segments_of(call) {
            self.place(path).map(|(tested, name)| Note::Segments(tested, name))
        } else {
            self.common_path(call, value)
        };
        if let Some(note) = note {
            self.notes.insert(value, note);
        }
    }

    /// `os.path.commonpath([base, path])`: if it equals the base, the path begins with it.
    fn common_path(&mut self, call: &'a ExprCall, value: ValueId) -> Option<Note> {
        if !matches!(called(call)?, "commonpath" | "commonprefix") {
            return None;
        }
        let elements = match call.arguments.args.first()? {
            Expr::List(list) => &list.elts,
            Expr::Tuple(tuple) => &tuple.elts,
            _ => return None,
        };
        let method = self.symbol("startsWith");
        let list = self.builder.list(&[value]);
        let mut checks = Vec::new();
        for element in elements.iter().take(MAX_CHECKS) {
            checks.extend(self.check(element, Test::Method(method, list), true));
        }
        Some(Note::Common(checks))
    }

    /// Tests of paths whose common beginning is compared with another value.
    pub(super) fn common_path_checks(&self, common: ValueId, equal: bool) -> Vec<Check> {
        match self.notes.get(&self.canon(common)) {
            Some(Note::Common(checks)) if equal => checks.clone(),
            Some(Note::Common(checks)) => checks.iter().copied().map(Check::negated).collect(),
            _ => Vec::new(),
        }
    }

    /// Search for `..` among the segments of a path: the path has it, or has it not.
    pub(super) fn segment_check(&mut self, needle: ValueId, list: ValueId, holds: bool) -> Option<Check> {
        match self.constant(needle) {
            Some(Constant::String(text)) if self.builder.text(text) == ".." => {}
            _ => return None,
        }
        let Some(&Note::Segments(tested, name)) = self.notes.get(&self.canon(list)) else { return None };
        let method = self.symbol("includes");
        let arguments = self.builder.list(&[needle]);
        let test = self.builder.test(Test::Method(method, arguments));
        Some(Check::new(tested, name, test, holds))
    }

    /// Tests that the absolute path of a file is inside of a folder: what they show of the path itself.
    pub(super) fn inside_checks(&mut self, expression: &Expr, test: &Test, holds: bool) -> Vec<Check> {
        let folder = match *test {
            Test::Method(method, arguments) if self.builder.text(method) == "startsWith" => arguments,
            Test::EqualsValue(folder) => self.builder.list(&[folder]),
            _ => return Vec::new(),
        };
        let mut places = Vec::new();
        match expression {
            Expr::Call(call) => places.extend(resolved_path(call).and_then(|path| self.place(path))),
            expression => {
                if let Some((tested, name)) = self.place(expression)
                    && let Some(path) = self.resolved_from(name)
                {
                    places.extend([(tested, name), path]);
                }
            }
        }
        if places.is_empty() {
            return Vec::new();
        }
        let method = self.symbol(INSIDE);
        let test = self.builder.test(Test::Method(method, folder));
        places.into_iter().filter_map(|(tested, name)| Check::new(tested, name, test, holds).only_if(holds)).collect()
    }

    /// Path whose absolute path a value is, on all branches before.
    fn resolved_from(&self, value: ValueId) -> Option<(Tested, ValueId)> {
        let origin = |value: ValueId| match self.notes.get(&self.canon(value)) {
            Some(&Note::Resolved(tested, name)) => Some((tested, name)),
            _ => None,
        };
        let Op::Phi(values) = self.op(self.canon(value)) else { return origin(value) };
        let mut origins = self.builder.module().list(values).iter().map(|&value| origin(value));
        let (tested, name) = origins.next()??;
        let is_same = |other: Option<(Tested, ValueId)>| {
            other.is_some_and(|other| other.0 == tested && self.canon(other.1) == self.canon(name))
        };
        origins.all(is_same).then_some((tested, name))
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
    if matches!(called(call)?, "urlparse" | "urlsplit") { call.arguments.args.first() } else { None }
}

/// Name of the function or method that a call calls.
fn called(call: &ExprCall) -> Option<&str> {
    match &*call.func {
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        Expr::Name(name) => Some(name.id.as_str()),
        _ => None,
    }
}

/// Variable of a path whose absolute path a call yields: `os.path.abspath(path)`, `path.resolve()`, `Path(path).resolve()`.
fn resolved_path(call: &ExprCall) -> Option<&Expr> {
    let path = match (called(call)?, &*call.func) {
        ("abspath" | "realpath", _) => call.arguments.args.first(),
        ("resolve" | "absolute", Expr::Attribute(attribute)) if call.arguments.args.is_empty() => {
            match &*attribute.value {
                Expr::Call(inner) if matches!(called(inner), Some("Path" | "PurePath")) => match &*inner.arguments.args
                {
                    [path] => Some(path),
                    _ => None,
                },
                path => Some(path),
            }
        }
        _ => None,
    };
    path.filter(|path| matches!(path, Expr::Name(_)))
}

/// Path whose segments a call yields: `path.split("/")`, `path.split(os.sep)`.
fn segments_of(call: &ExprCall) -> Option<&Expr> {
    let (Expr::Attribute(attribute), [separator]) = (&*call.func, &*call.arguments.args) else { return None };
    let is_separator = match separator {
        Expr::StringLiteral(text) => matches!(text.value.to_str(), "/" | "\\"),
        Expr::Attribute(member) => matches!(member.attr.as_str(), "sep" | "altsep"),
        _ => false,
    };
    let is_path = matches!(&*attribute.value, Expr::Name(_) | Expr::Attribute(_));
    (attribute.attr.as_str() == "split" && is_separator && is_path).then_some(&*attribute.value)
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
