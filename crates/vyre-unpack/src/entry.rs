//! What is found in an archive.

use bytes::Bytes;

use super::error::DecompressError;
use super::problem::Problem;
use super::summary::Progress;

/// Where an entry is: the archives around it and its own name, from the outside in. The outermost archive is not named.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryPath {
    /// Names as the archives have them: bytes that are often UTF-8. The last is the entry's own.
    pub names: Vec<Vec<u8>>,
}

impl EntryPath {
    /// The path for people: names with `!/` between them, what is not UTF-8 replaced.
    #[must_use]
    pub fn display(&self) -> String {
        let names: Vec<_> = self.names.iter().map(|name| String::from_utf8_lossy(name)).collect();
        names.join("!/")
    }
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryKind {
    /// A file with its bytes.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink {
        /// What it says, as in the archive.
        target: Vec<u8>,
    },
    /// Another name of a file of the same archive.
    Hardlink {
        /// The name of that file.
        target: Vec<u8>,
    },
    /// A device, a pipe, a socket: nothing that is ever made on extraction.
    Special {
        /// `character device`, `block device`, `fifo`, ...
        what: &'static str,
    },
}

/// An entry of an archive, or the content of a compressed stream.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Where it is.
    pub path: EntryPath,
    /// What it is.
    pub kind: EntryKind,
    /// Its bytes: all of them, or where there is a problem those that could be had. Empty for what is not a file.
    pub bytes: Bytes,
    /// Its size according to the archive, where that says one.
    pub size: Option<u64>,
    /// How many bytes it takes in the archive.
    pub compressed_size: u64,
    /// How it is stored: `stored`, `deflate`, `zstd`, `tar`, `gzip`, ...
    pub method: &'static str,
    /// Where it begins in the archive that holds it.
    pub offset: u64,
    /// Permissions as on Unix, where the archive has them.
    pub mode: Option<u32>,
    /// Seconds since 1970, where the archive has a time.
    pub modified: Option<i64>,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
    /// Whether it is an archive that was opened, so that what is in it comes as entries of their own. Its bytes are here too.
    /// Whether all of it could be had is known later: [`Receiver::closed`].
    pub is_opened: bool,
}

/// Takes entries as they come: in order within an archive, an archive before what is in it.
pub trait Receiver {
    /// Takes some entries.
    ///
    /// # Errors
    ///
    /// [`DecompressError::Receiver`] ends the work.
    fn entries(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError>;

    /// All that is in this archive, or compressed file, inside the outermost one came as entries, and nothing is wrong with
    /// it or them. Of others this is never said.
    fn closed(&mut self, archive: &EntryPath) {
        let _ = archive;
    }

    /// How far it is.
    fn progress(&mut self, progress: Progress) {
        let _ = progress;
    }
}
