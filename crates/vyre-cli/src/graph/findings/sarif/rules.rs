//! Rules of the results: those that the rules file describes, otherwise one for each pair of labels.

use std::collections::BTreeMap;

use serde_json::Value;
use vyre::engine::dataflow::Finding;
use vyre::engine::dataflow::rules::{RuleDescription, Severity};
use vyre::pyrograph::report::sarif::RuleText;

use crate::graph::findings::FindingContext;

/// Severity of findings that no rule describes.
const DEFAULT_SEVERITY: Severity = Severity::High;

/// Rules of the results so far.
pub(super) struct RuleTable<'o> {
    context: &'o FindingContext<'o>,
    rules: Vec<Rule<'o>>,
    /// Index of each rule by the labels of source and sink.
    by_labels: BTreeMap<(u32, u32), usize>,
    /// Index of each rule by its description.
    by_description: BTreeMap<u32, usize>,
    sources: LabelSets,
    sinks: LabelSets,
}

/// A rule.
pub(super) struct Rule<'o> {
    pub(super) id: String,
    pub(super) description: Option<&'o RuleDescription>,
    title: String,
}

impl Rule<'_> {
    pub(super) fn severity(&self) -> Severity {
        self.description.map_or(DEFAULT_SEVERITY, |description| description.severity)
    }
}

impl<'o> RuleTable<'o> {
    pub(super) fn new(context: &'o FindingContext<'o>) -> RuleTable<'o> {
        RuleTable {
            context,
            rules: Vec::new(),
            by_labels: BTreeMap::new(),
            by_description: BTreeMap::new(),
            sources: LabelSets::default(),
            sinks: LabelSets::default(),
        }
    }

    pub(super) fn get(&self, rule: usize) -> &Rule<'o> {
        &self.rules[rule]
    }

    /// Index of the rule of a finding.
    pub(super) fn rule_of(&mut self, finding: &Finding) -> usize {
        let context = self.context;
        if let Some((number, description)) = context.description(finding) {
            let rules = &mut self.rules;
            return *self.by_description.entry(number).or_insert_with(|| {
                let (id, title) = (description.id.clone(), description.title.clone());
                rules.push(Rule { id, description: Some(description), title });
                rules.len() - 1
            });
        }
        let source = self.sources.of(finding.source, || context.source_labels(finding.source));
        let sink = self.sinks.of(finding.sink, || context.sink_labels(finding.sink));
        let (rules, sources, sinks) = (&mut self.rules, &self.sources, &self.sinks);
        *self.by_labels.entry((source, sink)).or_insert_with(|| {
            let (source, sink) = (sources.labels(source), sinks.labels(sink));
            rules.push(Rule { id: pair_id(source, sink), description: None, title: pair_title(source, sink) });
            rules.len() - 1
        })
    }

    /// Metadata of all rules, by index.
    pub(super) fn metadata(&self) -> Vec<Value> {
        self.rules.iter().map(metadata).collect()
    }
}

/// Metadata of a rule, with a help text that says what to look at.
fn metadata(rule: &Rule<'_>) -> Value {
    let default = format!(
        "{}\n\nFollow the steps of the code flow from the source to the sink. If the data is checked on the way, mark the node that \
         checks it as a sanitizer; if it is harmless, suppress the finding with a reason.",
        rule.title
    );
    let help = rule.description.map(|description| &*description.help).filter(|help| !help.is_empty());
    let cwe = rule.description.map_or(&[][..], |description| &description.cwe);
    let help = help.unwrap_or(&default);
    RuleText { id: &rule.id, title: &rule.title, help, severity: rule.severity(), cwe }.metadata()
}

/// Identifier of a pair of labels. Separators in labels are percent-encoded, so that different labels have different identifiers.
fn pair_id(source: &[String], sink: &[String]) -> String {
    if source.is_empty() && sink.is_empty() {
        return "taint".to_owned();
    }
    let encoded = |label: &String| {
        let mut text = String::with_capacity(label.len());
        for character in label.chars() {
            match character {
                '%' | '+' | ':' | '/' => text.push_str(&format!("%{:02X}", u32::from(character))),
                _ => text.push(character),
            }
        }
        text
    };
    let joined = |labels: &[String]| labels.iter().map(encoded).collect::<Vec<_>>().join("+");
    format!("taint:{}:{}", joined(source), joined(sink))
}

fn pair_title(source: &[String], sink: &[String]) -> String {
    let labelled = |noun: &str, labels: &[String]| match labels {
        [] => format!("a {noun}"),
        labels => format!("a {noun} with the label {}", labels.join(", ")),
    };
    let title = format!("{} reaches {}.", labelled("source", source), labelled("sink", sink));
    format!("A{}", &title[1..])
}

/// Distinct sets of labels.
#[derive(Default)]
struct LabelSets {
    of_node: BTreeMap<u32, u32>,
    numbers: BTreeMap<Vec<String>, u32>,
    sets: Vec<Vec<String>>,
}

impl LabelSets {
    /// Number of the set of a node.
    fn of<'l>(&mut self, node: u32, labels: impl FnOnce() -> Option<Vec<&'l str>>) -> u32 {
        if let Some(&number) = self.of_node.get(&node) {
            return number;
        }
        let labels: Vec<String> = labels().unwrap_or_default().into_iter().map(str::to_owned).collect();
        let next = self.sets.len() as u32;
        let number = *self.numbers.entry(labels.clone()).or_insert(next);
        if number == next {
            self.sets.push(labels);
        }
        self.of_node.insert(node, number);
        number
    }

    fn labels(&self, number: u32) -> &[String] {
        &self.sets[number as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(labels: &[&str]) -> Vec<String> {
        labels.iter().map(|&label| label.to_owned()).collect()
    }

    #[test]
    fn different_labels_have_different_identifiers() {
        let id = |source: &[&str], sink: &[&str]| pair_id(&texts(source), &texts(sink));
        assert_eq!(id(&[], &[]), "taint");
        assert_eq!(id(&["http", "user"], &["sql"]), "taint:http+user:sql");
        assert_eq!(id(&["http+user"], &["a:b"]), "taint:http%2Buser:a%3Ab");
        assert_eq!(id(&["100%2B"], &["a/b"]), "taint:100%252B:a%2Fb");
        assert_ne!(id(&[], &["sql"]), id(&["source"], &["sql"]));
    }

    #[test]
    fn titles_name_the_labels() {
        assert_eq!(pair_title(&[], &[]), "A source reaches a sink.");
        let title = "A source with the label http, user reaches a sink with the label sql.";
        assert_eq!(pair_title(&texts(&["http", "user"]), &texts(&["sql"])), title);
    }
}
