//! RPM packages: a lead, two headers and a payload, which is a compressed cpio archive.
//!
//! | Part | Content |
//! |---|---|
//! | lead, 96 bytes | magic number `ed ab ee db` |
//! | signature header | padded to a multiple of 8 bytes |
//! | main header | names, sizes and scripts |
//! | payload | a compressed cpio archive, with `070701` or without names and sizes (`07070X`) |
//!
//! A header is `8e ad e8 01`, 4 reserved bytes, the number of index records, the size of the data, the records (tag, type,
//! offset, count; 4 bytes each, big-endian) and the data. Scripts run at installation, so they are members of their own.

use std::ops::Range;

use bytes::Bytes;

use super::Format;
use crate::archive::{ArchiveFormat, Block, BlockSlice, Content, Listing, Member, TableMemoryRefused, push};
use crate::entry::EntryKind;
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};
use crate::stream::{Decoded, Threads, bytes_at, decode_on_host};

/// Format of RPM packages.
pub(super) static FORMAT: ArchiveFormat = ArchiveFormat {
    name: "rpm",
    title: "RPM",
    detect: |bytes| bytes.starts_with(&MAGIC),
    has_weak_signature: false,
    detect_damaged: |_| false,
    detect_hidden: |_| false,
    members_are_compressed: false,
    list,
};

/// Start of a package.
const MAGIC: [u8; 4] = [0xed, 0xab, 0xee, 0xdb];
/// Start of a header.
const HEADER_MAGIC: [u8; 4] = [0x8e, 0xad, 0xe8, 0x01];
const LEAD_BYTES: usize = 96;
/// Magic number of a member without name and size, and its length with the index of the file.
const STRIPPED_MAGIC: &[u8] = b"07070X";
const STRIPPED_BYTES: usize = 14;

/// Maximum size of all names: each file repeats the name of its directory.
const MAX_NAME_BYTES: usize = 256 << 20;

/// Tags of the main header.
mod tag {
    pub(super) const MODES: u32 = 1030;
    pub(super) const TIMES: u32 = 1034;
    pub(super) const INODES: u32 = 1096;
    pub(super) const DIRECTORY_INDEXES: u32 = 1116;
    pub(super) const BASE_NAMES: u32 = 1117;
    pub(super) const DIRECTORY_NAMES: u32 = 1118;
    pub(super) const LONG_SIZES: u32 = 5008;
    pub(super) const PAYLOAD_DIGEST: u32 = 5092;
    pub(super) const PAYLOAD_DIGEST_ALGORITHM: u32 = 5093;
}

/// Scripts by their tags.
const SCRIPTS: [(u32, &str); 12] = [
    (1023, "preinstall"),
    (1024, "postinstall"),
    (1025, "preuninstall"),
    (1026, "postuninstall"),
    (1065, "trigger"),
    (1079, "verify"),
    (1151, "pretransaction"),
    (1152, "posttransaction"),
    (5066, "filetrigger"),
    (5076, "transactionfiletrigger"),
    (5104, "preuntransaction"),
    (5105, "postuntransaction"),
];
/// Number of the algorithm SHA-256.
const SHA256: u32 = 8;

fn u32_be(bytes: &[u8], at: usize) -> Option<u32> {
    bytes_at(bytes, at).map(u32::from_be_bytes)
}

/// Place of the values of a tag.
#[derive(Clone, Copy, Default)]
struct Record {
    offset: usize,
    count: usize,
}

/// A header.
struct Header<'a> {
    /// Records of 16 bytes.
    index: &'a [u8],
    data: &'a [u8],
    /// Offset of the data in the package.
    start: usize,
    /// Offset of the end of the header.
    end: usize,
}

