//! Edge lists: lines `source target [weight]`, as SNAP and most graph tools write them.

use std::io::Write;

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
        name: "edges",
        noun: "an edge list",
        summary: "Lines `source target [weight]`",
        extensions: &["txt", "edges", "el", "tab"],
        contents: Contents { weights: true, roles: false, names: NamedNodes::WithEdges },
        is_text: true,
        detect: None,
    },
    read,
    open: None,
    write,
};

fn read(stream: Stream<'_>, options: &ReadOptions, progress: &dyn Progress) -> Result<Parsed, ReadError> {
    let rules = EdgeTextRules { format: CODEC.format(), is_csv: false };
    read_edge_text(stream.text(), &rules, options, progress)
}

/// Writes a comment `# Nodes: 5 Edges: 4`, which preserves nodes without edges when nodes are read by number, and a line for
/// each edge. Nodes with names occur only in their edges.
fn write(graph: GraphView<'_>, output: &mut dyn Write, progress: &dyn Progress) -> Result<(), WriteError> {
    check_structure(graph)?;
    let mut lines = TextWriter::new(output, b' ', 0, graph.names);
    count_line::write(&mut lines.output, graph.csr.node_count(), graph.csr.edge_count())?;
    lines.edges(graph, progress)
}
