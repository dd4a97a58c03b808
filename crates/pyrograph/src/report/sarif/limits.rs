//! Limits of code scanners, as GitHub documents them for uploads, and the selection of results within them.
//!
//! | What | Rejected beyond | Shown |
//! |---|---|---|
//! | file, compressed with gzip | 10 MB | all |
//! | runs of a file | 20 | all |
//! | results of a run | 25,000 | the 5,000 most severe |
//! | steps of the code flows of a result | 10,000 | 1,000 |
//! | tags of a rule | 20 | 10 |
//!
//! A log has as many results as are accepted, because it may be a baseline. Steps and tags are cut to those that are shown, so that the
//! source and the sink of a long code flow stay.

use std::cmp::Reverse;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use vyre_ir::spelling::counted;

use crate::finding::{Finding, SuppressedFinding};
use crate::scan::ScanReport;

/// Maximum number of results of a run that code scanners accept.
pub const MAX_RESULTS: usize = 25_000;

/// Number of results that code scanners show.
const SHOWN_RESULTS: usize = 5_000;

/// Maximum number of steps of a code flow.
pub(super) const MAX_STEPS: usize = 1_000;

/// Maximum number of tags of a rule.
pub(super) const MAX_TAGS: usize = 10;

/// Maximum number of related locations of a result.
pub(super) const MAX_RELATED: usize = 100;

/// Bytes of the results after compression. The rest of 10 MB is for rules, files and notifications.
const MAX_COMPRESSED: u64 = 8_000_000;

/// A result: a finding, with the comment that silences it.
#[derive(Clone, Copy)]
pub(super) struct Entry<'r> {
    pub(super) finding: &'r Finding,
    pub(super) suppression: Option<&'r SuppressedFinding>,
}

/// Results of a log.
pub(super) struct Selection<'r> {
    /// Results, findings first, each in the order of the report.
    pub(super) entries: Vec<Entry<'r>>,
    /// Number of results that are left out.
    pub(super) omitted: usize,
}

impl Selection<'_> {
    /// Texts about results that the selection leaves out, or that code scanners will not show.
    pub(super) fn cuts(&self) -> Vec<String> {
        let mut cuts = Vec::new();
        if self.omitted > 0 {
            let omitted = counted(self.omitted, "result");
            cuts.push(format!(
                "{omitted} of the lowest severities are left out, because code scanners accept {MAX_RESULTS} results and 10 MB; \
                 the format json has all"
            ));
        }
        if self.entries.len() > SHOWN_RESULTS {
            let count = self.entries.len();
            cuts.push(format!("the log has {count} results, and GitHub shows the {SHOWN_RESULTS} most severe ones"));
        }
        cuts
    }
}

/// Selects the most severe results within the limits. `result` makes the value of a result.
pub(super) fn select<'r>(
    report: &'r ScanReport,
    max_results: usize,
    result: &dyn Fn(Entry<'r>) -> Value,
) -> io::Result<Selection<'r>> {
    let findings = report.findings.iter().map(|finding| Entry { finding, suppression: None });
    let suppressed = report.suppressed.iter().map(|it| Entry { finding: &it.finding, suppression: Some(it) });
    let entries: Vec<Entry<'r>> = findings.chain(suppressed).collect();
    // Positions from the most to the least important result.
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&position| {
        (entries[position].suppression.is_some(), Reverse(entries[position].finding.severity), position)
    });
    order.truncate(max_results);
    let kept = fitting(&mut order.iter().map(|&position| result(entries[position])), MAX_COMPRESSED)?;
    order.truncate(kept);
    order.sort_unstable();
    let omitted = entries.len() - order.len();
    Ok(Selection { entries: order.into_iter().map(|position| entries[position]).collect(), omitted })
}

/// Number of values from the first on that fit into a number of bytes after compression.
fn fitting(values: &mut dyn Iterator<Item = Value>, max_bytes: u64) -> io::Result<usize> {
    // Texts that fit without compression fit with it too.
    let mut pending = Vec::new();
    let mut encoder = GzEncoder::new(Counter(0), Compression::fast());
    let mut is_compressed = false;
    let mut count = 0;
    for value in values {
        pending.write_all(value.to_string().as_bytes())?;
        if !is_compressed && pending.len() as u64 <= max_bytes {
            count += 1;
            continue;
        }
        is_compressed = true;
        encoder.write_all(&pending)?;
        pending.clear();
        if encoder.get_ref().0 > max_bytes {
            break;
        }
        count += 1;
    }
    Ok(count)
}

/// Counts the bytes that are written.
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::{Severity, ThreatModel};

    #[test]
    fn the_most_severe_results_stay() {
        let finding = |severity, number: usize| Finding {
            rule: 0,
            severity,
            model: ThreatModel::Library,
            source_label: String::new(),
            message: number.to_string(),
            witness: Vec::new(),
            other_sources: Vec::new(),
            omitted_sources: 0,
            copies: Vec::new(),
            copy_fingerprints: Vec::new(),
            fingerprint: number.to_string(),
        };
        let severities = [Severity::Low, Severity::Critical, Severity::Medium, Severity::Critical, Severity::Low];
        let findings = severities.iter().enumerate().map(|(at, &severity)| finding(severity, at)).collect();
        let comment = crate::finding::Location { file: 0, span: crate::flow::Span::default() };
        let silenced = finding(Severity::Critical, 9);
        let suppressed = vec![SuppressedFinding { finding: silenced, reason: String::new(), comment }];
        let report = ScanReport { findings, suppressed, ..ScanReport::default() };
        let kept = |max_results| {
            let result = |entry: Entry<'_>| Value::from(entry.finding.message.clone());
            let selection = select(&report, max_results, &result).expect("memory does not fail");
            let kept: Vec<String> = selection.entries.iter().map(|entry| entry.finding.message.clone()).collect();
            (kept.join(" "), selection.omitted, selection.cuts().len())
        };
        assert_eq!(kept(100), ("0 1 2 3 4 9".to_owned(), 0, 0));
        assert_eq!(kept(4), ("0 1 2 3".to_owned(), 2, 1));
        assert_eq!(kept(2), ("1 3".to_owned(), 4, 1));
    }

    #[test]
    fn values_fit_by_their_compressed_size() {
        // Texts of random digits, which hardly compress below half of their size.
        let mut state = 1_u64;
        let mut digits = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            Value::from(format!("{state:016x}{:016x}", state.rotate_left(17) ^ (state >> 7)))
        };
        let values: Vec<Value> = (0..10_000).map(|_| digits()).collect();
        let fit = |max_bytes| fitting(&mut values.iter().cloned(), max_bytes).expect("memory does not fail");
        assert_eq!(fit(1_000_000), 10_000);
        assert_eq!(fit(339_000), 10_000, "they fit only with compression");
        let kept = fit(100_000);
        assert!((2_000..8_000).contains(&kept), "{kept}");
    }
}
