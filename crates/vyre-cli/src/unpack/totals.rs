//! Totals of entries.

use std::time::Duration;

use vyre::engine::decompress::{Entry, ExtractTotals};

use crate::output::{duration, number, print_note, quantity, size};

/// Number of entries and bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    /// Entries.
    pub(crate) entries: u64,
    /// Bytes of files: the size in the archive, or the decoded size if the archive has none.
    pub(crate) bytes: u64,
    /// Entries with problems.
    pub(crate) problems: u64,
    /// Problems of archives themselves.
    pub(crate) archive_problems: u64,
    /// Listed entries that extraction would refuse.
    pub(crate) would_be_refused: u64,
    /// Totals of extraction.
    pub(crate) extracted: Option<ExtractTotals>,
}

impl Totals {
    /// Counts an entry.
    pub(crate) fn count(&mut self, entry: &Entry) {
        self.entries += 1;
        self.bytes = self.bytes.saturating_add(entry.size.unwrap_or(entry.bytes.len() as u64));
        self.problems += u64::from(!entry.problems.is_empty());
    }

    /// Prints the totals on standard error.
    pub(crate) fn print(&self, is_list: bool, time: Duration) {
        let mut line = match &self.extracted {
            Some(extracted) if !is_list => {
                let files = quantity(extracted.files, "file");
                format!("{files}, {} in {}", size(extracted.bytes), duration(time))
            }
            _ => format!("{}, {}", quantity(self.entries, "entry"), size(self.bytes)),
        };
        if self.problems > 0 {
            line.push_str(&format!("; {} with problems", number(self.problems)));
        }
        if self.archive_problems > 0 {
            line.push_str(&format!("; {} of archives", quantity(self.archive_problems, "problem")));
        }
        if self.would_be_refused > 0 {
            line.push_str(&format!("; {} would be refused", number(self.would_be_refused)));
        }
        if let Some(extracted) = self.extracted.filter(|extracted| extracted.refused > 0) {
            line.push_str(&format!("; {} refused", number(extracted.refused)));
        }
        print_note(&line);
    }
}
