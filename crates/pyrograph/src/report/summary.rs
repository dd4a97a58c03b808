//! Totals of a report, which all formats share.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::baseline::comparison::BaselineState;
use crate::coverage::{Coverage, FileOutcome, FileRecord, SkipReason};
use crate::finding::{FailOn, Finding};
use crate::knowledge::Severity;
use crate::scan::ScanReport;

use super::names::{SEVERITIES, SKIP_REASONS};

/// Number of files with their bytes and lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) files: u64,
    pub(super) bytes: u64,
    pub(super) lines: u64,
}

impl Amount {
    fn add(&mut self, file: &FileRecord) {
        self.files += 1;
        self.bytes += file.bytes;
        self.lines += file.lines;
    }
}

/// Totals of the coverage by outcome.
#[derive(Debug, Default)]
pub(super) struct CoverageTotals {
    pub(super) scanned: Amount,
    pub(super) skipped: Amount,
    pub(super) failed: Amount,
    pub(super) timed_out: Amount,
    /// Reasons that occur, in the order of reports.
    pub(super) reasons: Vec<(SkipReason, Amount)>,
    /// Folders of dependencies that were skipped, with their files.
    pub(super) dependency_folders: BTreeMap<String, u64>,
}

impl CoverageTotals {
    pub(super) fn new(coverage: &Coverage) -> CoverageTotals {
        let mut totals = CoverageTotals::default();
        let mut reasons = SKIP_REASONS.map(|reason| (reason, Amount::default()));
        for file in &coverage.files {
            match &file.outcome {
                FileOutcome::Scanned => totals.scanned.add(file),
                FileOutcome::Failed(_) => totals.failed.add(file),
                FileOutcome::TimedOut => totals.timed_out.add(file),
                FileOutcome::Skipped(reason) => {
                    totals.skipped.add(file);
                    if let Some((_, amount)) = reasons.iter_mut().find(|(known, _)| known == reason) {
                        amount.add(file);
                    }
                    if *reason == SkipReason::Dependency {
                        *totals.dependency_folders.entry(dependency_folder(&file.path)).or_insert(0) += 1;
                    }
                }
            }
        }
        totals.reasons = reasons.into_iter().filter(|(_, amount)| amount.files > 0).collect();
        totals
    }
}

/// Folder of dependencies that contains a path: up to the first folder with such a name.
fn dependency_folder(path: &str) -> String {
    let mut end = 0;
    for part in path.split('/') {
        end += part.len();
        if matches!(part, "node_modules" | "site-packages" | "bower_components" | "jspm_packages") {
            return path[..end].to_owned();
        }
        end += 1;
    }
    path.rsplit_once('/').map_or(path, |(folder, _)| folder).to_owned()
}

/// Number of findings by severity, from the worst, without severities that do not occur.
pub(super) fn by_severity(report: &ScanReport) -> Vec<(Severity, usize)> {
    let count = |severity| report.findings.iter().filter(|finding| finding.severity == severity).count();
    SEVERITIES.into_iter().map(|severity| (severity, count(severity))).filter(|(_, count)| *count > 0).collect()
}

/// Number of findings by the identifier of the rule, in order of the identifiers.
pub(super) fn by_rule(report: &ScanReport) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for finding in &report.findings {
        *counts.entry(rule_id(report, finding.rule)).or_insert(0) += 1;
    }
    counts
}

/// Sort key of a finding for formats of which people see the beginning: findings that fail, then new ones, then the most severe.
pub(super) fn urgency(report: &ScanReport, finding: &Finding, fail_on: FailOn) -> impl Ord + use<> {
    let is_known = report.state(finding) == Some(BaselineState::Unchanged);
    (!report.fails(finding, fail_on), is_known, Reverse(finding.severity))
}

/// Identifier of a rule by its position.
pub(super) fn rule_id(report: &ScanReport, rule: usize) -> &str {
    report.knowledge.rules.get(rule).map_or("unknown", |rule| &rule.id)
}

/// Numbers of the CWE entries of a rule.
pub(super) fn rule_cwe(report: &ScanReport, rule: usize) -> &[u32] {
    report.knowledge.rules.get(rule).map_or(&[], |rule| &rule.cwe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependency_folders_end_at_their_name() {
        assert_eq!(dependency_folder("a/node_modules/b/node_modules/c.js"), "a/node_modules");
        assert_eq!(dependency_folder("node_modules"), "node_modules");
        assert_eq!(dependency_folder("vendor/x.js"), "vendor");
        assert_eq!(dependency_folder("x.js"), "x.js");
    }
}
