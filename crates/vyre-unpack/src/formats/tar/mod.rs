//! Tar archives: v7, ustar and pax (POSIX.1-2001), and GNU tar. Members are slices of the archive.
//!
//! An archive is a sequence of blocks of 512 bytes: a header for each member, its data padded to whole blocks, and zero blocks
//! at the end. Extended headers (`x`, `g`) and GNU long names (`L`, `K`) precede the header that they concern.

mod extended;
mod header;

use extended::{Extended, long_name};
use header::{BLOCK_BYTES, CHECKSUM, Header, number};

use crate::archive::{ArchiveFormat, Content, Listing, Member};
use crate::entry::EntryKind;
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};

/// Format of tar archives.
pub(super) static FORMAT: ArchiveFormat = ArchiveFormat {
    name: "tar",
    title: "tar",
    detect: starts_with_header,
    has_weak_signature: true,
    detect_damaged: |bytes| starts_with_damaged_header(bytes) || starts_with_magic(bytes),
    members_are_compressed: false,
    list,
};

/// Maximum size of an extended header, in bytes.
const MAX_EXTENDED_BYTES: usize = 1 << 20;

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

/// Lists the members of a tar archive.
fn list(archive: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    let mut reader = Reader {
        archive,
        budget,
        listing: Listing::default(),
        global: Extended::default(),
        next: Extended::default(),
        suspicion: None,
        name_budget: archive.len(),
    };
    reader.read();
    if reader.next != Extended::default() {
        reader.problem(archive.len(), ProblemKind::Truncated { what: "tar header after an extended one" });
    }
    let listing = reader.listing;
    match listing.problems.first() {
        Some(problem) if listing.members.is_empty() && listing.limit.is_none() => Err(problem.clone()),
        _ => Ok(listing),
    }
}

/// Sequential reader of an archive.
struct Reader<'a> {
    archive: &'a [u8],
    budget: &'a Budget,
    listing: Listing,
    /// Records of global extended headers, which concern all following members.
    global: Extended<'a>,
    /// Records of extended headers and long names for the next member.
    next: Extended<'a>,
    /// Damage that makes the name or size of the next member unreliable.
    suspicion: Option<Problem>,
    /// Number of bytes of names that may still be allocated. Only a global header that repeats a name exceeds it.
    name_budget: usize,
}

impl<'a> Reader<'a> {
    fn read(&mut self) {
        let mut at = 0;
        while at < self.archive.len() {
            let Some(header) = Header::read(self.archive, at) else {
                if self.archive[at..].iter().any(|&byte| byte != 0) {
                    self.problem(at, ProblemKind::Truncated { what: "tar header" });
                }
                return;
            };
            if header.is_zero() {
                return self.end(at + BLOCK_BYTES);
            }
            let mut problems = Vec::new();
            if !header.is_valid() {
                let (expected, found) = (header.stated_checksum().unwrap_or(0), header.checksum());
                let kind = ProblemKind::Checksum { what: "checksum of the tar header", expected, found };
                if !self.is_followed(&header, at) {
                    self.problem(at, kind);
                    let Some(next) = self.next_header(at + BLOCK_BYTES) else { return };
                    let what = "the header before the entry is damaged, so its name and place may be wrong";
                    self.suspicion = Some(Problem::new(at as u64, ProblemKind::Corrupt { what }));
                    self.next = Extended::default();
                    at = next;
                    continue;
                }
                problems.push(Problem::new(at as u64, kind));
            }
            match self.member(&header, at, problems) {
                Some(next) => at = next,
                None => return,
            }
        }
        self.problem(self.archive.len(), ProblemKind::Truncated { what: "end of the tar file" });
    }

    fn problem(&mut self, at: usize, kind: ProblemKind) {
        self.listing.push_problem(Problem::new(at as u64, kind));
    }

    /// Checks that only zeros follow the end.
    fn end(&mut self, at: usize) {
        if let Some(first) = self.archive[at..].iter().position(|&byte| byte != 0) {
            let bytes = (self.archive.len() - at - first) as u64;
            self.problem(at + first, ProblemKind::TrailingGarbage { bytes });
        }
    }

    /// True if a header, or the end, follows where this damaged header says that its member ends.
    fn is_followed(&self, header: &Header<'_>, at: usize) -> bool {
        let Some(size) = header.size().and_then(|size| usize::try_from(size).ok()) else { return false };
        let Some(next) = size.checked_next_multiple_of(BLOCK_BYTES).and_then(|size| size.checked_add(at + BLOCK_BYTES))
        else {
            return false;
        };
        next == self.archive.len()
            || Header::read(self.archive, next).is_some_and(|header| header.is_zero() || header.is_valid())
    }

    /// Offset of the next valid header.
    fn next_header(&self, from: usize) -> Option<usize> {
        (from..self.archive.len())
            .step_by(BLOCK_BYTES)
            .find(|&at| Header::read(self.archive, at).is_some_and(|header| header.has_magic() && header.is_valid()))
    }

    /// Reads a member, or an extension of the next one. Returns the offset of the next header.
    fn member(&mut self, header: &Header<'a>, at: usize, problems: Vec<Problem>) -> Option<usize> {
        let start = at + BLOCK_BYTES;
        match header.kind() {
            kind @ (b'x' | b'X' | b'g' | b'L' | b'K') => {
                let Some(data) = self.extension(header, start) else {
                    self.problem(at, ProblemKind::Truncated { what: "extended tar header" });
                    return None;
                };
                let is_read = data.len() <= MAX_EXTENDED_BYTES
                    && match kind {
                        b'g' => self.global.read(data),
                        b'L' => {
                            self.next.path = Some(long_name(data));
                            true
                        }
                        b'K' => {
                            self.next.target = Some(long_name(data));
                            true
                        }
                        _ => self.next.read(data),
                    };
                if !is_read || !problems.is_empty() {
                    let what = "an extended header of the entry is damaged, so its name and size may be wrong";
                    self.suspicion = Some(Problem::new(at as u64, ProblemKind::Corrupt { what }));
                }
                Some(start + data.len().next_multiple_of(BLOCK_BYTES))
            }
            // A volume label concerns no member.
            b'V' => Some(start),
            _ => self.real_member(header, at, problems),
        }
    }

