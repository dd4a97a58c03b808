//! Taking entries: extracting them, counting them, writing about them.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use vyre::engine::decompress::{
    DecompressError, Entry, EntryPath, ExtractError, ExtractOptions, ExtractTotals, ExtractedEntry, Extractor,
    Progress, Receiver, Summary,
};
use vyre::runtime::CancelToken;

use super::{End, Ended, EntryWriter, Totals};
use crate::exit::Outcome;
use crate::graph::Bar;
use crate::output::STDOUT;

/// The directory that is extracted to. It is made when there is something to write.
pub(crate) struct Target<'a> {
    directory: &'a Path,
    options: ExtractOptions,
    extractor: Option<Extractor>,
}

impl<'a> Target<'a> {
    pub(crate) fn new(directory: &'a Path, options: ExtractOptions) -> Target<'a> {
        Target { directory, options, extractor: None }
    }

    fn extract(&mut self, entries: &[Entry]) -> Result<Vec<ExtractedEntry>, ExtractError> {
        let extractor = match &mut self.extractor {
            Some(extractor) => extractor,
            none => none.insert(Extractor::new(self.directory, self.options)?),
        };
        extractor.extract(entries)
    }

    /// Ends extraction. An archive without entries that was opened is an empty directory.
    fn finish(self, is_opened: bool) -> Result<ExtractTotals, ExtractError> {
        match self.extractor {
            Some(extractor) => extractor.finish(),
            None if is_opened => Extractor::new(self.directory, self.options)?.finish(),
            None => Ok(ExtractTotals::default()),
        }
    }
}

/// Takes entries as they come.
pub(crate) struct Unpacking<'a> {
    writer: Box<dyn EntryWriter + 'a>,
    target: Option<Target<'a>>,
    bar: &'a Bar,
    cancel: CancelToken,
    totals: Totals,
}

impl<'a> Unpacking<'a> {
    pub(crate) fn new(
        writer: Box<dyn EntryWriter + 'a>,
        target: Option<Target<'a>>,
        bar: &'a Bar,
        cancel: CancelToken,
    ) -> Unpacking<'a> {
        Unpacking { writer, target, bar, cancel, totals: Totals::default() }
    }

    /// Ends extraction and what is written, whether the work came to its end or not. Entries that are damaged or refused make
    /// the outcome worse, and so does a directory that cannot be finished.
    pub(crate) fn finish(
        self,
        mut outcome: Outcome,
        mut ended: Option<Ended>,
        summary: Option<&Summary>,
        time: Duration,
    ) -> anyhow::Result<(Outcome, Option<Ended>, Totals)> {
        let Unpacking { mut writer, target, mut totals, .. } = self;
        if let Some(target) = target {
            match target.finish(ended.is_none()) {
                Ok(extracted) => totals.extracted = Some(extracted),
                Err(error) => {
                    outcome.worsen(Outcome::Failure);
                    ended.get_or_insert(Ended { kind: "write", message: error.to_string() });
                }
            }
        }
        totals.archive_problems = summary.map_or(0, |summary| summary.problem_count);
        if totals.problems + totals.archive_problems > 0
            || totals.extracted.is_some_and(|extracted| extracted.refused > 0)
        {
            outcome.worsen(Outcome::Findings);
        }
        let end = End { extracted: totals.extracted.as_ref(), summary, time, ended: ended.as_ref() };
        writer.end(&end).context(STDOUT)?;
        Ok((outcome, ended, totals))
    }

    /// Writes about entries, for which the bar makes room.
    fn write(&mut self, entries: &[Entry], placed: Option<&[ExtractedEntry]>) -> std::io::Result<()> {
        let placed = |position: usize| placed.and_then(|placed| placed.get(position));
        for (position, entry) in entries.iter().enumerate() {
            if self.writer.wants(entry, placed(position)) {
                self.bar.clear();
                self.writer.entry(entry, placed(position))?;
            }
        }
        Ok(())
    }
}

impl Receiver for Unpacking<'_> {
    fn entries(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError> {
        if self.cancel.is_cancelled() {
            return Err(DecompressError::Cancelled);
        }
        let placed = self.target.as_mut().map(|target| target.extract(&entries)).transpose()?;
        for entry in &entries {
            self.totals.count(entry);
        }
        let failure = |error: std::io::Error| DecompressError::Receiver(format!("{STDOUT}: {error}").into());
        self.write(&entries, placed.as_deref()).map_err(failure)
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
