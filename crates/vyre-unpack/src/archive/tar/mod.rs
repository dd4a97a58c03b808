//! Tar archives: v7, ustar, pax and GNU. Members are slices of the archive.

mod extended;
mod header;

use extended::{Extended, long_name};
use header::{BLOCK, Header};

use super::{Content, Listing, Member};
use crate::entry::EntryKind;
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};

/// The most bytes of an extended header that are read.
const LONGEST_HEADER: usize = 1 << 20;

/// Whether bytes begin with a header: one whose checksum is right, or one that says so itself and is followed by such.
pub(crate) fn is_header(bytes: &[u8]) -> bool {
    let Some(header) = Header::read(bytes, 0) else { return false };
    let has_magic = header.has_magic();
    // A look at the checksum's digits spares most files the sum.
    let is_valid = || (has_magic || bytes[0] != 0) && extended::is_number(&bytes[148..156]) && header.is_valid();
    is_valid() || (has_magic && is_damaged_header(bytes))
}

/// Whether bytes begin with something that says of itself that it is a header, whatever its checksum is.
pub(super) fn says_header(bytes: &[u8]) -> bool {
    Header::read(bytes, 0).is_some_and(|header| header.has_magic())
}

/// Whether bytes begin with a header that is damaged: the next header is where this one says.
pub(super) fn is_damaged_header(bytes: &[u8]) -> bool {
    let Some(header) = Header::read(bytes, 0) else { return false };
    let size = header.size().and_then(|size| usize::try_from(size).ok()?.checked_next_multiple_of(BLOCK));
    let next = size.and_then(|size| Header::read(bytes, size.checked_add(BLOCK)?));
    next.is_some_and(|next| next.has_magic() && next.is_valid())
}

