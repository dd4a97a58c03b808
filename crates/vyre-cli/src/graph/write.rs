//! Output of graph files.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::bail;
use vyre::graph::file::{NamedNodes, uncompressed_name, write_binary_with_index};
use vyre::graph::{Format, GraphView, Separators, WriteError, write_graph, write_nodes, write_nodes_csv};
#[cfg(feature = "tables")]
use vyre::tables::write_edge_table;

use super::drawing::{drawing_error, is_svg, svg};
use super::progress::Bar;
use super::stages::{CommandStage, begin_stage};
#[cfg(feature = "tables")]
use super::table_cells::table_io;
use crate::args::graph::{FileFormat, SVG, WriteArgs, WriteFormat};
use crate::destination::Destination;
use crate::input::Input;
use crate::output::{counted, print_note, visible};
use crate::write::is_same_file;

/// Advice for a graph that is too large for a drawing.
const TOO_LARGE: &str = "`vyre graph subgraph` selects a part";

/// Destinations of a graph and its roles, and the format of the graph.
pub(crate) struct GraphOutput {
    format: WriteFormat,
    /// Title of a drawing.
    title: String,
    /// True if the file gets the index of the graph.
    has_index: bool,
    graph: Destination,
    nodes: Option<Destination>,
}

impl GraphOutput {
    /// Output that the flags select. Its files must differ from each other and from all inputs.
    pub(crate) fn new(args: &WriteArgs, inputs: &[&Path]) -> anyhow::Result<GraphOutput> {
        let format = format(args)?;
        if args.index && format != WriteFormat::Graph(FileFormat::Graph(Format::BINARY)) {
            let (name, binary) = (format.name(), Format::BINARY.name());
            bail!(
                "format `{name}` cannot store what --index adds; use `--to {binary}` or a file name that ends in .{binary}"
            );
        }
        let graph = Destination::new(args.output.clone());
        let nodes = args.nodes_out.clone().map(|path| Destination::new(Some(path)));
        let title = match inputs.first() {
            Some(path) => format!("Graph of {}", path.display()),
            None => "Graph".to_owned(),
        };
        let binary = (!format.is_text()).then_some("the binary form");
        let inputs: Vec<Input> = inputs.iter().map(|input| Input::new(input)).collect();
        for input in inputs.iter().chain(inputs.is_empty().then_some(&Input::Stdin)) {
            graph.check(input, binary)?;
            if let Some(nodes) = &nodes {
                nodes.check(input, None)?;
            }
        }
        match (&graph, &nodes) {
            (Destination::Stdout, Some(Destination::Stdout)) => {
                bail!(
                    "the graph and the roles cannot both go to standard output; name a file with `-o` or `--nodes-out`"
                )
            }
            (Destination::Named(one), Some(Destination::Named(other))) if one == other || is_same_file(one, other) => {
                bail!("the graph and the roles cannot both go to {}", visible(&one.to_string_lossy()))
            }
            _ => Ok(GraphOutput { format, title, has_index: args.index, graph, nodes }),
        }
    }

    /// Writes the graph and, with `--nodes-out`, the roles. Prints a note for each part that the format cannot store.
    pub(crate) fn write(&self, graph: GraphView<'_>, quiet: bool, bar: &Bar) -> anyhow::Result<()> {
        let written = match self.format {
            WriteFormat::Svg => {
                bar.working("drawing");
                let file = svg(graph, &self.title).map_err(|error| drawing_error(&error, TOO_LARGE))?;
                begin_stage(CommandStage::Output);
                self.graph.write(file.as_bytes())
            }
            WriteFormat::Graph(format) => self.graph.stream(|out| match format {
                FileFormat::Graph(_) if self.has_index => unwrap_io_error(write_binary_with_index(graph, out, bar)),
                FileFormat::Graph(format) => unwrap_io_error(write_graph(format, graph, out, bar)),
                #[cfg(feature = "tables")]
                FileFormat::Table(format) => Ok(table_io(write_edge_table(format, graph, out, bar))?),
            }),
        };
        bar.clear();
        written?;
        if let Some(nodes) = &self.nodes {
            let write = |out: &mut dyn Write| match nodes {
                Destination::Named(path) if Separators::from_path(path) == Separators::Csv => {
                    write_nodes_csv(graph, out, bar)
                }
                _ => write_nodes(graph, out, bar),
            };
            let written = nodes.stream(|out| unwrap_io_error(write(out)));
            bar.clear();
            written?;
        }
        if !quiet {
            for note in self.omissions(graph) {
                print_note(&note);
            }
        }
        Ok(())
    }

