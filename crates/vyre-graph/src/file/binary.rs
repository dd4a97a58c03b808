//! Binary graph files: the arrays of a graph as they lie in memory, little-endian, with checksums.
//!
//! | Bytes | Contents |
//! |---|---|
//! | 0 to 7 | the magic number |
//! | 8 to 11 | the version of the format, 1 |
//! | 12 to 15 | 0 |
//! | 16 to 23 | the number of nodes |
//! | 24 to 31 | the number of edges |
//! | 32 to 55 | 0 |
//! | 56 to 63 | the checksum of the rest of the header |
//! | 64 to 255 | for each of the 6 sections: position, length, checksum, 0; all are 0 if it is not there |
//!
//! Sections follow in their order, each at the next multiple of 64 bytes; bytes between them are 0, and the file ends with the
//! last one. Numbers in the header have 64 bits. Checksums are XXH3 of 64 bits.

use std::fmt;
use std::io::Read;
use std::ops::Range;

use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use super::binary_problem::BinaryProblem;
use super::error::ReadError;
use super::graph::{Graph, GraphView};
use super::names::{NamesView, NodeNames};
use super::progress::Progress;
use crate::csr::{CsrGraph, CsrView};
use crate::error::CsrError;

/// What binary files begin with. A transfer that changes line ends or drops the highest bit damages it.
pub(crate) const MAGIC: [u8; 8] = *b"\x89VGR\r\n\x1a\n";

const VERSION: u32 = 1;

/// Bytes of the header.
pub(crate) const HEADER_BYTES: usize = 256;

/// Sections begin at multiples of this.
const ALIGNMENT: u64 = 64;

/// So many bytes are checked or copied at once.
pub(crate) const STEP_BYTES: usize = 1 << 20;

/// A section of a binary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Section {
    /// Where the edges of each node begin.
    Offsets,
    /// The node that each edge goes to.
    Targets,
    /// A word for each node.
    NodeData,
    /// A weight for each edge.
    Weights,
    /// Where the name of each node ends.
    NameEnds,
    /// The names of all nodes.
    NameText,
}

impl Section {
    /// All sections, in their order.
    pub const ALL: [Section; 6] =
        [Section::Offsets, Section::Targets, Section::NodeData, Section::Weights, Section::NameEnds, Section::NameText];
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Section::Offsets => "offsets",
            Section::Targets => "targets",
            Section::NodeData => "node_data",
            Section::Weights => "weights",
            Section::NameEnds => "name_ends",
            Section::NameText => "name_text",
        })
    }
}

/// The bytes of a section, and their checksum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) position: u64,
    pub(crate) length: u64,
    pub(crate) checksum: u64,
}

impl Place {
    /// The bytes in a file that is in memory.
    pub(crate) fn range(&self) -> Range<usize> {
        self.position as usize..(self.position + self.length) as usize
    }
}

/// What the header says.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) nodes: u32,
    pub(crate) edges: u32,
    places: [Option<Place>; 6],
}

