//! Parser of 7z headers. Every count is checked against the bytes that are left before memory is allocated for it.

use std::ops::Range;

use crate::archive::table_of;
use crate::limits::{Limit, LimitExceeded};
use crate::problem::ProblemKind;
use crate::stream::{u32_at, u64_at};

/// Numbers that name the parts of a header.
mod id {
    pub(super) const END: u64 = 0;
    pub(super) const HEADER: u64 = 1;
    pub(super) const ARCHIVE_PROPERTIES: u64 = 2;
    pub(super) const ADDITIONAL_STREAMS: u64 = 3;
    pub(super) const MAIN_STREAMS: u64 = 4;
    pub(super) const FILES: u64 = 5;
    pub(super) const PACK_INFO: u64 = 6;
    pub(super) const UNPACK_INFO: u64 = 7;
    pub(super) const SUBSTREAMS: u64 = 8;
    pub(super) const SIZES: u64 = 9;
    pub(super) const DIGESTS: u64 = 10;
    pub(super) const FOLDERS: u64 = 11;
    pub(super) const UNPACK_SIZES: u64 = 12;
    pub(super) const CONTENT_COUNTS: u64 = 13;
    pub(super) const EMPTY_STREAMS: u64 = 14;
    pub(super) const EMPTY_FILES: u64 = 15;
    pub(super) const ANTI_ITEMS: u64 = 16;
    pub(super) const NAMES: u64 = 17;
    pub(super) const MODIFIED: u64 = 20;
    pub(super) const ATTRIBUTES: u64 = 21;
    pub(super) const PACKED_HEADER: u64 = 23;
}

/// Maximum number of coders of a folder, and of their streams.
const MAX_CODERS: u64 = 32;

/// The header of an archive.
#[derive(Default)]
pub(super) struct Header<'a> {
    pub(super) streams: Streams,
    pub(super) files: Vec<FileRecord<'a>>,
}

/// Packed streams, folders and the contents in them.
#[derive(Default)]
pub(super) struct Streams {
    /// Offset of the first packed stream, from the end of the start header.
    pack_offset: u64,
    /// End of each packed stream, from the first one.
    pack_ends: Vec<u64>,
    pub(super) folders: Vec<Folder>,
    /// Size and CRC-32 of each content, in the order of the folders.
    pub(super) contents: Vec<(u64, Option<u32>)>,
}

/// A graph of coders.
#[derive(Clone, Debug, Default)]
pub(super) struct Folder {
    pub(super) coders: Vec<Coder>,
    /// Pairs of an input and the output that feeds it.
    pub(super) bonds: Vec<(usize, usize)>,
    /// Inputs that packed streams feed, in the order of these.
    pub(super) packed: Vec<usize>,
    /// Sizes of the outputs.
    pub(super) sizes: Vec<u64>,
    pub(super) crc32: Option<u32>,
    /// Index of the first packed stream.
    first_pack: usize,
    /// Number of contents.
    pub(super) contents: usize,
}

/// A coder of a folder.
#[derive(Clone, Debug)]
pub(super) struct Coder {
    pub(super) method: u64,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) properties: Vec<u8>,
}

/// A file of the header.
#[derive(Clone, Debug, Default)]
pub(super) struct FileRecord<'a> {
    /// The name in UTF-16, little-endian.
    name: &'a [u8],
    pub(super) has_stream: bool,
    pub(super) is_directory: bool,
    pub(super) is_anti: bool,
    pub(super) attributes: Option<u32>,
    /// Modification time in units of 100 ns since 1601.
    pub(super) modified: Option<u64>,
}

impl FileRecord<'_> {
    /// The name in UTF-8.
    pub(super) fn name(&self) -> Vec<u8> {
        let units = self.name.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
        let name: String = char::decode_utf16(units).map(|unit| unit.unwrap_or('\u{fffd}')).collect();
        name.into_bytes()
    }
}

impl Folder {
    /// The output that no input reads.
    pub(super) fn main_output(&self) -> usize {
        let is_bound = |output: &usize| self.bonds.iter().any(|(_, bound)| bound == output);
        (0..self.sizes.len()).find(|output| !is_bound(output)).unwrap_or(0)
    }

    /// Size of the output.
    pub(super) fn size(&self) -> u64 {
        self.sizes.get(self.main_output()).copied().unwrap_or(0)
    }

    /// Places of its packed streams in the archive. They may reach beyond its end.
    pub(super) fn packs(&self, base: usize, streams: &Streams) -> Vec<Range<usize>> {
        let place = |end: u64| {
            let offset = (base as u64).saturating_add(streams.pack_offset).saturating_add(end);
            usize::try_from(offset).unwrap_or(usize::MAX)
        };
        let before = self.first_pack.checked_sub(1).and_then(|pack| streams.pack_ends.get(pack));
        let mut start = place(before.copied().unwrap_or(0));
        let ends = streams.pack_ends.iter().skip(self.first_pack).take(self.packed.len());
        ends.map(|&end| std::mem::replace(&mut start, place(end))..place(end)).collect()
    }
}

