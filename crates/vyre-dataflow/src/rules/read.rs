//! Deserialization of rules from TOML. It collects all problems of a file.

use std::collections::btree_map::{BTreeMap, Entry};

use toml::Spanned;
use toml::de::{DeInteger, DeString, DeTable, DeValue};
use vyre_ir::source::{LineIndex, Span, is_deceptive};
use vyre_ir::spelling::nearest;

use super::glob::Glob;
use super::problem::{RulesError, RulesProblem, shown};
use super::rule::{Condition, Rule, TransferSettings};
use super::schema::{RuleKind, Table};
use super::syntax::{Syntax, span_of};

/// Maximum size of a rules file in bytes.
const MAX_FILE_BYTES: usize = 16 << 20;

/// Maximum number of characters of a key, label or pattern in a message.
const MAX_SHOWN_CHARS: usize = 60;

const TEXT: &str = "a text";
const TEXTS: &str = "a list of texts";
const TEXT_OR_TEXTS: &str = "a text or a list of texts";
const NUMBER: &str = "a whole number";
const TABLE: &str = "a table";

type Value<'t> = Spanned<DeValue<'t>>;

/// Contents of a rules file.
pub(crate) struct RulesFile {
    /// Rules by kind, then in the order of the file.
    pub(crate) rules: Vec<Rule>,
    pub(crate) transfer: TransferSettings,
}

/// Reads a rules file.
///
/// # Errors
///
/// All problems of the file.
pub(crate) fn read(text: &str) -> Result<RulesFile, RulesError> {
    if text.len() > MAX_FILE_BYTES {
        let problem = RulesProblem::TooLong { limit: MAX_FILE_BYTES };
        return Err(RulesError::new(&LineIndex::new(""), vec![(Span::default(), problem)]));
    }
    let index = LineIndex::new(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    let syntax = Syntax::new(table.get_ref(), &errors, &index);
    let mut reader = Reader { index: &index, problems: Vec::new(), labels: BTreeMap::new() };
    let read = reader.file(table.get_ref());
    let mut problems = reader.problems;
    problems.retain(|problem| syntax.is_independent(problem, &index));
    problems.extend(syntax.problems);
    if problems.is_empty() { Ok(read) } else { Err(RulesError::new(&index, problems)) }
}

/// Reader that collects problems.
struct Reader<'t> {
    index: &'t LineIndex<'t>,
    problems: Vec<(Span, RulesProblem)>,
    /// Line of each label.
    labels: BTreeMap<(RuleKind, String), u32>,
}

