//! Memory-mapped binary graph files.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

use rayon::prelude::*;
use vyre_memory::MappedBytes;

use super::check::{check_graph, check_padding, check_section};
use super::checksum::checksum_of;
use super::error::BinaryErrorKind;
use super::header::{Header, MIN_HEADER_BYTES, PREFIX_BYTES, SectionRange};
use super::section::Section;
use super::stream::read_binary;
use crate::csr::CsrView;
use crate::file::error::{ReadError, binary_error};
use crate::file::graph::{Graph, GraphView};
use crate::file::input::Stream;
use crate::file::name_index::NameIndex;
use crate::file::names::NamesView;
use crate::file::progress::{Progress, Stage};
use crate::index::IndexView;
use crate::valid::ValidGraph;

/// A memory-mapped binary graph file. Its arrays are used in place, without a copy.
///
/// The file must not change while it is open: a process that overwrites it changes the arrays, and one that truncates it
/// terminates this process, unless it has called `vyre_memory::exit_if_a_map_is_truncated`, which ends it with a message.
/// [`read`](GraphFile::read) copies the file instead. Replacing the file by another one with the same name is safe.
pub struct GraphFile {
    map: MappedBytes,
    header: Header,
    index: OnceLock<NameIndex>,
    has_weights: bool,
}

impl GraphFile {
    /// Opens a file and validates it on all threads: header, ranges and checksums of the sections, graph, names,
    /// index.
    ///
    /// # Errors
    ///
    /// The file cannot be opened, or the first error in it.
    pub fn open(path: impl AsRef<Path>, progress: &dyn Progress) -> Result<GraphFile, ReadError> {
        GraphFile::map(&File::open(path)?, progress)
    }

    /// Reads a binary file from a stream, compressed or not. Memory is proportional to the bytes that were read.
    ///
    /// # Errors
    ///
    /// The input cannot be read, or the first error in it.
    pub fn read(input: impl Read + Send, progress: &dyn Progress) -> Result<Graph, ReadError> {
        progress.begin(Stage::Reading, None);
        let stream = Stream::open(input, progress)?;
        Ok(read_binary(stream.bytes(), progress)?.graph)
    }

    pub(crate) fn map(file: &File, progress: &dyn Progress) -> Result<GraphFile, ReadError> {
        let map = MappedBytes::new(file)?;
        let bytes = map.as_ref();
        let ends = |expected: usize| binary_error(bytes.len(), BinaryErrorKind::Ends { expected: expected as u64 });
        let prefix: &[u8; PREFIX_BYTES] = bytes.first_chunk().ok_or_else(|| ends(MIN_HEADER_BYTES))?;
        let header_bytes = Header::size(prefix)?;
        let header = Header::from_bytes(bytes.get(..header_bytes).ok_or_else(|| ends(header_bytes))?)?;
        let expected = header.file_bytes();
        if (bytes.len() as u64) < expected {
            return Err(binary_error(bytes.len(), BinaryErrorKind::Ends { expected }));
        }
        if bytes.len() as u64 > expected {
            return Err(binary_error(expected as usize, BinaryErrorKind::Continues));
        }
        let has_weights = header.range_of(Section::Weights).is_some();
        let file = GraphFile { map, header, index: OnceLock::new(), has_weights };
        file.check(progress)?;
        Ok(file)
    }

    fn check(&self, progress: &dyn Progress) -> Result<(), ReadError> {
        progress.begin(Stage::Checking, Some(self.map.as_ref().len() as u64));
        let mut end = self.header.bytes();
        progress.advance(end as u64);
        for (_, range) in self.header.sections() {
            let padding = &self.map.as_ref()[end..range.bytes().start];
            check_padding(end, padding)?;
            progress.advance(padding.len() as u64);
            end = range.bytes().end;
        }
        // Other threads check the graph meanwhile, because one thread computes the checksum of a long section of version 1.
        let (sections, graph) =
            rayon::join(|| self.check_sections(progress), || check_graph(&self.header, self.view(), self.index()));
        sections.and(graph)
    }

    /// Compares the checksums of all sections, and returns the first difference.
    fn check_sections(&self, progress: &dyn Progress) -> Result<(), ReadError> {
        let check = |(section, range): (Section, &SectionRange)| {
            let bytes = &self.map.as_ref()[range.bytes()];
            let checksum = checksum_of(self.header.version, bytes, |bytes| progress.advance(bytes));
            check_section(section, range, checksum)
        };
        let sections: Vec<_> = self.header.sections().collect();
        let checked: Vec<_> = sections.into_par_iter().map(check).collect();
        checked.into_iter().collect()
    }

    /// Version of the format.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.header.version.number()
    }

    /// View of the graph.
    #[must_use]
    pub fn view(&self) -> GraphView<'_> {
        let words = |section| bytemuck::cast_slice(self.section(section));
        let has_section = |section| self.header.range_of(section).is_some();
        GraphView {
            csr: CsrView {
                offsets: words(Section::Offsets),
                targets: words(Section::Targets),
                node_data: words(Section::NodeData),
            },
            weights: self.has_weights.then(|| words(Section::Weights)),
            names: has_section(Section::NameText)
                .then(|| NamesView::new(self.section(Section::NameText), words(Section::NameEnds), &self.index)),
        }
    }

    /// The graph, which was validated when the file was opened, and its index if the file has it.
    #[must_use]
    pub fn valid(&self) -> ValidGraph<'_> {
        ValidGraph::from_checked(self.view().csr, self.index())
    }

    /// The index, if the file has it.
    fn index(&self) -> Option<IndexView<'_>> {
        let words = |section| self.header.range_of(section).map(|_| bytemuck::cast_slice(self.section(section)));
        let (offsets, sources) = (words(Section::IncomingOffsets)?, words(Section::IncomingSources)?);
        Some(IndexView { offsets, sources, order: words(Section::Order) })
    }

    /// Hides the weights.
    pub(crate) fn without_weights(self) -> GraphFile {
        GraphFile { has_weights: false, ..self }
    }

    /// Bytes of a section. They are aligned, since mappings begin at a page and sections at multiples of 64 bytes.
    fn section(&self, section: Section) -> &[u8] {
        self.header.range_of(section).and_then(|range| self.map.as_ref().get(range.bytes())).unwrap_or_default()
    }
}

impl fmt::Debug for GraphFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Header { nodes, edges, .. } = self.header;
        f.debug_struct("GraphFile").field("nodes", &nodes).field("edges", &edges).finish_non_exhaustive()
    }
}
