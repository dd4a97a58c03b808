//! Reading of `[[rule]]` and `[[suppression]]`.

use std::ops::Range;

use super::description::RuleDescription;
use super::problem::RulesProblem;
use super::read::RulesReader;
use super::reader::Value;
use super::rule::Rule;
use super::schema::Table;
use super::suppression::Suppression;
use super::syntax::span_of;

use toml::de::DeTable;

impl RulesReader<'_, '_> {
    /// Reads all `[[rule]]`, each with its range.
    pub(super) fn descriptions(&mut self, value: &Value<'_>) -> Vec<(RuleDescription, Range<usize>)> {
        let mut read: Vec<(RuleDescription, Range<usize>)> = Vec::new();
        for (entry, span) in self.reader.tables(Table::ScanRule, value) {
            self.check_keys(Table::ScanRule, entry);
            self.reader.severity(entry, "library_severity");
            let Some(rule) = self.reader.description(entry, &span) else { continue };
            if read.iter().any(|(earlier, _)| earlier.id == rule.id) {
                self.reader.report_text(span, format!("there is already a rule `{}`", rule.id));
            } else {
                read.push((rule, span));
            }
        }
        read
    }

    /// Reports rules that entries select and the file does not describe. An entry that scans use too can mean a rule that is built into
    /// them.
    pub(super) fn check_selections(&mut self, rules: &[Rule], descriptions: &[(RuleDescription, Range<usize>)]) {
        let known: Vec<&str> = descriptions.iter().map(|(rule, _)| &*rule.id).collect();
        let selections = rules.iter().filter_map(|rule| rule.selection.as_ref());
        for (text, span) in selections.filter(|selection| selection.is_for_graphs_only).flat_map(|it| &it.texts) {
            let id = text.strip_prefix('!').unwrap_or(text);
            if id != "*" && !known.contains(&id) {
                let range = span.start as usize..span.end as usize;
                self.reader.unknown_word(range, id, "no rule of this file", &known);
            }
        }
    }

    /// Reads all `[[suppression]]`.
    pub(super) fn suppressions(&mut self, value: &Value<'_>, descriptions: &[RuleDescription]) -> Vec<Suppression> {
        let tables = self.reader.tables(Table::Suppression, value);
        tables.into_iter().map(|(entry, span)| self.suppression(entry, span, descriptions)).collect()
    }

    fn suppression(
        &mut self,
        entry: &DeTable<'_>,
        span: Range<usize>,
        descriptions: &[RuleDescription],
    ) -> Suppression {
        let table = Table::Suppression;
        self.check_keys(table, entry);
        let reason = match entry.get("reason") {
            Some(value) => self.reader.text("reason", value).unwrap_or_default().trim().to_owned(),
            None => {
                self.reader.report(span.clone(), RulesProblem::MissingKey { key: "reason", table });
                String::new()
            }
        };
        if !["rule", "sources", "sinks"].iter().any(|key| entry.get(*key).is_some()) {
            let message =
                format!("{table} has none of `rule`, `sources` and `sinks`, so that it would suppress every finding");
            self.reader.report_text(span.clone(), message);
        }
        let rules = entry.get("rule").map(|value| self.suppressed_rules(value, descriptions));
        let mut globs = |key: &str| entry.get(key).map_or_else(Vec::new, |value| self.glob_or_globs(key, value));
        let [sources, sinks] = ["sources", "sinks"].map(&mut globs);
        let keys = entry.iter().filter(|(key, _)| matches!(key.get_ref().as_ref(), "sources" | "sinks"));
        let names_span = keys.map(|(key, _)| span_of(key.span())).min().unwrap_or_default();
        Suppression { line: self.reader.line(span.start), rules, sources, sinks, names_span, reason }
    }

    fn suppressed_rules(&mut self, value: &Value<'_>, descriptions: &[RuleDescription]) -> Vec<u32> {
        let known: Vec<&str> = descriptions.iter().map(|rule| &*rule.id).collect();
        let mut rules = Vec::new();
        for (id, span) in self.reader.texts("rule", value) {
            match known.iter().position(|known| *known == id) {
                Some(at) => rules.push(at as u32),
                None => self.reader.unknown_word(span, id, "no rule of the nodes of this file", &known),
            }
        }
        rules.sort_unstable();
        rules
    }

    /// Reports keys that a table does not have.
    fn check_keys(&mut self, table: Table, entry: &DeTable<'_>) {
        for (key, _) in entry {
            if !table.keys().contains(&key.get_ref().as_ref()) {
                self.reader.unknown_key(key, table);
            }
        }
    }
}
