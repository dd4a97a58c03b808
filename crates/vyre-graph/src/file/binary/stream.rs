//! Sequential reader of binary graph files, for inputs that cannot be mapped.

use std::io::Read;

use super::check::{check_graph, check_padding, check_section};
use super::checksum::{BLOCK_BYTES, SectionChecksum};
use super::error::BinaryErrorKind;
use super::header::{ALIGNMENT_BYTES, Header, MIN_HEADER_BYTES, PREFIX_BYTES, SectionRange};
use super::section::Section;
use super::version::Version;
use crate::csr::CsrGraph;
use crate::file::error::{ReadError, binary_error};
use crate::file::graph::Graph;
use crate::file::names::NodeNames;
use crate::file::progress::{Progress, Stage};
use crate::index::GraphIndex;

/// A graph with the index that its file has.
pub(crate) struct BinaryGraph {
    pub(crate) graph: Graph,
    pub(crate) index: Option<GraphIndex>,
    /// Version of the format.
    pub(crate) version: Option<u32>,
}

/// Reads a binary file from beginning to end. Memory is proportional to the bytes that were read, whatever the header says.
pub(crate) fn read_binary(input: impl Read, progress: &dyn Progress) -> Result<BinaryGraph, ReadError> {
    let mut input = Sections { input, position: 0, expected: MIN_HEADER_BYTES as u64, version: Version::One };
    let mut prefix = [0; PREFIX_BYTES];
    input.fill(&mut prefix)?;
    let mut bytes = prefix.to_vec();
    bytes.resize(Header::size(&prefix)?, 0);
    input.expected = bytes.len() as u64;
    input.fill(&mut bytes[PREFIX_BYTES..])?;
    let header = Header::from_bytes(&bytes)?;
    (input.expected, input.version) = (header.file_bytes(), header.version);
    let mut words: [Option<Vec<u32>>; Section::ALL.len()] = Default::default();
    let mut text = None;
    for (section, range) in header.sections() {
        input.skip_to(range.position)?;
        match section {
            Section::NameText => text = Some(input.bytes(section, range)?),
            Section::Unknown { .. } => input.section(section, range, |_, _| ())?,
            section => words[section.number()] = Some(input.words(section, range)?),
        }
    }
    if input.read(&mut [0])? > 0 {
        return Err(binary_error(header.file_bytes() as usize, BinaryErrorKind::Continues));
    }
    progress.begin(Stage::Checking, None);
    let [offsets, targets, node_data, weights, name_ends, _, incoming_offsets, incoming_sources, order] = words;
    let csr = CsrGraph {
        offsets: offsets.unwrap_or_default(),
        targets: targets.unwrap_or_default(),
        node_data: node_data.unwrap_or_default(),
    };
    // `check_graph` validates the names before any is used.
    let names = name_ends.zip(text).map(|(ends, text)| NodeNames::from_sections(text, ends));
    let graph = Graph { csr, weights, names };
    let incoming = incoming_offsets.zip(incoming_sources);
    let index = incoming.map(|(offsets, sources)| GraphIndex { offsets, sources, order });
    check_graph(&header, graph.view(), index.as_ref().map(GraphIndex::view))?;
    Ok(BinaryGraph { graph, index, version: Some(header.version.number()) })
}

/// An input with its position.
struct Sections<R> {
    input: R,
    position: u64,
    /// Size of the file, as far as it is known.
    expected: u64,
    version: Version,
}

impl<R: Read> Sections<R> {
    /// Reads until the buffer is full or the input ends, and returns the number of bytes.
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
        Err(binary_error(self.position as usize, BinaryErrorKind::Ends { expected: self.expected }))
    }

    /// Reads the padding before a section.
    fn skip_to(&mut self, position: u64) -> Result<(), ReadError> {
        let mut padding = [0; ALIGNMENT_BYTES as usize];
        let start = self.position as usize;
        let padding = &mut padding[..position as usize - start];
        self.fill(padding)?;
        check_padding(start, padding)
    }

    fn words(&mut self, section: Section, range: &SectionRange) -> Result<Vec<u32>, ReadError> {
        let mut words = Vec::new();
        self.section(section, range, |bytes, left| {
            // Doubles the capacity, up to the rest of the section.
            if words.capacity() - words.len() < bytes.len() / 4 {
                words.reserve_exact((left / 4).min(words.len().max(bytes.len() / 4)));
            }
            words.extend(bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])));
        })?;
        Ok(words)
    }

    fn bytes(&mut self, section: Section, range: &SectionRange) -> Result<Vec<u8>, ReadError> {
        let mut all = Vec::new();
        self.section(section, range, |bytes, _| all.extend_from_slice(bytes))?;
        Ok(all)
    }

    /// Reads a section in steps and checks it. All steps but the last are multiples of a word. `take` gets the bytes of a step and
    /// the number of bytes that were left before it.
    fn section(
        &mut self,
        section: Section,
        range: &SectionRange,
        mut take: impl FnMut(&[u8], usize),
    ) -> Result<(), ReadError> {
        let mut checksum = SectionChecksum::new(self.version);
        let mut left = range.length as usize;
        let mut buffer = vec![0; BLOCK_BYTES.min(left)];
        while left > 0 {
            let step = BLOCK_BYTES.min(left);
            let bytes = &mut buffer[..step];
            self.fill(bytes)?;
            checksum.add_block(bytes);
            take(bytes, left);
            left -= step;
        }
        check_section(section, range, checksum.finish())
    }
}
