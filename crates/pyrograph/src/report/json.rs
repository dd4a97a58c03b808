//! JSON: one object with everything. `docs/scan.md` describes its fields.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::baseline::comparison::{BaselineFinding, BaselineState, Comparison, UncheckedFinding};
use crate::coverage::{FileOutcome, FileRecord, InputProblem};
use crate::finding::{Finding, Location, Statistics, SuppressedFinding};
use crate::knowledge::Rule;
use crate::limits::limit_scope;
use crate::scan::ScanReport;

use super::names::{SEVERITIES, outcome_name, skip_reason_name};
use super::options::ReportOptions;
use super::places::{Places, floor_boundary};
use super::summary::{Amount, CoverageTotals, by_rule, by_severity, rule_cwe, rule_id};

/// Name of the schema, `docs/scan.schema.json`. Fields are permanent: append, never rename.
const SCHEMA: &str = "pyrograph-scan-1";

/// Version of the schema. The second number grows with each new field.
const SCHEMA_VERSION: &str = "1.2";

/// Maximum number of bytes of the text of a location.
const MAX_TEXT: usize = 200;

/// Lines and columns of a location. Null without the text of the file.
#[derive(Serialize)]
struct LocationFields<'r> {
    path: &'r str,
    line: Option<u32>,
    column: Option<u32>,
    end_line: Option<u32>,
    end_column: Option<u32>,
    start: u32,
    end: u32,
    text: Option<&'r str>,
}

#[derive(Serialize)]
struct StepFields<'r> {
    reason: &'r str,
    #[serde(flatten)]
    location: LocationFields<'r>,
}

#[derive(Serialize)]
pub(super) struct FindingFields<'r> {
    rule: &'r str,
    severity: &'static str,
    model: &'static str,
    source_label: &'r str,
    message: &'r str,
    cwe: &'r [u32],
    fingerprint: &'r str,
    source: LocationFields<'r>,
    sink: LocationFields<'r>,
    witness: Vec<StepFields<'r>>,
    other_sources: Vec<LocationFields<'r>>,
    omitted_sources: usize,
    copies: Vec<LocationFields<'r>>,
    copy_fingerprints: &'r [String],
    /// `new` or `unchanged`, with a baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_state: Option<&'static str>,
}

#[derive(Serialize)]
struct SuppressedFields<'r> {
    #[serde(flatten)]
    finding: FindingFields<'r>,
    suppression: SuppressionFields<'r>,
}

#[derive(Serialize)]
struct SuppressionFields<'r> {
    reason: &'r str,
    comment: LocationFields<'r>,
}

#[derive(Serialize)]
struct BaselineFields<'r> {
    new: usize,
    unchanged: usize,
    fixed: Vec<EarlierFields<'r>>,
    not_checked: Vec<EarlierFields<'r>>,
}

/// A finding of the baseline.
#[derive(Serialize)]
struct EarlierFields<'r> {
    rule: &'r str,
    uri: &'r str,
    line: Option<u64>,
    fingerprint: &'r str,
    /// Why it was not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'r str>,
}

#[derive(Serialize)]
struct RuleFields<'r> {
    id: &'r str,
    title: &'r str,
    severity: &'static str,
    library_severity: &'static str,
    cwe: &'r [u32],
}

#[derive(Serialize)]
struct AmountFields {
    files: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct FileFields<'r> {
    path: &'r str,
    bytes: u64,
    lines: u64,
    language: Option<&'static str>,
    outcome: &'static str,
    reason: Option<&'r str>,
    /// Target of a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<&'r str>,
}

#[derive(Serialize)]
pub(super) struct ProblemFields<'r> {
    path: &'r str,
    message: &'r str,
    is_incomplete: bool,
}

#[derive(Serialize)]
struct MissingImportFields<'r> {
    path: &'r str,
    specifier: &'r str,
}

#[derive(Serialize)]
struct LimitFields<'r> {
    limit: &'r str,
    count: u64,
    /// `program`: the whole program is concerned. `value`: as many values as `count` says.
    scope: &'static str,
    effect: &'static str,
}

#[derive(Serialize)]
struct StatisticsFields {
    functions: u64,
    instructions: u64,
    calls: u64,
    unresolved_calls: u64,
    nodes: u64,
    edges: u64,
    sources: u64,
    sinks: u64,
}

