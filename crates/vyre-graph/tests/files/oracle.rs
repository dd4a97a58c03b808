//! Naive constructions as oracles, and helpers of the tests.

use vyre_graph::file::Tuning;
use vyre_graph::generate::SplitMix64;
use vyre_graph::{CsrGraph, Format, Graph, GraphView, Input, NodeIds, ReadError, ReadOptions, read_graph, write_graph};

/// An edge with its weight.
pub(crate) type Edge = (u32, u32, u32);

/// Naive construction: row by row, with a search in the whole list.
pub(crate) fn graph_of(nodes: u32, edges: &[Edge], has_weights: bool) -> Graph {
    let mut csr = CsrGraph { offsets: vec![0], targets: Vec::new(), node_data: vec![0; nodes as usize] };
    let mut weights = Vec::new();
    for node in 0..nodes {
        for &(_, target, weight) in edges.iter().filter(|edge| edge.0 == node) {
            csr.targets.push(target);
            weights.push(weight);
        }
        csr.offsets.push(csr.targets.len() as u32);
    }
    Graph { csr, weights: has_weights.then_some(weights), names: None }
}

/// Each edge in both directions, and self-loops once.
pub(crate) fn mirrored(edges: &[Edge]) -> Vec<Edge> {
    let both = |&(source, target, weight): &Edge| {
        let other = (source != target).then_some((target, source, weight));
        [(source, target, weight)].into_iter().chain(other)
    };
    edges.iter().flat_map(both).collect()
}

/// Random edges. The last one ends at the last node, so that the edges determine the number of nodes.
pub(crate) fn random_edges(random: &mut SplitMix64, nodes: u32, count: usize) -> Vec<Edge> {
    let mut edges: Vec<Edge> = (0..count)
        .map(|_| {
            let node = |random: &mut SplitMix64| random.below(u64::from(nodes)) as u32;
            (node(random), node(random), random.next_word() as u32)
        })
        .collect();
    if let Some(last) = edges.last_mut() {
        last.1 = nodes - 1;
    }
    edges
}

pub(crate) fn options() -> ReadOptions {
    ReadOptions::default()
}

/// Options that read files of a format. They name the format unless its signature selects it or a reader of edge lists, the default,
/// accepts its files.
pub(crate) fn options_for(format: Format) -> ReadOptions {
    let bytes = written(format, graph_of(2, &[(0, 1, 1)], false).view());
    let is_default = [Format::EDGE_LIST, Format::CSV].contains(&format);
    let mut options = options();
    options.format = (!is_default && Format::from_first_bytes(&bytes) != Some(format)).then_some(format);
    options
}

/// The graph without weights if the format does not store them.
pub(crate) fn stored(format: Format, graph: &Graph) -> Graph {
    let weights = graph.weights.clone().filter(|_| format.contents().weights);
    Graph { weights, ..graph.clone() }
}

pub(crate) fn with_names() -> ReadOptions {
    let mut options = options();
    options.nodes = NodeIds::Names;
    options
}

pub(crate) fn with_blocks(mut options: ReadOptions, block_bytes: usize) -> ReadOptions {
    options.tuning = Tuning { block_bytes, ..options.tuning };
    options
}

pub(crate) fn read(text: impl AsRef<[u8]>, options: &ReadOptions) -> Result<Graph, ReadError> {
    Ok(read_graph(Input::from(text.as_ref()), options, &())?.into_graph())
}

/// Message of the error of a text.
#[track_caller]
pub(crate) fn error_of(text: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    read(text, options).expect_err("this is an error").to_string()
}

pub(crate) fn written(format: Format, graph: GraphView<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_graph(format, graph, &mut bytes, &()).expect("memory takes everything");
    bytes
}
