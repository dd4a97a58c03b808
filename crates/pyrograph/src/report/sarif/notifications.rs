//! Invocation with notifications: what was not analysed, and why.

use serde_json::{Value, json};
use vyre_ir::spelling::counted;

use crate::coverage::FileOutcome;
use crate::limits::limit_scope;
use crate::report::names::skip_reason_text;
use crate::report::summary::CoverageTotals;
use crate::scan::ScanReport;

use super::message::escaped;
use super::uri;

/// Kinds of notifications with their descriptions.
const KINDS: [(&str, &str); 7] = [
    ("file-failed", "Code that was not analysed."),
    ("file-timed-out", "Code whose analysis exceeded the time limit."),
    ("files-skipped", "Files that were not analysed by design."),
    ("input-problem", "A damaged archive, or a folder that cannot be read."),
    ("limit-reached", "A limit of the analysis, beyond which flows may be missing."),
    ("interrupted", "The scan was interrupted."),
    ("warning", "Something that may make findings incomplete."),
];

/// Descriptors of the notifications.
pub(super) fn descriptors() -> Vec<Value> {
    KINDS.iter().map(|(id, text)| json!({"id": id, "shortDescription": {"text": text}})).collect()
}

/// The invocation. It is successful if the scan is complete. `artifacts` has the position of each file in the artifacts.
pub(super) fn invocation(report: &ScanReport, artifacts: &[Option<usize>]) -> Value {
    let coverage = &report.coverage;
    let mut notes = Vec::new();
    if coverage.is_interrupted {
        notes.push(notification("interrupted", "error", "The scan was interrupted: findings are missing.", None));
    }
    for (file, position) in coverage.files.iter().zip(artifacts) {
        let location = || Some(json!({"uri": uri::encoded(&file.path), "index": position}));
        match &file.outcome {
            FileOutcome::Failed(reason) => notes.push(notification("file-failed", "error", reason, location())),
            FileOutcome::TimedOut => {
                let message = "The analysis of the file exceeded the time limit.";
                notes.push(notification("file-timed-out", "error", message, location()));
            }
            FileOutcome::Scanned | FileOutcome::Skipped(_) => {}
        }
    }
    for problem in &coverage.problems {
        let level = if problem.is_incomplete { "error" } else { "warning" };
        let location = Some(json!({"uri": uri::encoded(&problem.path)}));
        notes.push(notification("input-problem", level, &problem.message, location));
    }
    let totals = CoverageTotals::new(coverage);
    for (reason, amount) in &totals.reasons {
        let message = format!("Skipped {}: {}.", counted(amount.files, "file"), skip_reason_text(*reason));
        notes.push(notification("files-skipped", "note", &message, None));
    }
    for (limit, count) in &report.statistics.limits {
        let (times, effect) = (counted(count, "time"), limit_scope(limit).effect());
        let message = format!("Limit of the analysis reached {times}: {limit}; {effect}.");
        notes.push(notification("limit-reached", "warning", &message, None));
    }
    for warning in &report.warnings {
        notes.push(notification("warning", "warning", warning, None));
    }
    json!({"executionSuccessful": !coverage.is_incomplete(), "toolExecutionNotifications": notes})
}

fn notification(kind: &str, level: &str, message: &str, artifact: Option<Value>) -> Value {
    let index = KINDS.iter().position(|(id, _)| *id == kind);
    let mut notification = json!({
        "descriptor": {"id": kind, "index": index},
        "level": level,
        "message": {"text": escaped(message)},
    });
    if let Some(artifact) = artifact {
        notification["locations"] = json!([{"physicalLocation": {"artifactLocation": artifact}}]);
    }
    notification
}
