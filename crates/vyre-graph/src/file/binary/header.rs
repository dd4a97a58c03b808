//! Header of a binary graph file, and the checks of its sections.

use std::ops::Range;

use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use super::error::BinaryErrorKind;
use super::section::Section;
use crate::error::CsrError;
use crate::file::error::{ReadError, binary_error};
use crate::file::graph::GraphView;

/// Signature of binary graph files. A transfer that converts line ends or clears the highest bit damages it.
pub(crate) const MAGIC: [u8; 8] = *b"\x89VGR\r\n\x1a\n";

const VERSION: u32 = 1;

/// Size of the header.
pub(crate) const HEADER_BYTES: usize = 256;

/// Alignment of sections in the file.
pub(crate) const ALIGNMENT_BYTES: u64 = 64;

/// Number of bytes that are checked or copied between reports of progress.
pub(crate) const STEP_BYTES: usize = 1 << 20;

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

/// Contents of a header: counts, and the range of each section.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) nodes: u32,
    pub(crate) edges: u32,
    ranges: [Option<SectionRange>; 6],
}

impl Header {
    /// Header of a graph with these counts. The checksums are 0.
    pub(crate) fn new(nodes: u32, edges: u32, has_weights: bool, name_bytes: Option<u64>) -> Header {
        let words = |count: u64| Some(4 * count);
        let (node_count, edge_count) = (u64::from(nodes), u64::from(edges));
        let lengths = [
            words(node_count + 1),
            words(edge_count),
            words(node_count),
            words(edge_count).filter(|_| has_weights),
            words(node_count).filter(|_| name_bytes.is_some()),
            name_bytes,
        ];
        let mut end = HEADER_BYTES as u64;
        let ranges = lengths.map(|length| {
            let length = length?;
            let position = end.next_multiple_of(ALIGNMENT_BYTES);
            end = position.saturating_add(length);
            Some(SectionRange { position, length, checksum: 0 })
        });
        Header { nodes, edges, ranges }
    }

    /// Range of a section; `None` if the file does not have it.
    pub(crate) fn range_of(&self, section: Section) -> Option<&SectionRange> {
        self.ranges[section as usize].as_ref()
    }

    pub(crate) fn set_checksum(&mut self, section: Section, checksum: u64) {
        if let Some(range) = &mut self.ranges[section as usize] {
            range.checksum = checksum;
        }
    }

    /// Sections of the file, in order.
    pub(crate) fn sections(&self) -> impl Iterator<Item = (Section, &SectionRange)> {
        Section::ALL.into_iter().filter_map(|section| Some((section, self.range_of(section)?)))
    }

