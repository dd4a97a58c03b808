//! Buffered output of the lines of text formats.

use std::io::{self, BufWriter, Write};

use super::error::WriteError;
use super::fields::needs_quotes;
use super::graph::GraphView;
use super::names::NamesView;
use super::progress::{Progress, Stage};

/// Number of edges between reports of progress.
pub(crate) const REPORT_EDGES: u64 = 1 << 16;

/// Size of the output buffer.
pub(crate) const BUFFER_BYTES: usize = 1 << 18;

/// Checks the properties of a graph that every writer of edges relies on.
///
/// # Errors
///
/// The first inconsistency of the arrays. Reserved roles are accepted.
pub(crate) fn check_structure(graph: GraphView<'_>) -> Result<(), WriteError> {
    graph.validate_structure().map_err(|error| WriteError::Graph { error })
}

/// Writes nodes, edges and numbers as fields of lines.
pub(crate) struct TextWriter<'g, W: Write> {
    pub(crate) output: BufWriter<W>,
    pub(crate) separator: u8,
    /// Number that stands for node 0.
    first_node: u64,
    names: Option<NamesView<'g>>,
    digits: itoa::Buffer,
}

impl<'g, W: Write> TextWriter<'g, W> {
    pub(crate) fn new(output: W, separator: u8, first_node: u64, names: Option<NamesView<'g>>) -> TextWriter<'g, W> {
        let output = BufWriter::with_capacity(BUFFER_BYTES, output);
        TextWriter { output, separator, first_node, names, digits: itoa::Buffer::new() }
    }

    /// Writes a line `source target [weight]` for each edge, and flushes the output.
    pub(crate) fn edges(&mut self, graph: GraphView<'_>, progress: &dyn Progress) -> Result<(), WriteError> {
        let edges = graph.csr.edge_count() as u64;
        progress.begin(Stage::Writing, Some(edges));
        let mut left = REPORT_EDGES;
        for node in 0..graph.csr.node_count() as u32 {
            for edge in graph.csr.edges_of(node) {
                self.node(node)?;
                self.output.write_all(&[self.separator])?;
                self.node(graph.csr.targets[edge])?;
                if let Some(weights) = graph.weights {
                    self.output.write_all(&[self.separator])?;
                    self.number(weights[edge])?;
                }
                self.output.write_all(b"\n")?;
                left -= 1;
                if left == 0 {
                    progress.advance(REPORT_EDGES);
                    left = REPORT_EDGES;
                }
            }
        }
        self.output.flush()?;
        progress.advance(edges % REPORT_EDGES);
        Ok(())
    }

    /// Writes a number.
    pub(crate) fn number(&mut self, number: u32) -> io::Result<()> {
        self.output.write_all(self.digits.format(number).as_bytes())
    }

    /// Writes a node: its name, quoted if necessary, or its number.
    pub(crate) fn node(&mut self, node: u32) -> Result<(), WriteError> {
        let Some(names) = self.names else {
            let number = u64::from(node) + self.first_node;
            return Ok(self.output.write_all(self.digits.format(number).as_bytes())?);
        };
        let name = names.name(node).unwrap_or_default();
        if name.is_empty() || name.bytes().any(|byte| matches!(byte, b'\n' | b'\r' | 0)) {
            return Err(WriteError::Name { node });
        }
        if needs_quotes(name) {
            write!(self.output, "\"{}\"", name.replace('"', "\"\""))?;
        } else {
            self.output.write_all(name.as_bytes())?;
        }
        Ok(())
    }
}
