//! SARIF 2.1.0 format of findings (OASIS), for code scanners and editors.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};
use vyre::engine::dataflow::{Finding, Fingerprint};

use super::{FindingContext, FindingWriter, Totals};
use crate::output::counted;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Writes the results, then the rules that they refer to.
pub(super) struct SarifWriter<'o> {
    out: &'o mut dyn Write,
    context: &'o FindingContext<'o>,
    /// Index of each rule of the results so far.
    rules: BTreeMap<String, usize>,
    is_empty: bool,
}

impl<'o> SarifWriter<'o> {
    pub(super) fn new(out: &'o mut dyn Write, context: &'o FindingContext<'o>) -> SarifWriter<'o> {
        SarifWriter { out, context, rules: BTreeMap::new(), is_empty: true }
    }

    /// Rule of a finding: the labels of its source and its sink, if they have any.
    fn rule(&self, finding: &Finding) -> String {
        let labels = self.context.source_labels(finding.source).zip(self.context.sink_labels(finding.sink));
        let joined = |labels: Vec<&str>, default: &str| {
            if labels.is_empty() { default.to_owned() } else { labels.join("+") }
        };
        match labels {
            Some((source, sink)) if !(source.is_empty() && sink.is_empty()) => {
                format!("taint:{}:{}", joined(source, "source"), joined(sink, "sink"))
            }
            _ => "taint".to_owned(),
        }
    }

    fn result(&self, finding: &Finding, path: Option<&[u32]>, rule: &str, rule_index: usize) -> Value {
        let Finding { source, sink, depth, source_index, facts } = *finding;
        let (from, to) = (self.context.display_name(source), self.context.display_name(sink));
        let mut result = json!({
            "ruleId": rule,
            "ruleIndex": rule_index,
            "level": "error",
            "message": {"text": message(&from, &to, depth)},
            "locations": [self.location(sink)],
            "relatedLocations": [self.location_with_message(source, "source")],
            "partialFingerprints": {"sourceAndSink/v1": fingerprint(rule, &from, &to).to_string()},
            "properties": {"source": source, "sink": sink, "depth": depth, "sourceIndex": source_index},
        });
        if self.context.has_facts {
            result["properties"]["facts"] = facts.into();
        }
        if let Some(path) = path {
            let last = path.len().saturating_sub(1);
            let steps: Vec<Value> = (path.iter().enumerate())
                .map(|(position, &node)| match position {
                    0 => json!({"location": self.location_with_message(node, "source")}),
                    _ if position == last => json!({"location": self.location_with_message(node, "sink")}),
                    _ => json!({"location": self.location(node)}),
                })
                .collect();
            result["codeFlows"] = json!([{"threadFlows": [{"locations": steps}]}]);
        }
        result
    }

    /// Location of a node: its name, and its file and line if it has these attributes.
    fn location(&self, node: u32) -> Value {
        let mut location = json!({"logicalLocations": [{"fullyQualifiedName": self.context.display_name(node)}]});
        if let Some((file, line)) = self.context.location(node) {
            location["physicalLocation"] = json!({"artifactLocation": {"uri": uri(file)}});
            if let Some(line) = line {
                location["physicalLocation"]["region"] = json!({"startLine": line});
            }
        }
        location
    }

    fn location_with_message(&self, node: u32, message: &str) -> Value {
        let mut location = self.location(node);
        location["message"] = json!({"text": message});
        location
    }

    fn tool(&self) -> Value {
        let mut ids: Vec<(&String, usize)> = self.rules.iter().map(|(id, &position)| (id, position)).collect();
        ids.sort_by_key(|(_, position)| *position);
        let rule =
            |(id, _): (&String, usize)| json!({"id": id, "shortDescription": {"text": "A source reaches a sink."}});
        let rules: Vec<Value> = ids.into_iter().map(rule).collect();
        json!({"driver": {"name": "vyre", "version": env!("CARGO_PKG_VERSION"), "rules": rules}})
    }
}

impl FindingWriter for SarifWriter<'_> {
    fn begin(&mut self) -> io::Result<()> {
        write!(
            self.out,
            "{{\n  \"$schema\": \"{SCHEMA}\",\n  \"version\": \"2.1.0\",\n  \"runs\": [{{\n    \"results\": ["
        )
    }

    fn finding(&mut self, finding: &Finding, path: Option<&[u32]>) -> io::Result<()> {
        let rule = self.rule(finding);
        let next = self.rules.len();
        let rule_index = *self.rules.entry(rule.clone()).or_insert(next);
        let before: &[u8] = if std::mem::take(&mut self.is_empty) { b"\n      " } else { b",\n      " };
        self.out.write_all(before)?;
        let result = self.result(finding, path, &rule, rule_index);
        Ok(serde_json::to_writer(&mut *self.out, &result)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn end(&mut self, _: &Totals) -> io::Result<()> {
        self.out.write_all(if self.is_empty { b"]" } else { b"\n    ]" })?;
        let tool = self.tool();
        write!(
            self.out,
            ",\n    \"tool\": {tool},\n    \"invocations\": [{{\"executionSuccessful\":true}}]\n  }}]\n}}\n"
        )
    }
}

fn message(source: &str, sink: &str, depth: u32) -> String {
    let path = match depth {
        0 => "is a sink itself".to_owned(),
        _ => format!("reaches {} over {}", escaped_name(sink), counted(depth as usize, "edge")),
    };
    format!("{} {path}.", escaped_name(source))
}

/// Escapes a name in a message, where `[text](target)` is a link and `{0}` a placeholder.
fn escaped_name(name: &str) -> Cow<'_, str> {
    if !name.contains(['{', '}']) && !name.contains("](") {
        return Cow::Borrowed(name);
    }
    let doubled = name.replace('{', "{{").replace('}', "}}");
    if !name.contains("](") {
        return Cow::Owned(doubled);
    }
    Cow::Owned(doubled.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]"))
}

/// URI reference of a file: percent-encodes reserved characters (RFC 3986).
fn uri(file: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let escaped = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    file.replace('\\', "/").bytes().map(escaped).collect()
}

/// Fingerprint of a finding. Depends only on the names of rule, source and sink.
fn fingerprint(rule: &str, source: &str, sink: &str) -> Fingerprint {
    let mut fingerprint = Fingerprint::EMPTY;
    for text in [rule, source, sink] {
        fingerprint.add_bytes(text.as_bytes());
        fingerprint.add_bytes(&[0]);
    }
    fingerprint
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_messages_are_escaped() {
        assert_eq!(message("a[0]", "b](c", 2), "a[0] reaches b\\](c over 2 edges.");
        assert_eq!(message("a", "a", 0), "a is a sink itself.");
    }

    #[test]
    fn file_names_are_percent_encoded() {
        assert_eq!(uri("src/main.rs"), "src/main.rs");
        assert_eq!(uri("a b\\c#d:\u{e4}"), "a%20b/c%23d%3A%C3%A4");
    }

    #[test]
    fn fingerprints_depend_on_the_boundaries_of_names() {
        assert_ne!(fingerprint("taint", "ab", "c"), fingerprint("taint", "a", "bc"));
    }
}
