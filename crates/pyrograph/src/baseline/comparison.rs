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

/// State of a finding in comparison with a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaselineState {
    /// The baseline does not have it.
    New,
    /// The baseline has it.
    Unchanged,
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
    /// Findings of the baseline that the scan does not have, in order of their places.
    pub fixed: Vec<BaselineFinding>,
}

impl Comparison {
    /// State of a finding by its fingerprint.
    #[must_use]
    pub fn state(&self, fingerprint: &str) -> BaselineState {
        if self.unchanged.contains(fingerprint) { BaselineState::Unchanged } else { BaselineState::New }
    }
}
