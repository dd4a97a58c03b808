//! Labels and attributes of nodes, from rules files and CSV files.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, anyhow};
use vyre::engine::dataflow::Finding;
use vyre::engine::dataflow::rules::{Labelling, NodeTable, RuleDescription, Rules};
use vyre::graph::{Attributes, ReadError, read_attributes};

use super::load::LoadedGraph;
use super::progress::Bar;
use super::reading::{open_reader, read_error};
use crate::input::Input;
use crate::output::visible;

/// Maximum number of listed rules that match no node.
const MAX_LISTED_UNMATCHED: usize = 10;

/// Rules with the name of their file.
pub(crate) struct RulesFile {
    pub(crate) rules: Rules,
    name: String,
}

impl RulesFile {
    /// Reads and parses a rules file.
    pub(crate) fn read(file: &Path) -> anyhow::Result<RulesFile> {
        let input = Input::new(file);
        let name = visible(&input.name()).into_owned();
        let text = String::from_utf8(input.read()?)
            .map_err(|error| anyhow!("at byte {}", error.utf8_error().valid_up_to()))
            .with_context(|| format!("{name} is not UTF-8"))?;
        let rules = Rules::parse(&text).map_err(|error| anyhow!("{}", error.in_file(&name)))?;
        Ok(RulesFile { rules, name })
    }

    /// Merges the roles of the rules into the roles of the nodes, and prints a note for each rule that matches no node.
    pub(crate) fn apply(
        &self,
        graph: &mut LoadedGraph,
        attributes: Option<&Attributes>,
        bar: &Bar,
    ) -> anyhow::Result<Labels> {
        let table = NodeTable { attributes, ..NodeTable::from(graph.view()) };
        let mut labelling = self
            .rules
            .label(&table)
            .map_err(|error| anyhow!("{}{}", error.in_file(&self.name), option_hint(&table)))?;
        let unmatched: Vec<_> = labelling.unmatched_rules().collect();
        for rule in unmatched.iter().take(MAX_LISTED_UNMATCHED) {
            let label = rule.label.as_ref().map_or(String::new(), |label| format!(" `{}`", visible(label)));
            bar.note(&format!("{}:{}: the {}{label} matches no node", self.name, rule.line, rule.kind.key()));
        }
        if let Some(more @ 1..) = unmatched.len().checked_sub(MAX_LISTED_UNMATCHED) {
            bar.note(&format!("{}: {more} more rules match no node", self.name));
        }
        if let [first, ..] = self.rules.scan_lines() {
            let count = self.rules.scan_lines().len();
            let tables = if count == 1 { "1 table is".to_owned() } else { format!("{count} tables are") };
            bar.note(&format!("{}:{first}: {tables} for `vyre scan` only and ignored here", self.name));
        }
        graph.set_node_data(std::mem::take(&mut labelling.node_data));
        let suppression = |(line, reason): (u32, &str)| Suppression {
            line,
            reason: reason.to_owned(),
            is_used: AtomicBool::new(false),
        };
        Ok(Labels {
            labelling,
            file: self.name.clone(),
            descriptions: self.rules.descriptions().to_vec(),
            suppressions: self.rules.suppressions().map(suppression).collect(),
        })
    }
}

/// Hint for rules that match attributes that nodes do not have.
fn option_hint(nodes: &NodeTable<'_>) -> &'static str {
    match (nodes.names.is_some(), nodes.attributes.is_some()) {
        (false, false) => "\nsee --names and --attributes",
        (false, true) => "\nsee --names",
        (true, false) => "\nsee --attributes",
        (true, true) => "",
    }
}

/// Reads the attributes of the nodes of a graph.
pub(crate) fn read_attributes_of(file: &Path, graph: &LoadedGraph, bar: &Bar) -> anyhow::Result<Attributes> {
    let input = Input::new(file);
    let view = graph.view();
    let opened = open_reader(&input).map_err(ReadError::from);
    let read = opened.and_then(|reader| read_attributes(reader, view.names, view.csr.node_count(), bar));
    bar.clear();
    read.map_err(|error| read_error(&input.name(), &error))
}

/// Labels of nodes, initial facts of sources, and rules of findings.
pub(crate) struct Labels {
    labelling: Labelling,
    /// Name of the rules file.
    file: String,
    descriptions: Vec<RuleDescription>,
    suppressions: Vec<Suppression>,
}

/// A suppression of the rules file.
struct Suppression {
    line: u32,
    reason: String,
    /// True if it concerns a finding.
    is_used: AtomicBool,
}

impl Labels {
    /// The labels of a source, in the order of the rules.
    pub(crate) fn of_source(&self, node: u32) -> Vec<&str> {
        self.labelling.source_labels(node).collect()
    }

    /// The labels of a sink, in the order of the rules.
    pub(crate) fn of_sink(&self, node: u32) -> Vec<&str> {
        self.labelling.sink_labels(node).collect()
    }

    /// Description of the rule of a finding, with its number.
    pub(crate) fn description(&self, finding: &Finding) -> Option<(u32, &RuleDescription)> {
        let number = self.labelling.description_of(finding.source, finding.sink)?;
        Some((number, &self.descriptions[number as usize]))
    }

    /// Reports whether the rules file describes rules of findings.
    pub(crate) fn has_descriptions(&self) -> bool {
        !self.descriptions.is_empty()
    }

    /// Reason for which a finding is suppressed.
    pub(crate) fn suppression(&self, finding: &Finding) -> Option<&str> {
        let number = self.labelling.suppression_of(finding.source, finding.sink)?;
        let suppression = &self.suppressions[number as usize];
        suppression.is_used.store(true, Ordering::Relaxed);
        Some(&suppression.reason)
    }

    /// Reports whether the rules file has suppressions.
    pub(crate) fn has_suppressions(&self) -> bool {
        !self.suppressions.is_empty()
    }

    /// Notes about suppressions that concern no finding of this analysis.
    pub(crate) fn unused_suppressions(&self) -> impl Iterator<Item = String> {
        let unused = self.suppressions.iter().filter(|it| !it.is_used.load(Ordering::Relaxed));
        let lines = unused.take(MAX_LISTED_UNMATCHED).map(|it| it.line);
        lines.map(|line| format!("{}:{line}: the suppression concerns no finding", self.file))
    }

    /// Initial facts of each of these nodes; 1 if no rule sets them. `None` if all are 1.
    pub(crate) fn facts(&self, nodes: &[u32]) -> Option<Vec<u32>> {
        let Labelling { sources, facts, .. } = &self.labelling;
        let facts_of =
            |node: &u32| sources.binary_search(node).ok().and_then(|index| facts.get(index)).copied().unwrap_or(1);
        let all: Vec<u32> = nodes.iter().map(facts_of).collect();
        all.iter().any(|&facts| facts != 1).then_some(all)
    }

    /// Takes the metadata words of nodes for a transfer function, if rules set any.
    pub(crate) fn take_node_words(&mut self) -> Option<Vec<u32>> {
        self.labelling.metadata.take()
    }
}
