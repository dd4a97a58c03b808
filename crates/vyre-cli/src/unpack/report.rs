//! Text report: the problems of entries, one on each line.

use std::io::{self, Write};

use vyre::engine::decompress::{Entry, EntryOutcome, ExtractedEntry};

use super::{End, EntryWriter, Outcome, archive_problems, display_path};
use crate::output::visible;

/// Writes damaged and refused entries.
pub(crate) struct ReportWriter<'o> {
    out: &'o mut dyn Write,
}

impl<'o> ReportWriter<'o> {
    pub(crate) fn new(out: &'o mut dyn Write) -> ReportWriter<'o> {
        ReportWriter { out }
    }
}

impl EntryWriter for ReportWriter<'_> {
    fn has_output(&self, entry: &Entry, outcome: &Outcome<'_>) -> bool {
        let is_refused = match outcome {
            Outcome::Extracted(extracted) => matches!(extracted.outcome, EntryOutcome::Refused(_)),
            Outcome::Listed(refusal) => refusal.is_some(),
        };
        !entry.problems.is_empty() || is_refused
    }

    fn entry(&mut self, entry: &Entry, outcome: &Outcome<'_>) -> io::Result<()> {
        let extracted = match outcome {
            Outcome::Extracted(extracted) => Some(*extracted),
            Outcome::Listed(_) => None,
        };
        let path = display_path(&entry.path);
        for problem in &entry.problems {
            writeln!(self.out, "{path}: {}", visible(&problem.to_string()))?;
        }
        match extracted {
            Some(ExtractedEntry { outcome: EntryOutcome::Refused(refusal), .. }) => {
                writeln!(self.out, "{path}: refused: {refusal}")
            }
            Some(ExtractedEntry { outcome: EntryOutcome::Damaged, path: written }) => {
                let written = String::from_utf8_lossy(written);
                writeln!(self.out, "{path}: what could be had is in {}", visible(&written))
            }
            Some(ExtractedEntry { outcome: EntryOutcome::Nothing, .. }) => writeln!(self.out, "{path}: not unpacked"),
            _ => Ok(()),
        }
    }

    fn end(&mut self, end: &End<'_>) -> io::Result<()> {
        for line in archive_problems(end.summary) {
            writeln!(self.out, "{line}")?;
        }
        self.out.flush()
    }
}
