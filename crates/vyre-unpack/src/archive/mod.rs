//! Members of archives: listing without decoding, and decoding with verification.

mod block;
mod content;
mod encoding;
mod memory;
mod names;
mod table;

use std::fmt;
use std::ops::Range;

pub(crate) use block::{Block, BlockOutput, BlockSlice};
pub(crate) use content::{OutputClaim, Source, output_claim, unpack};
pub(crate) use memory::{TableMemoryRefused, check_headroom, extend, insert, push, reserve, table_of};
pub(crate) use names::report_names;
pub(crate) use table::{KindRef, MemberRef, MemberTable};

use crate::entry::EntryKind;
use crate::limits::{Budget, LimitExceeded};
use crate::problem::Problem;
use crate::stream::StreamFormat;

/// Maximum length of a name in the text of a problem.
const MAX_DESCRIBED_NAME: usize = 80;

/// A name for the text of a problem: escaped, and cut if it is long.
pub(crate) fn describe_name(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    match text.char_indices().nth(MAX_DESCRIBED_NAME) {
        Some((end, _)) => format!("`{}...`", text[..end].escape_debug()),
        None => format!("`{}`", text.escape_debug()),
    }
}

/// Maximum number of problems that a listing keeps.
const MAX_LISTING_PROBLEMS: usize = 32;

/// An archive format: a row of the table of formats.
pub(crate) struct ArchiveFormat {
    /// Name in reports and of the fuzz target: `zip`.
    pub(crate) name: &'static str,
    /// Name in prose: `zip`.
    pub(crate) title: &'static str,
    /// True if the bytes start as this format.
    pub(crate) detect: fn(&[u8]) -> bool,
    /// True if the signature is a checksum, which other bytes may match by chance. Such formats are detected last.
    pub(crate) has_weak_signature: bool,
    /// True if the bytes are a damaged or prefixed archive of this format. Only outermost bytes are tested.
    pub(crate) detect_damaged: fn(&[u8]) -> bool,
    /// True if the bytes are an archive of this format behind other bytes, such as a script. Nested files are tested too.
    pub(crate) detect_hidden: fn(&[u8]) -> bool,
    /// True if members may be compressed; false if they are slices of the archive.
    pub(crate) members_are_compressed: bool,
    /// Lists the members. Fails with the problem that prevents any member from being found.
    pub(crate) list: fn(&[u8], &Budget) -> Result<Listing, Problem>,
}

impl fmt::Debug for ArchiveFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The members of an archive.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Members in archive order.
    pub(crate) members: MemberTable,
    /// Problems of the archive rather than of its members.
    pub(crate) problems: Vec<Problem>,
    /// The limit that cut the listing short.
    pub(crate) limit: Option<LimitExceeded>,
    /// Set if the system refused the memory for a table. The listing is not complete then and must not be used.
    pub(crate) refused: Option<TableMemoryRefused>,
}

impl Listing {
    /// Adds a member. Returns false if the system refuses the memory, now or before.
    pub(crate) fn push(&mut self, member: Member) -> bool {
        if self.refused.is_none() {
            self.refused = self.members.push(member).err();
        }
        self.refused.is_none()
    }

    /// True if no member was found, and neither a limit nor refused memory is the reason.
    pub(crate) fn is_without_members(&self) -> bool {
        self.members.is_empty() && self.limit.is_none() && self.refused.is_none()
    }

    /// Makes room for `more` elements of a table. Returns false if the system refuses the memory, now or before.
    pub(crate) fn reserve<T>(&mut self, table: &mut Vec<T>, more: usize) -> bool {
        if self.refused.is_none() {
            self.refused = reserve(table, more).err();
        }
        self.refused.is_none()
    }

    /// Adds a problem, up to [`MAX_LISTING_PROBLEMS`].
    pub(crate) fn push_problem(&mut self, problem: Problem) {
        if self.problems.len() < MAX_LISTING_PROBLEMS {
            self.problems.push(problem);
        }
    }
}

/// A member of an archive: the metadata that the archive states.
#[derive(Debug)]
pub(crate) struct Member {
    /// Name as stored in the archive.
    pub(crate) name: Vec<u8>,
    /// File type. The target of a symbolic link of a zip archive is its content.
    pub(crate) kind: EntryKind,
    /// Location of its bytes.
    pub(crate) content: Content,
    /// Size according to the archive.
    pub(crate) size: Option<u64>,
    /// Size in the archive, in bytes.
    pub(crate) compressed_size: u64,
    /// Storage method.
    pub(crate) method: &'static str,
    /// Offset in the archive.
    pub(crate) offset: u64,
    /// Unix permission bits.
    pub(crate) mode: Option<u32>,
    /// Modification time in seconds since 1970.
    pub(crate) modified: Option<i64>,
    /// Problems of the member.
    pub(crate) problems: Vec<Problem>,
}

/// Location of the bytes of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// No bytes, or none that may be read.
    Nothing,
    /// A slice of the archive.
    Plain { range: Range<usize>, sha256: Option<Box<[u8; 32]>> },
    /// Stored or compressed bytes of a zip archive.
    Packed(Packed),
    /// A slice of a block that is decoded as a whole.
    Block(BlockSlice),
    /// Slices of the archive with zeros between them.
    Sparse(Box<SparseFile>),
}

/// A file with holes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SparseFile {
    /// Size with the holes, in bytes.
    pub(crate) size: u64,
    /// The parts between the holes, in order and within the file.
    pub(crate) parts: Vec<SparsePart>,
}

/// A part of a file with holes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SparsePart {
    /// Offset in the file.
    pub(crate) offset: u64,
    /// The bytes in the archive.
    pub(crate) data: Range<usize>,
}

/// Bytes of a member of a zip archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Packed {
    pub(crate) method: Method,
    /// The compressed bytes in the archive.
    pub(crate) range: Range<usize>,
    /// Decoded size, if the archive states it.
    pub(crate) size: Option<u64>,
    /// CRC-32 of the decoded bytes, if the archive states it.
    pub(crate) crc32: Option<u32>,
}

/// Compression method of a member of a zip archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Stored,
    Deflate,
    Stream(&'static StreamFormat),
}

impl Method {
    /// Name of the method in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Method::Stored => "stored",
            Method::Deflate => "deflate",
            Method::Stream(format) => format.name,
        }
    }
}