/// Writes the report. Each finding and each file is one line.
pub(super) fn write(report: &ScanReport, options: ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let places = Places::new(&report.coverage);
    let models: Vec<&str> = report.models.iter().map(|&model| model.name()).collect();
    write!(out, "{{\n  \"schema\": \"{SCHEMA}\",\n  \"schema_version\": \"{SCHEMA_VERSION}\",\n")?;
    writeln!(out, "  \"tool\": {{\"name\":\"pyrograph\",\"version\":\"{}\"}},", env!("CARGO_PKG_VERSION"))?;
    field(out, "models", &models)?;
    field(out, "is_complete", &!report.coverage.is_incomplete())?;
    field(out, "is_interrupted", &report.coverage.is_interrupted)?;
    field(out, "is_approximate", &report.statistics.is_approximate())?;
    list(out, "  ", "rules", report.knowledge.rules.iter().map(rule))?;
    list(out, "  ", "findings", report.findings.iter().map(|it| finding(report, &places, it)))?;
    list(out, "  ", "suppressed", report.suppressed.iter().map(|it| suppressed(report, &places, it)))?;
    if let Some(baseline) = &report.baseline {
        write_baseline(report, baseline, out)?;
    }
    write_summary(report, out)?;
    write_coverage(report, out)?;
    field(out, "warnings", &report.warnings)?;
    field(out, "notes", &report.notes)?;
    if let Some(configuration) = &report.configuration {
        field(out, "configuration", configuration)?;
    }
    list(out, "  ", "libraries", report.libraries.iter())?;
    let Statistics { limits, .. } = &report.statistics;
    list(out, "  ", "limits", limits.iter().map(|(limit, count)| limit_fields(limit, *count)))?;
    if options.statistics {
        let seconds: Vec<(&str, f64)> =
            report.statistics.seconds.iter().map(|(stage, seconds)| (stage.as_str(), *seconds)).collect();
        field(out, "seconds", &seconds.into_iter().collect::<BTreeMap<&str, f64>>())?;
    }
    write!(out, "  \"statistics\": ")?;
    serde_json::to_writer(&mut *out, &statistics(&report.statistics))?;
    write!(out, "\n}}\n")
}

pub(super) fn field(out: &mut dyn Write, name: &str, value: &impl Serialize) -> io::Result<()> {
    write!(out, "  \"{name}\": ")?;
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out, ",")
}

/// Writes a field that is an array, one element a line.
pub(super) fn list<T: Serialize>(
    out: &mut dyn Write,
    indent: &str,
    name: &str,
    elements: impl Iterator<Item = T>,
) -> io::Result<()> {
    write!(out, "{indent}\"{name}\": [")?;
    let mut is_empty = true;
    for element in elements {
        let comma = if is_empty { "" } else { "," };
        write!(out, "{comma}\n{indent}  ")?;
        serde_json::to_writer(&mut *out, &element)?;
        is_empty = false;
    }
    if is_empty { writeln!(out, "],") } else { write!(out, "\n{indent}],\n") }
}

fn rule(rule: &Rule) -> RuleFields<'_> {
    let Rule { id, title, severity, library_severity, cwe, .. } = rule;
    let (severity, library_severity) = (severity.name(), library_severity.name());
    RuleFields { id, title, severity, library_severity, cwe }
}

pub(super) fn finding<'r>(report: &'r ScanReport, places: &Places<'r>, finding: &'r Finding) -> FindingFields<'r> {
    let place = |location: &Location| location_fields(places, *location);
    FindingFields {
        rule: rule_id(report, finding.rule),
        severity: finding.severity.name(),
        model: finding.model.name(),
        source_label: &finding.source_label,
        message: &finding.message,
        cwe: rule_cwe(report, finding.rule),
        fingerprint: &finding.fingerprint,
        source: place(&finding.source()),
        sink: place(&finding.sink()),
        witness: finding
            .witness
            .iter()
            .map(|step| StepFields { reason: &step.reason, location: place(&step.location) })
            .collect(),
        other_sources: finding.other_sources.iter().map(place).collect(),
        omitted_sources: finding.omitted_sources,
        copies: finding.copies.iter().map(place).collect(),
        copy_fingerprints: &finding.copy_fingerprints,
        baseline_state: report.state(finding).map(BaselineState::name),
    }
}

fn suppressed<'r>(
    report: &'r ScanReport,
    places: &Places<'r>,
    suppressed: &'r SuppressedFinding,
) -> SuppressedFields<'r> {
    let comment = location_fields(places, suppressed.comment);
    let suppression = SuppressionFields { reason: &suppressed.reason, comment };
    SuppressedFields { finding: finding(report, places, &suppressed.finding), suppression }
}

fn write_baseline(report: &ScanReport, baseline: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let fields = BaselineFields {
        new: baseline.new,
        unchanged: report.findings.len().saturating_sub(baseline.new),
        fixed: baseline.fixed.iter().map(|finding| earlier(finding, None)).collect(),
        not_checked: (baseline.unchecked.iter())
            .map(|UncheckedFinding { finding, reason }| earlier(finding, Some(reason)))
            .collect(),
    };
    field(out, "baseline", &fields)
}

fn earlier<'r>(finding: &'r BaselineFinding, reason: Option<&'r str>) -> EarlierFields<'r> {
    let BaselineFinding { rule, uri, line, fingerprint } = finding;
    EarlierFields { rule, uri, line: *line, fingerprint, reason }
}