    /// Size of the file.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.sections().last().map_or(HEADER_BYTES as u64, |(_, range)| range.position + range.length)
    }

    /// Encodes the header.
    pub(crate) fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[16..24].copy_from_slice(&u64::from(self.nodes).to_le_bytes());
        bytes[24..32].copy_from_slice(&u64::from(self.edges).to_le_bytes());
        for (section, range) in self.sections() {
            let words = [range.position, range.length, range.checksum];
            for (index, word) in words.into_iter().enumerate() {
                let at = slot(section) + 8 * index;
                bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
            }
        }
        let checksum = header_checksum(&bytes);
        bytes[56..64].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Decodes a header and checks its signature, version, checksum, reserved bytes, counts and ranges.
    pub(crate) fn from_bytes(bytes: &[u8; HEADER_BYTES]) -> Result<Header, ReadError> {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|index| bytes[at + index]));
        if let Some(position) = (0..8).find(|&index| bytes[index] != MAGIC[index]) {
            return Err(binary_error(position, BinaryErrorKind::Magic));
        }
        let version = word(8) as u32;
        if version != VERSION {
            return Err(binary_error(8, BinaryErrorKind::Version { found: version }));
        }
        let (found, expected) = (word(56), header_checksum(bytes));
        if found != expected {
            return Err(binary_error(56, BinaryErrorKind::HeaderChecksum { found, expected }));
        }
        let reserved = (12..16).chain(32..56).chain(Section::ALL.into_iter().flat_map(|s| slot(s) + 24..slot(s) + 32));
        for position in reserved {
            if bytes[position] != 0 {
                return Err(binary_error(position, BinaryErrorKind::Reserved));
            }
        }
        let count =
            |at| u32::try_from(word(at)).map_err(|_| binary_error(at, BinaryErrorKind::Count { found: word(at) }));
        let (nodes, edges) = (count(16)?, count(24)?);
        let has_section = |section| word(slot(section)) != 0;
        for (section, other) in [
            (Section::Offsets, None),
            (Section::Targets, None),
            (Section::NodeData, None),
            (Section::NameEnds, Some(Section::NameText)),
            (Section::NameText, Some(Section::NameEnds)),
        ] {
            if !has_section(section) && other.is_none_or(has_section) {
                return Err(binary_error(slot(section), BinaryErrorKind::NoSection { section }));
            }
        }
        let name_bytes = has_section(Section::NameText).then(|| word(slot(Section::NameText) + 8));
        if let Some(found) = name_bytes.filter(|&bytes| bytes > u64::from(u32::MAX)) {
            return Err(binary_error(slot(Section::NameText) + 8, BinaryErrorKind::Count { found }));
        }
        let mut header = Header::new(nodes, edges, has_section(Section::Weights), name_bytes);
        for section in Section::ALL {
            let at = slot(section);
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

/// Position of the descriptor of a section in the header.
fn slot(section: Section) -> usize {
    64 + 32 * section as usize
}

fn header_checksum(bytes: &[u8; HEADER_BYTES]) -> u64 {
    let mut checksum = Xxh3::new();
    checksum.update(&bytes[..56]);
    checksum.update(&bytes[64..]);
    checksum.digest()
}

/// Compares the checksum of a section in the header with the checksum of its bytes.
pub(crate) fn check_section(section: Section, range: &SectionRange, checksum: u64) -> Result<(), ReadError> {
    if range.checksum == checksum {
        return Ok(());
    }
    let (found, expected) = (range.checksum, checksum);
    Err(binary_error(range.position as usize, BinaryErrorKind::Checksum { section, found, expected }))
}

/// Checks that arrays of the right lengths form a valid graph with distinct names.
pub(crate) fn check_graph(header: &Header, graph: GraphView<'_>) -> Result<(), ReadError> {
    let word = |section, index: usize| header.range_of(section).map_or(0, |range| range.position as usize + 4 * index);
    graph.validate().map_err(|error| {
        let position = match error {
            CsrError::OffsetDecreases { position, .. } | CsrError::LastOffset { position, .. } => {
                word(Section::Offsets, position)
            }
            CsrError::Target { position, .. } => word(Section::Targets, position),
            CsrError::ReservedRole { node, .. } => word(Section::NodeData, node),
            _ => word(Section::Offsets, 0),
        };
        binary_error(position, BinaryErrorKind::Graph { error })
    })?;
    let Some(names) = graph.names else { return Ok(()) };
    let (text, ends) = (names.text(), names.ends());
    let start_of = |node: usize| if node == 0 { 0 } else { ends[node - 1] };
    let is_wrong = |node: usize| ends[node] < start_of(node) || ends[node] as usize > text.len();
    let all = text.len() as u32;
    let mut wrong =
        (0..ends.len()).into_par_iter().find_first(|&node| is_wrong(node)).map(|node| (node, start_of(node)));
    if wrong.is_none() && ends.last().is_some_and(|&end| end != all) {
        wrong = Some((ends.len() - 1, all));
    }
    if let Some((node, min)) = wrong {
        let error = BinaryErrorKind::NameEnd { node, value: ends[node], min, max: all };
        return Err(binary_error(word(Section::NameEnds, node), error));
    }
    if ends.is_empty() && !text.is_empty() {
        let at = header.range_of(Section::NameText).map_or(0, |range| range.position as usize);
        return Err(binary_error(at, BinaryErrorKind::Continues));
    }
    let is_text = |node: usize| str::from_utf8(&text[start_of(node) as usize..ends[node] as usize]).is_ok();
    let at = |node: usize| {
        header.range_of(Section::NameText).map_or(0, |range| range.position as usize) + start_of(node) as usize
    };
    if let Some(node) = (0..ends.len()).into_par_iter().find_first(|&node| !is_text(node)) {
        return Err(binary_error(at(node), BinaryErrorKind::NameNotUtf8 { node }));
    }
    match names.repeated() {
        Some((node, first)) => Err(binary_error(at(node as usize), BinaryErrorKind::NameTwice { node, first })),
        None => Ok(()),
    }
}

/// Checks that the bytes between two sections are 0. `start` is the position of the first of them.
pub(crate) fn check_padding(start: usize, padding: &[u8]) -> Result<(), ReadError> {
    match padding.iter().position(|&byte| byte != 0) {
        Some(index) => Err(binary_error(start + index, BinaryErrorKind::Reserved)),
        None => Ok(()),
    }
}

/// Checksum of bytes. Calls `advance` with the size of each step.
pub(crate) fn checksum_of(bytes: &[u8], mut advance: impl FnMut(u64)) -> u64 {
    let mut checksum = Xxh3::new();
    for step in bytes.chunks(STEP_BYTES) {
        checksum.update(step);
        advance(step.len() as u64);
    }
    checksum.digest()
}

// A mapped file is used as arrays of words without conversion.
const _: () = assert!(cfg!(target_endian = "little"), "graph files are mapped on little-endian machines");
