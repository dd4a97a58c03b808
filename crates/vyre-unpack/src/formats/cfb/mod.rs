//! Compound files (MS-CFB): Windows Installer packages (`.msi`) and old documents of Office. Streams are the members.
//!
//! | Offset | Size | Field of the header |
//! |---|---|---|
//! | 0 | 8 | magic number `d0 cf 11 e0 a1 b1 1a e1` |
//! | 30, 32 | 2 | binary logarithms of the sizes of sectors and of small sectors |
//! | 48 | 4 | first sector of the directory |
//! | 56 | 4 | size below which a stream is in small sectors |
//! | 60 | 4 | first sector of the table of small sectors |
//! | 68 | 4 | first sector of the list of sectors of the allocation table |
//! | 76 | 436 | start of that list |
//!
//! A stream is a chain of sectors. An installer package has its files in cabinet files, which are streams.

mod directory;

use std::ops::Range;

use crate::archive::{ArchiveFormat, Block, BlockSlice, Content, Listing, Member, TableMemoryRefused, extend, push};
use crate::entry::EntryKind;
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};
use crate::stream::{u16_at, u32_at};
use directory::{Directory, Kind};

/// Format of compound files.
pub(super) static FORMAT: ArchiveFormat = ArchiveFormat {
    name: "cfb",
    title: "CFB",
    detect: |bytes| bytes.starts_with(&MAGIC),
    has_weak_signature: false,
    detect_damaged: |_| false,
    detect_hidden: |_| false,
    members_are_compressed: false,
    list,
};

const MAGIC: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
/// Largest number of a sector; larger ones are marks.
const MAX_SECTOR: u32 = 0xffff_fffa;
/// Offset and length of the part of the list of sectors that is in the header.
const LIST_OFFSET: usize = 76;
const LIST_LENGTH: usize = 109;

const CHAIN: ProblemKind = ProblemKind::Corrupt { what: "a chain of sectors of the compound file is damaged" };

/// Places of the bytes of a stream, and its problem.
type StreamPlaces = (Vec<Range<usize>>, Option<ProblemKind>);

/// A compound file with its allocation tables.
struct Compound<'a> {
    file: &'a [u8],
    sector_bytes: usize,
    small_sector_bytes: usize,
    /// Size below which a stream is in small sectors.
    cutoff: u64,
    /// Next sector of each sector.
    next: Vec<u32>,
    /// Next small sector of each small sector.
    small_next: Vec<u32>,
    /// Place of each part of the stream that holds the small sectors.
    small: Vec<Range<usize>>,
}

