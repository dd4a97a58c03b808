//! Writer of binary graph files.

use std::io::Write;

use rayon::prelude::*;

use super::header::{Header, STEP_BYTES, checksum_of};
use super::section::Section;
use crate::csr::CsrView;
use crate::file::error::WriteError;
use crate::file::graph::GraphView;
use crate::file::names::NamesView;
use crate::file::progress::{Progress, Stage};

/// Writes a binary file, from which [`GraphFile`](super::mapped::GraphFile) restores the same graph.
///
/// # Errors
///
/// The output fails, or the graph is not valid.
pub fn write_binary(graph: GraphView<'_>, mut output: impl Write, progress: &dyn Progress) -> Result<(), WriteError> {
    graph.validate().map_err(|error| WriteError::Graph { error })?;
    let (nodes, edges) = (graph.csr.node_count() as u32, graph.csr.edge_count() as u32);
    let name_bytes = graph.names.map(|names| names.text().len() as u64);
    let mut header = Header::new(nodes, edges, graph.weights.is_some(), name_bytes);
    progress.begin(Stage::Writing, Some(header.file_bytes()));
    let sections: Vec<_> = sections_of(&graph).collect();
    let checksums: Vec<u64> = sections.par_iter().map(|(_, bytes)| checksum_of(bytes, |_| ())).collect();
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
        for step in bytes.chunks(STEP_BYTES) {
            output.write_all(step)?;
            progress.advance(step.len() as u64);
        }
        end = range.position + range.length;
    }
    output.flush()?;
    Ok(())
}

/// Sections of a graph with their bytes, in the order of the file.
fn sections_of<'g>(graph: &GraphView<'g>) -> impl Iterator<Item = (Section, &'g [u8])> + use<'g> {
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
