//! Writing graphs.

use std::fmt;
use std::io::{self, BufWriter, Write};

use rayon::prelude::*;

use super::binary::{Header, STEP_BYTES, checksum_of, sections_of};
use super::count_line;
use super::fields::needs_quotes;
use super::format::Format;
use super::graph::GraphView;
use super::names::NamesView;
use super::progress::{Progress, Stage};
use crate::error::CsrError;
use crate::role::role_of;

/// Why a graph was not written.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// The output does not take it.
    Io {
        /// What the system said.
        source: io::Error,
    },
    /// The arrays are no graph.
    Graph {
        /// Why.
        error: CsrError,
    },
    /// A name cannot stand in a line of a text: it is empty, or has a line end or a byte 0.
    Name {
        /// Whose name.
        node: u32,
    },
}

impl From<io::Error> for WriteError {
    fn from(source: io::Error) -> WriteError {
        WriteError::Io { source }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Io { source } => write!(f, "the graph cannot be written: {source}"),
            WriteError::Graph { error } => write!(f, "{error}"),
            WriteError::Name { node } => {
                write!(f, "the name of node {node} is empty or has a line end or a byte 0, which no line of a text has")
            }
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            WriteError::Io { source } => Some(source),
            WriteError::Graph { error } => Some(error),
            WriteError::Name { .. } => None,
        }
    }
}

/// So many edges are written between reports of progress.
const REPORT_EDGES: u64 = 1 << 16;

/// Bytes that are collected for one call of the output.
const BUFFER_BYTES: usize = 1 << 18;

/// Writes a graph in a format. Only the binary format keeps everything: an edge list or CSV file has no roles and no names of
/// nodes without edges, and a Matrix Market file has neither roles nor names.
///
/// # Errors
///
/// The output fails, the graph is not valid, or a name cannot be written.
pub fn write_graph(
    format: Format,
    graph: GraphView<'_>,
    output: impl Write,
    progress: &dyn Progress,
) -> Result<(), WriteError> {
    match format {
        Format::EdgeList => write_edge_list(graph, output, progress),
        Format::Csv => write_csv(graph, output, progress),
        Format::MatrixMarket => write_matrix_market(graph, output, progress),
        Format::Binary => write_binary(graph, output, progress),
    }
}

/// Writes an edge list: a comment `# Nodes: 5 Edges: 4`, which brings back nodes without edges when nodes are read by number,
/// and a line `source target [weight]` for each edge. Nodes with names are only where their edges are.
///
/// # Errors
///
/// The output fails, the graph is not valid, or a name cannot be written.
pub fn write_edge_list(graph: GraphView<'_>, output: impl Write, progress: &dyn Progress) -> Result<(), WriteError> {
    check(graph)?;
    let mut lines = Lines::new(output, b' ', 0, graph.names);
    count_line::write(&mut lines.output, graph.csr.node_count(), graph.csr.edge_count())?;
    lines.edges(graph, progress)
}

/// Writes a CSV file with a header line `source,target[,weight]`. Not all that read CSV know comments, so there is one only
/// where nodes would be lost without it: nodes without names behind the last one that has an edge. It is that of
/// [`write_edge_list`].
///
/// # Errors
///
/// The output fails, the graph is not valid, or a name cannot be written.
pub fn write_csv(graph: GraphView<'_>, output: impl Write, progress: &dyn Progress) -> Result<(), WriteError> {
    check(graph)?;
    let mut lines = Lines::new(output, b',', 0, graph.names);
    if graph.names.is_none() && !has_edge_at_last_node(graph) {
        count_line::write(&mut lines.output, graph.csr.node_count(), graph.csr.edge_count())?;
    }
    lines.output.write_all(b"source,target")?;
    lines.output.write_all(if graph.weights.is_some() { b",weight\n" } else { b"\n" })?;
    lines.edges(graph, progress)
}

/// Writes a Matrix Market file: a general matrix, with weights as integers or else without values.
///
/// # Errors
///
/// The output fails, or the graph is not valid.
pub fn write_matrix_market(
    graph: GraphView<'_>,
    output: impl Write,
    progress: &dyn Progress,
) -> Result<(), WriteError> {
    check(graph)?;
    let mut lines = Lines::new(output, b' ', 1, None);
    let values = if graph.weights.is_some() { "integer" } else { "pattern" };
    let (nodes, edges) = (graph.csr.node_count(), graph.csr.edge_count());
    writeln!(lines.output, "%%MatrixMarket matrix coordinate {values} general\n{nodes} {nodes} {edges}")?;
    lines.edges(graph, progress)
}