    /// Data of an extended header.
    fn extension(&self, header: &Header<'_>, start: usize) -> Option<&'a [u8]> {
        let size = usize::try_from(header.size()?).ok()?;
        self.archive.get(start..)?.get(..size)
    }

    /// Reads a member that is not an extension.
    fn real_member(&mut self, header: &Header<'a>, at: usize, mut problems: Vec<Problem>) -> Option<usize> {
        if let Err(exceeded) = self.budget.reserve_entries(1) {
            self.listing.limit = Some(exceeded);
            return None;
        }
        let extended = std::mem::take(&mut self.next).or(&self.global);
        problems.extend(self.suspicion.take());
        let name = extended.path.map_or_else(|| header.name().into_owned(), <[u8]>::to_vec);
        let target = extended.target.map_or_else(|| header.target().into_owned(), <[u8]>::to_vec);
        let Some(name_budget) = self.name_budget.checked_sub(name.len() + target.len()) else {
            self.problem(at, ProblemKind::Corrupt { what: "the names of the entries are longer than the archive" });
            return None;
        };
        self.name_budget = name_budget;
        let size = extended.size.or_else(|| header.size());
        let kind = kind_of(header.kind(), &name, target);
        let mut unsupported = None;
        let mut start = at + BLOCK_BYTES;
        let mut stated = size;
        if header.kind() == b'S' {
            start = self.after_sparse_map(header, start);
            stated = header.sparse_size();
            unsupported = Some("sparse file");
        } else if extended.is_sparse {
            // The archive has a map and the parts between the holes.
            stated = None;
            unsupported = Some("sparse file");
        } else if header.kind() == b'M' {
            unsupported = Some("part of a file of several volumes");
        }
        let mut member = Member {
            name,
            kind,
            content: Content::Nothing,
            size: stated,
            compressed_size: size.unwrap_or(0),
            method: "tar",
            offset: at as u64,
            mode: header.mode(),
            modified: extended.modified.or_else(|| header.modified()),
            problems,
        };
        let Some(size) = size else {
            let kind = ProblemKind::Corrupt { what: "the tar header has no size that can be read" };
            member.problems.push(Problem::new(at as u64, kind));
            self.listing.members.push(member);
            let what = "the header before the entry is damaged, so its name and place may be wrong";
            self.suspicion = Some(Problem::new(at as u64, ProblemKind::Corrupt { what }));
            return self.next_header(at + BLOCK_BYTES);
        };
        let size = self.data_size(&mut member, size, start);
        let available = self.archive.len().saturating_sub(start);
        if size > available {
            let kind = ProblemKind::Truncated { what: "data of the entry" };
            member.problems.push(Problem::new(self.archive.len() as u64, kind));
        }
        let end = start.saturating_add(size.min(available));
        if let Some(what) = unsupported {
            member.problems.push(Problem::new(at as u64, ProblemKind::Unsupported { what: what.to_owned() }));
        } else if member.kind == EntryKind::File && start <= end && end <= self.archive.len() {
            member.content = Content::Plain { range: start..end, sha256: None };
        }
        self.listing.members.push(member);
        // An offset beyond the archive ends the loop.
        let next =
            size.checked_next_multiple_of(BLOCK_BYTES).and_then(|size| start.checked_add(size)).unwrap_or(usize::MAX);
        if size <= available && next > self.archive.len() {
            self.problem(self.archive.len(), ProblemKind::Truncated { what: "last block of the archive" });
        }
        Some(next)
    }

    /// Number of bytes of data that follow. Only files have data, although some tools write the size of the target for a link.
    fn data_size(&self, member: &mut Member, size: u64, start: usize) -> usize {
        if member.kind != EntryKind::File && size > 0 {
            let next = Header::read(self.archive, start);
            let is_header = next.is_none_or(|header| header.is_zero() || header.is_valid());
            member.size = Some(0);
            member.compressed_size = 0;
            if is_header {
                return 0;
            }
            let kind = ProblemKind::Corrupt { what: "the entry is no file, but has data" };
            member.problems.push(Problem::new(start as u64, kind));
        }
        usize::try_from(size).unwrap_or(usize::MAX)
    }

    /// Offset of the data of a GNU sparse file, after the blocks of its sparse map.
    fn after_sparse_map(&self, header: &Header<'_>, mut start: usize) -> usize {
        let mut is_continued = header.is_sparse_continued();
        while is_continued {
            is_continued = self.archive.get(start + 504).is_some_and(|&byte| byte != 0);
            start += BLOCK_BYTES;
        }
        start
    }
}

/// File type of a member. Unknown types are files.
fn kind_of(kind: u8, name: &[u8], target: Vec<u8>) -> EntryKind {
    match kind {
        b'1' => EntryKind::Hardlink { target },
        b'2' => EntryKind::Symlink { target },
        b'3' => EntryKind::Special { what: "character device" },
        b'4' => EntryKind::Special { what: "block device" },
        b'5' | b'D' => EntryKind::Directory,
        b'6' => EntryKind::Special { what: "fifo" },
        // The v7 format has no type for directories.
        b'0' | 0 if name.ends_with(b"/") => EntryKind::Directory,
        _ => EntryKind::File,
    }
}