impl Reader<'_> {
    fn report(&mut self, span: std::ops::Range<usize>, problem: RulesProblem) {
        self.problems.push((span_of(span), problem));
    }

    fn file(&mut self, file: &DeTable<'_>) -> RulesFile {
        let mut rules: [Vec<Rule>; 4] = Default::default();
        let mut transfer = TransferSettings::default();
        let mut has_format = false;
        if let Some(value) = file.get("format") {
            has_format = true;
            match value.get_ref() {
                DeValue::Integer(number) if number_of(number) == Some(1) => {}
                DeValue::Integer(number) => {
                    // Another format has other keys.
                    let found = shown(&number.to_string(), MAX_SHOWN_CHARS);
                    self.report(value.span(), RulesProblem::Format { found });
                    return RulesFile { rules: Vec::new(), transfer };
                }
                _ => self.wrong_type("format", NUMBER, value),
            }
        }
        for (key, value) in file {
            let kind = RuleKind::ALL.into_iter().find(|kind| kind.key() == key.get_ref());
            match (key.get_ref().as_ref(), kind) {
                ("format", _) => {}
                ("transfer", _) => transfer = self.transfer(value),
                (_, Some(kind)) => rules[kind as usize] = self.rules(kind, value),
                (_, None) => has_format |= self.unknown_key(key, Table::File) == Some("format"),
            }
        }
        if !has_format {
            self.report(0..0, RulesProblem::MissingKey { key: "format", table: Table::File });
        }
        RulesFile { rules: rules.into_iter().flatten().collect(), transfer }
    }

    fn transfer(&mut self, value: &Value<'_>) -> TransferSettings {
        let mut transfer = TransferSettings::default();
        let Some(table) = value.get_ref().as_table() else {
            self.wrong_type("transfer", TABLE, value);
            return transfer;
        };
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "max_depth" => transfer.max_depth = self.number("max_depth", 0, value),
                "function" => transfer.function = self.text("function", value).map(str::to_owned),
                _ => drop(self.unknown_key(key, Table::Transfer)),
            }
        }
        transfer
    }

    fn rules(&mut self, kind: RuleKind, value: &Value<'_>) -> Vec<Rule> {
        let Some(rules) = value.get_ref().as_array() else {
            self.no_rule(kind, value);
            return Vec::new();
        };
        let mut read = Vec::new();
        for value in rules.iter() {
            match value.get_ref().as_table() {
                Some(table) => read.push(self.rule(kind, table, value.span())),
                None => self.no_rule(kind, value),
            }
        }
        read
    }

    fn rule(&mut self, kind: RuleKind, rule: &DeTable<'_>, span: std::ops::Range<usize>) -> Rule {
        let table = Table::Rule(kind);
        let line = self.index.location(span_of(span.clone()).start).line;
        let mut read = Rule::new(kind, line);
        // Keys of the table, and the keys that misspelled ones probably stand for.
        let mut keys: Vec<&str> = Vec::new();
        for (key, value) in rule {
            let known = key.get_ref().as_ref();
            keys.push(known);
            match known {
                _ if !table.keys().contains(&known) => keys.extend(self.unknown_key(key, table)),
                "label" => read.label = self.label(kind, value),
                "names" => {
                    read.names = self.globs("names", TEXTS, value);
                    read.names_span = span_of(key.span());
                }
                "attributes" => read.conditions = self.conditions(value),
                "facts" => read.word = self.number("facts", 1, value).unwrap_or(1),
                _ => read.word = self.number("word", 0, value).unwrap_or(0),
            }
        }
        for key in ["label", "word"] {
            if table.keys().contains(&key) && !keys.contains(&key) {
                self.report(span.clone(), RulesProblem::MissingKey { key, table });
            }
        }
        if !keys.contains(&"names") && !keys.contains(&"attributes") {
            self.report(span, RulesProblem::NoPattern { table });
        }
        read
    }

    fn label(&mut self, kind: RuleKind, value: &Value<'_>) -> Option<String> {
        let label = self.text("label", value)?;
        if let Some(found) = label.chars().find(|&character| is_deceptive(character)) {
            self.report(value.span(), RulesProblem::LabelCharacter { found });
        }
        let line = self.index.location(span_of(value.span()).start).line;
        match self.labels.entry((kind, label.to_owned())) {
            Entry::Vacant(entry) => drop(entry.insert(line)),
            Entry::Occupied(entry) => {
                let (first_line, label) = (*entry.get(), shown(label, MAX_SHOWN_CHARS));
                self.report(value.span(), RulesProblem::RepeatedLabel { label, table: Table::Rule(kind), first_line });
            }
        }
        Some(label.to_owned())
    }

    fn conditions(&mut self, value: &Value<'_>) -> Vec<Condition> {
        let Some(table) = value.get_ref().as_table() else {
            self.wrong_type("attributes", TABLE, value);
            return Vec::new();
        };
        if table.is_empty() {
            self.report(value.span(), RulesProblem::Empty { key: "attributes".to_owned() });
        }
        let mut conditions = Vec::new();
        for (key, value) in table {
            let globs = match value.get_ref() {
                DeValue::String(pattern) => self.glob(pattern, value).into_iter().collect(),
                _ => self.globs(&shown(key.get_ref(), MAX_SHOWN_CHARS), TEXT_OR_TEXTS, value),
            };
            let attribute = key.get_ref().clone().into_owned();
            conditions.push(Condition { attribute, span: span_of(key.span()), globs });
        }
        conditions
    }

    fn globs(&mut self, key: &str, expected: &'static str, value: &Value<'_>) -> Vec<Glob> {
        let Some(list) = value.get_ref().as_array() else {
            self.wrong_type(key, expected, value);
            return Vec::new();
        };
        if list.is_empty() {
            self.report(value.span(), RulesProblem::Empty { key: key.to_owned() });
        }
        let mut globs = Vec::new();
        for value in list.iter() {
            match value.get_ref() {
                DeValue::String(pattern) => globs.extend(self.glob(pattern, value)),
                found => {
                    let problem = RulesProblem::WrongElement { key: key.to_owned(), found: type_of(found) };
                    self.report(value.span(), problem);
                }
            }
        }
        globs
    }

    fn glob(&mut self, pattern: &str, value: &Value<'_>) -> Option<Glob> {
        match Glob::parse(pattern) {
            Ok(glob) => Some(glob),
            Err(problem) => {
                self.report(value.span(), RulesProblem::Glob { pattern: shown(pattern, MAX_SHOWN_CHARS), problem });
                None
            }
        }
    }

    fn text<'v>(&mut self, key: &'static str, value: &'v Value<'_>) -> Option<&'v str> {
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

    fn number(&mut self, key: &'static str, min: u32, value: &Value<'_>) -> Option<u32> {
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

    fn wrong_type(&mut self, key: &str, expected: &'static str, value: &Value<'_>) {
        let problem = RulesProblem::WrongType { key: key.to_owned(), expected, found: type_of(value.get_ref()) };
        self.report(value.span(), problem);
    }

    fn no_rule(&mut self, kind: RuleKind, value: &Value<'_>) {
        self.report(value.span(), RulesProblem::NoRule { kind, found: type_of(value.get_ref()) });
    }

    /// Reports an unknown key and returns the nearest known one.
    fn unknown_key(&mut self, key: &Spanned<DeString<'_>>, table: Table) -> Option<&'static str> {
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

fn type_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => TEXT,
        DeValue::Integer(_) => NUMBER,
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => TABLE,
    }
}
