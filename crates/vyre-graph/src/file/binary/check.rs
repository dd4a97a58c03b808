//! Checks of the sections of a binary graph file.

use rayon::prelude::*;

use super::error::BinaryErrorKind;
use super::header::{Header, SectionRange};
use super::section::Section;
use crate::csr::CsrView;
use crate::error::CsrError;
use crate::file::error::{ReadError, binary_error};
use crate::file::graph::GraphView;
use crate::index::{IndexError, IndexView};

/// Compares the checksum of a section in the header with the checksum of its bytes.
pub(crate) fn check_section(section: Section, range: &SectionRange, checksum: u64) -> Result<(), ReadError> {
    if range.checksum == checksum {
        return Ok(());
    }
    let (found, expected) = (range.checksum, checksum);
    Err(binary_error(range.position as usize, BinaryErrorKind::Checksum { section, found, expected }))
}

/// Position of a word of a section in the file.
fn word_at(header: &Header, section: Section, index: usize) -> usize {
    header.range_of(section).map_or(0, |range| range.position as usize + 4 * index)
}

/// Position of an error of rows with these sections.
fn position_of(header: &Header, error: &CsrError, offsets: Section, targets: Section) -> usize {
    match *error {
        CsrError::OffsetDecreases { position, .. } | CsrError::LastOffset { position, .. } => {
            word_at(header, offsets, position)
        }
        CsrError::Target { position, .. } => word_at(header, targets, position),
        CsrError::ReservedRole { node, .. } => word_at(header, Section::NodeData, node),
        _ => word_at(header, offsets, 0),
    }
}

/// Checks that arrays of the right lengths form a valid graph with distinct names and its index.
pub(crate) fn check_graph(
    header: &Header,
    graph: GraphView<'_>,
    index: Option<IndexView<'_>>,
) -> Result<(), ReadError> {
    graph.validate().map_err(|error| {
        let position = position_of(header, &error, Section::Offsets, Section::Targets);
        binary_error(position, BinaryErrorKind::Graph { error })
    })?;
    check_names(header, graph)?;
    index.map_or(Ok(()), |index| check_index(header, graph.csr, index))
}

/// Checks that an index of the right lengths is the index of a valid graph.
fn check_index(header: &Header, graph: CsrView<'_>, index: IndexView<'_>) -> Result<(), ReadError> {
    crate::index::check(graph, index).map_err(|error| {
        let position = match &error {
            IndexError::Rows { error } => {
                position_of(header, error, Section::IncomingOffsets, Section::IncomingSources)
            }
            IndexError::Descends { position } => word_at(header, Section::IncomingSources, *position),
            IndexError::Order { position, .. } => word_at(header, Section::Order, *position),
            IndexError::Graph { .. } | IndexError::OtherEdges | IndexError::OrderLength { .. } => {
                word_at(header, Section::IncomingOffsets, 0)
            }
        };
        binary_error(position, BinaryErrorKind::Index { error })
    })
}

/// Checks that the names of a graph are distinct texts.
fn check_names(header: &Header, graph: GraphView<'_>) -> Result<(), ReadError> {
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
        return Err(binary_error(word_at(header, Section::NameEnds, node), error));
    }
    if ends.is_empty() && !text.is_empty() {
        return Err(binary_error(word_at(header, Section::NameText, 0), BinaryErrorKind::Continues));
    }
    let is_text = |node: usize| str::from_utf8(&text[start_of(node) as usize..ends[node] as usize]).is_ok();
    let at = |node: usize| word_at(header, Section::NameText, 0) + start_of(node) as usize;
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
