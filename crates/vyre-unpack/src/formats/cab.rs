//! Cabinet files (Microsoft Cabinet Format): folders of compressed blocks, and the files in them.
//!
//! | Offset | Size | Field of the header |
//! |---|---|---|
//! | 0 | 8 | magic number `MSCF` and four zero bytes |
//! | 8 | 4 | size of the cabinet |
//! | 16 | 4 | offset of the first file record |
//! | 26, 28 | 2 | numbers of folders and of files |
//! | 30 | 2 | flags: 1 and 2 if the set has a cabinet before or after this one, 4 if reserved areas follow |
//!
//! A folder is decoded once: its blocks refer to the output of the preceding ones.

use std::sync::Arc;

use lzxd::{Lzxd, WindowSize};

use super::codec;
use super::zip::dos_time;
use crate::archive::{ArchiveFormat, Block, BlockOutput, BlockSlice, Content, Listing, Member};
use crate::entry::EntryKind;
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};
use crate::stream::{u16_at, u32_at};

/// Format of cabinet files.
pub(super) static FORMAT: ArchiveFormat = ArchiveFormat {
    name: "cab",
    title: "cab",
    detect: |bytes| bytes.starts_with(MAGIC),
    has_weak_signature: false,
    detect_damaged: |_| false,
    detect_hidden: |_| false,
    members_are_compressed: true,
    list,
};

const MAGIC: &[u8] = b"MSCF\0\0\0\0";
/// Size of the fixed part of the header.
const HEADER_BYTES: usize = 36;
const FOLDER_BYTES: usize = 8;
const FILE_BYTES: usize = 16;
const DATA_BYTES: usize = 8;
/// Folder numbers of files that continue in another cabinet.
const FIRST_CONTINUED: u16 = 0xfffd;

/// The header with the reserved areas.
struct Header {
    folders: usize,
    folder_count: usize,
    folder_bytes: usize,
    data_reserve: usize,
    files: usize,
    file_count: usize,
    flags: u16,
}

impl Header {
    fn read(cabinet: &[u8]) -> Option<Header> {
        let flags = u16_at(cabinet, 30)?;
        let mut at = HEADER_BYTES;
        let (mut folder_reserve, mut data_reserve) = (0, 0);
        if flags & 4 != 0 {
            let header_reserve = usize::from(u16_at(cabinet, at)?);
            folder_reserve = usize::from(*cabinet.get(at + 2)?);
            data_reserve = usize::from(*cabinet.get(at + 3)?);
            at += 4 + header_reserve;
        }
        // Names of the neighbours and of their disks.
        for _ in 0..2 * (flags & 3).count_ones() {
            at += memchr::memchr(0, cabinet.get(at..)?)? + 1;
        }
        Some(Header {
            folders: at,
            folder_count: usize::from(u16_at(cabinet, 26)?),
            folder_bytes: FOLDER_BYTES + folder_reserve,
            data_reserve,
            files: u32_at(cabinet, 16)? as usize,
            file_count: usize::from(u16_at(cabinet, 28)?),
            flags,
        })
    }
}

/// Compression of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compression {
    Stored,
    MsZip,
    Lzx(WindowSize),
    Unknown(u16),
}

impl Compression {
    fn of(code: u16) -> Compression {
        let window = match code >> 8 & 0x1f {
            15 => WindowSize::KB32,
            16 => WindowSize::KB64,
            17 => WindowSize::KB128,
            18 => WindowSize::KB256,
            19 => WindowSize::KB512,
            20 => WindowSize::MB1,
            21 => WindowSize::MB2,
            _ if code & 15 == 3 => return Compression::Unknown(code),
            _ => WindowSize::KB32,
        };
        match code & 15 {
            0 => Compression::Stored,
            1 => Compression::MsZip,
            3 => Compression::Lzx(window),
            _ => Compression::Unknown(code),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Compression::Stored => "stored",
            Compression::MsZip => "mszip",
            Compression::Lzx(_) => "lzx",
            Compression::Unknown(code) if code & 15 == 2 => "quantum",
            Compression::Unknown(_) => "unknown",
        }
    }
}

/// A folder.
struct Folder {
    compression: Compression,
    start: usize,
    block: Arc<Block>,
}

/// A compressed block of a folder.
struct Data<'a> {
    /// Header without the checksum, and the reserved bytes after it.
    header: &'a [u8],
    bytes: &'a [u8],
    checksum: u32,
    size: usize,
    end: usize,
}

