//! Reading of the rules of graphs from TOML.

use std::collections::btree_map::{BTreeMap, Entry};
use std::ops::Range;

use toml::de::{DeTable, DeValue};
use vyre_ir::source::is_deceptive;

use super::description::RuleDescription;
use super::glob::Glob;
use super::problem::{RulesError, RulesProblem, shown};
use super::reader::{MAX_SHOWN_CHARS, Reader, TABLE, TEXT_OR_TEXTS, TEXTS, Value, read_document, type_of};
use super::rule::{Condition, Rule, RuleSelection, TransferSettings};
use super::schema::{RuleKind, Table};
use super::suppression::Suppression;
use super::syntax::span_of;

/// Contents of a rules file.
#[derive(Default)]
pub(crate) struct RulesFile {
    /// Rules by kind, then in the order of the file.
    pub(crate) rules: Vec<Rule>,
    pub(crate) transfer: TransferSettings,
    /// Descriptions of rules that entries for nodes select.
    pub(crate) descriptions: Vec<RuleDescription>,
    pub(crate) suppressions: Vec<Suppression>,
    /// Lines of the tables that only scans use.
    pub(crate) scan_lines: Vec<u32>,
}

/// Reads a rules file.
///
/// # Errors
///
/// All problems of the file.
pub(crate) fn read(text: &str) -> Result<RulesFile, RulesError> {
    read_document(text, |reader, file| {
        let mut reader = RulesReader { reader, labels: BTreeMap::new(), scan_spans: Vec::new() };
        reader.file(file)
    })
}

/// Reader of the tables that concern nodes of graphs.
pub(super) struct RulesReader<'r, 't> {
    pub(super) reader: &'r mut Reader<'t>,
    /// Line of each label.
    labels: BTreeMap<(RuleKind, String), u32>,
    /// Tables that only scans use.
    scan_spans: Vec<Range<usize>>,
}

impl RulesReader<'_, '_> {
    fn file(&mut self, file: &DeTable<'_>) -> RulesFile {
        let mut rules: [Vec<Rule>; 4] = Default::default();
        let mut read = RulesFile::default();
        if !self.reader.format(file) {
            return read;
        }
        let (mut descriptions, mut suppressions) = (Vec::new(), None);
        for (key, value) in file {
            let known = key.get_ref().as_ref();
            let kind = RuleKind::ALL.into_iter().find(|kind| kind.key() == known);
            match (known, kind) {
                ("format", _) => {}
                ("transfer", _) => read.transfer = self.transfer(value),
                ("rule", _) => descriptions = self.descriptions(value),
                ("suppression", _) => suppressions = Some(value),
                (_, Some(kind)) => rules[kind as usize] = self.rules(kind, value),
                (_, None) => match Table::SCAN.into_iter().find(|table| table.key() == known) {
                    Some(table) => {
                        let spans = self.reader.tables(table, value).into_iter().map(|(_, span)| span);
                        self.scan_spans.extend(spans);
                    }
                    None => drop(self.reader.unknown_key(key, Table::File)),
                },
            }
        }
        read.rules = rules.into_iter().flatten().collect();
        self.check_selections(&read.rules, &descriptions);
        let is_used = |id: &str| {
            let selections = read.rules.iter().filter_map(|rule| rule.selection.as_ref());
            selections.into_iter().any(|selection| selection.selects(id))
        };
        let (used, unused): (Vec<_>, Vec<_>) = descriptions.into_iter().partition(|(rule, _)| is_used(&rule.id));
        self.scan_spans.extend(unused.into_iter().map(|(_, span)| span));
        read.descriptions = used.into_iter().map(|(rule, _)| rule).collect();
        if let Some(value) = suppressions {
            read.suppressions = self.suppressions(value, &read.descriptions);
        }
        self.scan_spans.sort_by_key(|span| span.start);
        if let (true, Some(first)) = (read.rules.is_empty(), self.scan_spans.first()) {
            self.reader.report(first.clone(), RulesProblem::OnlyScanRules);
        }
        read.scan_lines = self.scan_spans.iter().map(|span| self.reader.line(span.start)).collect();
        read
    }

