//! Reader of the TOML documents of rules and models. It collects all problems of a file.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeInteger, DeString, DeTable, DeValue};
use vyre_ir::source::{LineIndex, Span};
use vyre_ir::spelling::nearest;

use super::problem::{RulesError, RulesProblem, shown};
use super::schema::Table;
use super::syntax::{Syntax, span_of};

/// Maximum size of a rules file in bytes.
const MAX_FILE_BYTES: usize = 16 << 20;

/// Maximum number of characters of a key, label or pattern in a message.
pub(crate) const MAX_SHOWN_CHARS: usize = 60;

const TEXT: &str = "a text";
const NUMBER: &str = "a whole number";
const BOOL: &str = "true or false";
pub(crate) const TEXTS: &str = "a list of texts";
pub(crate) const TEXT_OR_TEXTS: &str = "a text or a list of texts";
pub(crate) const TABLE: &str = "a table";

/// A value of a document with its range of bytes.
pub type Value<'t> = Spanned<DeValue<'t>>;

/// Reader of a document, which collects problems.
///
/// Files of taint rules and of scans share it, so that mistakes are reported in the same way.
pub struct Reader<'t> {
    index: &'t LineIndex<'t>,
    problems: Vec<(Span, RulesProblem)>,
}

/// Reads a document: parses it, lets `read` interpret its tables, and collects the problems of both.
///
/// # Errors
///
/// All problems of the file.
pub fn read_document<T>(text: &str, read: impl FnOnce(&mut Reader<'_>, &DeTable<'_>) -> T) -> Result<T, RulesError> {
    if text.len() > MAX_FILE_BYTES {
        let problem = RulesProblem::TooLong { limit: MAX_FILE_BYTES };
        return Err(RulesError::new(&LineIndex::new(""), vec![(Span::default(), problem)]));
    }
    let index = LineIndex::new(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    let syntax = Syntax::new(table.get_ref(), &errors, &index);
    let mut reader = Reader { index: &index, problems: Vec::new() };
    let read = read(&mut reader, table.get_ref());
    let mut problems = reader.problems;
    problems.retain(|problem| syntax.is_independent(problem, &index));
    problems.extend(syntax.problems);
    if problems.is_empty() { Ok(read) } else { Err(RulesError::new(&index, problems)) }
}

impl Reader<'_> {
    /// Records a problem.
    pub fn report(&mut self, span: Range<usize>, problem: RulesProblem) {
        self.problems.push((span_of(span), problem));
    }

    /// Records a problem that is a text.
    pub fn report_text(&mut self, span: Range<usize>, message: String) {
        self.report(span, RulesProblem::Entry { message });
    }

    /// Line of a byte.
    #[must_use]
    pub fn line(&self, at: usize) -> u32 {
        self.index.location(span_of(at..at).start).line
    }

    /// Reads `format` of a file. False: the file has another format, and so other keys.
    pub fn format(&mut self, file: &DeTable<'_>) -> bool {
        let Some(value) = file.get("format") else {
            let is_misspelled = file
                .iter()
                .any(|(key, _)| nearest(key.get_ref(), Table::File.keys().iter().copied()) == Some("format"));
            if !is_misspelled {
                self.report(0..0, RulesProblem::MissingKey { key: "format", table: Table::File });
            }
            return true;
        };
        match value.get_ref() {
            DeValue::Integer(number) if number_of(number) == Some(1) => true,
            DeValue::Integer(number) => {
                let found = shown(&number.to_string(), MAX_SHOWN_CHARS);
                self.report(value.span(), RulesProblem::Format { found });
                false
            }
            _ => {
                self.wrong_type("format", NUMBER, value);
                true
            }
        }
    }

    /// Reads a text.
    pub fn text<'v>(&mut self, key: &str, value: &'v Value<'_>) -> Option<&'v str> {
        match value.get_ref() {
            DeValue::String(text) if text.is_empty() => {
                self.report(value.span(), RulesProblem::Empty { key: key.to_owned() });
                None
            }
            DeValue::String(text) => Some(text),
            _ => {
                self.wrong_type(key, TEXT, value);
                None
            }
        }
    }

    /// Reads a text or a list of texts, with the range of each.
    pub fn texts<'v>(&mut self, key: &str, value: &'v Value<'_>) -> Vec<(&'v str, Range<usize>)> {
        if let DeValue::String(_) = value.get_ref() {
            return self.text(key, value).map(|text| (text, value.span())).into_iter().collect();
        }
        let Some(list) = self.list(key, TEXT_OR_TEXTS, value) else { return Vec::new() };
        let mut texts = Vec::new();
        for value in list {
            match value.get_ref() {
                DeValue::String(text) => texts.push((text.as_ref(), value.span())),
                found => {
                    let problem = RulesProblem::WrongElement { key: key.to_owned(), found: type_of(found) };
                    self.report(value.span(), problem);
                }
            }
        }
        texts
    }

    /// Reads a list that is not empty.
    pub(crate) fn list<'v, 't>(
        &mut self,
        key: &str,
        expected: &'static str,
        value: &'v Value<'t>,
    ) -> Option<impl Iterator<Item = &'v Value<'t>> + use<'v, 't>> {
        let Some(list) = value.get_ref().as_array() else {
            self.wrong_type(key, expected, value);
            return None;
        };
        if list.is_empty() {
            self.report(value.span(), RulesProblem::Empty { key: key.to_owned() });
        }
        Some(list.iter())
    }

    /// Reads a number that is at least `min`.
    pub fn number(&mut self, key: &'static str, min: u32, value: &Value<'_>) -> Option<u32> {
        let DeValue::Integer(number) = value.get_ref() else {
            self.wrong_type(key, NUMBER, value);
            return None;
        };
        let fitting = number_of(number).and_then(|number| u32::try_from(number).ok()).filter(|&number| number >= min);
        if fitting.is_none() {
            let found = shown(&number.to_string(), MAX_SHOWN_CHARS);
            self.report(value.span(), RulesProblem::OutOfRange { key, found, min });
        }
        fitting
    }

    /// Reads true or false.
    pub fn bool(&mut self, key: &str, value: &Value<'_>) -> Option<bool> {
        if let DeValue::Boolean(value) = value.get_ref() {
            return Some(*value);
        }
        self.wrong_type(key, BOOL, value);
        None
    }

    /// Reads a text that is one of several words. A word that is not known is a problem with a suggestion.
    pub fn word<'k>(&mut self, key: &str, known: &[&'k str], value: &Value<'_>) -> Option<&'k str> {
        let text = self.text(key, value)?;
        let found = known.iter().copied().find(|word| *word == text);
        if found.is_none() {
            self.unknown_word(value.span(), text, &format!("no value of `{key}`"), known);
        }
        found
    }

    /// Records a word that is not known, with the nearest known one, or all if there are few.
    pub fn unknown_word(&mut self, span: Range<usize>, found: &str, is: &str, known: &[&str]) {
        let shown_word = shown(found, MAX_SHOWN_CHARS);
        let message = match nearest(found, known.iter().copied()) {
            Some(nearest) => format!("`{shown_word}` is {is}; did you mean `{nearest}`?"),
            None if known.len() <= 20 => {
                let all: Vec<String> = known.iter().map(|word| format!("`{word}`")).collect();
                format!("`{shown_word}` is {is}; known are {}", all.join(", "))
            }
            None => format!("`{shown_word}` is {is}"),
        };
        self.report_text(span, message);
    }

    /// Reads the tables of a list such as `[[source]]`, with their ranges.
    pub fn tables<'v, 't>(&mut self, table: Table, value: &'v Value<'t>) -> Vec<(&'v DeTable<'t>, Range<usize>)> {
        let Some(list) = value.get_ref().as_array() else {
            self.no_rule(table, value);
            return Vec::new();
        };
        let mut tables = Vec::new();
        for value in list.iter() {
            match value.get_ref().as_table() {
                Some(table) => tables.push((table, value.span())),
                None => self.no_rule(table, value),
            }
        }
        tables
    }

    /// Records a value of another type.
    pub fn wrong_type(&mut self, key: &str, expected: &'static str, value: &Value<'_>) {
        let problem = RulesProblem::WrongType { key: key.to_owned(), expected, found: type_of(value.get_ref()) };
        self.report(value.span(), problem);
    }

    fn no_rule(&mut self, table: Table, value: &Value<'_>) {
        self.report(value.span(), RulesProblem::NoRule { table, found: type_of(value.get_ref()) });
    }

    /// Records an unknown key and returns the nearest known one.
    pub fn unknown_key(&mut self, key: &Spanned<DeString<'_>>, table: Table) -> Option<&'static str> {
        let nearest = nearest(key.get_ref(), table.keys().iter().copied());
        self.report(
            key.span(),
            RulesProblem::UnknownKey { key: shown(key.get_ref(), MAX_SHOWN_CHARS), table, nearest },
        );
        nearest
    }
}

/// Value of a TOML integer, if it fits.
fn number_of(number: &DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}

pub(crate) fn type_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => TEXT,
        DeValue::Integer(_) => NUMBER,
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => BOOL,
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => TABLE,
    }
}
