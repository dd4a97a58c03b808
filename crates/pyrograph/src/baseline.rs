//! Baseline: the findings of an earlier scan, read from its SARIF log, and the comparison with a later one by fingerprints.

pub mod comparison;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;

use crate::fingerprint::{FINGERPRINT_NAME, TOOL_NAME};
use crate::scan::ScanReport;

pub use comparison::{BaselineFinding, BaselineState, Comparison};

/// Findings of an earlier scan.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// Findings by fingerprint.
    findings: BTreeMap<String, BaselineFinding>,
    /// Fingerprints of findings that comments silenced.
    suppressed: BTreeSet<String>,
    /// Number of findings that the log left out.
    pub omitted: u64,
}

/// Reason why a file is no baseline.
#[derive(Debug)]
#[non_exhaustive]
pub enum BaselineError {
    /// The file is not JSON, or has a value of a wrong type.
    Json(serde_json::Error),
    /// The file is not a SARIF log of version 2.1.0. The text is the version that it states, if any.
    Version(Option<String>),
    /// Another tool wrote the log. The text is its name, if the log has one.
    Tool(Option<String>),
    /// A result has no fingerprint of this version of the scanner. The number counts from 1.
    Fingerprint(usize),
}

impl fmt::Display for BaselineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BaselineError::Json(error) => write!(f, "it is not a SARIF log: {error}"),
            BaselineError::Version(None) => f.write_str("it is not a SARIF log: it has no version and runs"),
            BaselineError::Version(Some(version)) => {
                write!(f, "it is a log of the version {version}, and a baseline is SARIF 2.1.0")
            }
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
    #[serde(default)]
    results: Vec<LogResult>,
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
        let (Some("2.1.0"), Some(runs)) = (log.version.as_deref(), log.runs) else {
            return Err(BaselineError::Version(log.version));
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
            for (position, result) in run.results.into_iter().enumerate() {
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
        if !result.suppressions.is_empty() {
            self.suppressed.insert(fingerprint);
            return Some(());
        }
        let place = result.locations.into_iter().next().and_then(|location| location.physical_location);
        let (artifact, region) = place.map_or((None, None), |place| (place.artifact_location, place.region));
        let finding = BaselineFinding {
            rule: result.rule_id.unwrap_or_default(),
            uri: artifact.and_then(|artifact| artifact.uri).unwrap_or_default(),
            line: region.and_then(|region| region.start_line),
            fingerprint: fingerprint.clone(),
        };
        self.findings.insert(fingerprint, finding);
        Some(())
    }

    /// Compares a scan with the baseline. Findings of rules that the scan does not use are left out.
    #[must_use]
    pub fn compare(&self, report: &ScanReport) -> Comparison {
        let mut comparison = Comparison::default();
        let mut present = BTreeSet::new();
        for finding in &report.findings {
            present.insert(finding.fingerprint.as_str());
            // A finding whose comment was removed is new: nobody sees it as known.
            if self.findings.contains_key(&finding.fingerprint) {
                comparison.unchanged.insert(finding.fingerprint.clone());
            } else {
                comparison.new += 1;
            }
        }
        for suppressed in &report.suppressed {
            let fingerprint = &suppressed.finding.fingerprint;
            present.insert(fingerprint);
            if self.findings.contains_key(fingerprint) || self.suppressed.contains(fingerprint) {
                comparison.unchanged.insert(fingerprint.clone());
            }
        }
        let fixed = self.findings.values().filter(|known| {
            !present.contains(known.fingerprint.as_str()) && report.knowledge.rule(&known.rule).is_some()
        });
        comparison.fixed = fixed.cloned().collect();
        comparison.fixed.sort_by(|left, right| {
            (&left.uri, left.line, &left.rule, &left.fingerprint).cmp(&(
                &right.uri,
                right.line,
                &right.rule,
                &right.fingerprint,
            ))
        });
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
        assert_eq!(error("{}"), "it is not a SARIF log: it has no version and runs");
        assert_eq!(
            error(r#"{"version":"2.0.0","runs":[]}"#),
            "it is a log of the version 2.0.0, and a baseline is SARIF 2.1.0"
        );
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