impl Header {
    /// The header of a graph, whose checksums are yet to come.
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
        let places = lengths.map(|length| {
            let length = length?;
            let position = end.next_multiple_of(ALIGNMENT);
            end = position.saturating_add(length);
            Some(Place { position, length, checksum: 0 })
        });
        Header { nodes, edges, places }
    }

    pub(crate) fn place(&self, section: Section) -> Option<&Place> {
        self.places[section as usize].as_ref()
    }

    pub(crate) fn set_checksum(&mut self, section: Section, checksum: u64) {
        if let Some(place) = &mut self.places[section as usize] {
            place.checksum = checksum;
        }
    }

    /// The sections that are there, in order.
    pub(crate) fn sections(&self) -> impl Iterator<Item = (Section, &Place)> {
        Section::ALL.into_iter().filter_map(|section| Some((section, self.place(section)?)))
    }

    /// The length of the file.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.sections().last().map_or(HEADER_BYTES as u64, |(_, place)| place.position + place.length)
    }

    /// The header as it stands in the file.
    pub(crate) fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[16..24].copy_from_slice(&u64::from(self.nodes).to_le_bytes());
        bytes[24..32].copy_from_slice(&u64::from(self.edges).to_le_bytes());
        for (section, place) in self.sections() {
            let words = [place.position, place.length, place.checksum];
            for (index, word) in words.into_iter().enumerate() {
                let at = slot(section) + 8 * index;
                bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
            }
        }
        let checksum = header_checksum(&bytes);
        bytes[56..64].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a header and checks all that can be known from it alone.
    pub(crate) fn from_bytes(bytes: &[u8; HEADER_BYTES]) -> Result<Header, ReadError> {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|index| bytes[at + index]));
        if let Some(position) = (0..8).find(|&index| bytes[index] != MAGIC[index]) {
            return Err(problem(position, BinaryProblem::Magic));
        }
        let version = word(8) as u32;
        if version != VERSION {
            return Err(problem(8, BinaryProblem::Version { found: version }));
        }
        let (found, expected) = (word(56), header_checksum(bytes));
        if found != expected {
            return Err(problem(56, BinaryProblem::HeaderChecksum { found, expected }));
        }
        let reserved = (12..16).chain(32..56).chain(Section::ALL.into_iter().flat_map(|s| slot(s) + 24..slot(s) + 32));
        for position in reserved {
            if bytes[position] != 0 {
                return Err(problem(position, BinaryProblem::Reserved));
            }
        }
        let count = |at| u32::try_from(word(at)).map_err(|_| problem(at, BinaryProblem::Count { found: word(at) }));
        let (nodes, edges) = (count(16)?, count(24)?);
        let is_there = |section| word(slot(section)) != 0;
        for (section, other) in [
            (Section::Offsets, None),
            (Section::Targets, None),
            (Section::NodeData, None),
            (Section::NameEnds, Some(Section::NameText)),
            (Section::NameText, Some(Section::NameEnds)),
        ] {
            if !is_there(section) && other.is_none_or(is_there) {
                return Err(problem(slot(section), BinaryProblem::NoSection { section }));
            }
        }
        let name_bytes = is_there(Section::NameText).then(|| word(slot(Section::NameText) + 8));
        if let Some(found) = name_bytes.filter(|&bytes| bytes > u64::from(u32::MAX)) {
            return Err(problem(slot(Section::NameText) + 8, BinaryProblem::Count { found }));
        }
        let mut header = Header::new(nodes, edges, is_there(Section::Weights), name_bytes);
        for section in Section::ALL {
            let at = slot(section);
            let place = header.place(section);
            let (position, length) = place.map_or((0, 0), |place| (place.position, place.length));
            if word(at) != position {
                let (found, expected) = (word(at), position);
                return Err(problem(at, BinaryProblem::Position { section, found, expected }));
            }
            if word(at + 8) != length {
                let (found, expected) = (word(at + 8), length);
                return Err(problem(at + 8, BinaryProblem::Length { section, found, expected }));
            }
            if place.is_none() && word(at + 16) != 0 {
                return Err(problem(at + 16, BinaryProblem::Reserved));
            }
            header.set_checksum(section, word(at + 16));
        }
        Ok(header)
    }
}

/// Where the header describes a section.
fn slot(section: Section) -> usize {
    64 + 32 * section as usize
}

fn header_checksum(bytes: &[u8; HEADER_BYTES]) -> u64 {
    let mut checksum = Xxh3::new();
    checksum.update(&bytes[..56]);
    checksum.update(&bytes[64..]);
    checksum.digest()
}

/// A problem at a byte of the file.
pub(crate) fn problem(position: usize, problem: BinaryProblem) -> ReadError {
    ReadError::Binary { position: position as u64, problem }
}

