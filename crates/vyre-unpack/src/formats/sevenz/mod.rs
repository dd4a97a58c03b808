//! 7z archives: packed streams, and a header at the end that describes folders, the files in them and their attributes.
//!
//! | Offset | Size | Field of the start header |
//! |---|---|---|
//! | 0 | 6 | magic number `7z bc af 27 1c` |
//! | 6 | 2 | version |
//! | 8 | 4 | CRC-32 of the next 20 bytes |
//! | 12 | 8 | offset of the header, from byte 32 |
//! | 20 | 8 | size of the header |
//! | 28 | 4 | CRC-32 of the header |
//!
//! A folder is a graph of coders that gives one output: the contents of its files, one after the other. The header itself may
//! be the output of a folder. Folders are decoded once ([`Block`]).

mod bcj2;
mod coders;
mod header;

use std::sync::{Arc, LazyLock};

use bytes::Bytes;

use crate::archive::{ArchiveFormat, Block, BlockOutput, BlockSlice, Content, Listing, Member};
use crate::entry::EntryKind;
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};
use crate::stream::{crc32, u32_at, u64_at};
use coders::{is_encrypted, method_name};
use header::{FileRecord, Folder, Header, Streams};

/// Format of 7z archives.
pub(super) static FORMAT: ArchiveFormat = ArchiveFormat {
    name: "7z",
    title: "7z",
    detect: |bytes| bytes.starts_with(MAGIC),
    has_weak_signature: false,
    detect_damaged: |_| false,
    detect_hidden: |bytes| locate(bytes).is_some(),
    members_are_compressed: true,
    list,
};

/// Start of an archive.
const MAGIC: &[u8] = b"7z\xbc\xaf\x27\x1c";
/// Size of the start header.
const START_BYTES: usize = 32;
/// Number of bytes before an archive that are searched: programs that unpack themselves.
const MAX_PREFIX_BYTES: usize = 1 << 20;
/// Bytes at the start of a file that show whether there is an archive behind other bytes.
pub(super) const SEARCHED_BYTES: usize = MAX_PREFIX_BYTES + START_BYTES;
/// Maximum size of a decoded header.
const MAX_HEADER_BYTES: u64 = 64 << 20;
/// Maximum number of times that a header may be packed.
const MAX_HEADER_LAYERS: usize = 4;
/// Bit of Windows attributes that marks a directory.
const DIRECTORY_ATTRIBUTE: u32 = 0x10;
/// Bit of Windows attributes that marks a symbolic link or another reparse point.
const REPARSE_ATTRIBUTE: u32 = 0x400;
/// Bit of attributes that marks a Unix mode in the upper half.
const UNIX_ATTRIBUTE: u32 = 0x8000;
/// Seconds between 1601 and 1970.
const EPOCH_SECONDS: i64 = 11_644_473_600;

/// Offset of an archive behind other bytes, proven by the checksum of its start header.
fn locate(bytes: &[u8]) -> Option<usize> {
    static FINDER: LazyLock<memchr::memmem::Finder<'static>> = LazyLock::new(|| memchr::memmem::Finder::new(MAGIC));
    let searched = &bytes[..bytes.len().min(MAX_PREFIX_BYTES)];
    FINDER.find_iter(searched).find(|&at| {
        let expected = u32_at(bytes, at + 8);
        bytes.get(at + 12..at + START_BYTES).is_some_and(|start| Some(crc32(start)) == expected)
    })
}

/// Lists the files.
fn list(archive: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    let base = if archive.starts_with(MAGIC) { 0 } else { locate(archive).unwrap_or(0) };
    let mut listing = Listing::default();
    let found = read_header(archive, base, budget);
    let parsed = found.as_ref().map_err(Problem::clone).and_then(|found| match found {
        Some(found) => {
            let header = header::parse(found.bytes.get(), budget.limits().entries);
            header.map(|header| Some((header, found.end))).map_err(|kind| Problem::new(found.place as u64, kind))
        }
        None => Ok(None),
    });
    let (Header { streams, files }, end) = match parsed {
        Ok(Some(header)) => header,
        Ok(None) => return Ok(listing),
        // Nothing is known about the entries, but the archive is one.
        Err(problem @ Problem { kind: ProblemKind::Unsupported { .. }, .. }) => {
            listing.push_problem(problem);
            return Ok(listing);
        }
        Err(problem) => return Err(problem),
    };
    if end < archive.len() {
        let kind = ProblemKind::TrailingGarbage { bytes: (archive.len() - end) as u64 };
        listing.push_problem(Problem::new(end as u64, kind));
    }
    let mut contents = Contents::new(archive, base, streams);
    for file in &files {
        if let Err(exceeded) = budget.reserve_entries(1) {
            listing.limit = Some(exceeded);
            break;
        }
        listing.push(contents.member(file));
    }
    if contents.has_more() && listing.limit.is_none() {
        let kind = ProblemKind::Corrupt { what: "the archive has contents that belong to no file" };
        listing.push_problem(Problem::new(base as u64, kind));
    }
    Ok(listing)
}

