//! Binary files that are mapped into memory.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

use rayon::prelude::*;
use vyre_memory::MappedBytes;

use super::binary::{
    HEADER_BYTES, Header, Section, check_graph, check_padding, check_section, checksum_of, problem, read_binary,
};
use super::binary_problem::BinaryProblem;
use super::error::ReadError;
use super::graph::{Graph, GraphView};
use super::input::Stream;
use super::name_index::NameIndex;
use super::names::NamesView;
use super::progress::{Progress, Stage};
use crate::csr::CsrView;

/// A binary graph file that is mapped into memory: its arrays are used where they are, without being read or copied.
///
/// The file must not be changed while it is open: another process that shortens or overwrites it changes the arrays, or ends
/// this one. A file that is replaced by another with the same name does no harm.
pub struct GraphFile {
    map: MappedBytes,
    header: Header,
    index: OnceLock<NameIndex>,
    has_weights: bool,
}

impl GraphFile {
    /// Opens a file and checks all of it, on all threads: header, places and checksums of the sections, the graph, names.
    ///
    /// # Errors
    ///
    /// The file cannot be opened, or the first thing that is wrong with it.
    pub fn open(path: impl AsRef<Path>, progress: &dyn Progress) -> Result<GraphFile, ReadError> {
        GraphFile::map(&File::open(path)?, progress)
    }

    /// Reads a binary file that is not in the file system, compressed or not. Memory is taken only for what has come.
    ///
    /// # Errors
    ///
    /// The input cannot be read, or the first thing that is wrong with it.
    pub fn read(input: impl Read + Send, progress: &dyn Progress) -> Result<Graph, ReadError> {
        progress.begin(Stage::Reading, None);
        let stream = Stream::open(input, progress)?;
        read_binary(stream.bytes(), progress)
    }

    pub(crate) fn map(file: &File, progress: &dyn Progress) -> Result<GraphFile, ReadError> {
        let length = file.metadata()?.len();
        if length < HEADER_BYTES as u64 {
            // So short a file may as well be another one.
            read_binary(file, progress)?;
            return Err(problem(length as usize, BinaryProblem::Ends { expected: HEADER_BYTES as u64 }));
        }
        let map = MappedBytes::new(file)?;
        let bytes = map.as_ref();
        let mut header = [0; HEADER_BYTES];
        let Some(first) = bytes.get(..HEADER_BYTES) else {
            return Err(problem(bytes.len(), BinaryProblem::Ends { expected: HEADER_BYTES as u64 }));
        };
        header.copy_from_slice(first);
        let header = Header::from_bytes(&header)?;
        let expected = header.file_bytes();
        if (bytes.len() as u64) < expected {
            return Err(problem(bytes.len(), BinaryProblem::Ends { expected }));
        }
        if bytes.len() as u64 > expected {
            return Err(problem(expected as usize, BinaryProblem::Continues));
        }
        let has_weights = header.place(Section::Weights).is_some();
        let file = GraphFile { map, header, index: OnceLock::new(), has_weights };
        file.check(progress)?;
        Ok(file)
    }

    fn check(&self, progress: &dyn Progress) -> Result<(), ReadError> {
        progress.begin(Stage::Checking, Some(self.map.as_ref().len() as u64));
        progress.advance(HEADER_BYTES as u64);
        let mut end = HEADER_BYTES;
        for (_, place) in self.header.sections() {
            let padding = &self.map.as_ref()[end..place.range().start];
            check_padding(end, padding)?;
            progress.advance(padding.len() as u64);
            end = place.range().end;
        }
        let sections: Vec<_> = self.header.sections().collect();
        let checked: Vec<_> = sections
            .into_par_iter()
            .map(|(section, place)| {
                let checksum = checksum_of(&self.map.as_ref()[place.range()], |bytes| progress.advance(bytes));
                check_section(section, place, checksum)
            })
            .collect();
        checked.into_iter().collect::<Result<(), ReadError>>()?;
        check_graph(&self.header, self.view())
    }

    /// The graph.
    #[must_use]
    pub fn view(&self) -> GraphView<'_> {
        let words = |section| bytemuck::cast_slice(self.section(section));
        let is_there = |section| self.header.place(section).is_some();
        GraphView {
            csr: CsrView {
                offsets: words(Section::Offsets),
                targets: words(Section::Targets),
                node_data: words(Section::NodeData),
            },
            weights: self.has_weights.then(|| words(Section::Weights)),
            names: is_there(Section::NameText)
                .then(|| NamesView::new(self.section(Section::NameText), words(Section::NameEnds), &self.index)),
        }
    }

    /// The same without weights.
    pub(crate) fn without_weights(self) -> GraphFile {
        GraphFile { has_weights: false, ..self }
    }

    /// The bytes of a section, which are aligned: maps begin at a page, and sections at multiples of 64 bytes.
    fn section(&self, section: Section) -> &[u8] {
        self.header.place(section).and_then(|place| self.map.as_ref().get(place.range())).unwrap_or_default()
    }
}

impl fmt::Debug for GraphFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Header { nodes, edges, .. } = self.header;
        f.debug_struct("GraphFile").field("nodes", &nodes).field("edges", &edges).finish_non_exhaustive()
    }
}
