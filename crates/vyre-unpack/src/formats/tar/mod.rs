//! Tar archives: v7, ustar and pax (POSIX.1-2001), and GNU tar. Members are slices of the archive.
//!
//! An archive is a sequence of blocks of 512 bytes: a header for each member, its data padded to whole blocks, and zero blocks
//! at the end. Extended headers (`x`, `g`) and GNU long names (`L`, `K`) precede the header that they concern.

//!
//! Readers differ on unusual headers: which of two sizes or names counts, and which types of members have data. One walk
//! follows all of them. It splits where they go on at different offsets and joins where they meet again, so that every entry
//! that any reader sees is listed. Entries on which they disagree have a problem that names the readers.

mod extended;
mod header;
mod partial;
mod reader;
mod reading;
mod sparse;
mod tool;
mod whiteouts;

pub(super) use partial::read_headers;

use header::{BLOCK_BYTES, CHECKSUM, Header, number};

use crate::archive::ArchiveFormat;

/// Format of tar archives.
pub(super) static FORMAT: ArchiveFormat = ArchiveFormat {
    name: "tar",
    title: "tar",
    detect: starts_with_header,
    has_weak_signature: true,
    detect_damaged: |bytes| starts_with_damaged_header(bytes) || starts_with_magic(bytes),
    detect_hidden: |_| false,
    members_are_compressed: false,
    list: reader::list,
};

/// True if the bytes start with a header: one with a valid checksum, or one with the magic that a valid header follows.
fn starts_with_header(bytes: &[u8]) -> bool {
    let Some(header) = Header::read(bytes, 0) else { return false };
    let has_magic = header.has_magic();
    // The digits of the checksum are a cheap filter: most files need no sum.
    let is_valid = || (has_magic || bytes[0] != 0) && number(&bytes[CHECKSUM]).is_some() && header.is_valid();
    is_valid() || (has_magic && starts_with_damaged_header(bytes))
}

/// True if the bytes start with a header with the magic, whatever its checksum.
fn starts_with_magic(bytes: &[u8]) -> bool {
    Header::read(bytes, 0).is_some_and(|header| header.has_magic())
}

/// True if the bytes start with a damaged header: a valid header follows where its size says.
fn starts_with_damaged_header(bytes: &[u8]) -> bool {
    let Some(header) = Header::read(bytes, 0) else { return false };
    let size = header.size().and_then(|size| usize::try_from(size).ok()?.checked_next_multiple_of(BLOCK_BYTES));
    let next = size.and_then(|size| Header::read(bytes, size.checked_add(BLOCK_BYTES)?));
    next.is_some_and(|next| next.has_magic() && next.is_valid())
}
