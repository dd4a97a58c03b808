//! CSV files of edges (RFC 4180): a header line that names the columns, and a row for each edge.

use std::io::Write;

use rayon::prelude::*;

use crate::file::codec::{Codec, Parsed};
use crate::file::count_line;
use crate::file::edge_text::{EdgeTextRules, read_edge_text};
use crate::file::error::{ReadError, WriteError};
use crate::file::format::{Contents, FormatInfo, NamedNodes};
use crate::file::graph::GraphView;
use crate::file::input::Stream;
use crate::file::options::ReadOptions;
use crate::file::progress::Progress;
use crate::file::text_writer::{TextWriter, check_structure};

pub(crate) static CODEC: Codec = Codec {
    info: FormatInfo {
        name: "csv",
        noun: "a CSV file",
        summary: "Columns with a header",
        extensions: &["csv", "tsv"],
        contents: Contents { weights: true, roles: false, names: NamedNodes::WithEdges },
        is_text: true,
        detect: None,
    },
    read,
    open: None,
    write,
};

fn read(stream: Stream<'_>, options: &ReadOptions, progress: &dyn Progress) -> Result<Parsed, ReadError> {
    let rules = EdgeTextRules { format: CODEC.format(), is_csv: true };
    read_edge_text(stream.text(), &rules, options, progress)
}

/// Writes a header line `source,target[,weight]` and a row for each edge. Many CSV readers reject comments, so the comment
/// with the number of nodes is written only if nodes without names follow the last one that has an edge.
fn write(graph: GraphView<'_>, output: &mut dyn Write, progress: &dyn Progress) -> Result<(), WriteError> {
    check_structure(graph)?;
    let mut lines = TextWriter::new(output, b',', 0, graph.names);
    if graph.names.is_none() && !last_node_has_edge(graph) {
        count_line::write(&mut lines.output, graph.csr.node_count(), graph.csr.edge_count())?;
    }
    lines.output.write_all(b"source,target")?;
    lines.output.write_all(if graph.weights.is_some() { b",weight\n" } else { b"\n" })?;
    lines.edges(graph, progress)
}

/// Reports whether an edge begins or ends at the last node, so that the edges alone determine the number of nodes.
fn last_node_has_edge(graph: GraphView<'_>) -> bool {
    match (graph.csr.node_count() as u32).checked_sub(1) {
        None => true,
        Some(last) => {
            !graph.csr.edges_of(last).is_empty() || graph.csr.targets.par_iter().any(|&target| target == last)
        }
    }
}
