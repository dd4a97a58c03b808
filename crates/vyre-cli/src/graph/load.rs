//! Loader of graph files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::bail;
use vyre::graph::file::{NumberErrorKind, TextErrorKind, TextField};
use vyre::graph::{
    Attributes, CsrError, CsrView, Format, GraphView, Header, Loaded, NodeIds, ReadError, ReadOptions, Separators,
    ValidGraph, read_graph, read_nodes,
};
#[cfg(feature = "tables")]
use vyre::tables::{TableError, read_edge_table, row_error};

use super::compressed::decompressed;
use super::input::{Opened, open};
use super::packages::PackageGraph;
use super::progress::Bar;
use super::reversal::Reversal;
use super::weights::WeightUse;
use crate::args::graph::{FileFormat, HeaderArg, ReadArgs};
use crate::input::Input;
use crate::output::{number, visible};

/// A graph with the name and size of its file.
pub(crate) struct LoadedGraph {
    stored: Stored,
    /// Words of nodes that replace the words of the file.
    node_data: Option<Vec<u32>>,
    /// The reversed graph, if searches follow edges backward.
    reversal: Option<Reversal>,
    /// Name of the file in reports.
    pub(crate) name: String,
    /// Size of the file in bytes; `None` unless it is a regular file.
    pub(crate) bytes: Option<u64>,
}

/// Origin of a graph.
enum Stored {
    /// A graph file, or a table of edges.
    File { loaded: Loaded, format: FileFormat },
    /// A lock file or an SBOM.
    Packages(PackageGraph),
}

impl Stored {
    fn view(&self) -> GraphView<'_> {
        match self {
            Stored::File { loaded, .. } => loaded.view(),
            Stored::Packages(packages) => packages.view(),
        }
    }

    /// The transposed graph, if the file has it.
    fn transposed(&self) -> Option<CsrView<'_>> {
        match self {
            Stored::File { loaded, .. } => loaded.valid().transposed(),
            Stored::Packages(_) => None,
        }
    }
}

impl LoadedGraph {
    /// Reads a graph and, with `--nodes`, the roles of its nodes.
    pub(crate) fn read(file: &Path, args: &ReadArgs, weights: WeightUse, bar: &Bar) -> anyhow::Result<LoadedGraph> {
        let input = Input::new(file);
        let name = input.name();
        let (stored, bytes) = match PackageGraph::read(&input, args, bar)? {
            Some(packages) => (Stored::Packages(packages), size(&input)),
            None => LoadedGraph::read_file(&input, args, weights, bar)?,
        };
        let node_data = match &args.nodes {
            Some(nodes) => Some(read_roles(&Input::new(nodes), stored.view(), bar)?),
            None => None,
        };
        Ok(LoadedGraph { stored, node_data, reversal: None, name, bytes })
    }

    fn read_file(
        input: &Input,
        args: &ReadArgs,
        weights: WeightUse,
        bar: &Bar,
    ) -> anyhow::Result<(Stored, Option<u64>)> {
        let name = input.name();
        let (opened, bytes) = open(input, args.input_format).map_err(|error| read_error(&name, &error.into()))?;
        let options = options(args, weights);
        let (loaded, format) = match opened {
            Opened::Graph(input) => {
                let read = read_graph(input, &options, bar);
                bar.clear();
                let loaded = read.map_err(|error| read_error(&name, &error))?;
                let format = FileFormat::Graph(loaded.format());
                (loaded, format)
            }
            #[cfg(feature = "tables")]
            Opened::Table(format, input) => {
                let read = read_edge_table(input, format, &options, bar);
                bar.clear();
                (read.map_err(|error| table_error(&name, &error))?, FileFormat::Table(format))
            }
        };
        if args.weight_scale.is_some() && loaded.format() == Format::BINARY && loaded.view().weights.is_some() {
            bail!("{}: the weights are whole numbers already, so --weight-scale has no effect", visible(&name));
        }
        if !bar.is_quiet() {
            notes(&loaded, format, args).iter().for_each(|note| bar.note(&format!("{}: {note}", visible(&name))));
        }
        Ok((Stored::File { loaded, format }, bytes))
    }

    /// Reverses all edges if `is_reversed` is set.
    pub(crate) fn reversed(mut self, is_reversed: bool) -> LoadedGraph {
        if is_reversed {
            self.reversal = Some(Reversal::new(self.stored.view(), self.stored.transposed()));
        }
        self
    }

