//! The tool with the metadata of its rules.

use serde_json::{Value, json};

use crate::fingerprint::TOOL_NAME;
use crate::knowledge::{Rule, Severity};
use crate::report::escape::markdown;

use super::limits::MAX_TAGS;
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

/// Maximum number of bytes of an example.
const MAX_EXAMPLE: usize = 2_000;

/// The tool with all rules, in the order of their positions, and what is left out of them.
pub(super) fn tool(rules: &[Rule]) -> (Value, Vec<String>) {
    let values: Vec<Value> = rules.iter().map(metadata).collect();
    let cut = rules.iter().filter(|rule| rule.cwe.len() + 1 > MAX_TAGS);
    let cut =
        cut.map(|rule| format!("the rule `{}` has more than {MAX_TAGS} tags, and the log has the first", rule.id));
    let tool = json!({"driver": {
        "name": TOOL_NAME,
        "organization": "vyre",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": values,
        "notifications": notifications::descriptors(),
    }});
    (tool, cut.collect())
}

fn metadata(rule: &Rule) -> Value {
    let mut tags = vec!["security".to_owned()];
    tags.extend(rule.cwe.iter().map(|cwe| format!("external/cwe/cwe-{cwe:03}")));
    tags.truncate(MAX_TAGS);
    let help = help(rule);
    let mut value = json!({
        "id": rule.id,
        "name": pascal_case(&rule.id),
        "shortDescription": {"text": escaped(&rule.title)},
        "fullDescription": {"text": escaped(first_paragraph(&help))},
    });
    if let Some(cwe) = rule.cwe.first() {
        value["helpUri"] = format!("https://cwe.mitre.org/data/definitions/{cwe}.html").into();
    }
    value["help"] = json!({"text": help, "markdown": help});
    value["defaultConfiguration"] = json!({"level": level(rule.severity)});
    value["properties"] = json!({
        "tags": tags,
        "precision": "high",
        "problem.severity": if level(rule.severity) == "error" { "error" } else { "warning" },
        "security-severity": security_severity(rule.severity),
    });
    value
}

/// Help of a rule in Markdown: its text, and an example with and one without a finding.
fn help(rule: &Rule) -> String {
    let text = if rule.help.trim().is_empty() { &rule.title } else { &rule.help };
    let mut help = text.trim().to_owned();
    for (title, is_bad) in [("Example with a finding", true), ("Example without a finding", false)] {
        let mut examples = rule.examples.iter().filter(|example| example.is_bad == is_bad);
        let Some(example) = examples.find(|example| example.code.len() <= MAX_EXAMPLE) else { continue };
        let language = example.file.rsplit_once('.').map_or("", |(_, extension)| extension);
        let block = markdown::code_block(example.code.trim(), language);
        help.push_str(&format!("\n\n## {title}\n\n{block}"));
    }
    help
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
