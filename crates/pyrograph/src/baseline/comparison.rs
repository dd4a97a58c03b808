//! Comparison of a scan with an earlier one.

use std::collections::BTreeSet;

/// A finding of an earlier scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaselineFinding {
    /// Identifier of the rule.
    pub rule: String,
    /// URI of the file of the sink.
    pub uri: String,
    /// Line of the sink.
    pub line: Option<u64>,
    /// Fingerprint.
    pub fingerprint: String,
}

/// A finding of an earlier scan that a later one could not find again, because it did not look at its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncheckedFinding {
    /// The finding.
    pub finding: BaselineFinding,
    /// Reason, such as "the rule was not used".
    pub reason: String,
}

/// State of a finding in comparison with a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaselineState {
    /// The baseline does not have it.
    New,
    /// The baseline has it.
    Unchanged,
}

impl BaselineFinding {
    /// Place for people: the URI with the line.
    #[must_use]
    pub fn place(&self) -> String {
        let line = self.line.map_or_else(String::new, |line| format!(":{line}"));
        format!("{}{line}", self.uri)
    }
}

impl BaselineState {
    /// Name in reports, as SARIF has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            BaselineState::New => "new",
            BaselineState::Unchanged => "unchanged",
        }
    }
}

/// Comparison of a scan with a baseline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Fingerprints of the findings, silenced ones included, that the baseline has too.
    pub(super) unchanged: BTreeSet<String>,
    /// Number of findings that are new.
    pub new: usize,
    /// Findings of the baseline that the scan does not have although it looked at their code, in order of their places.
    pub fixed: Vec<BaselineFinding>,
    /// Findings of the baseline that the scan does not have, and whose code or rule it did not look at, in order of their places.
    pub unchecked: Vec<UncheckedFinding>,
}

impl Comparison {
    /// Counts as a text. `findings` is the number of findings of the scan.
    #[must_use]
    pub fn counts(&self, findings: usize) -> String {
        let (new, unchanged, fixed) = (self.new, findings.saturating_sub(self.new), self.fixed.len());
        let mut text = format!("{new} new, {unchanged} unchanged, {fixed} fixed");
        if !self.unchecked.is_empty() {
            text.push_str(&format!(", {} not checked", self.unchecked.len()));
        }
        text
    }

    /// State of a finding by its fingerprint.
    #[must_use]
    pub fn state(&self, fingerprint: &str) -> BaselineState {
        if self.unchanged.contains(fingerprint) { BaselineState::Unchanged } else { BaselineState::New }
    }
}
