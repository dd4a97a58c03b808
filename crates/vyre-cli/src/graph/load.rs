//! Reading graphs from the files that arguments name.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::bail;
use vyre::graph::file::{TextField, TextProblem};
use vyre::graph::{
    CsrView, Format, GraphView, Input as GraphInput, Loaded, NodeIds, ReadError, ReadOptions, Weights, read_graph,
    read_nodes,
};

use super::progress::Bar;
use crate::args::graph::{FileFormat, ReadArgs, WeightsWanted};
use crate::input::Input;
use crate::output::visible;

/// A graph with what is known about its file.
pub(crate) struct LoadedGraph {
    loaded: Loaded,
    /// The words of nodes where those of the file are not what is wanted.
    node_data: Option<Vec<u32>>,
    /// The name of the file, as reports give it.
    pub(crate) name: String,
    pub(crate) format: Format,
    /// The size of the file, if it is one.
    pub(crate) bytes: Option<u64>,
}

impl LoadedGraph {
    /// Reads a graph, and the roles of its nodes where a file is named for them.
    pub(crate) fn read(file: &Path, args: &ReadArgs, bar: &Bar) -> anyhow::Result<LoadedGraph> {
        let input = Input::new(file);
        let name = input.name();
        let read = open(&input, args.input_format.map(Format::from)).and_then(|opened| {
            let Opened { input, format, bytes } = opened;
            Ok((read_graph(input, &options(args, format), bar)?, format, bytes))
        });
        bar.clear();
        let (loaded, format, bytes) = read.map_err(|error| read_error(&name, &error))?;
        let node_data = match &args.nodes {
            Some(nodes) => Some(read_roles(&Input::new(nodes), loaded.view(), bar)?),
            None => None,
        };
        Ok(LoadedGraph { loaded, node_data, name, format, bytes })
    }

    /// The graph.
    pub(crate) fn view(&self) -> GraphView<'_> {
        let view = self.loaded.view();
        match &self.node_data {
            Some(node_data) => GraphView { csr: CsrView { node_data, ..view.csr }, ..view },
            None => view,
        }
    }
}

impl From<FileFormat> for Format {
    fn from(format: FileFormat) -> Format {
        match format {
            FileFormat::Edges => Format::EdgeList,
            FileFormat::Csv => Format::Csv,
            FileFormat::Mtx => Format::MatrixMarket,
            FileFormat::Vgr => Format::Binary,
        }
    }
}

fn options(args: &ReadArgs, format: Format) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.format = Some(format);
    options.nodes = if args.names { NodeIds::Names } else { NodeIds::Numbers };
    options.weights = match args.weights {
        WeightsWanted::Auto => Weights::Auto,
        WeightsWanted::Required => Weights::Required,
        WeightsWanted::Ignore => Weights::Ignore,
    };
    options.undirected = args.undirected;
    options.min_nodes = args.min_nodes;
    options.max_nodes = args.max_nodes;
    options
}

/// An input that is about to be read.
struct Opened {
    input: GraphInput<'static>,
    format: Format,
    bytes: Option<u64>,
}

/// Looks at the beginning of an input, which tells its format.
fn open(input: &Input, format: Option<Format>) -> Result<Opened, ReadError> {
    let format_of = |head: &[u8], path: Option<&Path>| {
        let by_bytes = || Format::from_first_bytes(&decompressed(head));
        let by_name = || path.and_then(Format::from_path);
        format.or_else(by_bytes).or_else(by_name).unwrap_or(Format::EdgeList)
    };
    match input {
        Input::Stdin => {
            let head = head_of(io::stdin())?;
            let format = format_of(&head, None);
            Ok(Opened { input: GraphInput::reader(io::Cursor::new(head).chain(io::stdin())), format, bytes: None })
        }
        Input::File(path) => {
            let mut file = File::open(path)?;
            let metadata = file.metadata()?;
            if metadata.is_dir() {
                return Err(io::Error::other("it is a directory").into());
            }
            let head = head_of(&mut file)?;
            let format = format_of(&head, Some(path));
            if metadata.is_file() {
                return Ok(Opened { input: GraphInput::path(path), format, bytes: Some(metadata.len()) });
            }
            // A pipe can be read only once.
            Ok(Opened { input: GraphInput::reader(io::Cursor::new(head).chain(file)), format, bytes: None })
        }
    }
}

/// So many first bytes tell a format, compressed or not.
const HEAD_BYTES: u64 = 4096;

fn head_of(input: impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    input.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(head)
}

/// The beginning of a file before it was compressed; what is damaged is told by whoever reads all of it.
fn decompressed(head: &[u8]) -> Cow<'_, [u8]> {
    const GZIP: [u8; 2] = [0x1f, 0x8b];
    if !head.starts_with(&GZIP) {
        return Cow::Borrowed(head);
    }
    let mut plain = Vec::new();
    let _ = flate2::read::GzDecoder::new(head).take(HEAD_BYTES).read_to_end(&mut plain);
    Cow::Owned(plain)
}

fn read_roles(input: &Input, graph: GraphView<'_>, bar: &Bar) -> anyhow::Result<Vec<u32>> {
    let mut node_data = graph.csr.node_data.to_vec();
    let opened = open_reader(input).map_err(ReadError::from);
    let read = opened.and_then(|reader| read_nodes(reader, graph.names, &mut node_data, bar));
    bar.clear();
    read.map_err(|error| read_error(&input.name(), &error))?;
    Ok(node_data)
}

/// Opens a text that is read from its beginning to its end.
pub(super) fn open_reader(input: &Input) -> io::Result<Box<dyn Read + Send>> {
    match input {
        Input::Stdin => Ok(Box::new(io::stdin())),
        Input::File(path) if path.is_dir() => Err(io::Error::other("it is a directory")),
        Input::File(path) => Ok(Box::new(File::open(path)?)),
    }
}

/// What is wrong with a file, and which option helps.
pub(super) fn read_error(name: &str, error: &ReadError) -> anyhow::Error {
    let name = visible(name);
    match error {
        ReadError::Io { source } => anyhow::anyhow!("cannot read {name}: {source}"),
        _ => anyhow::anyhow!("{name}: {error}{}", option_for(error)),
    }
}

/// The option of the command line that a message of the library has no name for.
fn option_for(error: &ReadError) -> &'static str {
    match error {
        ReadError::NodeLimit { .. } => "; see --max-nodes",
        ReadError::NoWeights => "; see --weights",
        ReadError::Text { problem, .. } => match problem {
            TextProblem::Number { field: TextField::Source | TextField::Target, .. } => ", with --names",
            TextProblem::Number { field: TextField::Weight | TextField::Value, .. }
            | TextProblem::UnexpectedWeight { .. } => ", with --weights ignore",
            TextProblem::NodeLimit { .. } | TextProblem::SparseNodes { .. } => "; see --max-nodes and --names",
            TextProblem::Missing { field: TextField::Weight }
            | TextProblem::NoWeightColumn
            | TextProblem::MatrixPattern => "; see --weights",
            _ => "",
        },
        _ => "",
    }
}

/// Only one argument can be standard input.
pub(crate) fn check_stdin<'p>(files: impl IntoIterator<Item = Option<&'p Path>>) -> anyhow::Result<()> {
    if files.into_iter().flatten().filter(|path| path.as_os_str() == "-").count() > 1 {
        bail!("standard input can be read only once");
    }
    Ok(())
}
