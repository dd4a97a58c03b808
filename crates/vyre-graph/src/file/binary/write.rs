//! Writer of binary graph files.

use std::io::Write;

use rayon::prelude::*;

use super::checksum::{BLOCK_BYTES, checksum_of};
use super::header::{Header, OptionalParts};
use super::section::Section;
use super::version::Version;
use crate::csr::CsrView;
use crate::file::error::WriteError;
use crate::file::graph::GraphView;
use crate::file::names::NamesView;
use crate::file::progress::{Progress, Stage};
use crate::index::{GraphIndex, IndexView};

/// Writes a binary file of version 1, from which [`GraphFile`](super::mapped::GraphFile) restores the same graph.
///
/// # Errors
///
/// The output fails, or the graph is not valid.
pub fn write_binary(graph: GraphView<'_>, output: impl Write, progress: &dyn Progress) -> Result<(), WriteError> {
    graph.validate().map_err(|error| WriteError::Graph { error })?;
    write_sections(Version::One, graph, None, output, progress)
}

/// Writes a binary file of version 2 with the index of the graph: its transposed rows and its nodes by in-degree. Analyses of a
/// graph with an index need not transpose it. Releases before version 2 cannot read the file.
///
/// # Errors
///
/// The output fails, or the graph is not valid.
pub fn write_binary_with_index(
    graph: GraphView<'_>,
    output: impl Write,
    progress: &dyn Progress,
) -> Result<(), WriteError> {
    graph.validate().map_err(|error| WriteError::Graph { error })?;
    progress.begin(Stage::Building, None);
    let index = GraphIndex::new(graph.csr);
    write_sections(Version::Two, graph, Some(index.view()), output, progress)
}

/// Writes the sections of a valid graph.
fn write_sections(
    version: Version,
    graph: GraphView<'_>,
    index: Option<IndexView<'_>>,
    mut output: impl Write,
    progress: &dyn Progress,
) -> Result<(), WriteError> {
    let (nodes, edges) = (graph.csr.node_count() as u32, graph.csr.edge_count() as u32);
    let parts = OptionalParts {
        weights: graph.weights.is_some(),
        name_bytes: graph.names.map(|names| names.text().len() as u64),
        incoming: index.is_some(),
        order: index.is_some_and(|index| index.order.is_some()),
    };
    let mut header = Header::new(version, nodes, edges, parts);
    progress.begin(Stage::Writing, Some(header.file_bytes()));
    let sections = sections_of(graph, index);
    let checksums: Vec<u64> = sections.par_iter().map(|(_, bytes)| checksum_of(version, bytes, |_| ())).collect();
    for (&(section, _), checksum) in sections.iter().zip(checksums) {
        header.set_checksum(section, checksum);
    }
    let bytes = header.to_bytes();
    output.write_all(&bytes)?;
    progress.advance(bytes.len() as u64);
    let mut end = bytes.len() as u64;
    for ((_, range), (_, bytes)) in header.sections().zip(sections) {
        let padding = (range.position - end) as usize;
        output.write_all(&[0; 64][..padding])?;
        progress.advance(range.position - end);
        for step in bytes.chunks(BLOCK_BYTES) {
            output.write_all(step)?;
            progress.advance(step.len() as u64);
        }
        end = range.position + range.length;
    }
    output.flush()?;
    Ok(())
}

/// Sections of a graph with their bytes, in the order of the file.
fn sections_of<'g>(graph: GraphView<'g>, index: Option<IndexView<'g>>) -> Vec<(Section, &'g [u8])> {
    let GraphView { csr: CsrView { offsets, targets, node_data }, weights, names } = graph;
    let words = |section, words: &'g [u32]| Some((section, bytemuck::cast_slice(words)));
    [
        words(Section::Offsets, offsets),
        words(Section::Targets, targets),
        words(Section::NodeData, node_data),
        weights.and_then(|weights| words(Section::Weights, weights)),
        names.and_then(|names: NamesView<'g>| words(Section::NameEnds, names.ends())),
        names.map(|names| (Section::NameText, names.text())),
        index.and_then(|index| words(Section::IncomingOffsets, index.offsets)),
        index.and_then(|index| words(Section::IncomingSources, index.sources)),
        index.and_then(|index| index.order).and_then(|order| words(Section::Order, order)),
    ]
    .into_iter()
    .flatten()
    .collect()
}