impl<'a> Header<'a> {
    /// Reads the header at `at`.
    fn read(package: &'a [u8], at: usize) -> Result<Header<'a>, Problem> {
        let cut = || Problem::new(package.len() as u64, ProblemKind::Truncated { what: "header of the RPM package" });
        let magic: [u8; 4] = bytes_at(package, at).ok_or_else(cut)?;
        if magic != HEADER_MAGIC {
            let kind = ProblemKind::Corrupt { what: "this is no header of an RPM package" };
            return Err(Problem::new(at as u64, kind));
        }
        let count = u32_be(package, at + 8).ok_or_else(cut)? as usize;
        let size = u32_be(package, at + 12).ok_or_else(cut)? as usize;
        let index = at + 16;
        let start = index.saturating_add(count.saturating_mul(16));
        let end = start.saturating_add(size);
        let data = package.get(start..end).ok_or_else(cut)?;
        Ok(Header { index: &package[index..start], data, start, end })
    }

    /// The record of a tag; the last one, if there are several.
    fn record(&self, tag: u32) -> Option<Record> {
        let word = |record: &[u8; 16], at| u32_be(record, at).unwrap_or_default();
        let record = self.index.as_chunks::<16>().0.iter().rfind(|record| word(record, 0) == tag)?;
        Some(Record { offset: word(record, 8) as usize, count: word(record, 12) as usize })
    }

    /// The strings of a tag, as ranges of the data. There are at most as many as the data has bytes.
    fn strings(&self, tag: u32) -> impl Iterator<Item = Range<usize>> {
        let Record { offset, count } = self.record(tag).unwrap_or_default();
        let mut at = offset;
        let one = move |_| {
            let rest = self.data.get(at..).filter(|rest| !rest.is_empty())?;
            let end = at + memchr::memchr(0, rest).unwrap_or(rest.len());
            Some(std::mem::replace(&mut at, end + 1)..end)
        };
        (0..count).map_while(one)
    }

    /// A number of `N` bytes of a record.
    fn number<const N: usize>(&self, record: Record, index: usize) -> Option<[u8; N]> {
        let offset = record.offset.checked_add(index.checked_mul(N)?)?;
        bytes_at(self.data, offset).filter(|_| index < record.count)
    }
}

/// Lists the scripts and the payload.
fn list(package: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    let signature = Header::read(package, LEAD_BYTES)?;
    let header = Header::read(package, signature.end.next_multiple_of(8))?;
    let mut listing = Listing::default();
    for (tag, name) in SCRIPTS {
        let is_list = header.record(tag).is_some_and(|record| record.count > 1);
        for (index, script) in header.strings(tag).enumerate().filter(|(_, script)| !script.is_empty()) {
            if let Err(exceeded) = budget.reserve_entries(1) {
                listing.limit = Some(exceeded);
                return Ok(listing);
            }
            let name = if is_list { format!("scripts/{name}.{index}") } else { format!("scripts/{name}") };
            let range = header.start + script.start..header.start + script.end;
            if !listing.push(plain(name.into_bytes(), range, None)) {
                return Ok(listing);
            }
        }
    }
    let payload = header.end..package.len();
    if payload.is_empty() {
        let kind = ProblemKind::Truncated { what: "payload of the RPM package" };
        listing.push_problem(Problem::new(package.len() as u64, kind));
        return Ok(listing);
    }
    if header.record(tag::LONG_SIZES).is_some()
        && list_stripped(package, payload.clone(), &header, budget, &mut listing)
    {
        return Ok(listing);
    }
    match budget.reserve_entries(1) {
        Ok(()) => {
            let name = payload_name(&package[payload.clone()]);
            listing.push(plain(name.as_bytes().to_vec(), payload, payload_digest(&header)));
        }
        Err(exceeded) => listing.limit = Some(exceeded),
    }
    Ok(listing)
}

/// Name of the payload, with the suffix of its compression.
fn payload_name(payload: &[u8]) -> String {
    let suffix = match Format::detect(payload) {
        Some(Format::Stream(format)) => format.suffixes.first().map_or(&b""[..], |(suffix, _)| suffix),
        _ => b"",
    };
    format!("payload.cpio{}", String::from_utf8_lossy(suffix))
}

/// The SHA-256 of the payload, if the header has one.
fn payload_digest(header: &Header<'_>) -> Option<Box<[u8; 32]>> {
    let algorithm = header.record(tag::PAYLOAD_DIGEST_ALGORITHM);
    let algorithm = algorithm.and_then(|record| header.number(record, 0)).map(u32::from_be_bytes);
    let digits = header.strings(tag::PAYLOAD_DIGEST).next().filter(|_| algorithm == Some(SHA256))?;
    let digits = std::str::from_utf8(&header.data[digits]).ok().filter(|digits| digits.len() == 64)?;
    let mut digest = Box::new([0; 32]);
    for (index, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(index * 2..index * 2 + 2)?, 16).ok()?;
    }
    Some(digest)
}

