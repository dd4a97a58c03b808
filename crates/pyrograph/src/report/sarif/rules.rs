//! The tool with the metadata of its rules.

use serde_json::{Value, json};

use crate::knowledge::{Rule, Severity};

use super::message::{escaped, level};
use super::notifications;

/// Score of a severity, as code scanners read it: from 9.0 critical, from 7.0 high, from 4.0 medium, otherwise low.
pub(super) fn security_severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "9.5",
        Severity::High => "8.0",
        Severity::Medium => "5.5",
        Severity::Low => "3.0",
        Severity::Note => "1.0",
    }
}

/// The tool with all rules, in the order of their positions.
pub(super) fn tool(rules: &[Rule]) -> Value {
    let rules: Vec<Value> = rules.iter().map(metadata).collect();
    json!({"driver": {
        "name": "pyrograph",
        "organization": "vyre",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules,
        "notifications": notifications::descriptors(),
    }})
}

fn metadata(rule: &Rule) -> Value {
    let mut tags = vec!["security".to_owned()];
    tags.extend(rule.cwe.iter().map(|cwe| format!("external/cwe/cwe-{cwe:03}")));
    let help = if rule.help.trim().is_empty() { &rule.title } else { &rule.help };
    json!({
        "id": rule.id,
        "name": pascal_case(&rule.id),
        "shortDescription": {"text": escaped(&rule.title)},
        "fullDescription": {"text": escaped(first_paragraph(help))},
        "help": {"text": help.trim(), "markdown": help.trim()},
        "defaultConfiguration": {"level": level(rule.severity)},
        "properties": {
            "tags": tags,
            "precision": "high",
            "problem.severity": if level(rule.severity) == "error" { "error" } else { "warning" },
            "security-severity": security_severity(rule.severity),
        },
    })
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
