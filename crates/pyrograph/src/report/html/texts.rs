//! Texts of the files of findings, within a limit: small files as a whole, of others the lines around locations.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::finding::{FileIndex, Finding, Location};
use crate::flow::Span;
use crate::scan::ScanReport;

use super::excerpt::{Excerpt, Extent};

/// Maximum number of bytes of a file that is written as a whole.
const MAX_WHOLE: usize = 100_000;

/// Lines before and after a location in larger files.
const CONTEXT: usize = 10;

/// Bytes of texts after which only the lines of locations are written.
const MAX_TEXTS: usize = 32_000_000;

/// A file with locations.
#[derive(Serialize)]
pub(super) struct FileText<'r> {
    path: &'r str,
    #[serde(flatten)]
    excerpt: Excerpt<'r>,
}

/// Numbers of files by how much of them the page has.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct TextCounts {
    /// Files with all lines.
    whole: usize,
    /// Large files with the lines around locations.
    context: usize,
    /// Files with the lines of locations only.
    steps: usize,
}

/// Files of the findings.
pub(super) struct Texts<'r> {
    pub(super) files: Vec<FileText<'r>>,
    pub(super) counts: TextCounts,
    positions: BTreeMap<FileIndex, usize>,
}

impl<'r> Texts<'r> {
    pub(super) fn new(report: &'r ScanReport) -> Texts<'r> {
        let mut spans: BTreeMap<FileIndex, BTreeSet<Span>> = BTreeMap::new();
        let silenced = report.suppressed.iter().map(|suppressed| &suppressed.finding);
        for location in report.findings.iter().chain(silenced).flat_map(locations) {
            spans.entry(location.file).or_default().insert(location.span);
        }
        let mut texts = Texts { files: Vec::new(), counts: TextCounts::default(), positions: BTreeMap::new() };
        let mut bytes = 0;
        for (file, spans) in spans {
            let Some(record) = report.coverage.files.get(file as usize) else { continue };
            let excerpt = match record.text.as_deref() {
                Some(text) => texts.excerpt(text, &spans, bytes),
                None => Excerpt::default(),
            };
            bytes += excerpt.bytes();
            texts.positions.insert(file, texts.files.len());
            texts.files.push(FileText { path: &record.path, excerpt });
        }
        texts
    }

    /// Excerpt of a text, after files with this number of bytes.
    fn excerpt<'t>(&mut self, text: &'t str, spans: &BTreeSet<Span>, before: usize) -> Excerpt<'t> {
        let TextCounts { whole, context, steps } = &mut self.counts;
        let (count, extent) = match () {
            () if before + text.len().min(MAX_WHOLE) > MAX_TEXTS => (steps, Extent::Around(0)),
            () if text.len() > MAX_WHOLE => (context, Extent::Around(CONTEXT)),
            () => (whole, Extent::Whole),
        };
        *count += 1;
        Excerpt::new(text, spans, extent)
    }

    /// Position of the file of a location in [`Texts::files`].
    pub(super) fn position(&self, location: Location) -> Option<usize> {
        self.positions.get(&location.file).copied()
    }
}

/// Locations of a finding.
fn locations(finding: &Finding) -> impl Iterator<Item = Location> {
    let steps = finding.witness.iter().map(|step| step.location);
    steps.chain(finding.other_sources.iter().copied()).chain(finding.copies.iter().copied())
}
