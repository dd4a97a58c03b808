//! Reading of the tables of a file of rules and models.

mod entries;
mod rules;

use std::collections::BTreeMap;
use std::ops::Range;

use toml::de::{DeTable, DeValue};
use vyre_dataflow::rules::reader::{Reader, Value};
use vyre_dataflow::rules::{RuleKind, Table};

use super::builder::Builder;
use super::endpoint::{Endpoint, EndpointProblem};
use super::own::{OwnEntry, OwnPattern};
use super::path::{self, PathPattern};
use super::{MAX_RULES, RuleMask};

/// Identifiers of all rules.
pub(super) struct RuleIds {
    /// Position of each rule. None: the rule is not selected.
    pub(super) positions: BTreeMap<String, Option<usize>>,
    /// Number of selected rules.
    pub(super) count: usize,
}

impl RuleIds {
    /// Set of all selected rules.
    fn all(&self) -> RuleMask {
        let count = self.count.min(MAX_RULES);
        if count == MAX_RULES { RuleMask::MAX } else { (1 << count) - 1 }
    }
}

/// Identifiers of the rules of a file.
pub(super) fn rule_ids_of(file: &DeTable<'_>) -> Vec<String> {
    let Some(rules) = file.get("rule").and_then(|value| value.get_ref().as_array()) else { return Vec::new() };
    let id = |value: &Value<'_>| match value.get_ref().as_table()?.get("id")?.get_ref() {
        DeValue::String(id) => Some(id.clone().into_owned()),
        _ => None,
    };
    rules.iter().filter_map(id).collect()
}

/// Reads a file into a builder.
pub(super) fn file(reader: &mut Reader<'_>, file: &DeTable<'_>, name: &str, ids: &RuleIds, builder: &mut Builder) {
    if !reader.format(file) {
        return;
    }
    let mut read = FileReader {
        reader,
        name,
        ids,
        builder,
        node_rules: Vec::new(),
        entries: 0,
        texts: Vec::new(),
        patterns: Vec::new(),
    };
    // Examples refer to rules.
    let mut examples = None;
    for (key, value) in file {
        let known = key.get_ref().as_ref();
        let tables = RuleKind::ALL.into_iter().map(Table::Rule).chain(Table::SCAN).chain([Table::Suppression]);
        match tables.into_iter().find(|table| table.key() == known) {
            Some(Table::Example) => examples = Some(value),
            Some(table @ (Table::Rule(RuleKind::Parameter) | Table::Suppression)) => {
                let tables = read.reader.tables(table, value);
                read.node_rules.extend(tables.into_iter().map(|(_, span)| span));
            }
            Some(table) => read.tables(table, value),
            // Settings of a project configuration are no rules.
            None if matches!(known, "format" | "transfer") || known == Table::Scan.key() => {}
            None => drop(read.reader.unknown_key(key, Table::File)),
        }
    }
    if let Some(value) = examples {
        read.tables(Table::Example, value);
    }
    let FileReader { reader, node_rules, entries, .. } = read;
    let Some(first) = node_rules.first() else { return };
    let line = reader.line(first.start);
    if entries == 0 {
        let message = "the tables of this file are for graphs (`vyre graph taint --rules`): they match nodes by `names` and \
                       `attributes`; a scan matches code by `call`, `member`, `store`, `export`, `parameter` or `decorator`";
        reader.report_text(first.clone(), message.to_owned());
    } else {
        let count = node_rules.len();
        let tables = if count == 1 { "1 table is".to_owned() } else { format!("{count} tables are") };
        builder.note(format!("{name}:{line}: {tables} for `vyre graph taint` only and ignored here"));
    }
}

/// Reader of a file.
struct FileReader<'r, 't> {
    reader: &'r mut Reader<'t>,
    /// Name of the file.
    name: &'r str,
    ids: &'r RuleIds,
    builder: &'r mut Builder,
    /// Tables that only graphs use.
    node_rules: Vec<Range<usize>>,
    /// Number of tables that scans use.
    entries: usize,
    /// What the present entry matches, as the file has it.
    texts: Vec<String>,
    /// Patterns of the present entry.
    patterns: Vec<OwnPattern>,
}

