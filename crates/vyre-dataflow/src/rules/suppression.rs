//! Suppressions: findings that are accepted, with a reason.

use super::glob::Glob;
use super::matching::matches;
use super::node_table::NodeTable;
use super::rule::Rule;
use super::schema::RuleKind;

use vyre_ir::source::Span;

/// A suppression of a rules file.
#[derive(Clone, Debug)]
pub(crate) struct Suppression {
    /// Line on which it begins.
    pub(crate) line: u32,
    /// Indices of the rules whose findings it concerns, ascending. None: all findings.
    pub(crate) rules: Option<Vec<u32>>,
    /// Patterns of names of sources, one of which must match. Empty: any source.
    pub(crate) sources: Vec<Glob>,
    /// Patterns of names of sinks, one of which must match. Empty: any sink.
    pub(crate) sinks: Vec<Glob>,
    /// Span of the first key with patterns.
    pub(crate) names_span: Span,
    pub(crate) reason: String,
}

/// Nodes that suppressions match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SuppressedNodes {
    /// Rules of each suppression, as it has them.
    rules: Vec<Option<Vec<u32>>>,
    /// Sorted pairs of a node and a suppression whose sources it matches.
    sources: Vec<(u32, u32)>,
    /// Suppressions of any source.
    any_source: Vec<u32>,
    /// Sorted pairs of a node and a suppression whose sinks it matches.
    sinks: Vec<(u32, u32)>,
    /// True for suppressions of any sink.
    any_sink: Vec<bool>,
}

impl SuppressedNodes {
    /// Matches the names of nodes with the patterns of suppressions.
    pub(crate) fn new(suppressions: &[Suppression], nodes: &NodeTable<'_>) -> SuppressedNodes {
        let matching = |globs: fn(&Suppression) -> &Vec<Glob>| {
            let rule = |suppression: &Suppression| Rule {
                names: globs(suppression).clone(),
                ..Rule::new(RuleKind::Sink, suppression.line)
            };
            matches(&suppressions.iter().map(rule).collect::<Vec<_>>(), nodes)
        };
        let is_any = |suppression: &Suppression| suppression.sources.is_empty();
        SuppressedNodes {
            rules: suppressions.iter().map(|suppression| suppression.rules.clone()).collect(),
            sources: matching(|suppression| &suppression.sources),
            any_source: (0..).zip(suppressions).filter(|(_, it)| is_any(it)).map(|(at, _)| at).collect(),
            sinks: matching(|suppression| &suppression.sinks),
            any_sink: suppressions.iter().map(|suppression| suppression.sinks.is_empty()).collect(),
        }
    }

    /// Index of the first suppression of a finding. `rule` gives the index of its description.
    pub(crate) fn first(&self, source: u32, sink: u32, rule: impl Fn() -> Option<u32>) -> Option<u32> {
        let start = self.sources.partition_point(|&(node, _)| node < source);
        let of_source = self.sources[start..].iter().take_while(|&&(node, _)| node == source).map(|&(_, at)| at);
        let matches_rule = |at: u32| {
            let is_one_of = |rules: &Vec<u32>| rule().is_some_and(|rule| rules.binary_search(&rule).is_ok());
            self.rules[at as usize].as_ref().is_none_or(is_one_of)
        };
        let matches_sink = |at: u32| self.any_sink[at as usize] || self.sinks.binary_search(&(sink, at)).is_ok();
        let all = of_source.chain(self.any_source.iter().copied());
        all.filter(|&at| matches_sink(at) && matches_rule(at)).min()
    }
}