/// The members of a tar archive.
pub(super) fn list(archive: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    let mut reader = Reader {
        archive,
        budget,
        listing: Listing::default(),
        global: Extended::default(),
        next: Extended::default(),
        doubt: None,
        names: archive.len(),
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

/// Goes through an archive.
struct Reader<'a> {
    archive: &'a [u8],
    budget: &'a Budget,
    listing: Listing,
    /// What extended headers say about all members that follow.
    global: Extended<'a>,
    /// What extended headers and long names say about the next member.
    next: Extended<'a>,
    /// What makes the name or size of the next member doubtful, and where.
    doubt: Option<Problem>,
    /// How many bytes of names there may still be. They are never more than the archive, unless a global header repeats one.
    names: usize,
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
                return self.end(at + BLOCK);
            }
            let mut problems = Vec::new();
            if !header.is_valid() {
                let (expected, found) = (header.said_checksum().unwrap_or(0), header.checksum());
                let kind = ProblemKind::Checksum { what: "checksum of the tar header", expected, found };
                if !self.is_followed(&header, at) {
                    self.problem(at, kind);
                    let Some(next) = self.next_header(at + BLOCK) else { return };
                    let what = "the header before the entry is damaged, so its name and place may be wrong";
                    self.doubt = Some(Problem::new(at as u64, ProblemKind::Corrupt { what }));
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
        self.listing.problem(Problem::new(at as u64, kind));
    }

    /// What is after the end: nothing but zeros.
    fn end(&mut self, at: usize) {
        if let Some(first) = self.archive[at..].iter().position(|&byte| byte != 0) {
            let bytes = (self.archive.len() - at - first) as u64;
            self.problem(at + first, ProblemKind::TrailingGarbage { bytes });
        }
    }

    /// Whether a header comes where this damaged one says that its member ends, or the end does.
    fn is_followed(&self, header: &Header<'_>, at: usize) -> bool {
        let Some(size) = header.size().and_then(|size| usize::try_from(size).ok()) else { return false };
        let Some(next) = size.checked_next_multiple_of(BLOCK).and_then(|size| size.checked_add(at + BLOCK)) else {
            return false;
        };
        next == self.archive.len()
            || Header::read(self.archive, next).is_some_and(|header| header.is_zero() || header.is_valid())
    }

    /// The next place where there is a header.
    fn next_header(&self, from: usize) -> Option<usize> {
        (from..self.archive.len())
            .step_by(BLOCK)
            .find(|&at| Header::read(self.archive, at).is_some_and(|header| header.has_magic() && header.is_valid()))
    }

    /// Takes a member, or what is said about the next. Gives where the next header is.
    fn member(&mut self, header: &Header<'a>, at: usize, problems: Vec<Problem>) -> Option<usize> {
        let start = at + BLOCK;
        match header.kind() {
            kind @ (b'x' | b'X' | b'g' | b'L' | b'K') => {
                let Some(data) = self.extension(header, start) else {
                    self.problem(at, ProblemKind::Truncated { what: "extended tar header" });
                    return None;
                };
                let is_read = data.len() <= LONGEST_HEADER
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
                    self.doubt = Some(Problem::new(at as u64, ProblemKind::Corrupt { what }));
                }
                Some(start + data.len().next_multiple_of(BLOCK))
            }
            // The label of a volume is about no member.
            b'V' => Some(start),
            _ => self.real_member(header, at, problems),
        }
    }

    /// The data of an extended header.
    fn extension(&self, header: &Header<'_>, start: usize) -> Option<&'a [u8]> {
        let size = usize::try_from(header.size()?).ok()?;
        self.archive.get(start..)?.get(..size)
    }

    fn real_member(&mut self, header: &Header<'a>, at: usize, mut problems: Vec<Problem>) -> Option<usize> {
        if let Err(exceeded) = self.budget.take_entries(1) {
            self.listing.limit = Some(exceeded);
            return None;
        }
        let about = std::mem::take(&mut self.next).or(&self.global);
        problems.extend(self.doubt.take());
        let name = about.path.map_or_else(|| header.name().into_owned(), <[u8]>::to_vec);
        let target = about.target.map_or_else(|| header.target().into_owned(), <[u8]>::to_vec);
        let Some(names) = self.names.checked_sub(name.len() + target.len()) else {
            self.problem(at, ProblemKind::Corrupt { what: "the names of the entries are longer than the archive" });
            return None;
        };
        self.names = names;
        let size = about.size.or_else(|| header.size());
        let kind = kind_of(header.kind(), &name, target);
        let mut unsupported = None;
        let mut start = at + BLOCK;
        let mut said = size;
        if header.kind() == b'S' {
            start = self.after_sparse_map(header, start);
            said = header.sparse_size();
            unsupported = Some("sparse file");
        } else if about.is_sparse {
            // What is in the archive is a map and the parts between the holes.
            said = None;
            unsupported = Some("sparse file");
        } else if header.kind() == b'M' {
            unsupported = Some("part of a file of several volumes");
        }
        let mut member = Member {
            name,
            kind,
            content: Content::Nothing,
            size: said,
            compressed_size: size.unwrap_or(0),
            method: "tar",
            offset: at as u64,
            mode: header.mode(),
            modified: about.modified.or_else(|| header.modified()),
            problems,
        };
        let Some(size) = size else {
            let kind = ProblemKind::Corrupt { what: "the tar header has no size that can be read" };
            member.problems.push(Problem::new(at as u64, kind));
            self.listing.members.push(member);
            let what = "the header before the entry is damaged, so its name and place may be wrong";
            self.doubt = Some(Problem::new(at as u64, ProblemKind::Corrupt { what }));
            return self.next_header(at + BLOCK);
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
        // Beyond the end of the archive the reading ends.
        let next = size.checked_next_multiple_of(BLOCK).and_then(|size| start.checked_add(size)).unwrap_or(usize::MAX);
        if size <= available && next > self.archive.len() {
            self.problem(self.archive.len(), ProblemKind::Truncated { what: "last block of the archive" });
        }
        Some(next)
    }

    /// How many bytes of data follow. What is no file has none, though some tools write the size of the file that a link is to.
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

    /// Where the data of a sparse file of GNU tar begin: after the blocks that say where its parts are.
    fn after_sparse_map(&self, header: &Header<'_>, mut start: usize) -> usize {
        let mut is_continued = header.is_sparse_continued();
        while is_continued {
            is_continued = self.archive.get(start + 504).is_some_and(|&byte| byte != 0);
            start += BLOCK;
        }
        start
    }
}

/// What a member is. Kinds that are not known are files.
fn kind_of(kind: u8, name: &[u8], target: Vec<u8>) -> EntryKind {
    match kind {
        b'1' => EntryKind::Hardlink { target },
        b'2' => EntryKind::Symlink { target },
        b'3' => EntryKind::Special { what: "character device" },
        b'4' => EntryKind::Special { what: "block device" },
        b'5' | b'D' => EntryKind::Directory,
        b'6' => EntryKind::Special { what: "fifo" },
        // Before there was a kind for directories.
        b'0' | 0 if name.ends_with(b"/") => EntryKind::Directory,
        _ => EntryKind::File,
    }
}
