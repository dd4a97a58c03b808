//! Output of node files: the roles and data of nodes as text.

use std::io::Write;

use rayon::prelude::*;

use super::error::WriteError;
use super::graph::GraphView;
use super::progress::{Progress, Stage};
use super::text_writer::{TextWriter, check_structure};
use crate::role::role_of;

/// Writes the words of nodes as lines `node role [data]`, without nodes whose word is 0, unless they have a name and no edges: a text of edges
/// does not have these.
///
/// # Errors
///
/// The output fails, the graph is not valid, or a name cannot be written.
pub fn write_nodes(graph: GraphView<'_>, output: impl Write, progress: &dyn Progress) -> Result<(), WriteError> {
    let lines = TextWriter::new(output, b' ', 0, graph.names);
    write_words(graph, lines, "# node role [data]", |data| data != 0, progress)
}

/// Writes the words of nodes as a CSV file with a header line `node,role[,data]`, without the nodes that [`write_nodes`] leaves out. The
/// column `data` exists if a node has data.
///
/// # Errors
///
/// The output fails, the graph is not valid, or a name cannot be written.
pub fn write_nodes_csv(graph: GraphView<'_>, output: impl Write, progress: &dyn Progress) -> Result<(), WriteError> {
    let has_data = graph.csr.node_data.par_iter().any(|&word| data_of(word) != 0);
    let header = if has_data { "node,role,data" } else { "node,role" };
    write_words(graph, TextWriter::new(output, b',', 0, graph.names), header, |_| has_data, progress)
}

/// Bits of the word of a node outside of its role.
fn data_of(word: u32) -> u32 {
    word & !0x00ff_0000
}

fn write_words<W: Write>(
    graph: GraphView<'_>,
    mut lines: TextWriter<'_, W>,
    first_line: &str,
    writes_data: impl Fn(u32) -> bool,
    progress: &dyn Progress,
) -> Result<(), WriteError> {
    check_structure(graph)?;
    graph.csr.validate().map_err(|error| WriteError::Graph { error })?;
    progress.begin(Stage::Writing, Some(graph.csr.node_count() as u64));
    writeln!(lines.output, "{first_line}")?;
    let separator = [lines.separator];
    let has_edges = graph.names.map(|_| graph.csr.has_edges());
    let is_alone = |node: usize| has_edges.as_ref().is_some_and(|has_edges| !has_edges[node]);
    let words = graph.csr.node_data.iter().enumerate().filter(|&(node, &word)| word != 0 || is_alone(node));
    for (node, &word) in words {
        lines.node(node as u32)?;
        lines.output.write_all(&separator)?;
        lines.output.write_all(role_of(word).name().as_bytes())?;
        let data = data_of(word);
        if writes_data(data) {
            lines.output.write_all(&separator)?;
            lines.number(data)?;
        }
        lines.output.write_all(b"\n")?;
    }
    lines.output.flush()?;
    progress.advance(graph.csr.node_count() as u64);
    Ok(())
}
