//! Matching of nodes against rules, in parallel over chunks of nodes.
//!
//! A rule with name patterns is found by a pattern set over all names ([`GlobSet`]). A rule without them is found by its first
//! condition: the values of each attribute are matched once, and nodes refer to values.

use rayon::prelude::*;
use vyre_graph::NamesView;
use vyre_graph::file::Column;

use super::glob_set::GlobSet;
use super::node_table::NodeTable;
use super::rule::{Condition, Rule};

/// Number of nodes or values of a parallel task.
const CHUNK: usize = 1 << 12;

/// Returns all sorted pairs of a node and the index of a rule that it matches.
///
/// A condition on an attribute without a column matches no node.
pub(crate) fn matches(rules: &[Rule], nodes: &NodeTable<'_>) -> Vec<(u32, u32)> {
    let matcher = Matcher::new(rules, nodes);
    let count = nodes.node_data.len();
    let chunks: Vec<Vec<(u32, u32)>> = (0..count.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| matcher.match_nodes((chunk * CHUNK) as u32..((chunk + 1) * CHUNK).min(count) as u32))
        .collect();
    chunks.concat()
}

/// Evenly spaced sample of names, from which a pattern set estimates which texts are rare.
fn sample(names: NamesView<'_>) -> Vec<&str> {
    const NAMES: usize = 1000;
    let step = names.len().div_ceil(NAMES).max(1);
    (0..names.len() as u32).step_by(step).filter_map(|node| names.name(node)).collect()
}

/// A condition of a rule, with its column.
struct ColumnCondition<'r> {
    condition: &'r Condition,
    /// Index of the column of its attribute, if nodes have it.
    column: Option<usize>,
    /// The rule, if this condition finds it: the rule has no names, and this is its first condition.
    finds: Option<u32>,
}

/// Rules, compiled for the names and attributes of a node table.
struct Matcher<'r> {
    names: Option<(NamesView<'r>, GlobSet<'r>)>,
    columns: Vec<ColumnMatches<'r>>,
    conditions: Vec<ColumnCondition<'r>>,
    /// Range of the conditions of each rule.
    of_rule: Vec<std::ops::Range<u32>>,
}

/// Conditions that each value of a column matches.
struct ColumnMatches<'r> {
    column: Column<'r>,
    /// End of the conditions of each value in `matching`.
    ends: Vec<usize>,
    /// Conditions of all values, sorted for each value.
    matching: Vec<u32>,
}

impl<'r> Matcher<'r> {
    fn new(rules: &'r [Rule], nodes: &NodeTable<'r>) -> Matcher<'r> {
        let by_name = || (0..).zip(rules).flat_map(|(rule, found)| found.names.iter().map(move |glob| (glob, rule)));
        let names = nodes.names.map(|names| (names, GlobSet::new(by_name().collect(), &sample(names))));
        let mut used: Vec<Column<'r>> = Vec::new();
        let mut conditions = Vec::new();
        let mut of_rule = Vec::new();
        for (number, rule) in (0..).zip(rules) {
            let start = conditions.len() as u32;
            for (position, condition) in rule.conditions.iter().enumerate() {
                let found = nodes.attributes.and_then(|attributes| attributes.column(&condition.attribute));
                let column = found.map(|column| {
                    used.iter().position(|known| known.name() == column.name()).unwrap_or_else(|| {
                        used.push(column);
                        used.len() - 1
                    })
                });
                let finds = (position == 0 && rule.names.is_empty()).then_some(number);
                conditions.push(ColumnCondition { condition, column, finds });
            }
            of_rule.push(start..conditions.len() as u32);
        }
        let columns = (0..).zip(used).map(|(number, column)| {
            let of_column = (0..).zip(&conditions).filter(|(_, condition)| condition.column == Some(number));
            let globs =
                of_column.flat_map(|(id, condition)| condition.condition.globs.iter().map(move |glob| (glob, id)));
            ColumnMatches::new(column, &GlobSet::new(globs.collect(), &sample(column.values())))
        });
        let columns = columns.collect();
        Matcher { names, columns, conditions, of_rule }
    }

    /// Result of [`matches`] for a range of nodes.
    fn match_nodes(&self, nodes: std::ops::Range<u32>) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        let mut search =
            self.names.as_ref().filter(|(_, set)| !set.is_empty()).map(|(names, set)| (names, set, set.scratch()));
        let (mut found, mut rules) = (Vec::new(), Vec::new());
        for node in nodes {
            rules.clear();
            if let Some((names, set, scratch)) = &mut search
                && let Some(name) = names.name(node)
            {
                set.owners(name, scratch, &mut found);
                rules.extend(found.iter().filter(|&&rule| self.holds(rule, node)));
            }
            for column in &self.columns {
                let by_column = column.matching(node).iter().filter_map(|&id| self.conditions[id as usize].finds);
                rules.extend(by_column.filter(|&rule| self.holds(rule, node)));
            }
            rules.sort_unstable();
            pairs.extend(rules.iter().map(|&rule| (node, rule)));
        }
        pairs
    }

    /// Reports whether all conditions of a rule hold for a node.
    fn holds(&self, rule: u32, node: u32) -> bool {
        self.of_rule[rule as usize].clone().all(|id| {
            let column = self.conditions[id as usize].column;
            column.is_some_and(|column| self.columns[column].matching(node).binary_search(&id).is_ok())
        })
    }
}

impl<'r> ColumnMatches<'r> {
    fn new(column: Column<'r>, globs: &GlobSet<'_>) -> ColumnMatches<'r> {
        let values = column.values();
        let count = values.len();
        let chunks: Vec<(Vec<usize>, Vec<u32>)> = (0..count.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let (mut lengths, mut matching, mut found) = (Vec::new(), Vec::new(), Vec::new());
                let mut scratch = globs.scratch();
                for value in chunk * CHUNK..((chunk + 1) * CHUNK).min(count) {
                    globs.owners(values.name(value as u32).unwrap_or_default(), &mut scratch, &mut found);
                    lengths.push(found.len());
                    matching.extend_from_slice(&found);
                }
                (lengths, matching)
            })
            .collect();
        let mut end = 0;
        let to_end = |&length: &usize| {
            end += length;
            end
        };
        let ends = chunks.iter().flat_map(|(lengths, _)| lengths).map(to_end).collect();
        let matching = chunks.iter().flat_map(|(_, matching)| matching).copied().collect();
        ColumnMatches { column, ends, matching }
    }

    /// Conditions that the value of a node matches.
    fn matching(&self, node: u32) -> &[u32] {
        let Some(value) = self.column.value_index(node) else { return &[] };
        let value = value as usize;
        let start = if value == 0 { 0 } else { self.ends[value - 1] };
        &self.matching[start..self.ends[value]]
    }
}
