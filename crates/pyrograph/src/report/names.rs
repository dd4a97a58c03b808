//! Names of outcomes and reasons in reports.

use crate::coverage::{FileOutcome, SkipReason};
use crate::knowledge::Severity;

/// Severities from the worst to the mildest.
pub(super) const SEVERITIES: [Severity; 5] =
    [Severity::Critical, Severity::High, Severity::Medium, Severity::Low, Severity::Note];

/// Reasons to skip files, in the order of reports.
pub(super) const SKIP_REASONS: [SkipReason; 8] = [
    SkipReason::Dependency,
    SkipReason::Excluded,
    SkipReason::UnsupportedLanguage,
    SkipReason::Declarations,
    SkipReason::Duplicate,
    SkipReason::Link,
    SkipReason::Special,
    SkipReason::NotCode,
];

/// Name of a reason to skip a file, as JSON has it.
#[must_use]
pub fn skip_reason_name(reason: SkipReason) -> &'static str {
    reason.name()
}

/// Name of an outcome, as JSON has it.
pub(super) fn outcome_name(outcome: &FileOutcome) -> &'static str {
    match outcome {
        FileOutcome::Scanned => "scanned",
        FileOutcome::Skipped(_) => "skipped",
        FileOutcome::Failed(_) => "failed",
        FileOutcome::TimedOut => "timed_out",
    }
}
