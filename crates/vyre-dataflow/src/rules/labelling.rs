//! Labelling: roles, labels, facts and metadata of nodes, from the rules that they match.

use vyre_graph::{Role, role_of};

use super::description::RuleDescription;
use super::matching::matches;
use super::node_table::NodeTable;
use super::rule::Rule;
use super::schema::RuleKind;
use super::suppression::{SuppressedNodes, Suppression};

/// Result of applying rules to the nodes of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelling {
    /// Word of each node, with its role.
    pub node_data: Vec<u32>,
    /// Nodes whose role is source or source and sink, ascending.
    pub sources: Vec<u32>,
    /// Facts that begin at each source: the union over its rules, or 1 if only its word made it a source.
    pub facts: Vec<u32>,
    /// Metadata word of each node, if there are parameter rules: the word of the first rule that matches, or 0.
    pub metadata: Option<Vec<u32>>,
    /// Match count of each rule: sources, sinks, sanitizers, parameters, each in the order of the file.
    pub rules: Vec<RuleMatches>,
    /// Sorted pairs of a node and the index of a rule that labels it.
    labels: Vec<(u32, u32)>,
    /// Indices of the descriptions that the key `rule` of each rule selects, ascending. None: it has no such key.
    selected: Vec<Option<Vec<u32>>>,
    suppressed: SuppressedNodes,
}

/// Match count of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleMatches {
    /// Kind of the rule.
    pub kind: RuleKind,
    /// Label of the rule. Parameter rules have none.
    pub label: Option<String>,
    /// Line on which the rule begins.
    pub line: u32,
    /// Number of nodes that match, including sanitizers.
    pub nodes: usize,
}

impl Labelling {
    /// Applies rules to nodes.
    pub(crate) fn new(
        rules: &[Rule],
        descriptions: &[RuleDescription],
        suppressions: &[Suppression],
        nodes: &NodeTable<'_>,
    ) -> Labelling {
        let mut node_data = nodes.node_data.to_vec();
        let mut facts_of = Vec::new();
        let has_parameters = rules.iter().any(|rule| rule.kind == RuleKind::Parameter);
        let mut metadata = has_parameters.then(|| vec![0; node_data.len()]);
        let of_rule =
            |rule: &Rule| RuleMatches { kind: rule.kind, label: rule.label.clone(), line: rule.line, nodes: 0 };
        let mut counts: Vec<RuleMatches> = rules.iter().map(of_rule).collect();
        let mut labels = matches(rules, nodes);
        for of_node in labels.chunk_by(|one, other| one.0 == other.0) {
            let node = of_node[0].0;
            let word = &mut node_data[node as usize];
            let (mut facts, mut has_parameter) = (0, false);
            for &(_, rule) in of_node {
                counts[rule as usize].nodes += 1;
                let rule = &rules[rule as usize];
                let role = match rule.kind {
                    RuleKind::Source => Role::Source,
                    RuleKind::Sink => Role::Sink,
                    RuleKind::Sanitizer => Role::Sanitizer,
                    RuleKind::Parameter => {
                        if let Some(metadata) = metadata.as_mut().filter(|_| !has_parameter) {
                            metadata[node as usize] = rule.word;
                        }
                        has_parameter = true;
                        continue;
                    }
                };
                facts |= if role == Role::Source { rule.word } else { 0 };
                *word = role_of(*word).merged(role).set_in(*word);
            }
            if facts != 0 {
                facts_of.push((node, facts));
            }
        }
        labels.retain(|&(node, rule)| applies(rules[rule as usize].kind, role_of(node_data[node as usize])));
        let sources: Vec<u32> =
            (0..).zip(&node_data).filter(|&(_, &word)| role_of(word).is_source()).map(|(node, _)| node).collect();
        let mut rest = facts_of.into_iter().peekable();
        let facts = sources.iter().map(|&source| {
            while rest.next_if(|&(node, _)| node < source).is_some() {}
            rest.next_if(|&(node, _)| node == source).map_or(1, |(_, facts)| facts)
        });
        let facts = facts.collect();
        let selected = rules.iter().map(|rule| {
            let selection = rule.selection.as_ref()?;
            let selected = (0..).zip(descriptions).filter(|(_, description)| selection.selects(&description.id));
            Some(selected.map(|(at, _)| at).collect())
        });
        let (selected, suppressed) = (selected.collect(), SuppressedNodes::new(suppressions, nodes));
        Labelling { node_data, sources, facts, metadata, rules: counts, labels, selected, suppressed }
    }

    /// Index of the description of a finding: the first that an entry of its sink selects, and an entry of its source does too. A
    /// source entry without the key `rule` selects all, and so does a node that no source entry matches.
    #[must_use]
    pub fn description_of(&self, source: u32, sink: u32) -> Option<u32> {
        let is_source = |at: u32| {
            let mut entries = self.entries_of(source, RuleKind::Source).peekable();
            entries.peek().is_none()
                || entries.any(|entry| self.selected[entry].as_ref().is_none_or(|all| all.binary_search(&at).is_ok()))
        };
        let of_sink = self.entries_of(sink, RuleKind::Sink).filter_map(|entry| self.selected[entry].as_ref()).flatten();
        of_sink.copied().filter(|&at| is_source(at)).min()
    }

    /// Index of the first suppression of a finding.
    #[must_use]
    pub fn suppression_of(&self, source: u32, sink: u32) -> Option<u32> {
        self.suppressed.first(source, sink, || self.description_of(source, sink))
    }

    /// Source labels of a node, in the order of the file. A sanitizer has none.
    pub fn source_labels(&self, node: u32) -> impl Iterator<Item = &str> {
        self.labels_of(node, RuleKind::Source)
    }

    /// Sink labels of a node, in the order of the file. A sanitizer has none.
    pub fn sink_labels(&self, node: u32) -> impl Iterator<Item = &str> {
        self.labels_of(node, RuleKind::Sink)
    }

    /// Sanitizer labels of a node, in the order of the file.
    pub fn sanitizer_labels(&self, node: u32) -> impl Iterator<Item = &str> {
        self.labels_of(node, RuleKind::Sanitizer)
    }

    /// Rules that match no node.
    pub fn unmatched_rules(&self) -> impl Iterator<Item = &RuleMatches> {
        self.rules.iter().filter(|rule| rule.nodes == 0)
    }

    fn labels_of(&self, node: u32, kind: RuleKind) -> impl Iterator<Item = &str> {
        self.entries_of(node, kind).filter_map(|rule| self.rules[rule].label.as_deref())
    }

    /// Indices of the rules of a kind that label a node.
    fn entries_of(&self, node: u32, kind: RuleKind) -> impl Iterator<Item = usize> {
        let start = self.labels.partition_point(|&(labelled, _)| labelled < node);
        let of_node = self.labels[start..].iter().take_while(move |&&(labelled, _)| labelled == node);
        of_node.map(|&(_, rule)| rule as usize).filter(move |&rule| self.rules[rule].kind == kind)
    }
}

/// Reports whether a rule of this kind applies to a node with this final role.
fn applies(kind: RuleKind, role: Role) -> bool {
    match kind {
        RuleKind::Source => role.is_source(),
        RuleKind::Sink => role.is_sink(),
        RuleKind::Sanitizer => true,
        RuleKind::Parameter => false,
    }
}
