//! The tool with the metadata of its rules.

use serde_json::{Value, json};

use crate::fingerprint::TOOL_NAME;
use crate::knowledge::Rule;
use crate::report::escape::markdown;

use super::limits::MAX_TAGS;
use super::notifications::KINDS;
use super::rule_text::RuleText;

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
        "notifications": KINDS.values(),
    }});
    (tool, cut.collect())
}

fn metadata(rule: &Rule) -> Value {
    let help = help(rule);
    RuleText { id: &rule.id, title: &rule.title, help: &help, severity: rule.severity, cwe: &rule.cwe }.metadata()
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
