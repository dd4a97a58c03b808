//! Nodes with their labels.

use vyre_graph::file::Attributes;
use vyre_graph::{GraphView, NamesView, Role, role_of};

use super::matching::matches;
use super::rule::Rule;
use super::schema::RuleKind;

/// What rules look at: the nodes of a graph with what is known of them.
#[derive(Clone, Copy, Debug)]
pub struct NodeTable<'n> {
    /// The word of each node; the roles in them stay beside those of the rules.
    pub node_data: &'n [u32],
    /// The name of each node.
    pub names: Option<NamesView<'n>>,
    /// Attributes of nodes.
    pub attributes: Option<&'n Attributes>,
}

/// A graph, without attributes.
impl<'n> From<GraphView<'n>> for NodeTable<'n> {
    fn from(graph: GraphView<'n>) -> NodeTable<'n> {
        NodeTable { node_data: graph.csr.node_data, names: graph.names, attributes: None }
    }
}

/// What rules say of the nodes of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelling {
    /// The word of each node, with its role.
    pub node_data: Vec<u32>,
    /// All nodes whose role is that of a source, in order.
    pub sources: Vec<u32>,
    /// The facts that begin at each of the sources: those of all its rules together, 1 if only its word made it a source.
    pub facts: Vec<u32>,
    /// If there are parameters, the word of each node: that of the first that matches, else 0.
    pub metadata: Option<Vec<u32>>,
    /// How many nodes match each rule: the sources, then sinks, sanitizers and parameters, each in the order of the file.
    pub rules: Vec<RuleMatches>,
    /// Pairs of a node and the number of a rule that gives it a label, in order.
    labels: Vec<(u32, u32)>,
}

/// How many nodes match a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleMatches {
    /// The kind of the rule.
    pub kind: RuleKind,
    /// Its label; parameters have none.
    pub label: Option<String>,
    /// The line where it begins.
    pub line: u32,
    /// How many nodes match, sanitizers too.
    pub nodes: usize,
}

impl Labelling {
    pub(crate) fn new(rules: &[Rule], nodes: &NodeTable<'_>) -> Labelling {
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
        labels.retain(|&(node, rule)| has_effect(rules[rule as usize].kind, role_of(node_data[node as usize])));
        let sources: Vec<u32> =
            (0..).zip(&node_data).filter(|&(_, &word)| role_of(word).is_source()).map(|(node, _)| node).collect();
        let mut rest = facts_of.into_iter().peekable();
        let facts = sources.iter().map(|&source| {
            while rest.next_if(|&(node, _)| node < source).is_some() {}
            rest.next_if(|&(node, _)| node == source).map_or(1, |(_, facts)| facts)
        });
        let facts = facts.collect();
        Labelling { node_data, sources, facts, metadata, rules: counts, labels }
    }

    /// The labels of a node that is a source, in the order of the file. A sanitizer is no source.
    pub fn source_labels(&self, node: u32) -> impl Iterator<Item = &str> {
        self.labels_of(node, RuleKind::Source)
    }

    /// The labels of a node that is a sink, in the order of the file. A sanitizer is no sink.
    pub fn sink_labels(&self, node: u32) -> impl Iterator<Item = &str> {
        self.labels_of(node, RuleKind::Sink)
    }

    /// The labels of a node that is a sanitizer, in the order of the file.
    pub fn sanitizer_labels(&self, node: u32) -> impl Iterator<Item = &str> {
        self.labels_of(node, RuleKind::Sanitizer)
    }

    /// The rules that match no node.
    pub fn unmatched_rules(&self) -> impl Iterator<Item = &RuleMatches> {
        self.rules.iter().filter(|rule| rule.nodes == 0)
    }

    fn labels_of(&self, node: u32, kind: RuleKind) -> impl Iterator<Item = &str> {
        let start = self.labels.partition_point(|&(labelled, _)| labelled < node);
        let of_node = self.labels[start..].iter().take_while(move |&&(labelled, _)| labelled == node);
        let rules = of_node.map(|&(_, rule)| &self.rules[rule as usize]);
        rules.filter(move |rule| rule.kind == kind).filter_map(|rule| rule.label.as_deref())
    }
}

/// Whether a label of a rule still means something for a node with this role.
fn has_effect(kind: RuleKind, role: Role) -> bool {
    match kind {
        RuleKind::Source => role.is_source(),
        RuleKind::Sink => role.is_sink(),
        RuleKind::Sanitizer => true,
        RuleKind::Parameter => false,
    }
}
