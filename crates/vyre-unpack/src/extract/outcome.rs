//! Outcomes of entries.

use crate::entry::EntryPath;

use super::refusal::Refusal;

/// Outcome of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryOutcome {
    /// A complete file.
    File,
    /// A damaged file: the bytes that could be decoded, with the suffix `.damaged`.
    Damaged,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A hard link.
    Hardlink,
    /// A nested archive that was opened: a directory with its name and the suffix `!` for its entries. Its file exists too,
    /// until all entries are extracted.
    Opened,
    /// Nothing: no byte could be decoded. The problems of the entry are the reason.
    Nothing,
    /// Nothing: the entry is unsafe.
    Refused(Refusal),
}

impl EntryOutcome {
    /// Machine-readable name. Names are permanent.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            EntryOutcome::File => "file",
            EntryOutcome::Damaged => "damaged",
            EntryOutcome::Directory => "directory",
            EntryOutcome::Symlink => "symlink",
            EntryOutcome::Hardlink => "hardlink",
            EntryOutcome::Opened => "opened",
            EntryOutcome::Nothing => "nothing",
            EntryOutcome::Refused(_) => "refused",
        }
    }
}

/// An extracted entry: its outcome and its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtractedEntry {
    /// The outcome.
    pub outcome: EntryOutcome,
    /// Path below the directory, with `/` between names; empty if nothing was created.
    pub path: Vec<u8>,
}

impl ExtractedEntry {
    /// The result of a refused entry.
    pub(super) fn refused(refusal: Refusal) -> ExtractedEntry {
        ExtractedEntry { outcome: EntryOutcome::Refused(refusal), path: Vec::new() }
    }
}

/// A refused entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedEntry {
    /// Path of the entry in the archive.
    pub path: EntryPath,
    /// Offset in the archive that holds it.
    pub offset: u64,
    /// The reason.
    pub refusal: Refusal,
}

/// Numbers of extracted entries, by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExtractTotals {
    /// Complete files.
    pub files: u64,
    /// Damaged files.
    pub damaged: u64,
    /// Directories that have an entry.
    pub directories: u64,
    /// Symbolic links and hard links.
    pub links: u64,
    /// Nested archives that were opened.
    pub opened: u64,
    /// Entries without any decodable byte.
    pub nothing: u64,
    /// Refused entries.
    pub refused: u64,
    /// Bytes of complete and damaged files.
    pub bytes: u64,
}

impl ExtractTotals {
    /// Counts an entry of `bytes` bytes.
    pub(super) fn count(&mut self, outcome: EntryOutcome, bytes: u64) {
        let counter = match outcome {
            EntryOutcome::File => &mut self.files,
            EntryOutcome::Damaged => &mut self.damaged,
            EntryOutcome::Directory => &mut self.directories,
            EntryOutcome::Symlink | EntryOutcome::Hardlink => &mut self.links,
            EntryOutcome::Opened => &mut self.opened,
            EntryOutcome::Nothing => &mut self.nothing,
            EntryOutcome::Refused(_) => &mut self.refused,
        };
        *counter += 1;
        if matches!(outcome, EntryOutcome::File | EntryOutcome::Damaged) {
            self.bytes += bytes;
        }
    }
}
