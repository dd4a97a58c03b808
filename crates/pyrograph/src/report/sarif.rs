//! SARIF 2.1.0 (OASIS), for code scanners and editors.
//!
//! Paths are relative URI references. Columns count UTF-16 units. A result is at its sink; its code flow has every step.

mod message;
mod notifications;
mod rules;
mod uri;

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::coverage::{FileOutcome, FileRecord};
use crate::finding::{Finding, Location};
use crate::scan::ScanReport;

use super::options::ReportOptions;
use super::places::{Places, Region};
use super::summary::{CoverageTotals, rule_id};

use message::{escaped, level};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Maximum number of bytes of a snippet. Longer regions have none.
const MAX_SNIPPET: usize = 400;

/// Name of the fingerprints, with a version for changes of their form.
const FINGERPRINT: &str = "sourceAndSink/v2";

/// Writes the report. Each result and each artifact is one line.
pub(super) fn write(report: &ScanReport, options: ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let writer = SarifWriter::new(report);
    write!(out, "{{\n  \"$schema\": \"{SCHEMA}\",\n  \"version\": \"2.1.0\",\n  \"runs\": [{{\n")?;
    writeln!(out, "    \"tool\": {},", rules::tool(&report.knowledge.rules))?;
    writeln!(out, "    \"columnKind\": \"utf16CodeUnits\",")?;
    writeln!(out, "    \"newlineSequences\": {},", json!(["\r\n", "\n", "\r", "\u{2028}", "\u{2029}"]))?;
    writeln!(out, "    \"invocations\": [{}],", notifications::invocation(report, &writer.artifacts))?;
    list(out, "artifacts", writer.artifacts())?;
    list(out, "results", report.findings.iter().map(|finding| writer.result(finding)))?;
    write!(out, "    \"properties\": {}\n  }}]\n}}\n", properties(report, options))
}

/// Writes a field of the run that is an array, one element a line.
fn list(out: &mut dyn Write, name: &str, elements: impl Iterator<Item = Value>) -> io::Result<()> {
    write!(out, "    \"{name}\": [")?;
    let mut is_empty = true;
    for element in elements {
        let comma = if is_empty { "" } else { "," };
        write!(out, "{comma}\n      {element}")?;
        is_empty = false;
    }
    writeln!(out, "{}],", if is_empty { "" } else { "\n    " })
}

struct SarifWriter<'r> {
    report: &'r ScanReport,
    places: Places<'r>,
    /// Position of each file in `artifacts`. None: the file is not listed.
    artifacts: Vec<Option<usize>>,
}

impl<'r> SarifWriter<'r> {
    fn new(report: &'r ScanReport) -> SarifWriter<'r> {
        let mut next = 0;
        let mut position = |file: &FileRecord| {
            let is_code = !matches!(file.outcome, FileOutcome::Skipped(_));
            next += usize::from(is_code);
            is_code.then(|| next - 1)
        };
        let artifacts = report.coverage.files.iter().map(&mut position).collect();
        SarifWriter { report, places: Places::new(&report.coverage), artifacts }
    }

    /// Files that are code: scanned, failed and timed out.
    fn artifacts(&self) -> impl Iterator<Item = Value> {
        let files = self.report.coverage.files.iter().zip(&self.artifacts);
        files.filter(|(_, position)| position.is_some()).map(|(file, _)| {
            let mut artifact = json!({
                "location": {"uri": uri::encoded(&file.path)},
                "length": file.bytes,
                "roles": ["analysisTarget"],
            });
            if let Some(language) = file.language {
                artifact["sourceLanguage"] = language.into();
            }
            artifact
        })
    }

    fn result(&self, finding: &Finding) -> Value {
        let rule = rule_id(self.report, finding.rule);
        let last = finding.witness.len().saturating_sub(1);
        let steps: Vec<Value> = (finding.witness.iter().enumerate())
            .map(|(position, step)| {
                let importance = if position == 0 || position == last { "essential" } else { "important" };
                json!({"location": self.location_with_message(step.location, &step.reason), "importance": importance})
            })
            .collect();
        let mut result = json!({
            "ruleId": rule,
            "ruleIndex": finding.rule,
            "level": level(finding.severity),
            "message": {"text": escaped(&finding.message)},
            "locations": [self.location(finding.sink())],
            "partialFingerprints": {FINGERPRINT: finding.fingerprint},
            "codeFlows": [{"threadFlows": [{"locations": steps}]}],
            "properties": {
                "severity": finding.severity.name(),
                "security-severity": rules::security_severity(finding.severity),
                "threatModel": finding.model.name(),
                "sourceLabel": finding.source_label,
                "omittedSources": finding.omitted_sources,
            },
        });
        let related = self.related_locations(finding);
        if !related.is_empty() {
            result["relatedLocations"] = related.into();
        }
        result
    }

    /// The source, other sources, and the same sink in copies of the code.
    fn related_locations(&self, finding: &Finding) -> Vec<Value> {
        let source = finding.witness.first().map(|step| (step.location, "nearest source"));
        let others = finding.other_sources.iter().map(|&location| (location, "other source"));
        let copies = finding.copies.iter().map(|&location| (location, "same sink in a copy of the code"));
        (source.into_iter().chain(others).chain(copies).enumerate())
            .map(|(id, (location, message))| {
                let mut location = self.location_with_message(location, message);
                location["id"] = id.into();
                location
            })
            .collect()
    }

    fn location(&self, location: Location) -> Value {
        let mut artifact = json!({"uri": uri::encoded(self.places.path(location))});
        if let Some(position) = self.artifacts.get(location.file as usize).copied().flatten() {
            artifact["index"] = position.into();
        }
        let mut physical = json!({"artifactLocation": artifact});
        if let Some(region) = self.places.utf16_region(location) {
            physical["region"] = self.region(location, region);
        }
        json!({"physicalLocation": physical})
    }

    fn region(&self, location: Location, region: Region) -> Value {
        let Region { line, column, end_line, end_column } = region;
        let mut region =
            json!({"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column});
        if let Some(text) = self.places.text(location).filter(|text| (1..=MAX_SNIPPET).contains(&text.len())) {
            region["snippet"] = json!({"text": text});
        }
        region
    }

    fn location_with_message(&self, location: Location, message: &str) -> Value {
        let mut location = self.location(location);
        location["message"] = json!({"text": escaped(message)});
        location
    }
}

/// Properties of the run: totals of the coverage, and statistics if they are asked for.
fn properties(report: &ScanReport, options: ReportOptions) -> Value {
    let totals = CoverageTotals::new(&report.coverage);
    let models: Vec<&str> = report.models.iter().map(|&model| model.name()).collect();
    let statistics = &report.statistics;
    let mut properties = json!({
        "isComplete": !report.coverage.is_incomplete(),
        "isApproximate": statistics.is_approximate(),
        "threatModels": models,
        "filesScanned": totals.scanned.files,
        "bytesScanned": totals.scanned.bytes,
        "filesSkipped": totals.skipped.files,
        "filesFailed": totals.failed.files,
        "filesTimedOut": totals.timed_out.files,
        "calls": statistics.calls,
        "unresolvedCalls": statistics.unresolved_calls,
    });
    if let Some(configuration) = &report.configuration {
        properties["configuration"] = configuration.as_str().into();
    }
    if options.statistics
        && let Ok(value) = serde_json::to_value(statistics)
    {
        properties["statistics"] = value;
    }
    properties
}
