//! Baseline: the findings of an earlier scan, read from its SARIF log, and the comparison with a later one by fingerprints.

pub mod comparison;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;

use crate::finding::Finding;
use crate::fingerprint::{FINGERPRINT_NAME, TOOL_NAME};
use crate::scan::ScanReport;
use crate::unchecked::{Checks, EarlierFinding};
use crate::uri::Uris;

pub use comparison::{BaselineFinding, BaselineState, Comparison, UncheckedFinding};

/// Findings of an earlier scan.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// Findings by fingerprint.
    findings: BTreeMap<String, KnownFinding>,
    /// Fingerprints of findings and of their copies, each with the fingerprint of the finding.
    fingerprints: BTreeMap<String, String>,
    /// Fingerprints of findings that comments silenced, and of their copies.
    suppressed: BTreeSet<String>,
    /// Number of findings that the log left out.
    pub omitted: u64,
    /// [`ScanReport::selection`] of the scan.
    selection: Option<String>,
}

/// A finding with what tells whether a scan looks at its code.
#[derive(Clone, Debug)]
struct KnownFinding {
    finding: BaselineFinding,
    model: Option<String>,
    label: Option<String>,
    /// URIs of the files of the steps. The last one is the file of the sink.
    files: Vec<String>,
}

/// Reason why a file is no baseline.
#[derive(Debug)]
#[non_exhaustive]
pub enum BaselineError {
    /// The file is not JSON, or has a value of a wrong type.
    Json(serde_json::Error),
    /// The file is not a SARIF log of version 2.1.0. The text is the version that it states, if any.
    Version(Option<String>),
    /// The log has no list of runs.
    Runs,
    /// Another tool wrote the log. The text is its name, if the log has one.
    Tool(Option<String>),
    /// A result has no fingerprint of this version of the scanner. The number counts from 1.
    Fingerprint(usize),
}

impl fmt::Display for BaselineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BaselineError::Json(error) => write!(f, "it is not a SARIF log: {error}"),
            BaselineError::Version(None) => f.write_str("it is not a SARIF log: it has no version"),
            BaselineError::Version(Some(version)) => {
                write!(f, "it is a log of the version {version}, and a baseline is SARIF 2.1.0")
            }
            BaselineError::Runs => f.write_str("it is a SARIF log without runs: the field `runs` is missing or null"),
            BaselineError::Tool(None) => f.write_str("the log has no run of vyre scan"),
            BaselineError::Tool(Some(name)) => write!(f, "{name} wrote the log, and a baseline is from vyre scan"),
            BaselineError::Fingerprint(number) => {
                write!(
                    f,
                    "result {number} has no fingerprint `{FINGERPRINT_NAME}`; write the baseline again with this version"
                )
            }
        }
    }
}

impl std::error::Error for BaselineError {}

#[derive(Deserialize)]
struct Log {
    version: Option<String>,
    runs: Option<Vec<Run>>,
}

#[derive(Deserialize)]
struct Run {
    tool: Tool,
    results: Option<Vec<LogResult>>,
    #[serde(default)]
    properties: RunProperties,
}

#[derive(Deserialize)]
struct Tool {
    driver: Driver,
}

#[derive(Deserialize)]
struct Driver {
    name: String,
}

