//! Receiver of entries: extracts, counts and reports them.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use vyre::engine::decompress::{
    DecompressError, Entry, EntryPath, ExtractError, ExtractOptions, ExtractPlan, ExtractTotals, ExtractedEntry,
    Extractor, Progress, Receiver, Summary,
};
use vyre::runtime::CancelToken;

use super::{EarlyEnd, End, EntryWriter, Selection, Totals};
use crate::exit::Outcome;
use crate::graph::Bar;
use crate::output::STDOUT;
use crate::termination::{Phase, enter};

/// Directory of extraction, created with the first entry.
pub(crate) struct ExtractTarget<'a> {
    directory: &'a Path,
    options: ExtractOptions,
    extractor: Option<Extractor>,
}

impl<'a> ExtractTarget<'a> {
    pub(crate) fn new(directory: &'a Path, options: ExtractOptions) -> ExtractTarget<'a> {
        ExtractTarget { directory, options, extractor: None }
    }

    fn extract(&mut self, entries: &[Entry]) -> Result<Vec<ExtractedEntry>, ExtractError> {
        let extractor = match &mut self.extractor {
            Some(extractor) => extractor,
            none => none.insert(Extractor::new(self.directory, self.options)?),
        };
        extractor.extract(entries)
    }

    /// Finishes extraction. An opened archive without entries yields an empty directory.
    fn finish(self, is_opened: bool) -> Result<ExtractTotals, ExtractError> {
        match self.extractor {
            Some(extractor) => extractor.finish(),
            None if is_opened => Extractor::new(self.directory, self.options)?.finish(),
            None => Ok(ExtractTotals::default()),
        }
    }
}

/// Receives batches of entries.
pub(crate) struct EntryReceiver<'a> {
    writer: Box<dyn EntryWriter + 'a>,
    target: Option<ExtractTarget<'a>>,
    /// What extraction would refuse, if there is none.
    plan: ExtractPlan,
    bar: &'a Bar,
    cancel: CancelToken,
    /// Entries that are extracted or listed.
    selection: Selection,
    totals: Totals,
}

impl<'a> EntryReceiver<'a> {
    pub(crate) fn new(
        writer: Box<dyn EntryWriter + 'a>,
        target: Option<ExtractTarget<'a>>,
        bar: &'a Bar,
        cancel: CancelToken,
        selection: Selection,
    ) -> EntryReceiver<'a> {
        EntryReceiver { writer, target, plan: ExtractPlan::new(), bar, cancel, selection, totals: Totals::default() }
    }

    /// Finishes extraction and output, also after an early end. Damaged or refused entries worsen the outcome, and so does a
    /// failure to finish extraction.
    pub(crate) fn finish(
        self,
        mut outcome: Outcome,
        mut early_end: Option<EarlyEnd>,
        summary: Option<&Summary>,
        time: Duration,
    ) -> anyhow::Result<(Outcome, Option<EarlyEnd>, Totals)> {
        let EntryReceiver { mut writer, target, mut totals, .. } = self;
        if let Some(target) = target {
            match target.finish(early_end.is_none()) {
                Ok(extracted) => totals.extracted = Some(extracted),
                Err(error) => {
                    outcome.worsen(Outcome::Failure);
                    early_end.get_or_insert(EarlyEnd { kind: "write", message: error.to_string() });
                }
            }
        }
        totals.archive_problems = summary.map_or(0, |summary| summary.problem_count);
        if totals.problems + totals.archive_problems + totals.would_be_refused > 0
            || totals.extracted.is_some_and(|extracted| extracted.refused > 0)
        {
            outcome.worsen(Outcome::Findings);
        }
        let end = End { extracted: totals.extracted.as_ref(), summary, time, early_end: early_end.as_ref() };
        writer.end(&end).context(STDOUT)?;
        Ok((outcome, early_end, totals))
    }

    /// Writes entries. Clears the bar before each output.
    fn write(&mut self, entries: &[Entry], extracted: Option<&[ExtractedEntry]>) -> Result<(), DecompressError> {
        let failure = |error: std::io::Error| DecompressError::Receiver(format!("{STDOUT}: {error}").into());
        for (position, entry) in entries.iter().enumerate() {
            let outcome = match extracted.and_then(|extracted| extracted.get(position)) {
                Some(extracted) => super::Outcome::Extracted(extracted),
                None => {
                    let refusal = self.plan.add(entry)?;
                    self.totals.would_be_refused += u64::from(refusal.is_some());
                    super::Outcome::Listed(refusal)
                }
            };
            if self.writer.has_output(entry, &outcome) {
                self.bar.clear();
                self.writer.entry(entry, &outcome).map_err(failure)?;
            }
        }
        Ok(())
    }
}

impl Receiver for EntryReceiver<'_> {
    fn entries(&mut self, mut entries: Vec<Entry>) -> Result<(), DecompressError> {
        if self.cancel.is_cancelled() {
            return Err(DecompressError::Cancelled);
        }
        entries.retain(|entry| self.selection.contains(&entry.path));
        // The time limit must not end the command within a file.
        enter(Phase::Writing);
        let extracted = self.target.as_mut().map(|target| target.extract(&entries)).transpose()?;
        for entry in &entries {
            self.totals.count(entry);
        }
        self.write(&entries, extracted.as_deref())?;
        enter(Phase::Running);
        Ok(())
    }

    fn closed(&mut self, archive: &EntryPath) {
        if let Some(extractor) = self.target.as_mut().and_then(|target| target.extractor.as_mut()) {
            extractor.remove_opened(archive);
        }
    }

    fn progress(&mut self, progress: Progress) {
        self.bar.bytes("unpacking", progress.input, progress.input_known);
    }
}
