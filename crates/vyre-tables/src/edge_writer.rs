//! Writer of edge tables.

use std::io::Write;

use vyre_graph::file::Stage;
use vyre_graph::{GraphView, Progress};

use crate::error::TableError;
use crate::format::TableFormat;
use crate::writer::{TableColumn, TableWriter, Value, ValueKind};

/// Key of the number of nodes of a graph without names, whose last nodes may have no edges.
pub(crate) const NODES_KEY: &str = "vyre.nodes";

/// Edges after which progress is reported.
const PROGRESS_EDGES: u64 = 1 << 16;

/// Writes the edges of a graph as a table with the columns `source`, `target` and, if edges have weights, `weight`. Nodes with names are
/// strings. Named nodes without edges are left out.
///
/// # Errors
///
/// The output fails.
pub fn write_edge_table(
    format: TableFormat,
    graph: GraphView<'_>,
    out: &mut dyn Write,
    progress: &dyn Progress,
) -> Result<(), TableError> {
    let end = if graph.names.is_some() { ValueKind::Text } else { ValueKind::U32 };
    let column = |name: &str, kind| TableColumn { name: name.to_owned(), kind };
    let mut columns = vec![column("source", end), column("target", end)];
    columns.extend(graph.weights.is_some().then(|| column("weight", ValueKind::U32)));
    let metadata = [(NODES_KEY, graph.csr.node_count().to_string())];
    let metadata = if graph.names.is_some() { &[][..] } else { &metadata[..] };
    let mut table = TableWriter::new(out, format, &columns, metadata)?;
    progress.begin(Stage::Writing, Some(graph.csr.edge_count() as u64));
    let end = |node: u32| match graph.names {
        Some(names) => Value::Text(names.name(node).unwrap_or_default()),
        None => Value::U32(node),
    };
    let mut written = 0;
    for node in 0..graph.csr.node_count() as u32 {
        for edge in graph.csr.edges_of(node) {
            let row =
                [end(node), end(graph.csr.targets[edge]), graph.weights.map_or(Value::Null, |w| Value::U32(w[edge]))];
            table.row(&row[..columns.len()])?;
            written += 1;
            if written == PROGRESS_EDGES {
                progress.advance(std::mem::take(&mut written));
            }
        }
    }
    progress.advance(written);
    table.finish()
}