fn location_fields<'r>(places: &Places<'r>, location: Location) -> LocationFields<'r> {
    let region = places.region(location);
    LocationFields {
        path: places.path(location),
        line: region.map(|region| region.line),
        column: region.map(|region| region.column),
        end_line: region.map(|region| region.end_line),
        end_column: region.map(|region| region.end_column),
        start: location.span.start,
        end: location.span.end,
        text: places.text(location).map(|text| &text[..floor_boundary(text, MAX_TEXT)]),
    }
}

fn write_summary(report: &ScanReport, out: &mut dyn Write) -> io::Result<()> {
    let counts = by_severity(report);
    let count = |severity| counts.iter().find(|(known, _)| *known == severity).map_or(0, |(_, count)| *count);
    let severities: Vec<String> =
        SEVERITIES.into_iter().map(|severity| format!("\"{}\":{}", severity.name(), count(severity))).collect();
    write!(out, "  \"summary\": {{\"findings\":{},", report.findings.len())?;
    write!(out, "\"suppressed\":{},", report.suppressed.len())?;
    write!(out, "\"severities\":{{{}}},\"rules\":", severities.join(","))?;
    serde_json::to_writer(&mut *out, &by_rule(report))?;
    writeln!(out, "}},")
}

fn write_coverage(report: &ScanReport, out: &mut dyn Write) -> io::Result<()> {
    let totals = CoverageTotals::new(&report.coverage);
    let fields = |amount: &Amount| AmountFields { files: amount.files, bytes: amount.bytes };
    writeln!(out, "  \"coverage\": {{")?;
    let Amount { files, bytes, lines } = totals.scanned;
    writeln!(out, "    \"scanned\": {{\"files\":{files},\"bytes\":{bytes},\"lines\":{lines}}},")?;
    for (name, amount) in [("skipped", &totals.skipped), ("failed", &totals.failed), ("timed_out", &totals.timed_out)] {
        write!(out, "  ")?;
        field(out, name, &fields(amount))?;
    }
    let reasons: BTreeMap<&str, AmountFields> =
        totals.reasons.iter().map(|(reason, amount)| (skip_reason_name(*reason), fields(amount))).collect();
    write!(out, "  ")?;
    field(out, "skip_reasons", &reasons)?;
    write!(out, "  ")?;
    field(out, "dependency_folders", &totals.dependency_folders)?;
    list(out, "    ", "missing_imports", missing_imports(report))?;
    list(out, "    ", "problems", report.coverage.problems.iter().map(problem_fields))?;
    write!(out, "    \"files\": [")?;
    for (position, record) in report.coverage.files.iter().enumerate() {
        let comma = if position == 0 { "" } else { "," };
        write!(out, "{comma}\n      ")?;
        serde_json::to_writer(&mut *out, &file(record))?;
    }
    let end = if report.coverage.files.is_empty() { "" } else { "\n    " };
    write!(out, "{end}]\n  }},\n")
}

/// Relative imports that lead to no file of the input.
fn missing_imports(report: &ScanReport) -> impl Iterator<Item = MissingImportFields<'_>> {
    let missing = report.coverage.missing_imports.iter().filter(|import| import.target.is_none());
    missing.map(|import| MissingImportFields {
        path: report.coverage.files.get(import.file as usize).map_or("", |file| &file.path),
        specifier: &import.specifier,
    })
}

fn limit_fields(limit: &str, count: u64) -> LimitFields<'_> {
    let scope = limit_scope(limit);
    LimitFields { limit, count, scope: scope.name(), effect: scope.effect() }
}

pub(super) fn problem_fields(problem: &InputProblem) -> ProblemFields<'_> {
    let InputProblem { path, message, is_incomplete, .. } = problem;
    ProblemFields { path, message, is_incomplete: *is_incomplete }
}

fn file(record: &FileRecord) -> FileFields<'_> {
    let reason = match &record.outcome {
        FileOutcome::Skipped(reason) => Some(skip_reason_name(*reason)),
        FileOutcome::Failed(reason) => Some(reason.as_str()),
        FileOutcome::Scanned | FileOutcome::TimedOut => None,
    };
    let FileRecord { path, bytes, lines, outcome, language, link, .. } = record;
    let (outcome, link) = (outcome_name(outcome), link.as_deref());
    FileFields { path, bytes: *bytes, lines: *lines, language: *language, outcome, reason, link }
}

fn statistics(statistics: &Statistics) -> StatisticsFields {
    let Statistics { functions, instructions, calls, unresolved_calls, nodes, edges, sources, sinks, .. } = *statistics;
    StatisticsFields { functions, instructions, calls, unresolved_calls, nodes, edges, sources, sinks }
}