    fn transfer(&mut self, value: &Value<'_>) -> TransferSettings {
        let mut transfer = TransferSettings::default();
        let Some(table) = value.get_ref().as_table() else {
            self.reader.wrong_type("transfer", TABLE, value);
            return transfer;
        };
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "max_depth" => transfer.max_depth = self.reader.number("max_depth", 0, value),
                "function" => transfer.function = self.reader.text("function", value).map(str::to_owned),
                _ => drop(self.reader.unknown_key(key, Table::Transfer)),
            }
        }
        transfer
    }

    fn rules(&mut self, kind: RuleKind, value: &Value<'_>) -> Vec<Rule> {
        let tables = self.reader.tables(Table::Rule(kind), value);
        tables.into_iter().filter_map(|(table, span)| self.rule(kind, table, span)).collect()
    }

    /// Reads a rule. None: only scans use it.
    fn rule(&mut self, kind: RuleKind, rule: &DeTable<'_>, span: Range<usize>) -> Option<Rule> {
        let table = Table::Rule(kind);
        let has = |keys: &[&str]| keys.iter().any(|key| rule.get(*key).is_some());
        let is_scan_only = has(table.scan_matchers()) && !has(&["names", "attributes"]);
        let mut read = Rule::new(kind, self.reader.line(span.start));
        // Keys of the table, and the keys that misspelled ones probably stand for.
        let mut keys: Vec<&str> = Vec::new();
        for (key, value) in rule {
            let known = key.get_ref().as_ref();
            keys.push(known);
            match known {
                _ if !table.keys().contains(&known) => keys.extend(self.reader.unknown_key(key, table)),
                _ if is_scan_only => {}
                "label" => read.label = self.label(kind, value),
                "names" => {
                    read.names = self.globs("names", TEXTS, value);
                    read.names_span = span_of(key.span());
                }
                "attributes" => read.conditions = self.conditions(value),
                "rule" => {
                    let texts = self.reader.texts("rule", value).into_iter();
                    let texts = texts.map(|(text, span)| (text.to_owned(), span_of(span))).collect();
                    let is_for_graphs_only = !has(table.scan_matchers());
                    read.selection = Some(RuleSelection { texts, is_for_graphs_only });
                }
                "facts" => read.word = self.reader.number("facts", 1, value).unwrap_or(1),
                "word" => read.word = self.reader.number("word", 0, value).unwrap_or(0),
                // Keys of scans.
                _ => {}
            }
        }
        if is_scan_only {
            self.scan_spans.push(span);
            return None;
        }
        for key in ["label", "word"] {
            if table.keys().contains(&key) && !keys.contains(&key) {
                self.reader.report(span.clone(), RulesProblem::MissingKey { key, table });
            }
        }
        if !keys.contains(&"names") && !keys.contains(&"attributes") {
            self.reader.report(span, RulesProblem::NoPattern { table });
        }
        Some(read)
    }

    fn label(&mut self, kind: RuleKind, value: &Value<'_>) -> Option<String> {
        let label = self.reader.text("label", value)?;
        if let Some(found) = label.chars().find(|&character| is_deceptive(character)) {
            self.reader.report(value.span(), RulesProblem::LabelCharacter { found });
        }
        let line = self.reader.line(value.span().start);
        match self.labels.entry((kind, label.to_owned())) {
            Entry::Vacant(entry) => drop(entry.insert(line)),
            Entry::Occupied(entry) => {
                let (first_line, label) = (*entry.get(), shown(label, MAX_SHOWN_CHARS));
                let table = Table::Rule(kind);
                self.reader.report(value.span(), RulesProblem::RepeatedLabel { label, table, first_line });
            }
        }
        Some(label.to_owned())
    }

    fn conditions(&mut self, value: &Value<'_>) -> Vec<Condition> {
        let Some(table) = value.get_ref().as_table() else {
            self.reader.wrong_type("attributes", TABLE, value);
            return Vec::new();
        };
        if table.is_empty() {
            self.reader.report(value.span(), RulesProblem::Empty { key: "attributes".to_owned() });
        }
        let mut conditions = Vec::new();
        for (key, value) in table {
            let globs = self.glob_or_globs(&shown(key.get_ref(), MAX_SHOWN_CHARS), value);
            let attribute = key.get_ref().clone().into_owned();
            conditions.push(Condition { attribute, span: span_of(key.span()), globs });
        }
        conditions
    }

    /// Reads a pattern or a list of patterns.
    pub(super) fn glob_or_globs(&mut self, key: &str, value: &Value<'_>) -> Vec<Glob> {
        match value.get_ref() {
            DeValue::String(pattern) => self.glob(pattern, value).into_iter().collect(),
            _ => self.globs(key, TEXT_OR_TEXTS, value),
        }
    }

    fn globs(&mut self, key: &str, expected: &'static str, value: &Value<'_>) -> Vec<Glob> {
        let Some(list) = self.reader.list(key, expected, value) else { return Vec::new() };
        let mut globs = Vec::new();
        for value in list {
            match value.get_ref() {
                DeValue::String(pattern) => globs.extend(self.glob(pattern, value)),
                found => {
                    let problem = RulesProblem::WrongElement { key: key.to_owned(), found: type_of(found) };
                    self.reader.report(value.span(), problem);
                }
            }
        }
        globs
    }

    fn glob(&mut self, pattern: &str, value: &Value<'_>) -> Option<Glob> {
        match Glob::parse(pattern) {
            Ok(glob) => Some(glob),
            Err(problem) => {
                let pattern = shown(pattern, MAX_SHOWN_CHARS);
                self.reader.report(value.span(), RulesProblem::Glob { pattern, problem });
                None
            }
        }
    }
}