impl FileReader<'_, '_> {
    fn tables(&mut self, table: Table, value: &Value<'_>) {
        for (entry, span) in self.reader.tables(table, value) {
            if !self.check_keys(table, entry, &span) {
                continue;
            }
            self.entries += 1;
            self.texts.clear();
            self.patterns.clear();
            let line = self.reader.line(span.start);
            match table {
                Table::ScanRule => self.rule(entry, span),
                Table::Example => self.example(entry, span),
                Table::Rule(RuleKind::Source) => self.source(entry, span),
                Table::Rule(RuleKind::Sink) => self.sink(entry, span),
                Table::Rule(RuleKind::Sanitizer) => self.sanitizer(entry, span),
                Table::Guard => self.guard(entry, span),
                Table::Propagator | Table::Function => self.function(table, entry, span),
                Table::Type => self.type_entry(entry, span),
                Table::Convention => self.convention(entry, span),
                Table::Library => self.library(entry, span),
                _ => {}
            }
            self.note_own(table, entry, line);
        }
    }

    /// Notes an entry of a file that is not built in, with what it matches.
    fn note_own(&mut self, table: Table, entry: &DeTable<'_>, line: u32) {
        let kinds = [RuleKind::Source, RuleKind::Sink, RuleKind::Sanitizer].map(Table::Rule);
        let is_kind = table == Table::Guard || kinds.contains(&table);
        // Parameters of exports, and tests of guards, match code of any kind.
        let is_general = entry.get("export").is_some() || entry.get("test").is_some();
        if self.builder.language.is_some() || !is_kind || is_general || self.patterns.is_empty() {
            return;
        }
        let is_used = |id: &str| id == "*" || self.ids.positions.get(id).copied().flatten().is_some();
        let rules = entry.get("rule").map(|value| self.reader.texts("rule", value));
        if rules.is_some_and(|rules| !rules.iter().any(|(id, _)| is_used(id))) {
            return;
        }
        let (texts, patterns) = (std::mem::take(&mut self.texts), std::mem::take(&mut self.patterns));
        let file = self.name.to_owned();
        self.builder.own_entry(OwnEntry { file, line, table: table.key(), texts, patterns });
    }

    /// Reports unknown keys. False: the entry concerns graphs only.
    fn check_keys(&mut self, table: Table, entry: &DeTable<'_>, span: &Range<usize>) -> bool {
        for (key, _) in entry {
            if !table.keys().contains(&key.get_ref().as_ref()) {
                self.reader.unknown_key(key, table);
            }
        }
        let matchers = table.scan_matchers();
        let has = |keys: &[&str]| keys.iter().any(|key| entry.get(*key).is_some());
        if matchers.is_empty() || has(matchers) {
            return true;
        }
        if has(&["names", "attributes"]) {
            self.node_rules.push(span.clone());
        } else {
            let known: Vec<String> = matchers.iter().map(|key| format!("`{key}`")).collect();
            let message = format!("{table} has none of {}, so that no code would match", known.join(", "));
            self.reader.report_text(span.clone(), message);
            // The names of rules may be wrong too.
            self.rules(entry);
        }
        false
    }

    /// Text of a key.
    fn text<'v>(&mut self, entry: &'v DeTable<'_>, key: &str) -> Option<&'v str> {
        entry.get(key).and_then(|value| self.reader.text(key, value))
    }

