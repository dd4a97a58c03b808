//! Texts: f-strings, `%`, `format`.

use ruff_python_ast::{
    ConversionFlag, Expr, ExprFString, ExprTString, FStringPart, InterpolatedElement, InterpolatedStringElement,
};
use ruff_text_size::Ranged;

use crate::flow::{Constant, Op, Span, ValueId};
use crate::lang::ssa::MemberKey;

use super::{Lowerer, at, span_of};

/// Longest text that constant parts make together.
const LONGEST_TEXT: usize = 512;

/// Parts of a text.
pub(super) struct Parts {
    values: Vec<ValueId>,
    /// Constant parts after the last value.
    text: String,
    /// Number of the constant parts.
    count: usize,
    /// Last constant part.
    single: ValueId,
    span: Span,
}

impl Default for Parts {
    fn default() -> Parts {
        Parts { values: Vec::new(), text: String::new(), count: 0, single: ValueId(0), span: Span::default() }
    }
}

/// A part of a format: constant text, or a field.
#[derive(Debug, PartialEq, Eq)]
enum FormatPart {
    Text(String),
    /// Position or name of the argument, and the names and keys after it.
    Field {
        argument: Option<String>,
        path: Vec<String>,
        is_number: bool,
    },
}

impl<'a> Lowerer<'a, '_> {
    /// Appends a part to a text. Constant neighbours become one.
    pub(super) fn append_part(&mut self, parts: &mut Parts, value: ValueId) {
        let text = self.constant(value).and_then(|constant| self.constant_text(constant));
        match text {
            Some(text) if parts.text.len() + text.len() <= LONGEST_TEXT => {
                let span = self.builder.module().instructions[value.index()].span;
                if parts.count == 0 {
                    parts.span = span;
                }
                parts.span.end = parts.span.end.max(span.end);
                parts.count += 1;
                parts.single = value;
                parts.text.push_str(&text);
            }
            _ => {
                let value = self.converted(value, "__str__", parts.span);
                self.end_text(parts);
                parts.values.push(value);
            }
        }
    }

    fn end_text(&mut self, parts: &mut Parts) {
        let is_single = parts.count == 1 && self.is_text(parts.single);
        if is_single {
            parts.values.push(parts.single);
        } else if parts.count > 0 {
            let value = self.text(&parts.text, parts.span);
            parts.values.push(value);
        }
        parts.text.clear();
        parts.count = 0;
    }

    /// Text of parts.
    pub(super) fn concat(&mut self, mut parts: Parts, span: Span) -> ValueId {
        self.end_text(&mut parts);
        match parts.values.as_slice() {
            [] => return self.text("", span),
            [part] if matches!(self.constant(*part), Some(Constant::String(_))) => return *part,
            _ => {}
        }
        let list = self.builder.list(&parts.values);
        self.emit(Op::Concat(list), span)
    }

    pub(super) fn formatted(&mut self, string: &'a ExprFString) -> ValueId {
        let mut parts = Parts::default();
        for part in string.value.iter() {
            match part {
                FStringPart::Literal(literal) => {
                    let value = self.text(&literal.value, at(literal.range()));
                    self.append_part(&mut parts, value);
                }
                FStringPart::FString(inner) => {
                    for element in &inner.elements {
                        self.element_part(element, &mut parts);
                    }
                }
            }
        }
        self.concat(parts, span_of(string))
    }

    /// A template string is an object that keeps its parts; what they are becomes part of it.
    pub(super) fn template(&mut self, string: &'a ExprTString) -> ValueId {
        let mut parts = Parts::default();
        for part in string.value.iter() {
            for element in &part.elements {
                self.element_part(element, &mut parts);
            }
        }
        self.concat(parts, span_of(string))
    }

    fn element_part(&mut self, element: &'a InterpolatedStringElement, parts: &mut Parts) {
        match element {
            InterpolatedStringElement::Literal(literal) => {
                let value = self.text(&literal.value, at(literal.range()));
                self.append_part(parts, value);
            }
            InterpolatedStringElement::Interpolation(inner) => {
                if let Some(value) = self.field_value(inner) {
                    self.append_part(parts, value);
                }
            }
        }
    }

    fn field_value(&mut self, element: &'a InterpolatedElement) -> Option<ValueId> {
        let value = self.expression(&element.expression);
        let mut is_number = false;
        if let Some(format) = &element.format_spec {
            for inner in &format.elements {
                match inner {
                    InterpolatedStringElement::Literal(literal) => is_number = is_number_format(&literal.value),
                    InterpolatedStringElement::Interpolation(inner) => {
                        self.expression(&inner.expression);
                    }
                }
            }
        }
        if is_number && self.constant(value).is_none() {
            return Some(self.builtin_call("int", &[value], at(element.range())));
        }
        if element.conversion == ConversionFlag::Repr || element.conversion == ConversionFlag::Ascii {
            return Some(self.builtin_call("repr", &[value], at(element.range())));
        }
        Some(value)
    }

    /// Appends the value of a field. A format for numbers converts it.
    fn append_field(&mut self, parts: &mut Parts, value: ValueId, is_number: bool, span: Span) {
        let value = match is_number && self.constant(value).is_none() {
            true => self.builtin_call("int", &[value], span),
            false => value,
        };
        self.append_part(parts, value);
    }

    /// `format % values`.
    pub(super) fn format_percent(&mut self, format: ValueId, values: &'a Expr, span: Span) -> ValueId {
        let text = match self.constant(format) {
            Some(Constant::String(text)) => Some(self.builder.text(text).to_owned()),
            _ => None,
        };
        let parts = text.as_deref().map(percent_parts);
        let expressions: Vec<&'a Expr> = match values {
            Expr::Tuple(tuple) => tuple.elts.iter().collect(),
            single => vec![single],
        };
        let is_simple = expressions.iter().all(|expression| !matches!(expression, Expr::Starred(_)));
        let evaluated: Vec<ValueId> = expressions.iter().map(|expression| self.expression(expression)).collect();
        let Some(parts) = parts.filter(|_| is_simple) else {
            // The format itself is not constant: everything becomes part of the result.
            let mut all = Parts::default();
            self.append_part(&mut all, format);
            for value in evaluated {
                self.append_part(&mut all, value);
            }
            return self.concat(all, span);
        };
        let is_tuple = matches!(values, Expr::Tuple(_));
        let fields = parts.iter().filter(|part| matches!(part, FormatPart::Field { .. })).count();
        let format_span = self.builder.module().instructions[format.index()].span;
        let mut all = Parts::default();
        let mut next = 0;
        for part in parts {
            match part {
                FormatPart::Text(text) => {
                    let value = self.text(&text, format_span);
                    self.append_part(&mut all, value);
                }
                FormatPart::Field { argument: Some(name), is_number, .. } => {
                    if let Some(&table) = evaluated.first() {
                        let key = self.symbol(&name);
                        let value = self.load(table, MemberKey::Name(key), span);
                        self.append_field(&mut all, value, is_number, span);
                    }
                }
                FormatPart::Field { argument: None, is_number, .. } => {
                    let position = next;
                    next += 1;
                    let value = match evaluated.get(position) {
                        // A single value may be a tuple.
                        Some(&value) if !is_tuple && fields > 1 => {
                            let key = self.symbol(&position.to_string());
                            self.load(value, MemberKey::Name(key), span)
                        }
                        Some(&value) => value,
                        None if !is_tuple && fields > 1 => match evaluated.first() {
                            Some(&value) => {
                                let key = self.symbol(&position.to_string());
                                self.load(value, MemberKey::Name(key), span)
                            }
                            None => continue,
                        },
                        None => continue,
                    };
                    self.append_field(&mut all, value, is_number, span);
                }
            }
        }
        self.concat(all, span)
    }

    /// `"...".format(...)` of a constant text. None: it is no such call.
    pub(super) fn format_method(
        &mut self,
        format: ValueId,
        positional: &[ValueId],
        named: &[(String, ValueId)],
        span: Span,
    ) -> Option<ValueId> {
        let Some(Constant::String(text)) = self.constant(format) else { return None };
        let text = self.builder.text(text).to_owned();
        let format_span = self.builder.module().instructions[format.index()].span;
        let mut all = Parts::default();
        let mut next = 0;
        for part in brace_parts(&text)? {
            match part {
                FormatPart::Text(text) => {
                    let value = self.text(&text, format_span);
                    self.append_part(&mut all, value);
                }
                FormatPart::Field { argument, path, is_number } => {
                    let value = match argument.as_deref() {
                        None => {
                            next += 1;
                            positional.get(next - 1).copied()
                        }
                        Some(name) => match name.parse::<usize>() {
                            Ok(position) => positional.get(position).copied(),
                            Err(_) => named.iter().find(|(known, _)| known == name).map(|&(_, value)| value),
                        },
                    };
                    let Some(mut value) = value else { continue };
                    for name in path {
                        let key = self.symbol(&name);
                        value = self.load(value, MemberKey::Name(key), span);
                    }
                    self.append_field(&mut all, value, is_number, span);
                }
            }
        }
        Some(self.concat(all, span))
    }
}

