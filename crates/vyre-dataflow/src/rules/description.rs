//! Descriptions of rules: the table `[[rule]]`, which graphs and scans share.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::problem::RulesProblem;
use super::reader::Reader;
use super::schema::Table;
use super::severity::Severity;

/// What the findings of a rule say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleDescription {
    /// Identifier, such as `command-injection`.
    pub id: String,
    /// One line for lists.
    pub title: String,
    /// Severity of findings.
    pub severity: Severity,
    /// Message of a finding. `{source}` and `{sink}` stand for their texts.
    pub message: String,
    /// Explanation and advice, in Markdown.
    pub help: String,
    /// Numbers of CWE entries.
    pub cwe: Vec<u32>,
}

impl RuleDescription {
    /// Message of a finding with the texts of its source and its sink.
    #[must_use]
    pub fn message_of(&self, source: &str, sink: &str) -> String {
        let mut message = String::with_capacity(self.message.len() + source.len() + sink.len());
        let mut rest = &*self.message;
        while let Some(at) = rest.find('{') {
            let (before, braced) = rest.split_at(at);
            message.push_str(before);
            let texts = [("{source}", source), ("{sink}", sink)];
            let found = texts.into_iter().find_map(|(key, text)| Some((braced.strip_prefix(key)?, text)));
            let (after, text) = found.unwrap_or_else(|| (&braced[1..], "{"));
            message.push_str(text);
            rest = after;
        }
        message.push_str(rest);
        message
    }
}

impl Reader<'_> {
    /// Reads the keys of a `[[rule]]` that graphs and scans share. None: it has no identifier.
    pub fn description(&mut self, entry: &DeTable<'_>, span: &Range<usize>) -> Option<RuleDescription> {
        let mut required = |key: &'static str| {
            let Some(value) = entry.get(key) else {
                self.report(span.clone(), RulesProblem::MissingKey { key, table: Table::ScanRule });
                return None;
            };
            self.text(key, value).map(str::to_owned)
        };
        let [id, title, message, help] = ["id", "title", "message", "help"].map(&mut required);
        if entry.get("severity").is_none() {
            self.report(span.clone(), RulesProblem::MissingKey { key: "severity", table: Table::ScanRule });
        }
        let severity = self.severity(entry, "severity").unwrap_or(Severity::Medium);
        let cwe = self.cwe(entry);
        let id = id?;
        if !id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-') {
            let message = format!("the identifier `{id}` has characters other than `a` to `z`, `0` to `9` and `-`");
            self.report_text(span.clone(), message);
        }
        let help = help.unwrap_or_default().trim().to_owned();
        let (title, message) = (title.unwrap_or_default(), message.unwrap_or_default());
        Some(RuleDescription { id, title, severity, message, help, cwe })
    }

    /// Reads a severity. None: the key is absent, or its value is none.
    pub fn severity(&mut self, entry: &DeTable<'_>, key: &'static str) -> Option<Severity> {
        let names = Severity::ALL.map(Severity::name);
        let word = entry.get(key).and_then(|value| self.word(key, &names, value))?;
        Severity::ALL.into_iter().find(|severity| severity.name() == word)
    }

    /// Reads numbers of CWE entries: `[78, 88]`.
    fn cwe(&mut self, entry: &DeTable<'_>) -> Vec<u32> {
        let Some(value) = entry.get("cwe") else { return Vec::new() };
        match value.get_ref() {
            DeValue::Array(list) => list.iter().filter_map(|each| self.number("cwe", 1, each)).collect(),
            _ => self.number("cwe", 1, value).into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_the_texts_of_both_ends() {
        let message = |text: &str| {
            let (id, title, help, cwe) = (String::new(), String::new(), String::new(), Vec::new());
            let rule = RuleDescription { id, title, severity: Severity::Low, message: text.to_owned(), help, cwe };
            rule.message_of("{sink}", "b")
        };
        assert_eq!(message("{source} reaches {sink}."), "{sink} reaches b.");
        assert_eq!(message("{sinks} {{source}"), "{sinks} {{sink}");
        assert_eq!(message("none {"), "none {");
    }
}