/// The streams of which the first folder gives the header, if the header is packed. `max_files` is the limit on entries.
pub(super) fn parse_packed(bytes: &[u8], max_files: u64) -> Result<Option<Streams>, ProblemKind> {
    let mut reader = Reader { rest: bytes, max_files };
    match reader.number()? {
        id::PACKED_HEADER => Ok(Some(reader.streams()?)),
        _ => Ok(None),
    }
}

/// Parses a header that is not packed. `max_files` is the limit on entries.
pub(super) fn parse(bytes: &[u8], max_files: u64) -> Result<Header<'_>, ProblemKind> {
    let mut reader = Reader { rest: bytes, max_files };
    if reader.number()? != id::HEADER {
        return Err(INVALID);
    }
    let mut header = Header::default();
    loop {
        match reader.number()? {
            id::END => return Ok(header),
            id::ARCHIVE_PROPERTIES => reader.skip_properties()?,
            id::ADDITIONAL_STREAMS => drop(reader.streams()?),
            id::MAIN_STREAMS => header.streams = reader.streams()?,
            id::FILES => header.files = reader.files()?,
            _ => return Err(INVALID),
        }
    }
}

const INVALID: ProblemKind = ProblemKind::Corrupt { what: "the header of the 7z archive is invalid" };

/// Reader of a header.
struct Reader<'a> {
    rest: &'a [u8],
    /// Limit on entries. Folders and packed streams have records in memory too.
    max_files: u64,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: u64) -> Result<&'a [u8], ProblemKind> {
        let length = usize::try_from(length).ok().filter(|&length| length <= self.rest.len()).ok_or(INVALID)?;
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, ProblemKind> {
        Ok(self.take(1)?[0])
    }

    fn word(&mut self) -> Result<u32, ProblemKind> {
        self.take(4).map(|bytes| u32_at(bytes, 0).unwrap_or_default())
    }

    /// A number: the leading one bits of the first byte count the bytes after it; its other bits are the highest ones.
    fn number(&mut self) -> Result<u64, ProblemKind> {
        let first = self.byte()?;
        let more = first.leading_ones();
        let mut low = [0; 8];
        low[..more as usize].copy_from_slice(self.take(u64::from(more))?);
        let high = if more >= 7 { 0 } else { u64::from(first) & ((1 << (7 - more)) - 1) };
        Ok(u64::from_le_bytes(low) | high.checked_shl(8 * more).unwrap_or(0))
    }

    /// A number of things that take at least one byte each.
    fn count(&mut self) -> Result<usize, ProblemKind> {
        let count = self.number()?;
        self.check_count(count)?;
        usize::try_from(count).ok().filter(|&count| count <= self.rest.len()).ok_or(INVALID)
    }

    /// Maximum number of contents of all folders, and of other records: a file may have the four packed streams of BCJ2.
    fn max_contents(&self) -> usize {
        usize::try_from(self.max_files.saturating_mul(4).saturating_add(16)).unwrap_or(usize::MAX)
    }

    /// Fails if there are more folders, packed streams or files than the limit on entries allows.
    fn check_count(&self, count: u64) -> Result<(), ProblemKind> {
        if count <= self.max_contents() as u64 {
            return Ok(());
        }
        Err(ProblemKind::Limit(LimitExceeded { limit: Limit::Entries, requested: count, allowed: self.max_files }))
    }

    /// Numbers until the end mark.
    fn skip_properties(&mut self) -> Result<(), ProblemKind> {
        while self.number()? != id::END {
            let size = self.number()?;
            self.take(size)?;
        }
        Ok(())
    }

    /// Bits, the highest one of each byte first.
    fn bits(&mut self, count: usize) -> Result<Vec<bool>, ProblemKind> {
        let bytes = self.take(count.div_ceil(8) as u64)?;
        let mut bits = table_of(count)?;
        bits.extend((0..count).map(|bit| bytes[bit / 8] >> (7 - bit % 8) & 1 == 1));
        Ok(bits)
    }

    /// Bits, or a byte that says that all are set.
    fn optional_bits(&mut self, count: usize) -> Result<Vec<bool>, ProblemKind> {
        if self.byte()? == 0 {
            return self.bits(count);
        }
        let mut bits = table_of(count)?;
        bits.resize(count, true);
        Ok(bits)
    }

    /// CRC-32 values of `count` streams.
    fn digests(&mut self, count: usize) -> Result<Vec<Option<u32>>, ProblemKind> {
        let mut digests = table_of(count)?;
        for is_defined in self.optional_bits(count)? {
            digests.push(if is_defined { Some(self.word()?) } else { None });
        }
        Ok(digests)
    }

    fn streams(&mut self) -> Result<Streams, ProblemKind> {
        let mut streams = Streams::default();
        loop {
            match self.number()? {
                id::END => break,
                id::PACK_INFO => self.pack_info(&mut streams)?,
                id::UNPACK_INFO => self.unpack_info(&mut streams)?,
                id::SUBSTREAMS => {
                    self.contents(&mut streams)?;
                    return if self.number()? == id::END { Ok(streams) } else { Err(INVALID) };
                }
                _ => return Err(INVALID),
            }
        }
        streams.contents = table_of(streams.folders.len())?;
        streams.contents.extend(streams.folders.iter().map(|folder| (folder.size(), folder.crc32)));
        Ok(streams)
    }

    fn pack_info(&mut self, streams: &mut Streams) -> Result<(), ProblemKind> {
        streams.pack_offset = self.number()?;
        let count = self.count()?;
        loop {
            match self.number()? {
                id::END => return Ok(()),
                id::SIZES => {
                    let mut end = 0u64;
                    streams.pack_ends = table_of(count)?;
                    for _ in 0..count {
                        end = end.saturating_add(self.number()?);
                        streams.pack_ends.push(end);
                    }
                }
                id::DIGESTS => drop(self.digests(count)?),
                _ => return Err(INVALID),
            }
        }
    }

    fn unpack_info(&mut self, streams: &mut Streams) -> Result<(), ProblemKind> {
        if self.number()? != id::FOLDERS {
            return Err(INVALID);
        }
        let count = self.count()?;
        self.not_external()?;
        let mut folders = table_of(count)?;
        for _ in 0..count {
            folders.push(self.folder()?);
        }
        let mut first_pack = 0;
        for folder in &mut folders {
            folder.first_pack = first_pack;
            first_pack += folder.packed.len();
        }
        if first_pack > streams.pack_ends.len() {
            return Err(INVALID);
        }
        loop {
            match self.number()? {
                id::END => break,
                id::UNPACK_SIZES => {
                    for folder in &mut folders {
                        let outputs = folder.coders.iter().map(|coder| coder.outputs).sum::<usize>();
                        folder.sizes = (0..outputs).map(|_| self.number()).collect::<Result<_, _>>()?;
                    }
                }
                id::DIGESTS => {
                    let digests = self.digests(folders.len())?;
                    for (folder, digest) in folders.iter_mut().zip(digests) {
                        folder.crc32 = digest;
                    }
                }
                _ => return Err(INVALID),
            }
        }
        streams.folders = folders;
        Ok(())
    }

    fn not_external(&mut self) -> Result<(), ProblemKind> {
        match self.byte()? {
            0 => Ok(()),
            _ => Err(ProblemKind::Unsupported { what: "a 7z header in another stream".to_owned() }),
        }
    }

    fn folder(&mut self) -> Result<Folder, ProblemKind> {
        let mut folder = Folder { contents: 1, ..Folder::default() };
        let (mut inputs, mut outputs) = (0, 0);
        let count = self.number()?;
        if count == 0 || count > MAX_CODERS {
            return Err(INVALID);
        }
        for _ in 0..count {
            let flags = self.byte()?;
            if flags & 0xc0 != 0 || flags & 15 > 8 {
                return Err(INVALID);
            }
            let method = self.take(u64::from(flags & 15))?.iter().fold(0, |id, &byte| id << 8 | u64::from(byte));
            let (coder_inputs, coder_outputs) =
                if flags & 0x10 != 0 { (self.number()?, self.number()?) } else { (1, 1) };
            if coder_inputs > MAX_CODERS || coder_outputs != 1 {
                return Err(INVALID);
            }
            let size = if flags & 0x20 != 0 { self.number()? } else { 0 };
            let properties = self.take(size)?.to_vec();
            inputs += coder_inputs as usize;
            outputs += coder_outputs as usize;
            folder.coders.push(Coder { method, inputs: coder_inputs as usize, outputs: 1, properties });
        }
        for _ in 1..outputs {
            let (input, output) = (self.number()? as usize, self.number()? as usize);
            let is_known = folder.bonds.iter().any(|&(i, o)| i == input || o == output);
            if input >= inputs || output >= outputs || is_known {
                return Err(INVALID);
            }
            folder.bonds.push((input, output));
        }
        let unbound = |input: &usize| folder.bonds.iter().all(|(bound, _)| bound != input);
        let unbound: Vec<usize> = (0..inputs).filter(unbound).collect();
        folder.packed = match unbound.len() {
            0 => return Err(INVALID),
            1 => unbound,
            several => {
                let packed: Vec<usize> =
                    (0..several).map(|_| self.number().map(|input| input as usize)).collect::<Result<_, _>>()?;
                let mut sorted = packed.clone();
                sorted.sort_unstable();
                if sorted != unbound {
                    return Err(INVALID);
                }
                packed
            }
        };
        Ok(folder)
    }

    /// Contents of the folders: numbers, sizes and checksums.
    fn contents(&mut self, streams: &mut Streams) -> Result<(), ProblemKind> {
        let mut next = self.number()?;
        if next == id::CONTENT_COUNTS {
            // All contents but the last one of a folder have a size of at least one byte.
            let mut left = (self.rest.len() + streams.folders.len()).min(self.max_contents());
            for folder in &mut streams.folders {
                let count = self.number()?;
                self.check_count(count)?;
                folder.contents = usize::try_from(count).ok().filter(|&count| count <= left).ok_or(INVALID)?;
                left -= folder.contents;
            }
            next = self.number()?;
        }
        let has_sizes = next == id::SIZES;
        streams.contents = table_of(streams.folders.iter().map(|folder| folder.contents).sum())?;
        for folder in &streams.folders {
            let mut left = folder.size();
            for _ in 1..folder.contents {
                let size = if has_sizes { self.number()? } else { 0 };
                left = left.checked_sub(size).ok_or(INVALID)?;
                streams.contents.push((size, None));
            }
            if folder.contents > 0 {
                streams.contents.push((left, folder.crc32.filter(|_| folder.contents == 1)));
            }
        }
        if has_sizes {
            next = self.number()?;
        }
        loop {
            match next {
                id::END => return Ok(()),
                id::DIGESTS => {
                    let is_unknown = |content: &(u64, Option<u32>)| content.1.is_none();
                    let count = streams.contents.iter().filter(|content| is_unknown(content)).count();
                    let digests = self.digests(count)?;
                    let unknown = streams.contents.iter_mut().filter(|content| is_unknown(content));
                    for (content, digest) in unknown.zip(digests) {
                        content.1 = digest;
                    }
                }
                _ => return Err(INVALID),
            }
            next = self.number()?;
        }
    }

    fn files(&mut self) -> Result<Vec<FileRecord<'a>>, ProblemKind> {
        // Each file has a name of at least two bytes.
        let count = self.count()?;
        let mut files = table_of(count)?;
        files.resize(count, FileRecord { has_stream: true, ..FileRecord::default() });
        let mut empty_files = Vec::new();
        let mut anti_items = Vec::new();
        loop {
            let property = self.number()?;
            if property == id::END {
                break;
            }
            let size = self.number()?;
            let mut part = Reader { rest: self.take(size)?, max_files: self.max_files };
            match property {
                id::EMPTY_STREAMS => {
                    for (file, is_empty) in files.iter_mut().zip(part.bits(count)?) {
                        file.has_stream = !is_empty;
                    }
                }
                id::EMPTY_FILES => empty_files = part.bits(files.iter().filter(|file| !file.has_stream).count())?,
                id::ANTI_ITEMS => anti_items = part.bits(files.iter().filter(|file| !file.has_stream).count())?,
                id::NAMES => part.names(&mut files)?,
                id::MODIFIED => {
                    let is_defined = part.optional_bits(count)?;
                    part.not_external()?;
                    for (file, _) in files.iter_mut().zip(is_defined).filter(|(_, is_defined)| *is_defined) {
                        file.modified = u64_at(part.take(8)?, 0);
                    }
                }
                id::ATTRIBUTES => {
                    let is_defined = part.optional_bits(count)?;
                    part.not_external()?;
                    for (file, _) in files.iter_mut().zip(is_defined).filter(|(_, is_defined)| *is_defined) {
                        file.attributes = Some(part.word()?);
                    }
                }
                _ => {}
            }
        }
        for (index, file) in files.iter_mut().filter(|file| !file.has_stream).enumerate() {
            file.is_directory = !empty_files.get(index).copied().unwrap_or(false);
            file.is_anti = anti_items.get(index).copied().unwrap_or(false);
        }
        Ok(files)
    }

    /// Names in UTF-16 with a zero after each.
    fn names(&mut self, files: &mut [FileRecord<'a>]) -> Result<(), ProblemKind> {
        self.not_external()?;
        for file in files {
            let units = self.rest.as_chunks::<2>().0;
            let length = units.iter().position(|unit| *unit == [0, 0]).ok_or(INVALID)?;
            let name = self.take(length as u64 * 2 + 2)?;
            file.name = &name[..length * 2];
        }
        Ok(())
    }
}
