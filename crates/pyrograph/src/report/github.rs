//! Workflow commands of GitHub Actions: findings become annotations of a pull request.
//!
//! GitHub shows the first 10 errors, 10 warnings and 10 notices of a step, so the most severe findings come first. Findings that the
//! baseline has are notices. The summary follows as lines of the log.

use std::io::{self, Write};

use vyre_ir::source::visible;
use vyre_ir::spelling::counted;

use crate::baseline::comparison::BaselineState;
use crate::coverage::FileOutcome;
use crate::finding::{Finding, WitnessStep};
use crate::knowledge::Severity;
use crate::scan::ScanReport;

use super::escape::github::{data, plain, property};
use super::options::ReportOptions;
use super::places::{Places, Region};
use super::summary::{rule_cwe, rule_id, urgency};
use super::text;

/// Maximum number of steps of a message: half from the beginning, half from the end.
const MAX_STEPS: usize = 20;

/// Maximum number of files that were not analysed and have an annotation.
const MAX_FILES: usize = 10;

pub(super) fn write(report: &ScanReport, options: ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let places = Places::new(&report.coverage);
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    findings.sort_by_key(|finding| urgency(report, finding, options.fail_on));
    for finding in findings {
        write_finding(report, &places, finding, out)?;
    }
    let mut failed = 0;
    for file in &report.coverage.files {
        let reason = match &file.outcome {
            FileOutcome::Failed(reason) => reason.as_str(),
            FileOutcome::TimedOut => "the analysis exceeded the time limit",
            FileOutcome::Scanned | FileOutcome::Skipped(_) => continue,
        };
        failed += 1;
        if failed <= MAX_FILES {
            let path = format!("{}{}", report.folder, file.path);
            let (path, reason) = (property(&path), data(reason));
            writeln!(out, "::error file={path},title=Code that was not analysed::{reason}")?;
        }
    }
    let unchecked = report.baseline.as_ref().map_or(0, |baseline| baseline.unchecked.len());
    if unchecked > 0 {
        let message = format!("{} of the baseline not checked; the log says why", counted(unchecked, "finding"));
        writeln!(out, "::warning title=vyre scan::{}", data(&message))?;
    }
    for warning in report.warnings.iter().chain(&report.notes) {
        writeln!(out, "::warning title=vyre scan::{}", data(warning))?;
    }
    for line in text::summary(report, options)?.lines() {
        writeln!(out, "{}", plain(line))?;
    }
    Ok(())
}

fn write_finding(report: &ScanReport, places: &Places<'_>, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let sink = finding.sink();
    let state = report.state(finding);
    let command = match finding.severity {
        _ if state == Some(BaselineState::Unchanged) => "notice",
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Low | Severity::Note => "notice",
    };
    let path = format!("{}{}", report.folder, places.path(sink));
    write!(out, "::{command} file={}", property(&path))?;
    if let Some(Region { line, column, end_line, end_column }) = places.region(sink) {
        write!(out, ",line={line},endLine={end_line}")?;
        // Columns of several lines are no range.
        if line == end_line {
            write!(out, ",col={column},endColumn={end_column}")?;
        }
    }
    let mut title = vec![finding.severity.name().to_owned()];
    title.extend(rule_cwe(report, finding.rule).iter().map(|cwe| format!("CWE-{cwe}")));
    title.extend(state.map(|state| state.name().to_owned()));
    let title = format!("{} ({})", rule_id(report, finding.rule), title.join(", "));
    let message = message(report, places, finding);
    writeln!(out, ",title={}::{}", property(&title), data(&message))
}

/// Message with the steps of the witness.
fn message(report: &ScanReport, places: &Places<'_>, finding: &Finding) -> String {
    let mut lines = vec![visible(&finding.message).into_owned()];
    let count = finding.witness.len();
    let step = |(position, step): (usize, &WitnessStep)| {
        let place = places.name_from(&report.folder, step.location);
        format!("{}. {} ({})", position + 1, visible(&step.reason), visible(&place))
    };
    let mut steps = finding.witness.iter().enumerate();
    if count <= MAX_STEPS {
        lines.extend(steps.map(step));
    } else {
        lines.extend(steps.by_ref().take(MAX_STEPS / 2).map(step));
        lines.push(format!("... {} left out", counted(count - MAX_STEPS, "step")));
        lines.extend(steps.skip(count - MAX_STEPS).map(step));
    }
    lines.join("\n")
}