/// Bytes of a header.
enum HeaderBytes<'a> {
    /// A part of the archive.
    Plain(&'a [u8]),
    Unpacked(Bytes),
}

impl HeaderBytes<'_> {
    fn get(&self) -> &[u8] {
        match self {
            HeaderBytes::Plain(bytes) => bytes,
            HeaderBytes::Unpacked(bytes) => bytes,
        }
    }
}

/// A header that is not packed, or not any more.
struct FoundHeader<'a> {
    bytes: HeaderBytes<'a>,
    /// Offset of the header in the archive.
    place: usize,
    /// Offset of the end of the header, which is the end of the archive.
    end: usize,
}

/// Reads the header of the archive; none if the archive is empty.
fn read_header<'a>(archive: &'a [u8], base: usize, budget: &Budget) -> Result<Option<FoundHeader<'a>>, Problem> {
    let at = |kind| Problem::new(base as u64, kind);
    let start = archive.get(base + 12..base + START_BYTES);
    let start = start.ok_or_else(|| at(ProblemKind::Truncated { what: "start header" }))?;
    let expected = u32_at(archive, base + 8).unwrap_or_default();
    let found = crc32(start);
    if found != expected {
        let (expected, found) = (u64::from(expected), u64::from(found));
        return Err(at(ProblemKind::Checksum { what: "CRC-32 of the start header", expected, found }));
    }
    let (offset, size) = (u64_at(start, 0).unwrap_or_default(), u64_at(start, 8).unwrap_or_default());
    if size == 0 {
        return Ok(None);
    }
    let place = usize::try_from(offset).ok().and_then(|offset| offset.checked_add(base + START_BYTES));
    let end = place.and_then(|place| place.checked_add(usize::try_from(size).ok()?));
    let (Some(place), Some(end)) = (place, end.filter(|&end| end <= archive.len())) else {
        return Err(Problem::new(archive.len() as u64, ProblemKind::Truncated { what: "header of the 7z archive" }));
    };
    let mut bytes = HeaderBytes::Plain(&archive[place..end]);
    check_sum(bytes.get(), u32_at(start, 16), place)?;
    for _ in 0..MAX_HEADER_LAYERS {
        let packed = header::parse_packed(bytes.get(), budget.limits().entries);
        match packed.map_err(|kind| Problem::new(place as u64, kind))? {
            None => return Ok(Some(FoundHeader { bytes, place, end })),
            Some(streams) => bytes = HeaderBytes::Unpacked(unpack_header(archive, base, place, &streams, budget)?),
        }
    }
    Err(Problem::new(place as u64, ProblemKind::Unsupported { what: "a header that is packed many times".to_owned() }))
}

/// Verifies a checksum of the header.
fn check_sum(bytes: &[u8], expected: Option<u32>, at: usize) -> Result<(), Problem> {
    let found = crc32(bytes);
    match expected {
        Some(expected) if expected != found => {
            let (expected, found) = (u64::from(expected), u64::from(found));
            let kind = ProblemKind::Checksum { what: "CRC-32 of the header", expected, found };
            Err(Problem::new(at as u64, kind))
        }
        _ => Ok(()),
    }
}

/// Decodes a packed header.
fn unpack_header(
    archive: &[u8],
    base: usize,
    place: usize,
    streams: &Streams,
    budget: &Budget,
) -> Result<Bytes, Problem> {
    let Some(folder) = streams.folders.first() else {
        return Err(Problem::new(place as u64, ProblemKind::Corrupt { what: "the packed header has no folder" }));
    };
    if is_encrypted(folder) {
        let what = "an encrypted 7z archive; even the names of its files are encrypted".to_owned();
        return Err(Problem::new(place as u64, ProblemKind::Unsupported { what }));
    }
    if folder.size() > MAX_HEADER_BYTES {
        let what = "a 7z header of more than 64 MiB".to_owned();
        return Err(Problem::new(place as u64, ProblemKind::Unsupported { what }));
    }
    let packs = folder.packs(base + START_BYTES, streams);
    let mut output = BlockOutput::new(budget, packs.iter().map(|pack| pack.len() as u64).sum());
    coders::decode(folder, &packs, archive, &mut output)?;
    let bytes = output.discard();
    check_sum(&bytes, folder.crc32, place)?;
    Ok(bytes)
}