    /// Replaces the words of all nodes. Their number must equal the number of nodes.
    pub(super) fn set_node_data(&mut self, words: Vec<u32>) {
        self.node_data = Some(words);
    }

    /// Name of the format of the file.
    pub(crate) fn format(&self) -> &'static str {
        match &self.stored {
            Stored::File { format, .. } => format.name(),
            Stored::Packages(packages) => packages.format(),
        }
    }

    /// Version of the format of a binary graph file.
    pub(crate) fn format_version(&self) -> Option<u32> {
        match &self.stored {
            Stored::File { loaded, .. } => loaded.format_version(),
            Stored::Packages(_) => None,
        }
    }

    /// Reports whether the file has the transposed graph.
    pub(crate) fn has_index(&self) -> bool {
        self.stored.transposed().is_some()
    }

    /// Packages of a lock file or an SBOM. None: the graph is of another file.
    pub(super) fn packages(&self) -> Option<&PackageGraph> {
        match &self.stored {
            Stored::File { .. } => None,
            Stored::Packages(packages) => Some(packages),
        }
    }

    /// Attributes of nodes that the file has.
    pub(crate) fn attributes(&self) -> Option<&Attributes> {
        match &self.stored {
            Stored::File { loaded, .. } => loaded.attributes(),
            Stored::Packages(_) => None,
        }
    }

    /// The graph with its index, if the file has it.
    pub(crate) fn valid(&self) -> Result<ValidGraph<'_>, CsrError> {
        if self.reversal.is_some() {
            return ValidGraph::new(self.view().csr);
        }
        let valid = match &self.stored {
            Stored::File { loaded, .. } => loaded.valid(),
            Stored::Packages(packages) => ValidGraph::new(packages.view().csr)?,
        };
        self.node_data.as_deref().map_or(Ok(valid), |words| valid.with_node_data(words))
    }

    /// The graph.
    pub(crate) fn view(&self) -> GraphView<'_> {
        let view = self.stored.view();
        let view = self.reversal.as_ref().map_or(view, |reversal| reversal.view(view, self.stored.transposed()));
        match &self.node_data {
            Some(node_data) => GraphView { csr: CsrView { node_data, ..view.csr }, ..view },
            None => view,
        }
    }
}

/// Notes about what the reader has assumed or omitted.
fn notes(loaded: &Loaded, format: FileFormat, args: &ReadArgs) -> Vec<String> {
    let mut notes = Vec::new();
    let may_have_header = matches!(format, FileFormat::Graph(_)) && args.names && args.header == HeaderArg::Auto;
    if let Some(line) = loaded.header_line().filter(|_| may_have_header) {
        notes.push(format!("line {line} is a header (--header no if it is an edge)"));
    }
    if let Some(line) = loaded.likely_header_line() {
        notes.push(format!("line {line} is an edge (--header yes if it is a header)"));
    }
    if let Some(error) = loaded.weight_error() {
        let reason = match format {
            FileFormat::Graph(_) => error.to_string(),
            #[cfg(feature = "tables")]
            FileFormat::Table(_) => row_error(error),
        };
        notes.push(format!("weights are left out: {reason}{}", option_hint(error)));
    }
    let missing = loaded.unmentioned_nodes();
    if missing > 0 {
        let nodes = loaded.view().csr.node_count();
        let (occur, are) = if missing == 1 { ("occurs", "is a node") } else { ("occur", "are nodes") };
        notes.push(format!(
            "{} of {} numbers {occur} in no edge and {are} without edges (--compact leaves them out)",
            number(missing),
            number(nodes),
        ));
    }
    notes
}

fn options(args: &ReadArgs, weights: WeightUse) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.format = match args.input_format {
        Some(FileFormat::Graph(format)) => Some(format),
        #[cfg(feature = "tables")]
        Some(FileFormat::Table(_)) => None,
        None => None,
    };
    options.nodes = if args.names { NodeIds::Names } else { NodeIds::Numbers };
    options.header = match args.header {
        HeaderArg::Auto => Header::Auto,
        HeaderArg::Yes => Header::Present,
        HeaderArg::No => Header::Absent,
    };
    options.weights = weights.option(args);
    options.weight_scale = args.weight_scale;
    options.compact = args.compact;
    options.undirected = args.undirected;
    options.min_nodes = args.min_nodes;
    options.max_nodes = args.max_nodes;
    options
}

