//! Zip archives (PKWARE APPNOTE.TXT, version 6.3).
//!
//! | Part of an archive | Signature |
//! |---|---|
//! | local header, data and optional data descriptor of each entry | `PK\x03\x04`, descriptor `PK\x07\x08` |
//! | central directory: one record for each entry | `PK\x01\x02` |
//! | zip64 end record and its locator, of large archives | `PK\x06\x06`, `PK\x06\x07` |
//! | end of central directory record, with a comment | `PK\x05\x06` |
//!
//! The central directory is authoritative. Local headers and descriptors must agree with it; differences are problems, because
//! readers differ in which of them they believe: both readings are listed. So are the entries of all directories that some
//! reader finds. Entries of one directory must not overlap. Entries that no directory lists are recovered by their local
//! headers.

mod directory;
mod entry;
mod extents;
mod feature;
mod listing;
mod local;
mod partial;
mod record;
mod recovery;

pub(super) use partial::read_headers;
pub(super) use record::dos_time;

use crate::archive::{ArchiveFormat, Listing};
use crate::limits::Budget;
use crate::problem::Problem;

/// Format of zip archives.
pub(super) static FORMAT: ArchiveFormat = ArchiveFormat {
    name: "zip",
    title: "zip",
    detect: has_signature,
    has_weak_signature: false,
    detect_damaged: directory::has_directory,
    detect_hidden: directory::has_directory,
    members_are_compressed: true,
    list,
};

/// True if the bytes start with a local header, with the end record of an empty archive, or with the marker of an archive that
/// was split into parts.
fn has_signature(start: &[u8]) -> bool {
    let is_split =
        || (start.starts_with(b"PK\x07\x08") || start.starts_with(b"PK00")) && start[4..].starts_with(b"PK\x03\x04");
    start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") || is_split()
}

/// Lists the entries of a zip archive.
fn list(archive: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    match directory::locate(archive) {
        Some(directories) => Ok(listing::list_directory(archive, &directories, budget)),
        None => listing::recover_all(archive, budget),
    }
}