    /// Text of a key that must exist.
    fn required<'v>(
        &mut self,
        table: Table,
        entry: &'v DeTable<'_>,
        span: &Range<usize>,
        key: &'static str,
    ) -> Option<&'v str> {
        if entry.get(key).is_none() {
            self.missing(table, span, key);
        }
        self.text(entry, key)
    }

    fn missing(&mut self, table: Table, span: &Range<usize>, key: &str) {
        self.reader.report_text(span.clone(), format!("{table} has no `{key}`"));
    }

    /// Texts of a key.
    fn texts<'v>(&mut self, entry: &'v DeTable<'_>, key: &str) -> Vec<(&'v str, Range<usize>)> {
        entry.get(key).map_or(Vec::new(), |value| self.reader.texts(key, value))
    }

    fn owned_texts(&mut self, entry: &DeTable<'_>, key: &str) -> Vec<String> {
        self.texts(entry, key).into_iter().map(|(text, _)| text.to_owned()).collect()
    }

    /// Rules of an entry. None: it has no key `rule`.
    fn rules(&mut self, entry: &DeTable<'_>) -> Option<RuleMask> {
        let value = entry.get("rule")?;
        let mut rules = 0;
        for (text, span) in self.reader.texts("rule", value) {
            let (is_excluded, id) = text.strip_prefix('!').map_or((false, text), |id| (true, id));
            let found = match (id, self.ids.positions.get(id)) {
                ("*", _) => self.ids.all(),
                (_, Some(position)) => position.filter(|&at| at < MAX_RULES).map_or(0, |at| 1 << at),
                (_, None) => {
                    let known: Vec<&str> = self.ids.positions.keys().map(String::as_str).collect();
                    self.reader.unknown_word(span, id, "no rule", &known);
                    0
                }
            };
            rules = if is_excluded { rules & !found } else { rules | found };
        }
        Some(rules)
    }

    /// Rules of an entry that must name them.
    fn required_rules(&mut self, table: Table, entry: &DeTable<'_>, span: &Range<usize>) -> RuleMask {
        self.rules(entry).unwrap_or_else(|| {
            self.missing(table, span, "rule");
            0
        })
    }

    /// Paths of a key, with the texts as written.
    fn paths<'v>(&mut self, entry: &'v DeTable<'_>, key: &str) -> Vec<(Vec<PathPattern>, &'v str)> {
        let mut all = Vec::new();
        for (text, span) in self.texts(entry, key) {
            match path::patterns(text) {
                Ok(patterns) => {
                    self.texts.push(text.to_owned());
                    self.patterns.extend(patterns.iter().cloned().map(OwnPattern::Path));
                    all.push((patterns, text));
                }
                Err(problem) => self.reader.report_text(span, format!("`{key}`: {problem}")),
            }
        }
        all
    }

    /// Paths of a key without patterns.
    fn exact_paths(&mut self, entry: &DeTable<'_>, key: &str) -> Vec<(String, Range<usize>)> {
        let mut all = Vec::new();
        for (text, span) in self.texts(entry, key) {
            match path::patterns(text) {
                Ok(patterns) => {
                    for pattern in patterns {
                        match pattern {
                            PathPattern::Exact(path) => all.push((path, span.clone())),
                            _ => self.reader.report_text(span.clone(), format!("`{key}` has no patterns with `*`")),
                        }
                    }
                }
                Err(problem) => self.reader.report_text(span, format!("`{key}`: {problem}")),
            }
        }
        all
    }

    /// Endpoints of the key `at`, or the default.
    fn endpoints(&mut self, entry: &DeTable<'_>, default: Option<Endpoint>) -> Vec<Endpoint> {
        if entry.get("at").is_none() {
            return default.into_iter().collect();
        }
        let mut endpoints = Vec::new();
        for (text, span) in self.texts(entry, "at") {
            match path::expand(text) {
                Ok(texts) => {
                    for text in texts {
                        endpoints.extend(self.parsed(Endpoint::parse(&text), span.clone()));
                    }
                }
                Err(problem) => self.reader.report_text(span, format!("`at`: {problem}")),
            }
        }
        endpoints
    }

    fn parsed<T>(&mut self, parsed: Result<T, EndpointProblem>, span: Range<usize>) -> Option<T> {
        parsed.map_err(|problem| self.reader.report_text(span, problem.to_string())).ok()
    }
}
