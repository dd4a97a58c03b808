//! Reading a graph from wherever it is, in whatever format.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::binary::{MAGIC, read_binary};
use super::edge_list::read_edge_list;
use super::error::ReadError;
use super::format::Format;
use super::graph::{Graph, GraphView};
use super::input::{Input, Source, Stream};
use super::mapped::GraphFile;
use super::matrix_market::read_matrix_market;
use super::options::{NodeIds, ReadOptions, Weights};
use super::progress::{Progress, Stage};
use crate::csr::CsrGraph;

/// A graph that was read, or that lies in a file that is mapped into memory.
#[derive(Debug)]
pub struct Loaded {
    place: Place,
    format: Format,
    is_compressed: bool,
    header_line: Option<u64>,
}

/// Where a graph lies.
#[derive(Debug)]
enum Place {
    Memory(Graph),
    File(GraphFile),
}

impl Loaded {
    /// The graph.
    #[must_use]
    pub fn view(&self) -> GraphView<'_> {
        match &self.place {
            Place::Memory(graph) => graph.view(),
            Place::File(file) => file.view(),
        }
    }

    /// The graph in memory; that of a file is copied.
    #[must_use]
    pub fn into_graph(self) -> Graph {
        match self.place {
            Place::Memory(graph) => graph,
            Place::File(file) => file.view().to_graph(),
        }
    }

    /// The format that was read.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// Whether the input was compressed.
    #[must_use]
    pub fn is_compressed(&self) -> bool {
        self.is_compressed
    }

    /// The line, from 1, that was taken as the header of an edge list or a CSV file.
    #[must_use]
    pub fn header_line(&self) -> Option<u64> {
        self.header_line
    }

    /// Whether the graph lies in a file that is mapped into memory.
    #[must_use]
    pub fn is_mapped(&self) -> bool {
        matches!(self.place, Place::File(_))
    }
}

/// Reads a graph on all threads. Inputs may be compressed by gzip; a binary file that is not is mapped into memory.
///
/// # Errors
///
/// The input cannot be read, or the first thing that is wrong with it.
///
/// ```
/// use vyre_graph::{Format, Input, ReadOptions, read_graph};
///
/// let text = b"# three edges\n0 1 10\n0 2 20\n1 2 30\n";
/// let loaded = read_graph(Input::from(&text[..]), &ReadOptions::default(), &())?;
/// assert_eq!(loaded.view().csr.neighbours(0), [1, 2]);
/// assert_eq!(loaded.view().weights, Some(&[10, 20, 30][..]));
/// assert_eq!(loaded.format(), Format::EdgeList);
///
/// let wrong = read_graph(Input::from(&b"0 1\n0 two\n"[..]), &ReadOptions::default(), &());
/// let text = wrong.expect_err("`two` is no number").to_string();
/// assert!(text.starts_with("line 2, column 3: the target `two` is not a number"));
/// # Ok::<(), vyre_graph::ReadError>(())
/// ```
pub fn read_graph(input: Input<'_>, options: &ReadOptions, progress: &dyn Progress) -> Result<Loaded, ReadError> {
    match options.max_nodes {
        Some(max) if options.min_nodes > max => return Err(ReadError::MinNodes { min: options.min_nodes, max }),
        _ => {}
    }
    match input.source {
        Source::Reader(reader) => {
            progress.begin(Stage::Reading, None);
            read_stream(reader, None, options, progress)
        }
        Source::Path(path) => {
            let file = File::open(&path)?;
            let metadata = file.metadata()?;
            if metadata.is_file() && is_binary(&path, options)? {
                let place = from_file(GraphFile::map(&file, progress)?, options)?;
                return Ok(Loaded { place, format: Format::Binary, is_compressed: false, header_line: None });
            }
            progress.begin(Stage::Reading, metadata.is_file().then_some(metadata.len()));
            read_stream(file, Some(&path), options, progress)
        }
    }
}

/// Whether a file is a binary file that is not compressed.
fn is_binary(path: &Path, options: &ReadOptions) -> Result<bool, ReadError> {
    if options.format.is_some_and(|format| format != Format::Binary) {
        return Ok(false);
    }
    let mut head = Vec::new();
    File::open(path)?.take(MAGIC.len() as u64).read_to_end(&mut head)?;
    Ok(head == MAGIC)
}

fn read_stream(
    input: impl Read + Send,
    path: Option<&Path>,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<Loaded, ReadError> {
    let stream = Stream::open(input, progress)?;
    let is_compressed = stream.is_compressed();
    let format = options.format.unwrap_or_else(|| Format::of(stream.head(), path));
    let mut header_line = None;
    let graph = match format {
        Format::EdgeList | Format::Csv => {
            check_named(options.nodes == NodeIds::Names, options)?;
            let (graph, line) = read_edge_list(stream.text(), format, options, progress)?;
            header_line = line;
            graph
        }
        Format::MatrixMarket => read_matrix_market(stream.text(), options, progress)?,
        Format::Binary if stream.head().is_empty() => return Err(ReadError::Empty { format }),
        Format::Binary => {
            let mut graph = read_binary(stream.bytes(), progress)?;
            check_options(graph.view(), options)?;
            if options.weights == Weights::Ignore {
                graph.weights = None;
            }
            let graph = if options.undirected { undirected(graph.view())? } else { graph };
            with_nodes(graph, options.min_nodes)
        }
    };
    Ok(Loaded { place: Place::Memory(graph), format, is_compressed, header_line })
}

/// A file as the options want it.
fn from_file(file: GraphFile, options: &ReadOptions) -> Result<Place, ReadError> {
    check_options(file.view(), options)?;
    let file = if options.weights == Weights::Ignore { file.without_weights() } else { file };
    let graph = if options.undirected {
        undirected(file.view())?
    } else if file.view().csr.node_count() < options.min_nodes as usize {
        file.view().to_graph()
    } else {
        return Ok(Place::File(file));
    };
    Ok(Place::Memory(with_nodes(graph, options.min_nodes)))
}

/// The graph of a binary file with at least so many nodes.
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

/// Nodes beyond those of a graph with names would have none.
fn check_named(has_names: bool, options: &ReadOptions) -> Result<(), ReadError> {
    match options.min_nodes {
        min if min > 0 && has_names => Err(ReadError::MinNodesNamed { min }),
        _ => Ok(()),
    }
}

fn check_options(graph: GraphView<'_>, options: &ReadOptions) -> Result<(), ReadError> {
    check_named(graph.names.is_some(), options)?;
    let nodes = graph.csr.node_count() as u64;
    match options.max_nodes {
        Some(limit) if nodes > u64::from(limit) => return Err(ReadError::NodeLimit { nodes, limit }),
        _ => {}
    }
    if options.weights == Weights::Required && graph.weights.is_none() {
        return Err(ReadError::NoWeights);
    }
    Ok(())
}

fn undirected(graph: GraphView<'_>) -> Result<Graph, ReadError> {
    graph.undirected().map_err(|error| ReadError::Graph { error })
}