    /// Notes about parts of the graph that the files do not store.
    fn omissions(&self, graph: GraphView<'_>) -> Vec<String> {
        let name = self.format.name();
        let mut notes = Vec::new();
        let WriteFormat::Graph(format) = self.format else {
            if graph.weights.is_some() {
                notes.push(format!("format `{name}` has no weights of edges; they are left out"));
            }
            return notes;
        };
        if !format.has_roles() && self.nodes.is_none() && graph.csr.node_data.iter().any(|&word| word != 0) {
            notes.push(format!("format `{name}` has no roles of nodes; write them with --nodes-out"));
        }
        if !format.has_weights() && graph.weights.is_some() {
            notes.push(format!("format `{name}` has no weights of edges; they are left out"));
        }
        match format.named_nodes() {
            NamedNodes::None if graph.names.is_some() => {
                notes.push(format!("format `{name}` has no names of nodes; they are left out"));
            }
            NamedNodes::WithEdges => {
                let omitted = omitted_nodes(graph);
                if omitted > 0 {
                    let nodes = counted(omitted, "node");
                    let place = match &self.nodes {
                        Some(_) => "only in the file of nodes, which --nodes and --add-nodes read",
                        None => "left out; write them with --nodes-out",
                    };
                    notes.push(format!("format `{name}` has no names of nodes without edges: {nodes} {place}"));
                }
            }
            NamedNodes::None | NamedNodes::All => {}
        }
        notes
    }
}

/// Number of nodes that an edge list omits: named nodes without edges. Nodes without names are counted in its header.
fn omitted_nodes(graph: GraphView<'_>) -> usize {
    if graph.names.is_none() { 0 } else { graph.csr.isolated_nodes() }
}

/// Unwraps I/O errors, to which [`Destination::stream`] adds the name of the file.
fn unwrap_io_error(result: Result<(), WriteError>) -> anyhow::Result<()> {
    match result {
        Err(WriteError::Io { source }) => Err(source.into()),
        result => Ok(result?),
    }
}

/// Output format: `--to`, otherwise the extension of the file, otherwise an edge list.
fn format(args: &WriteArgs) -> anyhow::Result<WriteFormat> {
    let is_compressed = |path: &PathBuf| uncompressed_name(path) != path;
    if [&args.output, &args.nodes_out].into_iter().flatten().any(is_compressed) {
        bail!(
            "files are written without compression; write to standard output, and from there to a program that compresses"
        );
    }
    match (args.to, &args.output) {
        (Some(format), _) => Ok(format),
        (None, Some(path)) if is_svg(path) => Ok(WriteFormat::Svg),
        (None, Some(path)) if path.as_os_str() != "-" => match FileFormat::from_path(path) {
            Some(format) => Ok(WriteFormat::Graph(format)),
            None => {
                let extensions = FileFormat::all().into_iter().filter_map(|format| format.extensions().first());
                let extensions: Vec<String> = extensions.map(|extension| format!(".{extension}")).collect();
                bail!(
                    "the name {} tells no format; use {} or .{SVG}, or say it with --to",
                    visible(&path.to_string_lossy()),
                    extensions.join(", ")
                )
            }
        },
        _ => Ok(WriteFormat::Graph(FileFormat::Graph(Format::EDGE_LIST))),
    }
}
