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

/// Reason to skip files, as the end of a sentence `N files: ...`.
pub(super) fn skip_reason_text(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::NotCode => "no code",
        SkipReason::UnsupportedLanguage => "code of a language that is not supported",
        SkipReason::Dependency => "dependencies; --dependencies includes them",
        SkipReason::Excluded => "excluded by --include and --exclude",
        SkipReason::Duplicate => "same bytes as another file",
        SkipReason::Declarations => "declarations without code",
        SkipReason::Link => "links; files are scanned under their own names",
        SkipReason::Special => "pipes, sockets and devices",
    }
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