/// A member that is a slice of the package.
fn plain(name: Vec<u8>, range: Range<usize>, sha256: Option<Box<[u8; 32]>>) -> Member {
    Member {
        name,
        kind: EntryKind::File,
        size: Some(range.len() as u64),
        compressed_size: range.len() as u64,
        offset: range.start as u64,
        content: Content::Plain { range, sha256 },
        method: "rpm",
        mode: None,
        modified: None,
        problems: Vec::new(),
    }
}

/// A file of the main header.
struct FileRecord {
    name: Vec<u8>,
    size: u64,
    mode: u32,
    modified: Option<i64>,
    /// True if a later file is a link to the same inode and has the data.
    is_linked: bool,
}

/// Files of the main header, as a payload without names refers to them.
struct Files<'a> {
    header: &'a Header<'a>,
    /// Places of the names in the data of the header.
    directories: Vec<Range<usize>>,
    bases: Vec<Range<usize>>,
    /// Inodes and files, sorted.
    links: Vec<(u32, usize)>,
    indexes: Record,
    sizes: Record,
    modes: Record,
    times: Record,
    inodes: Record,
}

impl<'a> Files<'a> {
    /// Reads the names and links.
    fn read(header: &'a Header<'a>) -> Result<Files<'a>, TableMemoryRefused> {
        let record = |tag| header.record(tag).unwrap_or_default();
        let inodes = record(tag::INODES);
        let (mut directories, mut bases, mut links) = (Vec::new(), Vec::new(), Vec::new());
        for name in header.strings(tag::DIRECTORY_NAMES) {
            push(&mut directories, name)?;
        }
        for name in header.strings(tag::BASE_NAMES) {
            push(&mut bases, name)?;
        }
        let inode = |file| header.number(inodes, file).map(u32::from_be_bytes);
        for (file, inode) in (0..bases.len()).map_while(|file| Some((file, inode(file)?))) {
            push(&mut links, (inode, file))?;
        }
        links.sort_unstable();
        Ok(Files {
            header,
            directories,
            bases,
            links,
            indexes: record(tag::DIRECTORY_INDEXES),
            sizes: record(tag::LONG_SIZES),
            modes: record(tag::MODES),
            times: record(tag::TIMES),
            inodes,
        })
    }

    /// The file of an index.
    fn get(&self, file: usize) -> Option<FileRecord> {
        let header = self.header;
        let base = self.bases.get(file)?.clone();
        let directory = header.number(self.indexes, file).map(u32::from_be_bytes);
        let directory = directory.and_then(|index| self.directories.get(index as usize)).cloned().unwrap_or(0..0);
        Some(FileRecord {
            name: [b".", &header.data[directory], &header.data[base]].concat(),
            size: header.number(self.sizes, file).map_or(0, u64::from_be_bytes),
            mode: header.number(self.modes, file).map_or(0o100_644, |mode| u32::from(u16::from_be_bytes(mode))),
            modified: header.number(self.times, file).map(|time| i64::from(u32::from_be_bytes(time))),
            is_linked: self.is_linked(file),
        })
    }

    /// True if a later file has the same inode.
    fn is_linked(&self, file: usize) -> bool {
        let Some(inode) = self.header.number(self.inodes, file).map(u32::from_be_bytes) else { return false };
        let end = self.links.partition_point(|&(other, _)| other <= inode);
        end.checked_sub(1).is_some_and(|last| self.links[last].0 == inode && self.links[last].1 > file)
    }
}

