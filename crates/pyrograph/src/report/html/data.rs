//! Data of the page, which `data.js` reads. The form is private to the page; `--format json` has the public one.

use std::io::{self, Write};

use serde::Serialize;

use crate::baseline::comparison::{BaselineState, UncheckedFinding};
use crate::coverage::FileOutcome;
use crate::finding::{Finding, Location};
use crate::limits::limit_scope;
use crate::report::options::ReportOptions;
use crate::report::places::{Places, Region};
use crate::report::summary::{Amount, CoverageTotals};
use crate::scan::{LibraryUse, ScanReport};

use super::safe_json;
use super::texts::{FileText, TextCounts, Texts};

/// File, line, column, end line and end column, columns in UTF-16 units from 1. The lines are 0 if the text is not known.
type Place = (i64, u32, u32, u32, u32);

/// A place with its reason.
type Step<'r> = (i64, u32, u32, u32, u32, &'r str);

#[derive(Serialize)]
struct Data<'r> {
    tool: Tool,
    models: Vec<&'static str>,
    is_complete: bool,
    is_interrupted: bool,
    rules: Vec<Rule<'r>>,
    findings: Vec<FindingData<'r>>,
    files: &'r [FileText<'r>],
    texts: &'r TextCounts,
    coverage: CoverageData<'r>,
    warnings: &'r [String],
    libraries: &'r [LibraryUse],
    limits: Vec<Limit<'r>>,
    notes: &'r [String],
    configuration: Option<&'r str>,
    baseline: Option<BaselineData<'r>>,
    statistics: Statistics,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<&'r [(String, f64)]>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Rule<'r> {
    id: &'r str,
    title: &'r str,
    cwe: &'r [u32],
    help: &'r str,
}

#[derive(Serialize)]
struct FindingData<'r> {
    rule: usize,
    severity: &'static str,
    model: &'static str,
    label: &'r str,
    message: &'r str,
    fingerprint: &'r str,
    /// `new`, `unchanged` or `silenced`. None: there is no baseline.
    state: Option<&'static str>,
    /// Reason of the comment that silences the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    justification: Option<&'r str>,
    steps: Vec<Step<'r>>,
    others: Vec<Place>,
    omitted: usize,
    copies: Vec<Place>,
}

#[derive(Serialize)]
struct BaselineData<'r> {
    /// Rule and place of findings that the scan does not have.
    fixed: Vec<(&'r str, String)>,
    /// Rule, place and reason of findings that the scan did not look for.
    unchecked: Vec<(&'r str, String, &'r str)>,
}

#[derive(Serialize)]
struct AmountData {
    files: u64,
    bytes: u64,
    lines: u64,
}

#[derive(Serialize)]
struct Reason {
    text: &'static str,
    files: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct Problem<'r> {
    path: &'r str,
    message: &'r str,
}

#[derive(Serialize)]
struct CoverageData<'r> {
    scanned: AmountData,
    skipped: AmountData,
    failed: AmountData,
    timed_out: AmountData,
    reasons: Vec<Reason>,
    folders: Vec<(&'r str, u64)>,
    /// Files that failed, with the reason.
    failures: Vec<(&'r str, &'r str)>,
    /// Files that timed out.
    slow: Vec<&'r str>,
    problems: Vec<Problem<'r>>,
}

#[derive(Serialize)]
struct Limit<'r> {
    limit: &'r str,
    count: u64,
    scope: &'static str,
}

#[derive(Serialize)]
struct Statistics {
    calls: u64,
    unresolved_calls: u64,
}