#[derive(Deserialize, Default)]
struct RunProperties {
    #[serde(default, rename = "omittedResults")]
    omitted_results: u64,
    selection: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LogResult {
    rule_id: Option<String>,
    #[serde(default)]
    locations: Vec<LogLocation>,
    #[serde(default)]
    partial_fingerprints: BTreeMap<String, String>,
    #[serde(default)]
    suppressions: Vec<serde::de::IgnoredAny>,
    baseline_state: Option<String>,
    #[serde(default)]
    code_flows: Vec<CodeFlow>,
    #[serde(default)]
    properties: ResultProperties,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CodeFlow {
    #[serde(default)]
    thread_flows: Vec<ThreadFlow>,
}

#[derive(Deserialize)]
struct ThreadFlow {
    #[serde(default)]
    locations: Vec<FlowLocation>,
}

#[derive(Deserialize)]
struct FlowLocation {
    location: Option<LogLocation>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct ResultProperties {
    threat_model: Option<String>,
    source_label: Option<String>,
    #[serde(default)]
    copy_fingerprints: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LogLocation {
    physical_location: Option<PhysicalLocation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Option<ArtifactLocation>,
    region: Option<LogRegion>,
}

#[derive(Deserialize)]
struct ArtifactLocation {
    uri: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LogRegion {
    start_line: Option<u64>,
}

impl Baseline {
    /// Reads a SARIF log that a scan wrote.
    ///
    /// # Errors
    ///
    /// The text is no SARIF log, or is from another tool or another version of the fingerprints.
    pub fn read(text: &[u8]) -> Result<Baseline, BaselineError> {
        // PowerShell writes a byte order mark.
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let log: Log = serde_json::from_slice(text).map_err(BaselineError::Json)?;
        let runs = match (log.version.as_deref(), log.runs) {
            (Some("2.1.0"), Some(runs)) => runs,
            (Some("2.1.0"), None) => return Err(BaselineError::Runs),
            _ => return Err(BaselineError::Version(log.version)),
        };
        let mut baseline = Baseline::default();
        let mut other = None;
        let mut has_run = false;
        for run in runs {
            if run.tool.driver.name != TOOL_NAME {
                other = Some(run.tool.driver.name);
                continue;
            }
            has_run = true;
            baseline.omitted = baseline.omitted.saturating_add(run.properties.omitted_results);
            baseline.selection = run.properties.selection;
            for (position, result) in run.results.into_iter().flatten().enumerate() {
                baseline.add(result).ok_or(BaselineError::Fingerprint(position + 1))?;
            }
        }
        if has_run { Ok(baseline) } else { Err(BaselineError::Tool(other)) }
    }

    /// Adds a result. None: it has no fingerprint.
    fn add(&mut self, result: LogResult) -> Option<()> {
        if result.baseline_state.as_deref() == Some("absent") {
            return Some(());
        }
        let fingerprint = result.partial_fingerprints.get(FINGERPRINT_NAME)?.clone();
        let copies = result.properties.copy_fingerprints;
        if !result.suppressions.is_empty() {
            self.suppressed.insert(fingerprint);
            self.suppressed.extend(copies);
            return Some(());
        }
        for print in copies {
            self.fingerprints.insert(print, fingerprint.clone());
        }
        let place = result.locations.into_iter().next().and_then(|location| location.physical_location);
        let (artifact, region) = place.map_or((None, None), |place| (place.artifact_location, place.region));
        let finding = BaselineFinding {
            rule: result.rule_id.unwrap_or_default(),
            uri: artifact.and_then(|artifact| artifact.uri).unwrap_or_default(),
            line: region.and_then(|region| region.start_line),
            fingerprint: fingerprint.clone(),
        };
        let steps = result.code_flows.into_iter().flat_map(|flow| flow.thread_flows).flat_map(|flow| flow.locations);
        let mut files: Vec<String> = steps
            .filter_map(|step| step.location?.physical_location?.artifact_location?.uri)
            .filter(|uri| *uri != finding.uri)
            .collect();
        files.sort_unstable();
        files.dedup();
        files.push(finding.uri.clone());
        let ResultProperties { threat_model: model, source_label: label, .. } = result.properties;
        self.findings.insert(fingerprint, KnownFinding { finding, model, label, files });
        Some(())
    }

    /// Fingerprint of the finding of the baseline that a finding is.
    fn known(&self, finding: &Finding) -> Option<&str> {
        let primary = finding.fingerprints().find_map(|print| self.findings.get_key_value(print));
        let copy = || finding.fingerprints().find_map(|print| self.fingerprints.get(print));
        primary.map(|(print, _)| print).or_else(copy).map(String::as_str)
    }

    /// Compares a scan with the baseline. `is_elsewhere` says whether the file of a URI that the scan does not have still exists, so that
    /// it was not scanned.
    #[must_use]
    pub fn compare(&self, report: &ScanReport, is_elsewhere: &dyn Fn(&str) -> bool) -> Comparison {
        let mut comparison = Comparison::default();
        let mut present = BTreeSet::new();
        for finding in &report.findings {
            // A finding whose comment was removed is new: nobody sees it as known.
            match self.known(finding) {
                Some(known) => {
                    present.insert(known);
                    comparison.unchanged.insert(finding.fingerprint.clone());
                }
                None => comparison.new += 1,
            }
        }
        for suppressed in &report.suppressed {
            let finding = &suppressed.finding;
            let known = self.known(finding);
            present.extend(known);
            if known.is_some() || finding.fingerprints().any(|print| self.suppressed.contains(print)) {
                comparison.unchanged.insert(finding.fingerprint.clone());
            }
        }
        let uris = Uris::new(&report.folder);
        let checks = Checks::new(report, |path| uris.of(path));
        let mut vanished: Vec<&KnownFinding> = self
            .findings
            .iter()
            .filter(|(print, _)| !present.contains(print.as_str()))
            .map(|(_, known)| known)
            .collect();
        vanished.sort_by_key(|KnownFinding { finding, .. }| {
            (&finding.uri, finding.line, &finding.rule, &finding.fingerprint)
        });
        for KnownFinding { finding, model, label, files } in vanished {
            let earlier =
                EarlierFinding { rule: &finding.rule, model: model.as_deref(), label: label.as_deref(), files };
            let finding = finding.clone();
            let other_scan = || {
                let differs = report.selection.is_some() && report.selection != self.selection;
                differs.then(|| "the scan had other paths, options or rules than that of the baseline".to_owned())
            };
            match checks.reason(earlier, is_elsewhere).or_else(other_scan) {
                Some(reason) => comparison.unchecked.push(UncheckedFinding { finding, reason }),
                None => comparison.fixed.push(finding),
            }
        }
        comparison
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(driver: &str, results: &str) -> String {
        format!(r#"{{"version":"2.1.0","runs":[{{"tool":{{"driver":{{"name":"{driver}"}}}},"results":[{results}]}}]}}"#)
    }

    #[test]
    fn other_files_are_refused() {
        let error = |text: &str| Baseline::read(text.as_bytes()).expect_err("it is no baseline").to_string();
        assert!(error("not JSON").starts_with("it is not a SARIF log: "));
        assert_eq!(error("{}"), "it is not a SARIF log: it has no version");
        assert_eq!(
            error(r#"{"version":"2.0.0","runs":[]}"#),
            "it is a log of the version 2.0.0, and a baseline is SARIF 2.1.0"
        );
        let without_runs = "it is a SARIF log without runs: the field `runs` is missing or null";
        assert_eq!(error(r#"{"version":"2.1.0","runs":null}"#), without_runs);
        assert_eq!(error(r#"{"version":"2.1.0"}"#), without_runs);
        assert_eq!(error(r#"{"version":"2.1.0","runs":[]}"#), "the log has no run of vyre scan");
        assert_eq!(error(&log("CodeQL", "")), "CodeQL wrote the log, and a baseline is from vyre scan");
        assert!(error(&log(TOOL_NAME, r#"{"ruleId":"xss"}"#)).starts_with("result 1 has no fingerprint"));
    }

    #[test]
    fn absent_and_suppressed_results_are_no_findings() {
        let print = |value: &str| format!(r#""partialFingerprints":{{"{FINGERPRINT_NAME}":"{value}"}}"#);
        let results = [
            format!(r#"{{"ruleId":"xss",{}}}"#, print("a")),
            format!(r#"{{"ruleId":"xss","suppressions":[{{"kind":"inSource"}}],{}}}"#, print("b")),
            format!(r#"{{"ruleId":"xss","baselineState":"absent",{}}}"#, print("c")),
        ];
        let baseline = Baseline::read(log(TOOL_NAME, &results.join(",")).as_bytes()).expect("a baseline");
        assert_eq!(baseline.findings.keys().collect::<Vec<_>>(), ["a"]);
        assert_eq!(baseline.suppressed.iter().collect::<Vec<_>>(), ["b"]);
    }
}