/// Lists a payload whose members have only the index of their file. Returns false if it is an ordinary one.
fn list_stripped(
    package: &[u8],
    payload: Range<usize>,
    header: &Header<'_>,
    budget: &Budget,
    listing: &mut Listing,
) -> bool {
    let start = payload.start as u64;
    let input = &package[payload.clone()];
    let decoded: Bytes;
    let (bytes, block): (&[u8], _) = match Format::detect(input) {
        Some(Format::Stream(format)) => {
            let Decoded { bytes, problems, .. } = decode_on_host(format, input, budget, Threads::All);
            if !bytes.starts_with(STRIPPED_MAGIC) && problems.is_empty() {
                budget.release_output(bytes.len() as u64);
                budget.discard_output(bytes.len() as u64);
                return false;
            }
            for Problem { offset, kind } in problems {
                listing.push_problem(Problem::new(start.saturating_add(offset), kind));
            }
            decoded = bytes;
            (&decoded, Block::decoded(decoded.clone(), None))
        }
        _ if input.starts_with(STRIPPED_MAGIC) => (input, Block::of_parts(vec![payload])),
        _ => return false,
    };
    let files = match Files::read(header) {
        Ok(files) => files,
        Err(refused) => {
            listing.refused = Some(refused);
            return true;
        }
    };
    let mut name_bytes = 0usize;
    let mut at = 0;
    while bytes.get(at..).is_some_and(|rest| rest.starts_with(STRIPPED_MAGIC)) {
        let index = bytes.get(at + 6..at + STRIPPED_BYTES).and_then(|digits| std::str::from_utf8(digits).ok());
        let index = index.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let Some(file) = index.and_then(|index| files.get(index as usize)) else {
            let kind = ProblemKind::Corrupt { what: "the payload has a file that the header does not list" };
            listing.push_problem(Problem::new(start, kind));
            break;
        };
        if let Err(exceeded) = budget.reserve_entries(1) {
            listing.limit = Some(exceeded);
            break;
        }
        name_bytes = name_bytes.saturating_add(file.name.len());
        if name_bytes > MAX_NAME_BYTES {
            let kind = ProblemKind::Unsupported { what: "more than 256 MiB of names".to_owned() };
            listing.push_problem(Problem::new(start, kind));
            break;
        }
        let data = (at + STRIPPED_BYTES).next_multiple_of(4) as u64;
        let kind = match file.mode & 0o170_000 {
            0o040_000 => EntryKind::Directory,
            0o120_000 => EntryKind::Symlink { target: Vec::new() },
            0o100_000 => EntryKind::File,
            _ => EntryKind::Special { what: "device" },
        };
        let has_data = matches!(kind, EntryKind::File | EntryKind::Symlink { .. }) && !file.is_linked;
        let size = if has_data { file.size } else { 0 };
        let slice = BlockSlice { block: block.clone(), range: data..data.saturating_add(size), crc32: None };
        let is_content = kind == EntryKind::File || has_data;
        let is_added = listing.push(Member {
            name: file.name,
            kind,
            content: if is_content { Content::Block(slice) } else { Content::Nothing },
            size: Some(size),
            compressed_size: size,
            method: "rpm",
            offset: start,
            mode: Some(file.mode & 0o7777),
            modified: file.modified,
            problems: Vec::new(),
        });
        if !is_added {
            break;
        }
        let end = data.saturating_add(size).saturating_add(3) / 4 * 4;
        at = usize::try_from(end).unwrap_or(usize::MAX).min(bytes.len());
    }
    true
}
