//! Output of formats that list nodes by identifier.

use std::io::{self, BufWriter, Write};

use super::error::WriteError;
use super::format::Format;
use super::graph::GraphView;
use super::progress::{Progress, Stage};
use super::text_writer::{BUFFER_BYTES, REPORT_EDGES, check_structure};

/// Buffered output.
pub(crate) type Output<'o> = BufWriter<&'o mut dyn Write>;

/// Writer of the nodes and edges of a graph. Nodes without names are identified by their numbers.
pub(crate) struct ListedWriter<'g, 'o> {
    graph: GraphView<'g>,
    pub(crate) output: Output<'o>,
}

impl<'g, 'o> ListedWriter<'g, 'o> {
    /// # Errors
    ///
    /// The graph is not valid.
    pub(crate) fn new(graph: GraphView<'g>, output: &'o mut dyn Write) -> Result<ListedWriter<'g, 'o>, WriteError> {
        check_structure(graph)?;
        Ok(ListedWriter { graph, output: BufWriter::with_capacity(BUFFER_BYTES, output) })
    }

    /// Calls `write` with each node and its identifier. `is_valid` rejects identifiers that the format cannot hold.
    ///
    /// # Errors
    ///
    /// The output fails, or an identifier is rejected.
    pub(crate) fn nodes(
        &mut self,
        format: Format,
        is_valid: impl Fn(&str) -> bool,
        mut write: impl FnMut(&mut Output<'o>, u32, &str) -> io::Result<()>,
    ) -> Result<(), WriteError> {
        let mut digits = itoa::Buffer::new();
        for node in 0..self.graph.csr.node_count() as u32 {
            let id = id_of(self.graph, node, &mut digits);
            if !is_valid(id) {
                return Err(WriteError::Character { node, format });
            }
            write(&mut self.output, node, id)?;
        }
        Ok(())
    }

    /// Calls `write` with the position of each edge, the identifiers of its ends and its weight.
    pub(crate) fn edges(
        &mut self,
        progress: &dyn Progress,
        mut write: impl FnMut(&mut Output<'o>, Edge<'_>) -> io::Result<()>,
    ) -> Result<(), WriteError> {
        let graph = self.graph;
        let count = graph.csr.edge_count() as u64;
        progress.begin(Stage::Writing, Some(count));
        let mut digits = [itoa::Buffer::new(), itoa::Buffer::new()];
        for node in 0..graph.csr.node_count() as u32 {
            for position in graph.csr.edges_of(node) {
                let target = graph.csr.targets[position];
                let [first, second] = &mut digits;
                let ids = [id_of(graph, node, first), id_of(graph, target, second)];
                let weight = graph.weights.map(|weights| weights[position]);
                write(&mut self.output, Edge { position, nodes: [node, target], ids, weight })?;
                if (position as u64 + 1).is_multiple_of(REPORT_EDGES) {
                    progress.advance(REPORT_EDGES);
                }
            }
        }
        progress.advance(count % REPORT_EDGES);
        Ok(())
    }

    /// Writes the end of the text.
    pub(crate) fn end(mut self, text: &str) -> Result<(), WriteError> {
        self.output.write_all(text.as_bytes())?;
        Ok(self.output.flush()?)
    }
}

/// An edge.
pub(crate) struct Edge<'i> {
    pub(crate) position: usize,
    pub(crate) nodes: [u32; 2],
    pub(crate) ids: [&'i str; 2],
    pub(crate) weight: Option<u32>,
}

/// Identifier of a node.
fn id_of<'i>(graph: GraphView<'i>, node: u32, digits: &'i mut itoa::Buffer) -> &'i str {
    match graph.names {
        Some(names) => names.name(node).unwrap_or_default(),
        None => digits.format(node),
    }
}
