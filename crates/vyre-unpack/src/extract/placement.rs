//! What became of entries.

use super::super::entry::EntryPath;
use super::refusal::Refusal;

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Placement {
    /// A file with all its bytes.
    File,
    /// A file that is damaged: what could be had of it has the name with `.damaged` at its end.
    Damaged,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A hard link.
    Hardlink,
    /// An archive that was opened: a directory with its name and `!` at the end, for what is in it. Its file is there too, until
    /// all that is in it is.
    Opened,
    /// Nothing, because nothing of it could be had. Its problems say why.
    Nothing,
    /// Nothing, because that would not be safe.
    Refused(Refusal),
}

impl Placement {
    /// The name for programs. Names are permanent.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Placement::File => "file",
            Placement::Damaged => "damaged",
            Placement::Directory => "directory",
            Placement::Symlink => "symlink",
            Placement::Hardlink => "hardlink",
            Placement::Opened => "opened",
            Placement::Nothing => "nothing",
            Placement::Refused(_) => "refused",
        }
    }
}

/// What became of an entry, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// What became of it.
    pub placement: Placement,
    /// Where it is below the directory, with `/` between names; empty where it is nowhere.
    pub path: Vec<u8>,
}

/// An entry that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Where it is in the archive.
    pub path: EntryPath,
    /// Where it begins in the archive that holds it.
    pub offset: u64,
    /// Why.
    pub refusal: Refusal,
}

/// What was extracted, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extracted {
    /// Files that are whole.
    pub files: u64,
    /// Files that are damaged.
    pub damaged: u64,
    /// Directories that entries asked for.
    pub directories: u64,
    /// Links, symbolic and hard.
    pub links: u64,
    /// Archives that were opened.
    pub opened: u64,
    /// Entries of which nothing could be had.
    pub nothing: u64,
    /// Entries that were refused.
    pub refused: u64,
    /// Bytes of files, whole and damaged.
    pub bytes: u64,
}

impl Extracted {
    /// Counts an entry with so many bytes.
    pub(super) fn count(&mut self, placement: Placement, bytes: u64) {
        let counter = match placement {
            Placement::File => &mut self.files,
            Placement::Damaged => &mut self.damaged,
            Placement::Directory => &mut self.directories,
            Placement::Symlink | Placement::Hardlink => &mut self.links,
            Placement::Opened => &mut self.opened,
            Placement::Nothing => &mut self.nothing,
            Placement::Refused(_) => &mut self.refused,
        };
        *counter += 1;
        if matches!(placement, Placement::File | Placement::Damaged) {
            self.bytes += bytes;
        }
    }
}