/// Compares the checksum of a section with that of its bytes.
pub(crate) fn check_section(section: Section, place: &Place, checksum: u64) -> Result<(), ReadError> {
    if place.checksum == checksum {
        return Ok(());
    }
    let (found, expected) = (place.checksum, checksum);
    Err(problem(place.position as usize, BinaryProblem::Checksum { section, found, expected }))
}

/// Checks that arrays with the right lengths are a graph with names.
pub(crate) fn check_graph(header: &Header, graph: GraphView<'_>) -> Result<(), ReadError> {
    let word = |section, index: usize| header.place(section).map_or(0, |place| place.position as usize + 4 * index);
    graph.validate().map_err(|error| {
        let position = match error {
            CsrError::OffsetDecreases { position, .. } | CsrError::LastOffset { position, .. } => {
                word(Section::Offsets, position)
            }
            CsrError::Target { position, .. } => word(Section::Targets, position),
            CsrError::ReservedRole { node, .. } => word(Section::NodeData, node),
            _ => word(Section::Offsets, 0),
        };
        problem(position, BinaryProblem::Graph { error })
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
    if let Some((node, least)) = wrong {
        let error = BinaryProblem::NameEnd { node, value: ends[node], least, most: all };
        return Err(problem(word(Section::NameEnds, node), error));
    }
    if ends.is_empty() && !text.is_empty() {
        let at = header.place(Section::NameText).map_or(0, |place| place.position as usize);
        return Err(problem(at, BinaryProblem::Continues));
    }
    let is_text = |node: usize| str::from_utf8(&text[start_of(node) as usize..ends[node] as usize]).is_ok();
    let at = |node: usize| {
        header.place(Section::NameText).map_or(0, |place| place.position as usize) + start_of(node) as usize
    };
    if let Some(node) = (0..ends.len()).into_par_iter().find_first(|&node| !is_text(node)) {
        return Err(problem(at(node), BinaryProblem::NameNotUtf8 { node }));
    }
    match names.repeated() {
        Some((node, first)) => Err(problem(at(node as usize), BinaryProblem::NameTwice { node, first })),
        None => Ok(()),
    }
}

/// Reads a binary file from beginning to end, and takes memory only for what has come.
pub(crate) fn read_binary(input: impl Read, progress: &dyn Progress) -> Result<Graph, ReadError> {
    let mut input = Sections { input, position: 0, expected: HEADER_BYTES as u64 };
    let mut bytes = [0; HEADER_BYTES];
    input.fill(&mut bytes)?;
    let header = Header::from_bytes(&bytes)?;
    input.expected = header.file_bytes();
    let mut words: [Option<Vec<u32>>; 5] = Default::default();
    let mut text = None;
    for (section, place) in header.sections() {
        input.skip_to(place.position)?;
        match words.get_mut(section as usize) {
            Some(words) => *words = Some(input.words(section, place)?),
            None => text = Some(input.bytes(section, place)?),
        }
    }
    if input.read(&mut [0])? > 0 {
        return Err(problem(header.file_bytes() as usize, BinaryProblem::Continues));
    }
    progress.begin(super::progress::Stage::Checking, None);
    let [offsets, targets, node_data, weights, name_ends] = words;
    let csr = CsrGraph {
        offsets: offsets.unwrap_or_default(),
        targets: targets.unwrap_or_default(),
        node_data: node_data.unwrap_or_default(),
    };
    // Names are looked at only after they were checked.
    let names = name_ends.zip(text).map(|(ends, text)| NodeNames::from_sections(text, ends));
    let graph = Graph { csr, weights, names };
    check_graph(&header, graph.view())?;
    Ok(graph)
}

/// An input whose position is known.
struct Sections<R> {
    input: R,
    position: u64,
    /// How many bytes there must be, as far as is known.
    expected: u64,
}

impl<R: Read> Sections<R> {
    /// Reads as much as there is, up to the length of the buffer.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ReadError> {
        let mut count = 0;
        while count < buffer.len() {
            match self.input.read(&mut buffer[count..]) {
                Ok(0) => break,
                Ok(read) => count += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.position += count as u64;
        Ok(count)
    }

    fn fill(&mut self, buffer: &mut [u8]) -> Result<(), ReadError> {
        if self.read(buffer)? == buffer.len() {
            return Ok(());
        }
        Err(problem(self.position as usize, BinaryProblem::Ends { expected: self.expected }))
    }

    /// Reads the zeros before a section.
    fn skip_to(&mut self, position: u64) -> Result<(), ReadError> {
        let mut padding = [0; ALIGNMENT as usize];
        let start = self.position as usize;
        let padding = &mut padding[..position as usize - start];
        self.fill(padding)?;
        check_padding(start, padding)
    }

    fn words(&mut self, section: Section, place: &Place) -> Result<Vec<u32>, ReadError> {
        let mut words = Vec::new();
        self.section(section, place, |bytes, left| {
            // Twice as many as there are, but not more than there will be.
            if words.capacity() - words.len() < bytes.len() / 4 {
                words.reserve_exact((left / 4).min(words.len().max(bytes.len() / 4)));
            }
            words.extend(bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])));
        })?;
        Ok(words)
    }

    fn bytes(&mut self, section: Section, place: &Place) -> Result<Vec<u8>, ReadError> {
        let mut all = Vec::new();
        self.section(section, place, |bytes, _| all.extend_from_slice(bytes))?;
        Ok(all)
    }

    /// Reads a section in steps, which are multiples of a word but for the last, and checks it. `take` is told how much is left.
    fn section(
        &mut self,
        section: Section,
        place: &Place,
        mut take: impl FnMut(&[u8], usize),
    ) -> Result<(), ReadError> {
        let mut checksum = Xxh3::new();
        let mut left = place.length as usize;
        let mut buffer = vec![0; STEP_BYTES.min(left)];
        while left > 0 {
            let step = STEP_BYTES.min(left);
            let bytes = &mut buffer[..step];
            self.fill(bytes)?;
            checksum.update(bytes);
            take(bytes, left);
            left -= step;
        }
        check_section(section, place, checksum.digest())
    }
}

