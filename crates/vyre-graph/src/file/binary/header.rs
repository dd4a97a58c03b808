//! Header of a binary graph file: counts, and the table of sections.

use std::ops::Range;

use xxhash_rust::xxh3::Xxh3;

use super::error::BinaryErrorKind;
use super::section::Section;
use super::version::Version;
use crate::file::error::{ReadError, binary_error};

/// Signature of binary graph files. A transfer that converts line ends or clears the highest bit damages it.
pub(crate) const MAGIC: [u8; 8] = *b"\x89VGR\r\n\x1a\n";

/// Size of the header without the table of sections.
pub(crate) const PREFIX_BYTES: usize = 64;

/// Minimum size of a header.
pub(crate) const MIN_HEADER_BYTES: usize = PREFIX_BYTES + MIN_SECTIONS * ENTRY_BYTES;

/// Size of an entry of the table of sections.
const ENTRY_BYTES: usize = 32;

/// Number of entries in version 1, and minimum in version 2.
const MIN_SECTIONS: usize = 6;

/// Maximum number of entries in version 2.
const MAX_SECTIONS: usize = 64;

/// Alignment of sections in the file.
pub(crate) const ALIGNMENT_BYTES: u64 = 64;

/// Byte range of a section in the file, and its checksum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SectionRange {
    pub(crate) position: u64,
    pub(crate) length: u64,
    pub(crate) checksum: u64,
}

impl SectionRange {
    /// The range as indices into a mapped file.
    pub(crate) fn bytes(&self) -> Range<usize> {
        self.position as usize..(self.position + self.length) as usize
    }
}

/// Parts of a graph that a file may have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OptionalParts {
    pub(crate) weights: bool,
    /// Size of the text of all names.
    pub(crate) name_bytes: Option<u64>,
    /// Transposed rows.
    pub(crate) incoming: bool,
    /// Nodes by in-degree.
    pub(crate) order: bool,
}

/// Contents of a header: counts, and the range of each section.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) version: Version,
    pub(crate) nodes: u32,
    pub(crate) edges: u32,
    /// Range of each section by its number.
    ranges: Vec<Option<SectionRange>>,
}

impl Header {
    /// Header of a graph with these counts and parts. The checksums are 0. Version 1 has neither transposed rows nor an order.
    pub(crate) fn new(version: Version, nodes: u32, edges: u32, parts: OptionalParts) -> Header {
        let count = match version {
            Version::One => MIN_SECTIONS,
            Version::Two => Section::ALL.len(),
        };
        let lengths = Section::ALL.iter().take(count).map(|&section| length_of(section, nodes, edges, parts));
        Header::laid_out(version, nodes, edges, lengths)
    }

    /// Places sections of these lengths one after the other.
    fn laid_out(
        version: Version,
        nodes: u32,
        edges: u32,
        lengths: impl ExactSizeIterator<Item = Option<u64>>,
    ) -> Header {
        let mut end = (PREFIX_BYTES + ENTRY_BYTES * lengths.len()) as u64;
        let ranges = lengths.map(|length| {
            let length = length?;
            let position = end.checked_next_multiple_of(ALIGNMENT_BYTES).unwrap_or(u64::MAX);
            end = position.saturating_add(length);
            Some(SectionRange { position, length, checksum: 0 })
        });
        Header { version, nodes, edges, ranges: ranges.collect() }
    }

    /// Range of a section; `None` if the file does not have it.
    pub(crate) fn range_of(&self, section: Section) -> Option<&SectionRange> {
        self.ranges.get(section.number())?.as_ref()
    }

    pub(crate) fn set_checksum(&mut self, section: Section, checksum: u64) {
        if let Some(Some(range)) = self.ranges.get_mut(section.number()) {
            range.checksum = checksum;
        }
    }

    /// Sections of the file, in order.
    pub(crate) fn sections(&self) -> impl Iterator<Item = (Section, &SectionRange)> {
        let ranges = self.ranges.iter().enumerate();
        ranges.filter_map(|(number, range)| Some((Section::from_number(number), range.as_ref()?)))
    }

    /// Size of the header.
    pub(crate) fn bytes(&self) -> usize {
        PREFIX_BYTES + ENTRY_BYTES * self.ranges.len()
    }

    /// Size of the file.
    pub(crate) fn file_bytes(&self) -> u64 {
        let end = |(_, range): (Section, &SectionRange)| range.position.saturating_add(range.length);
        self.sections().last().map_or(self.bytes() as u64, end)
    }

    /// Encodes the header.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes()];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&self.version.number().to_le_bytes());
        if self.version == Version::Two {
            bytes[12..16].copy_from_slice(&(self.ranges.len() as u32).to_le_bytes());
        }
        bytes[16..24].copy_from_slice(&u64::from(self.nodes).to_le_bytes());
        bytes[24..32].copy_from_slice(&u64::from(self.edges).to_le_bytes());
        for (section, range) in self.sections() {
            let words = [range.position, range.length, range.checksum];
            for (index, word) in words.into_iter().enumerate() {
                let at = entry(section) + 8 * index;
                bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
            }
        }
        let checksum = header_checksum(&bytes);
        bytes[56..64].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Size of the header that begins with these bytes. Checks its signature, its version and its number of sections.
    pub(crate) fn size(prefix: &[u8; PREFIX_BYTES]) -> Result<usize, ReadError> {
        if let Some(position) = (0..8).find(|&index| prefix[index] != MAGIC[index]) {
            return Err(binary_error(position, BinaryErrorKind::Magic));
        }
        let sections = match version_of(prefix)? {
            Version::One => MIN_SECTIONS,
            Version::Two => {
                let found = half_word(prefix, 12);
                let count = usize::try_from(found).ok().filter(|count| (MIN_SECTIONS..=MAX_SECTIONS).contains(count));
                count.ok_or_else(|| {
                    let (min, max) = (MIN_SECTIONS as u32, MAX_SECTIONS as u32);
                    binary_error(12, BinaryErrorKind::SectionCount { found, min, max })
                })?
            }
        };
        Ok(PREFIX_BYTES + ENTRY_BYTES * sections)
    }