/// Writes the data as JSON that is safe inside HTML.
pub(super) fn write(report: &ScanReport, options: ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let texts = Texts::new(report);
    let places = Places::new(&report.coverage);
    let totals = CoverageTotals::new(&report.coverage);
    let statistics = &report.statistics;
    let data = Data {
        tool: Tool { name: "pyrograph", version: env!("CARGO_PKG_VERSION") },
        models: report.models.iter().map(|model| model.name()).collect(),
        is_complete: !report.coverage.is_incomplete(),
        is_interrupted: report.coverage.is_interrupted,
        rules: (report.knowledge.rules.iter())
            .map(|rule| Rule { id: &rule.id, title: &rule.title, cwe: &rule.cwe, help: &rule.help })
            .collect(),
        findings: findings(report, &places, &texts),
        files: &texts.files,
        texts: &texts.counts,
        coverage: coverage_data(report, &totals),
        warnings: &report.warnings,
        libraries: &report.libraries,
        notes: &report.notes,
        configuration: report.configuration.as_deref(),
        baseline: report.baseline.as_ref().map(|baseline| BaselineData {
            fixed: baseline.fixed.iter().map(|fixed| (fixed.rule.as_str(), fixed.place())).collect(),
            unchecked: (baseline.unchecked.iter())
                .map(|UncheckedFinding { finding, reason }| (finding.rule.as_str(), finding.place(), reason.as_str()))
                .collect(),
        }),
        limits: (statistics.limits.iter())
            .map(|(limit, count)| Limit { limit, count: *count, scope: limit_scope(limit).name() })
            .collect(),
        statistics: Statistics { calls: statistics.calls, unresolved_calls: statistics.unresolved_calls },
        seconds: options.statistics.then_some(&statistics.seconds),
    };
    safe_json::write(&data, out)
}

/// Findings, and those that comments silence after them.
fn findings<'r>(report: &'r ScanReport, places: &Places<'r>, texts: &Texts<'r>) -> Vec<FindingData<'r>> {
    let open = report.findings.iter().map(|finding| FindingData {
        state: report.state(finding).map(BaselineState::name),
        ..finding_data(finding, places, texts)
    });
    let silenced = report.suppressed.iter().map(|suppressed| FindingData {
        state: Some("silenced"),
        justification: Some(&suppressed.reason),
        ..finding_data(&suppressed.finding, places, texts)
    });
    open.chain(silenced).collect()
}

fn finding_data<'r>(finding: &'r Finding, places: &Places<'r>, texts: &Texts<'r>) -> FindingData<'r> {
    let place = |location: &Location| place(*location, places, texts);
    FindingData {
        rule: finding.rule,
        severity: finding.severity.name(),
        model: finding.model.name(),
        label: &finding.source_label,
        message: &finding.message,
        fingerprint: &finding.fingerprint,
        state: None,
        justification: None,
        steps: (finding.witness.iter())
            .map(|step| {
                let (file, line, column, end_line, end_column) = place(&step.location);
                (file, line, column, end_line, end_column, step.reason.as_str())
            })
            .collect(),
        others: finding.other_sources.iter().map(place).collect(),
        omitted: finding.omitted_sources,
        copies: finding.copies.iter().map(place).collect(),
    }
}

fn place(location: Location, places: &Places<'_>, texts: &Texts<'_>) -> Place {
    let file = texts.position(location).and_then(|position| i64::try_from(position).ok()).unwrap_or(-1);
    match places.utf16_region(location) {
        Some(Region { line, column, end_line, end_column }) => (file, line, column, end_line, end_column),
        None => (file, 0, 0, 0, 0),
    }
}

fn coverage_data<'r>(report: &'r ScanReport, totals: &'r CoverageTotals) -> CoverageData<'r> {
    let amount = |amount: &Amount| AmountData { files: amount.files, bytes: amount.bytes, lines: amount.lines };
    let files = &report.coverage.files;
    CoverageData {
        scanned: amount(&totals.scanned),
        skipped: amount(&totals.skipped),
        failed: amount(&totals.failed),
        timed_out: amount(&totals.timed_out),
        reasons: (totals.reasons.iter())
            .map(|(reason, amount)| Reason { text: reason.text(), files: amount.files, bytes: amount.bytes })
            .collect(),
        folders: totals.dependency_folders.iter().map(|(folder, files)| (folder.as_str(), *files)).collect(),
        failures: (files.iter())
            .filter_map(|file| match &file.outcome {
                FileOutcome::Failed(reason) => Some((file.path.as_str(), reason.as_str())),
                _ => None,
            })
            .collect(),
        slow: (files.iter())
            .filter(|file| file.outcome == FileOutcome::TimedOut)
            .map(|file| file.path.as_str())
            .collect(),
        problems: (report.coverage.problems.iter())
            .map(|problem| Problem { path: &problem.path, message: &problem.message })
            .collect(),
    }
}
