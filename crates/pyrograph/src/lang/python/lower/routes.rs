//! Routes of Django: a route calls its view with the parts of the URL that the route names.

use crate::flow::{Argument, Call, CallKind, Constant, Op, Span, ValueId};

use super::Lowerer;

/// Methods of a class of views.
const METHODS: [&str; 7] = ["get", "post", "put", "patch", "delete", "head", "dispatch"];

/// Most parameters of a route.
const MAX_PARAMETERS: usize = 16;

/// A parameter of a route.
#[derive(Debug, PartialEq, Eq)]
struct RouteParameter<'r> {
    /// None: by position.
    name: Option<&'r str>,
    /// Clients choose its text.
    is_text: bool,
}

impl Lowerer<'_, '_> {
    /// `path("shops/<str:name>", view)`: the view is called with the parameters.
    pub(super) fn route_call(&mut self, callee: ValueId, arguments: &[Argument], span: Span) {
        let is_route = |argument: &Argument| argument.name.is_none() && !argument.is_spread;
        let [route, view, ..] = arguments else { return };
        if !is_route(route) || !is_route(view) {
            return;
        }
        let is_path = self.is_function_of(callee, "django.urls", "path");
        let is_pattern = self.is_function_of(callee, "django.urls", "re_path")
            || self.is_function_of(callee, "django.conf.urls", "url");
        if !is_path && !is_pattern {
            return;
        }
        let Some(Constant::String(route)) = self.constant(route.value) else { return };
        let route = self.builder.text(route).to_owned();
        let parameters = if is_path { path_parameters(&route) } else { pattern_parameters(&route) };
        if parameters.is_empty() {
            return;
        }
        let request = self.undefined(span);
        let mut passed = vec![Argument { value: request, is_spread: false, name: None }];
        for parameter in parameters {
            let value = if parameter.is_text {
                let parts = self.symbol("%route");
                let parts = self.emit(Op::Global(parts), span);
                let text = self.symbol("text");
                self.emit(Op::LoadField(parts, text), span)
            } else {
                self.constant_value(Constant::Number(0.0), span)
            };
            let name = parameter.name.map(|name| self.symbol(name));
            passed.push(Argument { value, is_spread: false, name });
        }
        let call = Call { callee: view.value, receiver: None, arguments: passed, kind: CallKind::Call };
        self.emit_call(call, false, span);
    }

    /// `Class.as_view()`: the methods of the class.
    pub(super) fn view_methods(&mut self, class: ValueId, made: ValueId, span: Span) -> ValueId {
        let prototype = self.load_field(class, "prototype", span);
        let mut values = vec![made];
        for method in METHODS {
            values.push(self.load_field(prototype, method, span));
        }
        self.phi(&values, span)
    }
}

/// Parameters of `shops/<int:id>/<name>`.
fn path_parameters(route: &str) -> Vec<RouteParameter<'_>> {
    let mut parameters = Vec::new();
    for part in route.split('<').skip(1).take(MAX_PARAMETERS) {
        let Some((part, _)) = part.split_once('>') else { continue };
        let (kind, name) = part.split_once(':').unwrap_or(("str", part));
        let is_text = !matches!(kind, "int" | "uuid" | "slug");
        parameters.push(RouteParameter { name: Some(name), is_text });
    }
    parameters
}

/// Parameters of a regular expression: its named groups, or its groups if it has no names.
fn pattern_parameters(pattern: &str) -> Vec<RouteParameter<'_>> {
    let mut named = Vec::new();
    let mut others = Vec::new();
    let bytes = pattern.as_bytes();
    let mut position = 0;
    while let Some(start) = pattern[position..].find('(').map(|start| position + start) {
        position = start + 1;
        if start > 0 && bytes[start - 1] == b'\\' {
            continue;
        }
        let rest = &pattern[position..];
        let (name, inner) = match rest.strip_prefix("?P<") {
            Some(rest) => match rest.split_once('>') {
                Some((name, inner)) => (Some(name), inner),
                None => break,
            },
            None if rest.starts_with('?') => continue,
            None => (None, rest),
        };
        // A group with groups inside is as free as they are.
        let inner = inner.split(')').next().unwrap_or(inner);
        let parameter = RouteParameter { name, is_text: !is_word(inner) };
        if name.is_some() {
            named.push(parameter)
        } else {
            others.push(parameter)
        }
        if named.len() + others.len() >= MAX_PARAMETERS {
            break;
        }
    }
    if named.is_empty() { others } else { named }
}

/// True if a part of an expression matches digits, letters, `_` and `-` only.
fn is_word(pattern: &str) -> bool {
    let mut rest = pattern.to_owned();
    for part in [r"\d", r"\w", "0-9", "a-z", "A-Z", "a-f", "A-F"] {
        rest = rest.replace(part, "");
    }
    !pattern.contains("[^") && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"[]{},+*?_-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::{RouteParameter, path_parameters, pattern_parameters};

    fn parameter(name: Option<&str>, is_text: bool) -> RouteParameter<'_> {
        RouteParameter { name, is_text }
    }

    #[test]
    fn parameters_of_paths_are_texts_unless_they_are_converted() {
        assert_eq!(
            path_parameters("a/<int:id>/<name>/<path:rest>/<slug:s>/<x"),
            [
                parameter(Some("id"), false),
                parameter(Some("name"), true),
                parameter(Some("rest"), true),
                parameter(Some("s"), false)
            ]
        );
    }

    #[test]
    fn groups_of_patterns_are_texts_unless_they_match_words() {
        assert_eq!(
            pattern_parameters(r"^a/(?P<year>[0-9]{4})/(?P<name>[^/]+)/(?P<slug>[\w-]+)/$"),
            [parameter(Some("year"), false), parameter(Some("name"), true), parameter(Some("slug"), false)]
        );
        assert_eq!(pattern_parameters(r"^(\d+)/(.*)/(?:x)\(y\)$"), [parameter(None, false), parameter(None, true)]);
        assert_eq!(pattern_parameters("^(?P<name"), []);
    }
}