    /// Decodes a header of the right [`size`](Header::size) and checks its checksum, reserved bytes, counts and ranges.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Header, ReadError> {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|index| bytes[at + index]));
        let version = version_of(bytes)?;
        let (found, expected) = (word(56), header_checksum(bytes));
        if found != expected {
            return Err(binary_error(56, BinaryErrorKind::HeaderChecksum { found, expected }));
        }
        let table = || (0..(bytes.len() - PREFIX_BYTES) / ENTRY_BYTES).map(Section::from_number);
        let unused = if version == Version::One { 12..16 } else { 0..0 };
        let reserved = unused.chain(32..56).chain(table().flat_map(|s| entry(s) + 24..entry(s) + 32));
        for position in reserved {
            if bytes[position] != 0 {
                return Err(binary_error(position, BinaryErrorKind::Reserved));
            }
        }
        let count =
            |at| u32::try_from(word(at)).map_err(|_| binary_error(at, BinaryErrorKind::Count { found: word(at) }));
        let (nodes, edges) = (count(16)?, count(24)?);
        let has_section = |section| entry(section) < bytes.len() && word(entry(section)) != 0;
        for (section, required_by) in REQUIREMENTS {
            if !has_section(section) && required_by.is_none_or(has_section) {
                return Err(binary_error(entry(section), BinaryErrorKind::NoSection { section }));
            }
        }
        let name_bytes = has_section(Section::NameText).then(|| word(entry(Section::NameText) + 8));
        if let Some(found) = name_bytes.filter(|&bytes| bytes > u64::from(u32::MAX)) {
            return Err(binary_error(entry(Section::NameText) + 8, BinaryErrorKind::Count { found }));
        }
        let parts = OptionalParts {
            weights: has_section(Section::Weights),
            name_bytes,
            incoming: has_section(Section::IncomingOffsets),
            order: has_section(Section::Order),
        };
        // The length of an unknown section is what its entry says.
        let lengths: Vec<Option<u64>> = table()
            .map(|section| match section {
                Section::Unknown { .. } => has_section(section).then(|| word(entry(section) + 8)),
                section => length_of(section, nodes, edges, parts),
            })
            .collect();
        let mut header = Header::laid_out(version, nodes, edges, lengths.into_iter());
        for section in table() {
            let at = entry(section);
            let range = header.range_of(section);
            let (position, length) = range.map_or((0, 0), |range| (range.position, range.length));
            if word(at) != position {
                let (found, expected) = (word(at), position);
                return Err(binary_error(at, BinaryErrorKind::Position { section, found, expected }));
            }
            if word(at + 8) != length {
                let (found, expected) = (word(at + 8), length);
                return Err(binary_error(at + 8, BinaryErrorKind::Length { section, found, expected }));
            }
            if range.is_none() && word(at + 16) != 0 {
                return Err(binary_error(at + 16, BinaryErrorKind::Reserved));
            }
            header.set_checksum(section, word(at + 16));
        }
        Ok(header)
    }
}

/// Sections that must exist: always, or if another one exists.
const REQUIREMENTS: [(Section, Option<Section>); 8] = [
    (Section::Offsets, None),
    (Section::Targets, None),
    (Section::NodeData, None),
    (Section::NameEnds, Some(Section::NameText)),
    (Section::NameText, Some(Section::NameEnds)),
    (Section::IncomingOffsets, Some(Section::IncomingSources)),
    (Section::IncomingSources, Some(Section::IncomingOffsets)),
    (Section::IncomingOffsets, Some(Section::Order)),
];

/// Length of a known section in bytes; `None` if it is absent.
fn length_of(section: Section, nodes: u32, edges: u32, parts: OptionalParts) -> Option<u64> {
    let (nodes, edges) = (u64::from(nodes), u64::from(edges));
    match section {
        Section::Offsets => Some(4 * (nodes + 1)),
        Section::Targets => Some(4 * edges),
        Section::NodeData => Some(4 * nodes),
        Section::Weights => parts.weights.then_some(4 * edges),
        Section::NameEnds => parts.name_bytes.map(|_| 4 * nodes),
        Section::NameText => parts.name_bytes,
        Section::IncomingOffsets => parts.incoming.then_some(4 * (nodes + 1)),
        Section::IncomingSources => parts.incoming.then_some(4 * edges),
        Section::Order => parts.order.then_some(4 * nodes),
        Section::Unknown { .. } => None,
    }
}

/// Position of the entry of a section in the header.
fn entry(section: Section) -> usize {
    PREFIX_BYTES + ENTRY_BYTES * section.number()
}

fn half_word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|index| bytes[at + index]))
}

fn version_of(bytes: &[u8]) -> Result<Version, ReadError> {
    let found = half_word(bytes, 8);
    Version::from_number(found).ok_or_else(|| binary_error(8, BinaryErrorKind::Version { found }))
}

fn header_checksum(bytes: &[u8]) -> u64 {
    let mut checksum = Xxh3::new();
    checksum.update(&bytes[..56]);
    checksum.update(&bytes[PREFIX_BYTES..]);
    checksum.digest()
}

// A mapped file is used as arrays of words without conversion.
const _: () = assert!(cfg!(target_endian = "little"), "graph files are mapped on little-endian machines");