impl<'a> Compound<'a> {
    /// Reads the header and the allocation table.
    fn read(file: &'a [u8]) -> Result<Compound<'a>, ProblemKind> {
        let cut = ProblemKind::Truncated { what: "header of the compound file" };
        let word = |at| u32_at(file, at).ok_or(cut.clone());
        let shift = |at| u16_at(file, at).ok_or(cut.clone());
        let (sector_shift, small_shift) = (shift(30)?, shift(32)?);
        if !matches!(sector_shift, 9 | 12) || small_shift != 6 {
            return Err(ProblemKind::Corrupt { what: "the sector size of the compound file is invalid" });
        }
        let mut compound = Compound {
            file,
            sector_bytes: 1 << sector_shift,
            small_sector_bytes: 1 << small_shift,
            cutoff: u64::from(word(56)?),
            next: Vec::new(),
            small_next: Vec::new(),
            small: Vec::new(),
        };
        let mut tables: Vec<u32> = (0..LIST_LENGTH).filter_map(|index| u32_at(file, LIST_OFFSET + index * 4)).collect();
        let mut list = word(68)?;
        let most = compound.sector_count();
        // The last word of a sector of the list is the next sector of the list.
        for _ in 0..most {
            if list > MAX_SECTOR {
                break;
            }
            let words = compound.words(list);
            let before = words.len().saturating_sub(1);
            let Some(last) = words.clone().last() else { break };
            extend(&mut tables, words.take(before))?;
            list = last;
        }
        tables.retain(|&table| table <= MAX_SECTOR);
        if tables.len() > most {
            return Err(CHAIN);
        }
        for table in tables {
            let words = compound.words(table);
            extend(&mut compound.next, words)?;
        }
        compound.small_next = compound.table(word(60)?)?;
        Ok(compound)
    }

    /// Number of sectors after the header.
    fn sector_count(&self) -> usize {
        self.file.len() / self.sector_bytes
    }

    /// Place of a sector. The last one may be incomplete.
    fn place(&self, sector: u32) -> Range<usize> {
        let start = (sector as usize + 1).saturating_mul(self.sector_bytes).min(self.file.len());
        start..(start + self.sector_bytes).min(self.file.len())
    }

    /// The words of a sector.
    fn words(&self, sector: u32) -> impl ExactSizeIterator<Item = u32> + Clone + use<'a> {
        self.file[self.place(sector)].as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word))
    }

    /// Sectors of a chain. A chain that returns to itself is damaged.
    fn chain(&self, first: u32, next: &[u32]) -> Result<Vec<u32>, ProblemKind> {
        let mut sectors = Vec::new();
        let mut sector = first;
        while sector <= MAX_SECTOR {
            if sectors.len() >= next.len() {
                return Err(CHAIN);
            }
            push(&mut sectors, sector)?;
            sector = *next.get(sector as usize).ok_or(CHAIN)?;
        }
        Ok(sectors)
    }

    /// The words of a chain.
    fn table(&self, first: u32) -> Result<Vec<u32>, ProblemKind> {
        let mut table = Vec::new();
        for sector in self.chain(first, &self.next)? {
            extend(&mut table, self.words(sector))?;
        }
        Ok(table)
    }

    /// Places of the bytes of a stream, neighbours joined, and the problem of a chain that is too short. `sectors_left` is the
    /// number of sectors that no stream has used: streams do not share sectors.
    ///
    /// # Errors
    ///
    /// The system refuses the memory.
    fn stream(&self, first: u32, size: u64, sectors_left: &mut usize) -> Result<StreamPlaces, TableMemoryRefused> {
        let is_small = size < self.cutoff;
        let (next, sector_bytes) =
            if is_small { (&self.small_next, self.small_sector_bytes) } else { (&self.next, self.sector_bytes) };
        let mut parts: Vec<Range<usize>> = Vec::new();
        let mut left = size;
        let mut sector = first;
        while left > 0 {
            let Some(&after) = next.get(sector as usize).filter(|_| sector <= MAX_SECTOR && *sectors_left > 0) else {
                return Ok((parts, Some(CHAIN)));
            };
            let place = if is_small { self.small_place(sector) } else { self.place(sector) };
            let length = (place.len() as u64).min(left);
            let part = place.start..place.start + length as usize;
            if length < left.min(sector_bytes as u64) {
                push(&mut parts, part)?;
                return Ok((parts, Some(ProblemKind::Truncated { what: "data of the entry" })));
            }
            match parts.last_mut() {
                Some(last) if last.end == part.start => last.end = part.end,
                _ => push(&mut parts, part)?,
            }
            left -= length;
            sector = after;
            *sectors_left -= 1;
        }
        Ok((parts, None))
    }

    /// Places of the sectors that hold the small sectors.
    fn small_places(&self, first: u32) -> Result<Vec<Range<usize>>, ProblemKind> {
        let sectors = self.chain(first, &self.next)?;
        let mut places = Vec::new();
        extend(&mut places, sectors.into_iter().map(|sector| self.place(sector)))?;
        Ok(places)
    }

    /// Place of a small sector.
    fn small_place(&self, sector: u32) -> Range<usize> {
        let of_sector = self.sector_bytes / self.small_sector_bytes;
        let Some(outer) = self.small.get(sector as usize / of_sector) else { return 0..0 };
        let start = (outer.start + sector as usize % of_sector * self.small_sector_bytes).min(outer.end);
        start..(start + self.small_sector_bytes).min(outer.end)
    }
}

/// Lists the streams.
fn list(file: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    let first = |kind| Problem::new(0, kind);
    let refused = |refused: TableMemoryRefused| first(refused.into());
    let mut compound = Compound::read(file).map_err(first)?;
    let directory_start = u32_at(file, 48).unwrap_or(u32::MAX);
    let sectors = compound.chain(directory_start, &compound.next).map_err(first)?;
    let mut bytes = Vec::new();
    for sector in sectors {
        extend(&mut bytes, file[compound.place(sector)].iter().copied()).map_err(refused)?;
    }
    let mut directory = Directory::new(&bytes).map_err(first)?;
    let mut listing = Listing::default();
    match compound.small_places(directory.root.first) {
        Ok(small) => compound.small = small,
        Err(kind @ ProblemKind::OutOfMemory { .. }) => return Err(first(kind)),
        Err(kind) => listing.push_problem(first(kind)),
    }
    let mut sectors_left = compound.next.len() + compound.small_next.len();
    loop {
        let record = match directory.next() {
            Ok(Some(record)) => record,
            Ok(None) => break,
            Err(kind @ ProblemKind::OutOfMemory { .. }) => return Err(first(kind)),
            Err(kind) => {
                listing.push_problem(first(kind));
                continue;
            }
        };
        if let Err(exceeded) = budget.reserve_entries(1) {
            listing.limit = Some(exceeded);
            break;
        }
        let is_stream = record.kind == Kind::Stream;
        let (parts, kind) = match is_stream {
            true => compound.stream(record.first, record.size, &mut sectors_left).map_err(refused)?,
            false => (Vec::new(), None),
        };
        let offset = parts.first().map_or(0, |part| part.start) as u64;
        let length = parts.iter().map(|part| part.len() as u64).sum::<u64>();
        let content = match parts.len() {
            _ if !is_stream => Content::Nothing,
            0 | 1 => Content::Plain { range: parts.into_iter().next().unwrap_or(0..0), sha256: None },
            _ => Content::Block(BlockSlice { block: Block::of_parts(parts), range: 0..length, crc32: None }),
        };
        let is_added = listing.push(Member {
            name: record.name,
            kind: if is_stream { EntryKind::File } else { EntryKind::Directory },
            content,
            size: is_stream.then_some(record.size),
            compressed_size: length,
            method: "cfb",
            offset,
            mode: None,
            modified: None,
            problems: kind.map(|kind| Problem::new(offset, kind)).into_iter().collect(),
        });
        if !is_added {
            break;
        }
    }
    Ok(listing)
}
