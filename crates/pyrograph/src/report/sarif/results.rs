//! Results: findings with their code flows.

use serde_json::{Value, json};
use vyre_ir::spelling::counted;

use crate::finding::{Finding, Location, SuppressedFinding, WitnessStep};
use crate::fingerprint::FINGERPRINT_NAME;
use crate::report::places::{Places, Region};
use crate::report::summary::rule_id;
use crate::scan::ScanReport;
use crate::uri::Uris;

use super::limits::{Entry, MAX_RELATED, MAX_STEPS};
use super::message::{escaped, level};
use super::rule_text::security_severity;

/// Maximum number of bytes of a snippet. Longer regions have none.
const MAX_SNIPPET: usize = 400;

/// Writer of results.
pub(super) struct ResultWriter<'r> {
    report: &'r ScanReport,
    uris: &'r Uris<'r>,
    places: Places<'r>,
    /// Position of each file in `artifacts`. None: the file is not listed.
    artifacts: &'r [Option<usize>],
}

impl<'r> ResultWriter<'r> {
    pub(super) fn new(report: &'r ScanReport, uris: &'r Uris<'r>, artifacts: &'r [Option<usize>]) -> ResultWriter<'r> {
        ResultWriter { report, uris, places: Places::new(&report.coverage), artifacts }
    }

    /// Texts about parts of findings that the results leave out.
    pub(super) fn cuts(&self, entries: &[Entry<'r>]) -> Vec<String> {
        let count = |is_cut: &dyn Fn(&Finding) -> bool| entries.iter().filter(|entry| is_cut(entry.finding)).count();
        let mut cuts = Vec::new();
        let steps = count(&|finding| finding.witness.len() > MAX_STEPS);
        if steps > 0 {
            let results = counted(steps, "code flow");
            cuts.push(format!(
                "{results} with more than {MAX_STEPS} steps: the log has the first and the last of them"
            ));
        }
        let related = count(&|finding| related(finding).count() > MAX_RELATED);
        if related > 0 {
            let results = counted(related, "result");
            cuts.push(format!(
                "{results} with more than {MAX_RELATED} related locations: the log has the first of them"
            ));
        }
        cuts
    }

    pub(super) fn result(&self, entry: Entry<'r>) -> Value {
        let finding = entry.finding;
        let mut fingerprints = json!({FINGERPRINT_NAME: finding.fingerprint});
        // Code scanners compute this one from the lines of files, and cannot open archives.
        if self.places.file(finding.sink()).is_some_and(|file| file.is_archived) {
            fingerprints["primaryLocationLineHash"] = format!("{}:1", finding.fingerprint).into();
        }
        let mut result = json!({
            "ruleId": rule_id(self.report, finding.rule),
            "ruleIndex": finding.rule,
            "level": level(finding.severity),
            "message": {"text": escaped(&finding.message)},
            "locations": [self.location(finding.sink())],
            "partialFingerprints": fingerprints,
            "codeFlows": [{"threadFlows": [{"locations": self.steps(&finding.witness)}]}],
        });
        let related = self.related_locations(finding);
        if !related.is_empty() {
            result["relatedLocations"] = related.into();
        }
        if let Some(state) = self.report.state(finding) {
            result["baselineState"] = state.name().into();
        }
        // Either all results of a run have suppressions, or none.
        if !self.report.suppressed.is_empty() {
            result["suppressions"] = entry.suppression.map(|it| self.suppression(it)).into_iter().collect();
        }
        result["properties"] = json!({
            "severity": finding.severity.name(),
            "security-severity": security_severity(finding.severity),
            "threatModel": finding.model.name(),
            "sourceLabel": finding.source_label,
            "omittedSources": finding.omitted_sources,
        });
        if !finding.copy_fingerprints.is_empty() {
            result["properties"]["copyFingerprints"] = finding.copy_fingerprints.clone().into();
        }
        result
    }

    /// Steps of a code flow: all, or those at both ends.
    fn steps(&self, witness: &[WitnessStep]) -> Vec<Value> {
        let last = witness.len().saturating_sub(1);
        let gap = match witness.len().checked_sub(MAX_STEPS) {
            Some(cut) if cut > 0 => MAX_STEPS / 2..MAX_STEPS / 2 + cut,
            _ => 0..0,
        };
        let kept = witness.iter().enumerate().filter(|(position, _)| !gap.contains(position));
        kept.map(|(position, step)| {
            let importance = if position == 0 || position == last { "essential" } else { "important" };
            json!({"location": self.location_with_message(step.location, &step.reason), "importance": importance})
        })
        .collect()
    }

    fn suppression(&self, suppressed: &SuppressedFinding) -> Value {
        json!({
            "kind": "inSource",
            "status": "accepted",
            "justification": suppressed.reason,
            "location": self.location(suppressed.comment),
        })
    }

    fn related_locations(&self, finding: &Finding) -> Vec<Value> {
        (related(finding).take(MAX_RELATED).enumerate())
            .map(|(id, (location, message))| {
                let mut location = self.location_with_message(location, message);
                location["id"] = id.into();
                location
            })
            .collect()
    }

    fn location(&self, location: Location) -> Value {
        let mut artifact = json!({"uri": self.uris.of(self.places.path(location))});
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

/// The source, other sources, and the same sink in copies of the code.
fn related(finding: &Finding) -> impl Iterator<Item = (Location, &'static str)> {
    let source = finding.witness.first().map(|step| (step.location, "nearest source"));
    let others = finding.other_sources.iter().map(|&location| (location, "other source"));
    let copies = finding.copies.iter().map(|&location| (location, "same sink in a copy of the code"));
    source.into_iter().chain(others).chain(copies)
}
