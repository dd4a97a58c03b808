//! Descriptions of rules for people.

use std::fmt::Write as _;

use super::{Knowledge, ThreatModel};

impl ThreatModel {
    /// Name in rules files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ThreatModel::Application => "application",
            ThreatModel::Library => "library",
        }
    }
}

/// Explanation of a rule in Markdown: what it finds, how to repair it, what it matches, examples. None: no such rule.
#[must_use]
pub fn explain(knowledge: &Knowledge, id: &str) -> Option<String> {
    let (position, rule) = knowledge.rule(id)?;
    let mut text = format!("# {}: {}\n\n", rule.id, rule.title);
    let severity = rule.severity.name();
    // The other severity is of interest for rules with sources of the library model only.
    let has_library =
        knowledge.sources.iter().any(|kind| kind.model == ThreatModel::Library && kind.rules >> position & 1 == 1);
    if rule.severity == rule.library_severity || !has_library {
        let _ = writeln!(text, "Severity: {severity}.");
    } else {
        let library = rule.library_severity.name();
        let _ = writeln!(text, "Severity: {severity}; {library} for parameters of exported functions.");
    }
    let cwe: Vec<String> = rule.cwe.iter().map(|number| format!("CWE-{number}")).collect();
    if !cwe.is_empty() {
        let _ = writeln!(text, "Weakness: {}.", cwe.join(", "));
    }
    if !rule.languages.is_empty() {
        let _ = writeln!(text, "Languages: {}.", rule.languages.join(", "));
    }
    let _ = write!(text, "\n{}\n", rule.help);
    if let Some(details) = knowledge.details(position) {
        for (title, items) in [
            ("Sources", &details.sources),
            ("Sinks", &details.sinks),
            ("Sanitizers", &details.sanitizers),
            ("Guards", &details.guards),
        ] {
            if !items.is_empty() {
                let _ = write!(text, "\n## {title}\n\n");
                for item in items {
                    let _ = writeln!(text, "- {item}");
                }
            }
        }
    }
    for (title, is_bad) in [("Examples with a finding", true), ("Examples without a finding", false)] {
        let mut examples = rule.examples.iter().filter(|example| example.is_bad == is_bad).peekable();
        if examples.peek().is_some() {
            let _ = write!(text, "\n## {title}\n");
        }
        for example in examples {
            let language = example.file.rsplit('.').next().unwrap_or_default();
            let _ = write!(text, "\n{} model:\n\n```{language}\n{}\n```\n", example.model.name(), example.code.trim());
        }
    }
    Some(text)
}