impl<'a> Data<'a> {
    /// Reads the block at `at`; none if it is cut off.
    fn read(cabinet: &'a [u8], at: usize, reserve: usize) -> Option<Data<'a>> {
        let (length, size) = (u16_at(cabinet, at.checked_add(4)?)?, u16_at(cabinet, at + 6)?);
        let start = at + DATA_BYTES + reserve;
        let end = start + usize::from(length);
        let (header, bytes) = (cabinet.get(at + 4..start)?, cabinet.get(start..end)?);
        Some(Data { header, bytes, checksum: u32_at(cabinet, at)?, size: usize::from(size), end })
    }
}

/// Exclusive or of 32-bit words; the last bytes of an incomplete word are in reverse order.
fn checksum(bytes: &[u8], seed: u32) -> u32 {
    let (words, rest) = bytes.as_chunks::<4>();
    let sum = words.iter().fold(seed, |sum, word| sum ^ u32::from_le_bytes(*word));
    sum ^ rest.iter().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

/// Decodes `count` blocks of a folder, from `start`.
fn decode(
    compression: Compression,
    start: usize,
    count: u16,
    reserve: usize,
    cabinet: &[u8],
    output: &mut BlockOutput<'_>,
) -> Result<(), Problem> {
    let mut lzx = match compression {
        Compression::Lzx(window) => Some(Lzxd::new(window)),
        _ => None,
    };
    let mut at = start;
    for _ in 0..count {
        let problem = |kind| Problem::new(at.min(cabinet.len()) as u64, kind);
        let Some(block) = Data::read(cabinet, at, reserve) else {
            return Err(problem(ProblemKind::Truncated { what: "block of the cabinet" }));
        };
        if block.checksum != 0 {
            let found = checksum(block.header, checksum(block.bytes, 0));
            if found != block.checksum {
                let (expected, found) = (u64::from(block.checksum), u64::from(found));
                return Err(problem(ProblemKind::Checksum { what: "checksum of a block", expected, found }));
            }
        }
        if block.size == 0 {
            let what = "a block that continues in another cabinet".to_owned();
            return Err(problem(ProblemKind::Unsupported { what }));
        }
        let decoded = match (compression, &mut lzx) {
            (Compression::Stored, _) if block.bytes.len() == block.size => output.append(block.bytes),
            (Compression::Stored, _) => Err(ProblemKind::Corrupt { what: "the sizes of a stored block differ" }),
            (Compression::MsZip, _) => codec::mszip(block.bytes, block.size, output),
            (Compression::Lzx(_), Some(lzx)) => match lzx.decompress_next(block.bytes, block.size) {
                Ok(bytes) => output.append(bytes),
                Err(_) => Err(ProblemKind::Corrupt { what: "the LZX block is damaged" }),
            },
            (Compression::Lzx(_) | Compression::Unknown(_), _) => {
                Err(ProblemKind::Unsupported { what: format!("cabinet method {}", compression.name()) })
            }
        };
        decoded.map_err(problem)?;
        at = block.end;
    }
    Ok(())
}

/// Lists the files.
fn list(cabinet: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    let cut = |what| Problem::new(cabinet.len() as u64, ProblemKind::Truncated { what });
    let header = Header::read(cabinet).ok_or_else(|| cut("header of the cabinet"))?;
    let mut listing = Listing::default();
    if header.flags & 3 != 0 {
        let what = "a cabinet of a set; files in other cabinets are not read".to_owned();
        listing.push_problem(Problem::new(0, ProblemKind::Unsupported { what }));
    }
    let mut folders = Vec::new();
    for index in 0..header.folder_count {
        let at = header.folders + index * header.folder_bytes;
        let (Some(start), Some(count), Some(code)) =
            (u32_at(cabinet, at), u16_at(cabinet, at + 4), u16_at(cabinet, at + 6))
        else {
            listing.push_problem(cut("list of folders"));
            break;
        };
        let (start, compression) = (start as usize, Compression::of(code));
        let reserve = header.data_reserve;
        let input = (cabinet.len() as u64).min(u64::from(count) << 16);
        let block =
            Block::new(input, move |cabinet, output| decode(compression, start, count, reserve, cabinet, output));
        folders.push(Folder { compression, start, block });
    }
    let mut at = header.files;
    for _ in 0..header.file_count {
        let Some(record) = cabinet.get(at..).filter(|record| record.len() > FILE_BYTES) else {
            listing.push_problem(cut("list of files"));
            break;
        };
        let name = &record[FILE_BYTES..];
        let Some(length) = memchr::memchr(0, name) else {
            listing.push_problem(cut("list of files"));
            break;
        };
        if let Err(exceeded) = budget.reserve_entries(1) {
            listing.limit = Some(exceeded);
            break;
        }
        listing.push(member(record, &name[..length], at, &folders));
        at += FILE_BYTES + length + 1;
    }
    let size = u32_at(cabinet, 8).unwrap_or(0) as usize;
    if size > cabinet.len() {
        listing.push_problem(cut("cabinet"));
    } else if size < cabinet.len() {
        let kind = ProblemKind::TrailingGarbage { bytes: (cabinet.len() - size) as u64 };
        listing.push_problem(Problem::new(size as u64, kind));
    }
    match listing.problems.last() {
        Some(problem) if listing.is_without_members() && header.flags & 3 == 0 => Err(problem.clone()),
        _ => Ok(listing),
    }
}

/// The member of a file record.
fn member(record: &[u8], name: &[u8], at: usize, folders: &[Folder]) -> Member {
    let word = |at| u16_at(record, at).unwrap_or(0);
    let size = u32_at(record, 0).unwrap_or(0);
    let offset = u32_at(record, 4).unwrap_or(0);
    let mut member = Member {
        name: name_of(name),
        kind: EntryKind::File,
        content: Content::Nothing,
        size: Some(u64::from(size)),
        compressed_size: 0,
        method: "unknown",
        offset: at as u64,
        mode: None,
        modified: dos_time(u32::from(word(10)) << 16 | u32::from(word(12))),
        problems: Vec::new(),
    };
    let problem = match folders.get(usize::from(word(8))) {
        Some(folder) => {
            member.method = folder.compression.name();
            member.offset = folder.start as u64;
            let range = u64::from(offset)..u64::from(offset) + u64::from(size);
            member.content = Content::Block(BlockSlice { block: Arc::clone(&folder.block), range, crc32: None });
            return member;
        }
        None if word(8) >= FIRST_CONTINUED => {
            ProblemKind::Unsupported { what: "a file that continues in another cabinet".to_owned() }
        }
        None => ProblemKind::Corrupt { what: "the folder of the file does not exist" },
    };
    member.problems.push(Problem::new(at as u64, problem));
    member
}

/// The name with `/` between its parts.
fn name_of(name: &[u8]) -> Vec<u8> {
    name.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte }).collect()
}