/// Size of a regular file.
fn size(input: &Input) -> Option<u64> {
    let Input::File(path) = input else { return None };
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len())
}

fn read_roles(input: &Input, graph: GraphView<'_>, bar: &Bar) -> anyhow::Result<Vec<u32>> {
    let mut node_data = graph.csr.node_data.to_vec();
    let opened = open_reader(input).map_err(ReadError::from);
    let read = opened.and_then(|reader| read_nodes(reader, separators(input), graph.names, &mut node_data, bar));
    bar.clear();
    read.map_err(|error| read_error(&input.name(), &error))?;
    Ok(node_data)
}

/// Field separator of a file of roles.
pub(super) fn separators(input: &Input) -> Separators {
    match input {
        Input::Stdin => Separators::Any,
        Input::File(path) => Separators::from_path(path),
    }
}

/// Opens a text for sequential reading.
pub(super) fn open_reader(input: &Input) -> io::Result<Box<dyn Read + Send>> {
    match input {
        Input::Stdin => decompressed("", io::stdin()),
        Input::File(path) if path.is_dir() => Err(io::Error::other("it is a directory")),
        Input::File(path) => decompressed(&path.to_string_lossy(), File::open(path)?),
    }
}

/// Message for an unreadable file, with a hint at a flag.
pub(super) fn read_error(name: &str, error: &ReadError) -> anyhow::Error {
    let name = visible(name);
    match error {
        ReadError::Io { source } => anyhow::anyhow!("cannot read {name}: {source}"),
        _ => anyhow::anyhow!("{name}: {error}{}", option_hint(error)),
    }
}

/// Message for an unreadable table, with a hint at a flag.
#[cfg(feature = "tables")]
fn table_error(name: &str, error: &TableError) -> anyhow::Error {
    let name = visible(name);
    match error {
        TableError::Io(source) => anyhow::anyhow!("cannot read {name}: {source}"),
        TableError::Graph(inner) | TableError::Edge { error: inner, .. } => {
            anyhow::anyhow!("{name}: {error}{}", option_hint(inner))
        }
        error => anyhow::anyhow!("{name}: {error}"),
    }
}

/// Hint at the flag that resolves an error. The library has no names of flags.
fn option_hint(error: &ReadError) -> &'static str {
    const MAX_NODES: &str = " (--max-nodes)";
    const REQUIRED: &str = " (--weights required)";
    const IGNORE: &str = ", with --weights ignore";
    match error {
        ReadError::NodeLimit { .. } => MAX_NODES,
        ReadError::MinNodes { .. } => " (--min-nodes, --max-nodes)",
        ReadError::MinNodesNamed { .. } => " (--min-nodes)",
        ReadError::NoWeights => REQUIRED,
        ReadError::Array { array: "data", .. } => " (--weight-scale, --weights)",
        ReadError::Text { kind, .. } => match kind {
            TextErrorKind::Number { field: TextField::Source | TextField::Target, .. } => {
                ", with --names; a first line can be a header, with --header yes"
            }
            TextErrorKind::Number {
                field: TextField::Weight | TextField::Value,
                reason: NumberErrorKind::Fraction,
                ..
            } => ", with --weight-scale or --weights ignore",
            TextErrorKind::Number {
                field: TextField::ScaledWeight { .. },
                reason: NumberErrorKind::OutOfRange,
                ..
            } => " (--weight-scale)",
            TextErrorKind::Number { field: TextField::Weight | TextField::Value, .. }
            | TextErrorKind::Missing { field: TextField::Weight }
            | TextErrorKind::UnexpectedWeight { .. }
            | TextErrorKind::ExtraEdgeField { .. }
            | TextErrorKind::MatrixValues { .. } => IGNORE,
            TextErrorKind::NodeLimit { .. } => MAX_NODES,
            TextErrorKind::SparseNodes { .. } => ", with --max-nodes or --compact",
            TextErrorKind::SparseRows { .. } => ", with --max-nodes",
            TextErrorKind::NoWeightColumn | TextErrorKind::MatrixPattern => REQUIRED,
            _ => "",
        },
        _ => "",
    }
}

/// Rejects arguments that read standard input more than once.
pub(crate) fn check_stdin<'p>(files: impl IntoIterator<Item = Option<&'p Path>>) -> anyhow::Result<()> {
    if files.into_iter().flatten().filter(|path| path.as_os_str() == "-").count() > 1 {
        bail!("standard input can be read only once");
    }
    Ok(())
}
