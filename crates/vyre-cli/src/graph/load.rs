//! Loader of graph files.

use std::path::Path;

use anyhow::bail;
use vyre::graph::{
    Attributes, CsrError, CsrView, Format, GraphView, Header, Loaded, NodeIds, ReadOptions, ValidGraph, read_graph,
};
#[cfg(feature = "tables")]
use vyre::tables::{TableError, read_edge_table, row_error};

use super::input::{Opened, open};
use super::node_file::{add_node_file, read_node_file};
use super::packages::PackageGraph;
use super::progress::Bar;
use super::reading::{option_hint, read_error};
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
    /// Attributes of nodes from the file of `--nodes`.
    attributes: Option<Attributes>,
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
    /// Reads a graph and, with `--nodes`, the roles and attributes of its nodes.
    pub(crate) fn read(file: &Path, args: &ReadArgs, weights: WeightUse, bar: &Bar) -> anyhow::Result<LoadedGraph> {
        let input = Input::new(file);
        let name = input.name();
        let (mut stored, bytes) = LoadedGraph::read_file(&input, args, weights, bar)?;
        let file = match (&args.nodes, &mut stored) {
            (None, _) => None,
            (Some(nodes), Stored::File { loaded, .. }) if args.add_nodes => {
                Some(add_node_file(&Input::new(nodes), loaded, args.max_nodes, bar)?)
            }
            (Some(_), Stored::Packages(_)) if args.add_nodes => {
                bail!("--add-nodes: {} is a file of packages, which lists all of them", visible(&name))
            }
            (Some(nodes), stored) => Some(read_node_file(&Input::new(nodes), stored.view(), bar)?),
        };
        let (node_data, attributes) = file.map(|file| (file.node_data, file.attributes)).unzip();
        Ok(LoadedGraph { stored, node_data, attributes: attributes.flatten(), reversal: None, name, bytes })
    }

    fn read_file(
        input: &Input,
        args: &ReadArgs,
        weights: WeightUse,
        bar: &Bar,
    ) -> anyhow::Result<(Stored, Option<u64>)> {
        let name = input.name();
        let (opened, bytes) = open(input, args).map_err(|error| read_error(&name, &error.into()))?;
        let options = options(args, weights);
        let titled = titled_column(args)?;
        let (loaded, format) = match opened {
            Opened::Packages(format, reader) => {
                check_titles(&name, format.name(), titled)?;
                let packages = PackageGraph::read(format, reader, input, args, bar)?;
                return Ok((Stored::Packages(packages), bytes));
            }
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
        if matches!(format, FileFormat::Graph(format) if ![Format::EDGE_LIST, Format::CSV].contains(&format)) {
            check_titles(&name, format.name(), titled)?;
        }
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

    /// True if the file of `--nodes` has attributes of nodes.
    pub(crate) fn has_listed_attributes(&self) -> bool {
        self.attributes.is_some()
    }

    /// Attributes of nodes in the file of `--nodes`, otherwise those that the file of the graph has.
    pub(crate) fn attributes(&self) -> Option<&Attributes> {
        if self.attributes.is_some() {
            return self.attributes.as_ref();
        }
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
    let may_have_header = matches!(format, FileFormat::Graph(_))
        && args.names
        && args.header == HeaderArg::Auto
        && args.columns().is_empty();
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
    options.columns = args.columns();
    options.weights = weights.option(args);
    options.weight_scale = args.weight_scale;
    options.compact = args.compact;
    options.undirected = args.undirected;
    options.min_nodes = args.min_nodes;
    options.max_nodes = args.max_nodes;
    options
}

/// The first option that names a column by its title.
fn titled_column(args: &ReadArgs) -> anyhow::Result<Option<&'static str>> {
    let options = [
        ("--source-column", &args.source_column),
        ("--target-column", &args.target_column),
        ("--weight-column", &args.weight_column),
    ];
    let titled = options.into_iter().find(|(_, title)| title.is_some()).map(|(option, _)| option);
    match titled {
        Some(option) if args.header == HeaderArg::No => {
            bail!("{option}: a title is in a header, and with --header no there is none")
        }
        titled => Ok(titled),
    }
}

/// Rejects titles of columns for a file without a header.
fn check_titles(name: &str, format: &str, titled: Option<&str>) -> anyhow::Result<()> {
    match titled {
        Some(option) => bail!("{}: files of the format `{format}` have no titles of columns ({option})", visible(name)),
        None => Ok(()),
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

/// Rejects arguments that read standard input more than once.
pub(crate) fn check_stdin<'p>(files: impl IntoIterator<Item = Option<&'p Path>>) -> anyhow::Result<()> {
    if files.into_iter().flatten().filter(|path| path.as_os_str() == "-").count() > 1 {
        bail!("standard input can be read only once");
    }
    Ok(())
}
