//! Comparison of two scans: findings and capabilities that are new or have vanished.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::capability::{Capability, CapabilityKind};
use crate::finding::{FileIndex, Finding};
use crate::scan::ScanReport;
use crate::unchecked::{Checks, EarlierFinding};

/// Difference of two scans. Numbers are positions in the lists of the reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Comparison {
    /// Findings of the new report without a counterpart.
    pub new_findings: Vec<usize>,
    /// Findings of the old report without a counterpart, whose code the new scan looked at.
    pub vanished_findings: Vec<usize>,
    /// Findings of the old report whose code the new scan did not look at, with the reason.
    pub unchecked_findings: Vec<(usize, String)>,
    /// Number of findings that both reports have.
    pub unchanged_findings: usize,
    /// Capabilities of the new report that the old one does not have.
    pub new_capabilities: Vec<usize>,
    /// Capabilities of the old report that the new one does not have.
    pub vanished_capabilities: Vec<usize>,
    /// Number of capabilities that both reports have.
    pub unchanged_capabilities: usize,
    /// Kinds of capabilities that only the new report has.
    pub new_kinds: BTreeSet<CapabilityKind>,
}

impl Comparison {
    /// True if the new report has a finding or a capability that the old one does not have.
    #[must_use]
    pub fn has_news(&self) -> bool {
        !self.new_findings.is_empty() || !self.new_capabilities.is_empty()
    }
}

/// Compares the scan of a version with that of an older one.
///
/// Findings are the same if their fingerprints are, which survive moved lines. Archives often have the version in the name of their top
/// folder, and files are moved, so what is left is matched by the message and the path below the top folder, then by the message.
#[must_use]
pub fn compare(new: &ScanReport, old: &ScanReport) -> Comparison {
    let mut comparison = Comparison::default();
    let mut left = Unmatched::new(new.findings.len(), old.findings.len());
    left.match_by(&new.findings, &old.findings, |finding| Some(finding.fingerprint.clone()));
    let (new_top, old_top) = (top_folder(new), top_folder(old));
    let key = |report: &ScanReport, finding: &Finding, top: Option<&str>| {
        let path = below(path(report, finding), top);
        (rule(report, finding), finding.message.clone(), path.to_owned())
    };
    left.match_pairs(
        |position| new.findings.get(position).map(|finding| key(new, finding, new_top.as_deref())),
        |position| old.findings.get(position).map(|finding| key(old, finding, old_top.as_deref())),
    );
    let moved = |report: &ScanReport, finding: &Finding| (rule(report, finding), finding.message.clone());
    left.match_pairs(
        |position| new.findings.get(position).map(|finding| moved(new, finding)),
        |position| old.findings.get(position).map(|finding| moved(old, finding)),
    );
    comparison.unchanged_findings = new.findings.len() - left.new.len();
    comparison.new_findings = left.new;
    let checks = Checks::new(new, |path| below(path, new_top.as_deref()).to_owned());
    for position in left.old {
        match old.findings.get(position).and_then(|finding| unchecked(&checks, old, finding, old_top.as_deref())) {
            Some(reason) => comparison.unchecked_findings.push((position, reason)),
            None => comparison.vanished_findings.push(position),
        }
    }
    let (new_keys, old_keys) = (capability_keys(&new.capabilities), capability_keys(&old.capabilities));
    comparison.new_capabilities = without(&new.capabilities, &old_keys);
    comparison.vanished_capabilities = without(&old.capabilities, &new_keys);
    comparison.unchanged_capabilities = new.capabilities.len() - comparison.new_capabilities.len();
    let old_kinds: BTreeSet<CapabilityKind> = old.capabilities.iter().map(|capability| capability.kind).collect();
    let kinds = comparison.new_capabilities.iter().map(|&position| new.capabilities[position].kind);
    comparison.new_kinds = kinds.filter(|kind| !old_kinds.contains(kind)).collect();
    comparison
}

/// Findings of both reports that have no counterpart yet.
struct Unmatched {
    new: Vec<usize>,
    old: Vec<usize>,
}

impl Unmatched {
    fn new(new: usize, old: usize) -> Unmatched {
        Unmatched { new: (0..new).collect(), old: (0..old).collect() }
    }

    fn match_by<K: Ord>(&mut self, new: &[Finding], old: &[Finding], key: impl Fn(&Finding) -> Option<K>) {
        self.match_pairs(|position| new.get(position).and_then(&key), |position| old.get(position).and_then(&key));
    }

    /// Removes pairs with equal keys, in the order of the reports.
    fn match_pairs<K: Ord>(&mut self, new_key: impl Fn(usize) -> Option<K>, old_key: impl Fn(usize) -> Option<K>) {
        let mut waiting: BTreeMap<K, VecDeque<usize>> = BTreeMap::new();
        for &position in &self.old {
            if let Some(key) = old_key(position) {
                waiting.entry(key).or_default().push_back(position);
            }
        }
        let mut matched = BTreeSet::new();
        self.new.retain(|&position| {
            let pair = new_key(position).and_then(|key| waiting.get_mut(&key)?.pop_front());
            matched.extend(pair);
            pair.is_none()
        });
        self.old.retain(|position| !matched.contains(position));
    }
}

fn rule(report: &ScanReport, finding: &Finding) -> String {
    report.knowledge.rules.get(finding.rule).map_or_else(String::new, |rule| rule.id.clone())
}

fn path<'r>(report: &'r ScanReport, finding: &Finding) -> &'r str {
    report.coverage.files.get(finding.sink().file as usize).map_or("", |file| &file.path)
}

/// Path below the top folder.
fn below<'p>(path: &'p str, top: Option<&str>) -> &'p str {
    top.and_then(|top| path.strip_prefix(top)).unwrap_or(path)
}

/// Reason why the new scan could not find a finding of the old one.
fn unchecked(checks: &Checks<'_>, old: &ScanReport, finding: &Finding, top: Option<&str>) -> Option<String> {
    let name = |file: FileIndex| old.coverage.files.get(file as usize).map(|file| below(&file.path, top).to_owned());
    let mut files: Vec<String> = finding.witness.iter().filter_map(|step| name(step.location.file)).collect();
    files.dedup();
    let earlier = EarlierFinding {
        rule: &rule(old, finding),
        model: Some(finding.model.name()),
        label: Some(&finding.source_label),
        files: &files,
    };
    checks.reason(earlier, &|_| false)
}

/// Folder that all files are in, with `/` at the end.
fn top_folder(report: &ScanReport) -> Option<String> {
    let first = report.coverage.files.first()?.path.split_once('/')?.0;
    let top = format!("{first}/");
    report.coverage.files.iter().all(|file| file.path.starts_with(&top)).then_some(top)
}

type CapabilityKey<'c> = (CapabilityKind, &'c str, bool);

fn capability_key(capability: &Capability) -> CapabilityKey<'_> {
    (capability.kind, &capability.name, capability.is_at_install)
}

fn capability_keys(capabilities: &[Capability]) -> BTreeSet<CapabilityKey<'_>> {
    capabilities.iter().map(capability_key).collect()
}

/// Positions of capabilities without a counterpart.
fn without(capabilities: &[Capability], others: &BTreeSet<CapabilityKey<'_>>) -> Vec<usize> {
    let positions = capabilities.iter().enumerate();
    positions.filter(|(_, each)| !others.contains(&capability_key(each))).map(|(position, _)| position).collect()
}
