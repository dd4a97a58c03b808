//! Archives: which members they have, found without decoding any.

mod asar;
mod content;
mod tar;
mod zip;

use std::ops::Range;

pub(crate) use content::{Source, output_of, unpack};
pub(crate) use tar::is_header as is_tar_header;

use super::entry::EntryKind;
use super::limits::{Budget, LimitExceeded};
use super::problem::Problem;
use super::stream::StreamFormat;

/// The most problems of one archive that are told; the first say enough.
const MOST_PROBLEMS: usize = 32;

/// The formats of archives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArchiveFormat {
    Zip,
    Tar,
    Asar,
}

impl ArchiveFormat {
    /// What it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ArchiveFormat::Zip => "zip",
            ArchiveFormat::Tar => "tar",
            ArchiveFormat::Asar => "asar",
        }
    }

    /// What bytes are that do not begin as an archive does: a program with a zip archive after it, or a tar archive whose first
    /// header is damaged.
    pub(crate) fn guess(bytes: &[u8]) -> Option<ArchiveFormat> {
        let is_tar = || (tar::is_damaged_header(bytes) || tar::says_header(bytes)).then_some(ArchiveFormat::Tar);
        zip::has_directory(bytes).then_some(ArchiveFormat::Zip).or_else(is_tar)
    }

    /// The members of an archive.
    ///
    /// # Errors
    ///
    /// What makes it impossible to find any member.
    pub(crate) fn list(self, bytes: &[u8], budget: &Budget) -> Result<Listing, Problem> {
        match self {
            ArchiveFormat::Zip => zip::list(bytes, budget),
            ArchiveFormat::Tar => tar::list(bytes, budget),
            ArchiveFormat::Asar => asar::list(bytes, budget),
        }
    }

    /// Whether the bytes begin as an archive of Electron does.
    pub(crate) fn is_asar(bytes: &[u8]) -> bool {
        asar::header(bytes).is_some()
    }
}

/// The members of an archive.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// The members, in the order of the archive.
    pub(crate) members: Vec<Member>,
    /// What is wrong with the archive beside its members.
    pub(crate) problems: Vec<Problem>,
    /// The limit at which the list ends early.
    pub(crate) limit: Option<LimitExceeded>,
}

impl Listing {
    /// Adds a problem, unless there are many already.
    fn problem(&mut self, problem: Problem) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem);
        }
    }
}

/// A member of an archive: what the archive says about it.
#[derive(Debug)]
pub(crate) struct Member {
    /// Its name as in the archive.
    pub(crate) name: Vec<u8>,
    /// What it is. A symbolic link of a zip archive has its target in its content.
    pub(crate) kind: EntryKind,
    /// Where its bytes are.
    pub(crate) content: Content,
    /// Its size.
    pub(crate) size: Option<u64>,
    /// How many bytes it takes in the archive.
    pub(crate) compressed_size: u64,
    /// How it is stored.
    pub(crate) method: &'static str,
    /// Where it begins in the archive.
    pub(crate) offset: u64,
    /// Permissions.
    pub(crate) mode: Option<u32>,
    /// Seconds since 1970.
    pub(crate) modified: Option<i64>,
    /// What is wrong with it.
    pub(crate) problems: Vec<Problem>,
}

/// Where the bytes of a member are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// It has none, or none that may be read.
    Nothing,
    /// As they are in the archive.
    Plain { range: Range<usize>, sha256: Option<Box<[u8; 32]>> },
    /// As a zip archive has them.
    Packed(Packed),
}

/// Bytes of a member of a zip archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Packed {
    pub(crate) method: Method,
    /// Where the compressed bytes are.
    pub(crate) range: Range<usize>,
    /// The size of the bytes, where it is known before they are decoded.
    pub(crate) size: Option<u64>,
    /// The CRC-32 of the bytes, where it is known before they are decoded.
    pub(crate) crc32: Option<u32>,
}

/// How bytes of a member of a zip archive are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Stored,
    Deflate,
    Stream(StreamFormat),
}

impl Method {
    /// The methods of zip that can be decoded.
    fn of_zip(id: u16) -> Option<Method> {
        match id {
            0 => Some(Method::Stored),
            8 => Some(Method::Deflate),
            12 => Some(Method::Stream(StreamFormat::Bzip2)),
            20 | 93 => Some(Method::Stream(StreamFormat::Zstd)),
            95 => Some(Method::Stream(StreamFormat::Xz)),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Method::Stored => "stored",
            Method::Deflate => "deflate",
            Method::Stream(format) => format.name(),
        }
    }
}
