//! Entries: members of archives and contents of compressed streams.

use bytes::Bytes;

use crate::problem::Problem;

/// Path of an entry: the names of the containers around it and its own name, from the outside in. The outermost container
/// is not named.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryPath {
    /// Names as stored in the archives: bytes, usually UTF-8. The last one is the entry's own name.
    pub names: Vec<Vec<u8>>,
}

impl EntryPath {
    /// The path for display: names joined by `!/`, with invalid UTF-8 replaced.
    #[must_use]
    pub fn display(&self) -> String {
        let names: Vec<_> = self.names.iter().map(|name| String::from_utf8_lossy(name)).collect();
        names.join("!/")
    }
}

/// File type of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink {
        /// The target as stored in the archive.
        target: Vec<u8>,
    },
    /// A hard link: another name of a file of the same archive.
    Hardlink {
        /// The name of that file.
        target: Vec<u8>,
    },
    /// A device, a pipe or a socket. Extraction never creates one.
    Special {
        /// `character device`, `block device`, `fifo`, ...
        what: &'static str,
    },
}

/// A member of an archive, or the content of a compressed stream.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Path of the entry.
    pub path: EntryPath,
    /// File type.
    pub kind: EntryKind,
    /// Decoded bytes: all of them, or those before the first problem. Empty unless the entry is a file.
    pub bytes: Bytes,
    /// Size according to the archive, if it states one.
    pub size: Option<u64>,
    /// Size in the archive, in bytes.
    pub compressed_size: u64,
    /// Storage method: `stored`, `deflate`, `zstd`, `tar`, `gzip`, ...
    pub method: &'static str,
    /// Offset in the archive that holds the entry.
    pub offset: u64,
    /// Unix permission bits, if the archive has them.
    pub mode: Option<u32>,
    /// Modification time in seconds since 1970, if the archive has one.
    pub modified: Option<i64>,
    /// Problems of the entry.
    pub problems: Vec<Problem>,
    /// True if the entry is a container that is unpacked too: its members follow as entries of their own, and its bytes are
    /// here. [`Receiver::closed`](crate::Receiver::closed) reports later that all of it could be unpacked.
    pub is_opened: bool,
}