/// Checks that bytes between sections are 0.
pub(crate) fn check_padding(start: usize, padding: &[u8]) -> Result<(), ReadError> {
    match padding.iter().position(|&byte| byte != 0) {
        Some(index) => Err(problem(start + index, BinaryProblem::Reserved)),
        None => Ok(()),
    }
}

/// The arrays of a view, as they stand in the file.
pub(crate) fn sections_of<'g>(graph: &GraphView<'g>) -> impl Iterator<Item = (Section, &'g [u8])> + use<'g> {
    let GraphView { csr: CsrView { offsets, targets, node_data }, weights, names } = *graph;
    let words = |section, words: &'g [u32]| Some((section, bytemuck::cast_slice(words)));
    [
        words(Section::Offsets, offsets),
        words(Section::Targets, targets),
        words(Section::NodeData, node_data),
        weights.and_then(|weights| words(Section::Weights, weights)),
        names.and_then(|names: NamesView<'g>| words(Section::NameEnds, names.ends())),
        names.map(|names| (Section::NameText, names.text())),
    ]
    .into_iter()
    .flatten()
}

/// The checksum of bytes, in steps that are told.
pub(crate) fn checksum_of(bytes: &[u8], mut advance: impl FnMut(u64)) -> u64 {
    let mut checksum = Xxh3::new();
    for step in bytes.chunks(STEP_BYTES) {
        checksum.update(step);
        advance(step.len() as u64);
    }
    checksum.digest()
}

// Words of a file are those of memory, which is what makes a mapped file a graph.
const _: () = assert!(cfg!(target_endian = "little"), "graph files are mapped on little-endian machines");