/// Writes the words of nodes as lines `node role [data]`, without nodes whose word is 0.
///
/// # Errors
///
/// The output fails, the graph is not valid, or a name cannot be written.
pub fn write_nodes(graph: GraphView<'_>, output: impl Write, progress: &dyn Progress) -> Result<(), WriteError> {
    write_words(graph, Lines::new(output, b' ', 0, graph.names), "# node role [data]", |data| data != 0, progress)
}

/// Writes the words of nodes as a CSV file with a header line `node,role[,data]`, without nodes whose word is 0. There are
/// data where a node has any.
///
/// # Errors
///
/// The output fails, the graph is not valid, or a name cannot be written.
pub fn write_nodes_csv(graph: GraphView<'_>, output: impl Write, progress: &dyn Progress) -> Result<(), WriteError> {
    let has_data = graph.csr.node_data.par_iter().any(|&word| data_of(word) != 0);
    let header = if has_data { "node,role,data" } else { "node,role" };
    write_words(graph, Lines::new(output, b',', 0, graph.names), header, |_| has_data, progress)
}

/// The bits of the word of a node that are not its role.
fn data_of(word: u32) -> u32 {
    word & !0x00ff_0000
}

fn write_words<W: Write>(
    graph: GraphView<'_>,
    mut lines: Lines<'_, W>,
    first_line: &str,
    is_written: impl Fn(u32) -> bool,
    progress: &dyn Progress,
) -> Result<(), WriteError> {
    check(graph)?;
    graph.csr.validate().map_err(|error| WriteError::Graph { error })?;
    progress.begin(Stage::Writing, Some(graph.csr.node_count() as u64));
    writeln!(lines.output, "{first_line}")?;
    let separator = [lines.separator];
    let words = graph.csr.node_data.iter().enumerate().filter(|&(_, &word)| word != 0);
    for (node, &word) in words {
        lines.node(node as u32)?;
        lines.output.write_all(&separator)?;
        lines.output.write_all(role_of(word).name().as_bytes())?;
        let data = data_of(word);
        if is_written(data) {
            lines.output.write_all(&separator)?;
            lines.number(data)?;
        }
        lines.output.write_all(b"\n")?;
    }
    lines.output.flush()?;
    progress.advance(graph.csr.node_count() as u64);
    Ok(())
}

/// Writes a binary file, from which [`GraphFile`](super::GraphFile) gives back the same graph.
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
    for ((_, place), (_, bytes)) in header.sections().zip(sections) {
        let padding = (place.position - end) as usize;
        output.write_all(&[0; 64][..padding])?;
        progress.advance(place.position - end);
        for step in bytes.chunks(STEP_BYTES) {
            output.write_all(step)?;
            progress.advance(step.len() as u64);
        }
        end = place.position + place.length;
    }
    output.flush()?;
    Ok(())
}

/// Whether edges tell how many nodes there are.
fn has_edge_at_last_node(graph: GraphView<'_>) -> bool {
    match (graph.csr.node_count() as u32).checked_sub(1) {
        None => true,
        Some(last) => {
            !graph.csr.edges_of(last).is_empty() || graph.csr.targets.par_iter().any(|&target| target == last)
        }
    }
}

/// What all writers of edges rely on.
fn check(graph: GraphView<'_>) -> Result<(), WriteError> {
    graph.validate_structure().map_err(|error| WriteError::Graph { error })
}

/// Writes lines.
struct Lines<'g, W: Write> {
    output: BufWriter<W>,
    separator: u8,
    /// The number that stands for node 0.
    first_node: u64,
    names: Option<NamesView<'g>>,
    digits: itoa::Buffer,
}

impl<'g, W: Write> Lines<'g, W> {
    fn new(output: W, separator: u8, first_node: u64, names: Option<NamesView<'g>>) -> Lines<'g, W> {
        let output = BufWriter::with_capacity(BUFFER_BYTES, output);
        Lines { output, separator, first_node, names, digits: itoa::Buffer::new() }
    }

    fn edges(&mut self, graph: GraphView<'_>, progress: &dyn Progress) -> Result<(), WriteError> {
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

    fn number(&mut self, number: u32) -> io::Result<()> {
        self.output.write_all(self.digits.format(number).as_bytes())
    }

    fn node(&mut self, node: u32) -> Result<(), WriteError> {
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
