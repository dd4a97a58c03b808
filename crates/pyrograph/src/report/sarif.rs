//! SARIF 2.1.0 (OASIS), for code scanners and editors.
//!
//! Paths are relative URI references, from the folder in which the scan ran. Columns count UTF-16 units. A result is at its sink; its
//! code flow has every step. The log keeps the limits of code scanners; what it leaves out is a notification.
//!
//! Other analyses write their logs with the same parts: [`LogWriter`], [`RuleText`] and [`Descriptors`].

mod descriptors;
mod limits;
mod log;
mod message;
mod notifications;
mod results;
mod rule_text;
mod rules;

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::baseline::comparison::{BaselineFinding, UncheckedFinding};
use crate::coverage::{Coverage, FileOutcome, FileRecord};
use crate::scan::ScanReport;

use super::names::skip_reason_name;
use super::options::ReportOptions;
use super::summary::{Amount, CoverageTotals};
use crate::uri::Uris;

use limits::select;
use notifications::Notifications;
use results::ResultWriter;

pub use descriptors::Descriptors;
pub use limits::MAX_RESULTS;
pub use log::LogWriter;
pub use message::{escaped, level};
pub use rule_text::{RuleText, security_severity};

/// Writes the report. Each result and each artifact is one line. Returns what the limits leave out.
pub(super) fn write(report: &ScanReport, options: ReportOptions, out: &mut dyn Write) -> io::Result<Vec<String>> {
    let uris = Uris::new(&report.folder);
    let artifacts = artifact_positions(&report.coverage);
    let writer = ResultWriter::new(report, &uris, &artifacts);
    let (tool, mut cuts) = rules::tool(&report.knowledge.rules);
    let selection = select(report, MAX_RESULTS, &|entry| writer.result(entry))?;
    cuts.extend(selection.cuts());
    cuts.extend(writer.cuts(&selection.entries));
    let notifications = Notifications { report, uris: &uris, artifacts: &artifacts, cuts: &cuts };
    let mut log = LogWriter::new(out);
    log.begin()?;
    log.field("tool", &tool)?;
    log.field("columnKind", &"utf16CodeUnits")?;
    log.field("newlineSequences", &["\r\n", "\n", "\r", "\u{2028}", "\u{2029}"])?;
    log.field("invocations", &[notifications.invocation()])?;
    log.list("artifacts", artifact_values(&report.coverage, &artifacts, &uris))?;
    log.list("results", selection.entries.iter().map(|entry| writer.result(*entry)))?;
    log.field("properties", &properties(report, options, selection.omitted))?;
    log.end()?;
    Ok(cuts)
}

/// Position of each file in `artifacts`, which are the files with code: scanned, failed and timed out.
fn artifact_positions(coverage: &Coverage) -> Vec<Option<usize>> {
    let mut next = 0;
    let mut position = |file: &FileRecord| {
        let is_code = !matches!(file.outcome, FileOutcome::Skipped(_));
        next += usize::from(is_code);
        is_code.then(|| next - 1)
    };
    coverage.files.iter().map(&mut position).collect()
}

fn artifact_values(coverage: &Coverage, positions: &[Option<usize>], uris: &Uris<'_>) -> impl Iterator<Item = Value> {
    let files = coverage.files.iter().zip(positions);
    files.filter(|(_, position)| position.is_some()).map(|(file, _)| {
        let mut artifact = json!({
            "location": {"uri": uris.of(&file.path)},
            "length": file.bytes,
            "roles": ["analysisTarget"],
        });
        if let Some(language) = file.language {
            artifact["sourceLanguage"] = language.into();
        }
        artifact
    })
}

/// Properties of the run: coverage, comparison with the baseline, and statistics if they are asked for.
fn properties(report: &ScanReport, options: ReportOptions, omitted: usize) -> Value {
    let totals = CoverageTotals::new(&report.coverage);
    let models: Vec<&str> = report.models.iter().map(|&model| model.name()).collect();
    let statistics = &report.statistics;
    let amount = |amount: &Amount| json!({"files": amount.files, "bytes": amount.bytes});
    let mut reasons = json!({});
    for (reason, skipped) in &totals.reasons {
        reasons[skip_reason_name(*reason)] = amount(skipped);
    }
    let mut properties = json!({
        "isComplete": !report.coverage.is_incomplete(),
        "isApproximate": statistics.is_approximate(),
        "threatModels": models,
        "filesScanned": totals.scanned.files,
        "bytesScanned": totals.scanned.bytes,
        "filesSkipped": totals.skipped.files,
        "bytesSkipped": totals.skipped.bytes,
        "skipReasons": reasons,
        "filesFailed": totals.failed.files,
        "bytesFailed": totals.failed.bytes,
        "filesTimedOut": totals.timed_out.files,
        "bytesTimedOut": totals.timed_out.bytes,
        "calls": statistics.calls,
        "unresolvedCalls": statistics.unresolved_calls,
        "omittedResults": omitted,
    });
    if let Some(baseline) = &report.baseline {
        let earlier = |finding: &BaselineFinding| {
            let BaselineFinding { rule, uri, line, fingerprint } = finding;
            json!({"ruleId": rule, "uri": uri, "startLine": line, "fingerprint": fingerprint})
        };
        let unchecked = baseline.unchecked.iter().map(|UncheckedFinding { finding, reason }| {
            let mut value = earlier(finding);
            value["reason"] = reason.as_str().into();
            value
        });
        properties["baseline"] = json!({
            "new": baseline.new,
            "unchanged": report.findings.len() - baseline.new.min(report.findings.len()),
            "fixed": baseline.fixed.iter().map(earlier).collect::<Vec<_>>(),
            "notChecked": unchecked.collect::<Vec<_>>(),
        });
    }
    if let Some(configuration) = &report.configuration {
        properties["configuration"] = configuration.as_str().into();
    }
    if let Some(selection) = &report.selection {
        properties["selection"] = selection.as_str().into();
    }
    if options.statistics
        && let Ok(value) = serde_json::to_value(statistics)
    {
        properties["statistics"] = value;
    }
    properties
}
