//! Text report: the problems of entries, a line each.

use std::io::{self, Write};

use vyre::engine::decompress::{Entry, EntryOutcome, ExtractedEntry};

use super::{End, EntryWriter, archive_problems, shown};
use crate::output::visible;

/// Writes about entries that are damaged or refused, and about no others.
pub(crate) struct ReportWriter<'o> {
    out: &'o mut dyn Write,
}

impl<'o> ReportWriter<'o> {
    pub(crate) fn new(out: &'o mut dyn Write) -> ReportWriter<'o> {
        ReportWriter { out }
    }
}

impl EntryWriter for ReportWriter<'_> {
    fn wants(&self, entry: &Entry, placed: Option<&ExtractedEntry>) -> bool {
        !entry.problems.is_empty() || placed.is_some_and(|placed| matches!(placed.outcome, EntryOutcome::Refused(_)))
    }

    fn entry(&mut self, entry: &Entry, placed: Option<&ExtractedEntry>) -> io::Result<()> {
        let path = shown(&entry.path);
        for problem in &entry.problems {
            writeln!(self.out, "{path}: {}", visible(&problem.to_string()))?;
        }
        match placed {
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
