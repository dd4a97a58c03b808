//! Result of a score.

use std::collections::BTreeMap;

use super::counts::Counts;
use super::outcome::Outcome;

/// Result of a score.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Score {
    /// Counts of everything.
    pub total: Counts,
    /// Counts by rule.
    pub rules: BTreeMap<String, Counts>,
    /// Counts by number of a CWE entry: that of the folder, otherwise the first one of the rule.
    pub cwe: BTreeMap<u32, Counts>,
    /// Counts by unit, by path relative to the folder.
    pub units: BTreeMap<String, Counts>,
    /// Lines that were compared, in order of units, paths and lines.
    pub lines: Vec<ScoredLine>,
    /// Foreign rules that no mapping covers, with the number of their annotations.
    pub unmapped: BTreeMap<String, u64>,
    /// Files with annotations that name no rule, and whose folder has none.
    pub files_without_rule: Vec<String>,
    /// Findings by rule in files that do not test the rule.
    pub unscored: BTreeMap<String, u64>,
    /// True positives whose source is not the annotated one.
    pub wrong_sources: u64,
    /// Units that could not be scanned, or not completely: path, reason.
    pub failures: Vec<(String, String)>,
}

/// A line that was compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoredLine {
    /// How it counts.
    pub outcome: Outcome,
    /// Path relative to the folder.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// Rule of this scanner.
    pub rule: String,
    /// Rule that the annotation names, if it names one.
    pub annotated: Option<String>,
    /// Why the line counts as wrong, or that its source is not the annotated one.
    pub reason: Option<String>,
}
