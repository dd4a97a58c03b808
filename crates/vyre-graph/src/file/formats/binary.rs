//! The binary format `.vgr`: the arrays of a graph with checksums, mapped into memory where possible.
//!
//! [`binary`](crate::file::binary) documents the layout of the file.

use std::fs::File;

use crate::csr::CsrGraph;
use crate::file::binary::header::MAGIC;
use crate::file::binary::mapped::GraphFile;
use crate::file::binary::stream::{BinaryGraph, read_binary};
use crate::file::binary::write::write_binary;
use crate::file::codec::{Codec, Parsed, Storage};
use crate::file::error::ReadError;
use crate::file::format::{Contents, FormatInfo, NamedNodes};
use crate::file::graph::{Graph, GraphView};
use crate::file::input::Stream;
use crate::file::options::{ReadOptions, Weights};
use crate::file::progress::Progress;

pub(crate) static CODEC: Codec = Codec {
    info: FormatInfo {
        name: "vgr",
        noun: "a binary graph file",
        summary: "The binary form",
        extensions: &["vgr"],
        contents: Contents { weights: true, roles: true, names: NamedNodes::All },
        is_text: false,
        detect: Some(|head| head.starts_with(&MAGIC)),
    },
    read,
    open: Some(open),
    write: |graph, output, progress| write_binary(graph, output, progress),
};

fn read(stream: Stream<'_>, options: &ReadOptions, progress: &dyn Progress) -> Result<Parsed, ReadError> {
    if stream.head().is_empty() {
        return Err(ReadError::Empty { format: CODEC.format() });
    }
    let BinaryGraph { mut graph, index, version } = read_binary(stream.bytes(), progress)?;
    check_options(graph.view(), options)?;
    if options.weights == Weights::Ignore {
        graph.weights = None;
    }
    if !changes_rows(graph.view(), options) {
        return Ok(Parsed { index, version, ..graph.into() });
    }
    let graph = if options.undirected { undirected(graph.view())? } else { graph };
    Ok(Parsed { version, ..with_nodes(graph, options.min_nodes).into() })
}

/// Maps a file. The graph is copied into memory if the options change its arrays. Returns the version of the file too.
fn open(file: &File, options: &ReadOptions, progress: &dyn Progress) -> Result<(Storage, Option<u32>), ReadError> {
    let file = GraphFile::map(file, progress)?;
    let version = Some(file.version());
    check_options(file.view(), options)?;
    let file = if options.weights == Weights::Ignore { file.without_weights() } else { file };
    if !changes_rows(file.view(), options) {
        return Ok((Storage::Mapped(file), version));
    }
    let graph = if options.undirected { undirected(file.view())? } else { file.view().to_graph() };
    Ok((Storage::Memory { graph: with_nodes(graph, options.min_nodes), index: None }, version))
}

/// Reports whether the options add nodes or edges, so that an index of the file is of no use.
fn changes_rows(graph: GraphView<'_>, options: &ReadOptions) -> bool {
    options.undirected || graph.csr.node_count() < options.min_nodes as usize
}

/// Adds nodes without edges up to a minimum number of nodes.
fn with_nodes(mut graph: Graph, nodes: u32) -> Graph {
    let CsrGraph { offsets, node_data, .. } = &mut graph.csr;
    let nodes = nodes as usize;
    if nodes > node_data.len() {
        let last = offsets.last().copied().unwrap_or_default();
        offsets.resize(nodes + 1, last);
        node_data.resize(nodes, 0);
    }
    graph
}

fn check_options(graph: GraphView<'_>, options: &ReadOptions) -> Result<(), ReadError> {
    options.check_names(graph.names.is_some())?;
    options.check_count(graph.csr.node_count())?;
    if options.weights == Weights::Required && graph.weights.is_none() {
        return Err(ReadError::NoWeights);
    }
    Ok(())
}

fn undirected(graph: GraphView<'_>) -> Result<Graph, ReadError> {
    graph.undirected().map_err(|error| ReadError::Graph { error })
}