/// True if a format makes a number of its value.
fn is_number_format(format: &str) -> bool {
    format.ends_with(['d', 'f', 'x', 'X', 'o', 'b', 'e', 'E', 'g', 'G', 'n', '%']) && !format.ends_with("{}")
}

/// Parts of a format with `%`.
fn percent_parts(format: &str) -> Vec<FormatPart> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = format.chars().peekable();
    while let Some(character) = rest.next() {
        if character != '%' {
            text.push(character);
            continue;
        }
        let mut argument = None;
        if rest.peek() == Some(&'(') {
            rest.next();
            argument = Some(rest.by_ref().take_while(|&character| character != ')').collect());
        }
        while rest
            .peek()
            .is_some_and(|character| matches!(character, '#' | '0'..='9' | '-' | ' ' | '+' | '.' | '*' | 'l' | 'h'))
        {
            rest.next();
        }
        match rest.next() {
            Some('%') => text.push('%'),
            Some(kind) => {
                if !text.is_empty() {
                    parts.push(FormatPart::Text(std::mem::take(&mut text)));
                }
                let is_number = !matches!(kind, 's' | 'r' | 'a' | 'c' | 'b');
                parts.push(FormatPart::Field { argument, path: Vec::new(), is_number });
            }
            None => break,
        }
    }
    if !text.is_empty() {
        parts.push(FormatPart::Text(text));
    }
    parts
}

