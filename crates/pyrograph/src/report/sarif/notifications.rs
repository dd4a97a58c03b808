//! Invocation with notifications: what was not analysed, and why.

use serde_json::{Value, json};
use vyre_ir::spelling::counted;

use crate::baseline::comparison::UncheckedFinding;
use crate::coverage::FileOutcome;
use crate::limits::limit_scope;
use crate::report::summary::CoverageTotals;
use crate::scan::ScanReport;
use crate::uri::Uris;

use super::descriptors::Descriptors;

/// Kinds of notifications with their descriptions.
pub(super) const KINDS: Descriptors = Descriptors(&[
    ("file-failed", "Code that was not analysed."),
    ("file-timed-out", "Code whose analysis exceeded the time limit."),
    ("files-skipped", "Files that were not analysed by design."),
    ("input-problem", "A damaged archive, or a folder that cannot be read."),
    ("limit-reached", "A limit of the analysis, beyond which flows may be missing."),
    ("interrupted", "The scan was interrupted."),
    ("warning", "Something that may make findings incomplete."),
    ("report-cut", "Results or parts of them that the limits of code scanners leave out."),
    (
        "not-checked",
        "A finding of the baseline whose code or rule the scan did not look at, so that it may still exist.",
    ),
]);

/// Maximum number of notifications about files, and about problems of the input.
const MAX_FILES: usize = 1_000;

/// Input of the notifications of a log.
pub(super) struct Notifications<'r> {
    pub(super) report: &'r ScanReport,
    pub(super) uris: &'r Uris<'r>,
    /// Position of each file in the artifacts.
    pub(super) artifacts: &'r [Option<usize>],
    /// Texts about parts that the log leaves out.
    pub(super) cuts: &'r [String],
}

impl Notifications<'_> {
    /// The invocation. It is successful if the scan is complete.
    pub(super) fn invocation(&self) -> Value {
        let coverage = &self.report.coverage;
        let mut notes = Vec::new();
        if coverage.is_interrupted {
            notes.push(notification("interrupted", "error", "The scan was interrupted: findings are missing.", None));
        }
        push_some(&mut notes, "file-failed", self.files());
        push_some(&mut notes, "input-problem", self.problems());
        push_some(&mut notes, "not-checked", self.unchecked());
        let totals = CoverageTotals::new(coverage);
        for (reason, amount) in &totals.reasons {
            let (files, bytes) = (counted(amount.files, "file"), counted(amount.bytes, "byte"));
            let message = format!("Skipped {files} ({bytes}): {}.", reason.text());
            notes.push(notification("files-skipped", "note", &message, None));
        }
        for (limit, count) in &self.report.statistics.limits {
            let (times, effect) = (counted(count, "time"), limit_scope(limit).effect());
            let message = format!("Limit of the analysis reached {times}: {limit}; {effect}.");
            notes.push(notification("limit-reached", "warning", &message, None));
        }
        for (level, messages) in [("warning", &self.report.warnings), ("note", &self.report.notes)] {
            notes.extend(messages.iter().map(|message| notification("warning", level, message, None)));
        }
        notes.extend(self.cuts.iter().map(|cut| notification("report-cut", "warning", cut, None)));
        json!({"executionSuccessful": !coverage.is_incomplete(), "toolExecutionNotifications": notes})
    }

    /// Notifications about files that were not analysed.
    fn files(&self) -> impl Iterator<Item = Value> {
        let files = self.report.coverage.files.iter().zip(self.artifacts);
        files.filter_map(|(file, position)| {
            let location = || Some(json!({"uri": self.uris.of(&file.path), "index": position}));
            match &file.outcome {
                FileOutcome::Failed(reason) => Some(notification("file-failed", "error", reason, location())),
                FileOutcome::TimedOut => {
                    let message = "The analysis of the file exceeded the time limit.";
                    Some(notification("file-timed-out", "error", message, location()))
                }
                FileOutcome::Scanned | FileOutcome::Skipped(_) => None,
            }
        })
    }

    /// Notifications about problems of the input.
    fn problems(&self) -> impl Iterator<Item = Value> {
        self.report.coverage.problems.iter().map(|problem| {
            let level = if problem.is_incomplete { "error" } else { "warning" };
            let location = Some(json!({"uri": self.uris.of(&problem.path)}));
            notification("input-problem", level, &problem.message, location)
        })
    }
}

impl Notifications<'_> {
    /// Notifications about findings of the baseline that the scan did not look for.
    fn unchecked(&self) -> impl Iterator<Item = Value> {
        let unchecked = self.report.baseline.iter().flat_map(|baseline| &baseline.unchecked);
        unchecked.map(|UncheckedFinding { finding, reason }| {
            let message = format!("A finding of the rule {} in the baseline was not checked: {reason}.", finding.rule);
            notification("not-checked", "warning", &message, Some(json!({"uri": finding.uri})))
        })
    }
}

/// Adds the first notifications, and one about the number of the others.
fn push_some(notes: &mut Vec<Value>, kind: &str, mut all: impl Iterator<Item = Value>) {
    notes.extend(all.by_ref().take(MAX_FILES));
    let rest = all.count();
    if rest > 0 {
        let message = format!("{} like these; the format json has all.", counted(rest, "more notification"));
        notes.push(notification(kind, "error", &message, None));
    }
}

fn notification(kind: &str, level: &str, message: &str, artifact: Option<Value>) -> Value {
    KINDS.notification(kind, level, message, artifact)
}
