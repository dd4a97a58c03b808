//! Metadata of a rule.

use serde_json::{Value, json};

use crate::knowledge::Severity;

use super::limits::MAX_TAGS;
use super::message::{escaped, level};

/// Score of a severity, as code scanners read it: from 9.0 critical, from 7.0 high, from 4.0 medium, otherwise low.
#[must_use]
pub fn security_severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "9.5",
        Severity::High => "8.0",
        Severity::Medium => "5.5",
        Severity::Low => "3.0",
        Severity::Note => "1.0",
    }
}

/// Texts of a rule.
#[derive(Clone, Copy, Debug)]
pub struct RuleText<'r> {
    /// Identifier, such as `command-injection`.
    pub id: &'r str,
    /// One line.
    pub title: &'r str,
    /// Explanation and advice, in Markdown.
    pub help: &'r str,
    /// Severity.
    pub severity: Severity,
    /// Numbers of CWE entries.
    pub cwe: &'r [u32],
}

impl RuleText<'_> {
    /// Metadata of the rule, for the tool.
    #[must_use]
    pub fn metadata(&self) -> Value {
        let RuleText { id, title, help, severity, cwe } = *self;
        let mut tags = vec!["security".to_owned()];
        tags.extend(cwe.iter().map(|cwe| format!("external/cwe/cwe-{cwe:03}")));
        tags.truncate(MAX_TAGS);
        let mut value = json!({
            "id": id,
            "name": pascal_case(id),
            "shortDescription": {"text": escaped(title)},
            "fullDescription": {"text": escaped(first_paragraph(help))},
        });
        if let Some(cwe) = cwe.first() {
            value["helpUri"] = format!("https://cwe.mitre.org/data/definitions/{cwe}.html").into();
        }
        value["help"] = json!({"text": help, "markdown": help});
        value["defaultConfiguration"] = json!({"level": level(severity)});
        value["properties"] = json!({
            "tags": tags,
            "precision": "high",
            "problem.severity": if level(severity) == "error" { "error" } else { "warning" },
            "security-severity": security_severity(severity),
        });
        value
    }
}

/// First paragraph of a text that is no heading.
fn first_paragraph(text: &str) -> &str {
    let paragraphs = text.split("\n\n").map(str::trim);
    paragraphs.into_iter().find(|part| !part.is_empty() && !part.starts_with('#')).unwrap_or("")
}

/// Name of a rule from its identifier: `CommandInjection` from `command-injection`.
fn pascal_case(id: &str) -> String {
    let word = |word: &str| {
        let mut characters = word.chars();
        let first = characters.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(characters).collect::<String>()
    };
    id.split(|c: char| !c.is_alphanumeric()).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_rules_are_in_pascal_case() {
        assert_eq!(pascal_case("command-injection"), "CommandInjection");
        assert_eq!(pascal_case("xss"), "Xss");
    }

    #[test]
    fn descriptions_are_paragraphs() {
        assert_eq!(first_paragraph("# Title\n\nFirst\nlines.\n\nSecond."), "First\nlines.");
    }
}