/// Parts of a format with braces. None: it is damaged, or nested.
fn brace_parts(format: &str) -> Option<Vec<FormatPart>> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let brace = rest.as_bytes()[at];
        if after.as_bytes().first() == Some(&brace) {
            text.push(char::from(brace));
            rest = &after[1..];
            continue;
        }
        if brace == b'}' {
            return None;
        }
        let end = after.find('}')?;
        let field = &after[..end];
        if field.contains('{') {
            return None;
        }
        if !text.is_empty() {
            parts.push(FormatPart::Text(std::mem::take(&mut text)));
        }
        let (field, format) = field.split_once(':').unwrap_or((field, ""));
        let field = field.split('!').next().unwrap_or_default();
        let mut names = field.split(['.', '[']).map(|name| name.trim_end_matches(']').to_owned());
        let argument = names.next().filter(|name| !name.is_empty());
        parts.push(FormatPart::Field { argument, path: names.collect(), is_number: is_number_format(format) });
        rest = &after[end + 1..];
    }
    text.push_str(rest);
    if !text.is_empty() {
        parts.push(FormatPart::Text(text));
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(argument: Option<&str>, path: &[&str], is_number: bool) -> FormatPart {
        let path = path.iter().map(|&name| name.to_owned()).collect();
        FormatPart::Field { argument: argument.map(str::to_owned), path, is_number }
    }

    #[test]
    fn formats_have_parts() {
        let text = |text: &str| FormatPart::Text(text.to_owned());
        assert_eq!(
            percent_parts("a %s 5%% %(n)-5d"),
            [text("a "), field(None, &[], false), text(" 5% "), field(Some("n"), &[], true)]
        );
        assert_eq!(
            brace_parts("{{x}} {} {0.a[b]} {n:>5d}").expect("parts"),
            [
                text("{x} "),
                field(None, &[], false),
                text(" "),
                field(Some("0"), &["a", "b"], false),
                text(" "),
                field(Some("n"), &[], true)
            ]
        );
        assert_eq!(brace_parts("{"), None);
        assert_eq!(brace_parts("}"), None);
        assert_eq!(percent_parts("%"), []);
    }
}