/// The contents of the folders, in the order of the files that have one.
struct Contents {
    base: usize,
    archive_length: usize,
    streams: Streams,
    /// Index of the current folder.
    folder: usize,
    /// Number of contents of the folder that were taken, and their size.
    taken: usize,
    offset: u64,
    /// Index of the next content of all folders.
    next: usize,
    block: Option<Arc<Block>>,
}

impl Contents {
    fn new(archive: &[u8], base: usize, streams: Streams) -> Contents {
        let archive_length = archive.len();
        Contents { base, archive_length, streams, folder: 0, taken: 0, offset: 0, next: 0, block: None }
    }

    /// Goes to the next folder that has contents left.
    fn skip_folders(&mut self) {
        while self.streams.folders.get(self.folder).is_some_and(|folder| self.taken >= folder.contents) {
            self.folder += 1;
            self.taken = 0;
            self.offset = 0;
            self.block = None;
        }
    }

    fn has_more(&mut self) -> bool {
        self.skip_folders();
        self.folder < self.streams.folders.len()
    }

    /// The member of a file. The next content is its own unless it is empty.
    fn member(&mut self, file: &FileRecord<'_>) -> Member {
        let (kind, mode) = kind_and_mode(file);
        let mut member = Member {
            name: file.name(),
            kind,
            content: Content::Nothing,
            size: Some(0),
            compressed_size: 0,
            method: "stored",
            offset: self.base as u64,
            mode,
            modified: file.modified.map(|time| (time / 10_000_000) as i64 - EPOCH_SECONDS),
            problems: Vec::new(),
        };
        if file.is_anti {
            let what = "an anti-item, which deletes a file".to_owned();
            member.problems.push(Problem::new(member.offset, ProblemKind::Unsupported { what }));
        }
        if !file.has_stream {
            return member;
        }
        self.skip_folders();
        let Some(folder) = self.streams.folders.get(self.folder) else {
            let kind = ProblemKind::Corrupt { what: "the archive has no content for the file" };
            member.problems.push(Problem::new(member.offset, kind));
            return member;
        };
        let packs = folder.packs(self.base + START_BYTES, &self.streams);
        member.offset = packs.first().map_or(self.base, |pack| pack.start) as u64;
        member.method = method_name(folder);
        if self.taken == 0 {
            member.compressed_size = packs.iter().map(|pack| pack.len() as u64).sum();
        }
        let (size, crc32) = self.streams.contents[self.next];
        member.size = Some(size);
        let range = self.offset..self.offset.saturating_add(size);
        self.offset = range.end;
        self.taken += 1;
        self.next += 1;
        if is_encrypted(folder) {
            let what = "encryption".to_owned();
            member.problems.push(Problem::new(member.offset, ProblemKind::Unsupported { what }));
            return member;
        }
        if packs.iter().any(|pack| pack.end > self.archive_length) {
            let kind = ProblemKind::Truncated { what: "data of the folder" };
            member.problems.push(Problem::new(self.archive_length as u64, kind));
        }
        let block = self.block.get_or_insert_with(|| block_of(folder, packs));
        member.content = Content::Block(BlockSlice { block: Arc::clone(block), range, crc32 });
        member
    }
}

/// The block of a folder.
fn block_of(folder: &Folder, packs: Vec<std::ops::Range<usize>>) -> Arc<Block> {
    let input = packs.iter().map(|pack| pack.len() as u64).sum();
    let folder = folder.clone();
    Block::new(input, move |archive, output| coders::decode(&folder, &packs, archive, output))
}

/// File type and permissions.
fn kind_and_mode(file: &FileRecord<'_>) -> (EntryKind, Option<u32>) {
    let attributes = file.attributes.unwrap_or(0);
    let mode = attributes >> 16;
    let permissions = (attributes & UNIX_ATTRIBUTE != 0).then_some(mode & 0o7777);
    let link = || EntryKind::Symlink { target: Vec::new() };
    let kind = match (permissions, mode & 0o170_000) {
        (Some(_), 0o120_000) if file.has_stream => link(),
        (Some(_), 0o020_000) => EntryKind::Special { what: "character device" },
        (Some(_), 0o060_000) => EntryKind::Special { what: "block device" },
        (Some(_), 0o010_000) => EntryKind::Special { what: "fifo" },
        (Some(_), 0o140_000) => EntryKind::Special { what: "socket" },
        _ if attributes & DIRECTORY_ATTRIBUTE != 0 || file.is_directory => EntryKind::Directory,
        _ if attributes & REPARSE_ATTRIBUTE != 0 && file.has_stream => link(),
        _ => EntryKind::File,
    };
    (kind, permissions)
}
