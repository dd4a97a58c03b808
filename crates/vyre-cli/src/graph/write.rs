//! Output of graph files.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::bail;
use vyre::graph::file::{NamedNodes, write_binary_with_index};
use vyre::graph::{Format, GraphView, Separators, WriteError, write_graph, write_nodes, write_nodes_csv};
#[cfg(feature = "tables")]
use vyre::tables::write_edge_table;

use super::progress::Bar;
#[cfg(feature = "tables")]
use super::table_cells::table_io;
use crate::args::graph::{FileFormat, WriteArgs};
use crate::destination::Destination;
use crate::input::Input;
use crate::output::{counted, print_note, visible};
use crate::write::is_same_file;

/// Destinations of a graph and its roles, and the format of the graph.
pub(crate) struct GraphOutput {
    format: FileFormat,
    /// True if the file gets the index of the graph.
    has_index: bool,
    graph: Destination,
    nodes: Option<Destination>,
}

impl GraphOutput {
    /// Output that the flags select. Its files must differ from each other and from all inputs.
    pub(crate) fn new(args: &WriteArgs, inputs: &[&Path]) -> anyhow::Result<GraphOutput> {
        let format = format(args)?;
        if args.index && format != FileFormat::Graph(Format::BINARY) {
            let (name, binary) = (format.name(), Format::BINARY.name());
            bail!(
                "format `{name}` cannot store what --index adds; use `--to {binary}` or a file name that ends in .{binary}"
            );
        }
        let graph = Destination::new(args.output.clone());
        let nodes = args.nodes_out.clone().map(|path| Destination::new(Some(path)));
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
            _ => Ok(GraphOutput { format, has_index: args.index, graph, nodes }),
        }
    }

    /// Writes the graph and, with `--nodes-out`, the roles. Prints a note for each part that the format cannot store.
    pub(crate) fn write(&self, graph: GraphView<'_>, quiet: bool, bar: &Bar) -> anyhow::Result<()> {
        let written = self.graph.stream(|out| match self.format {
            FileFormat::Graph(_) if self.has_index => unwrap_io_error(write_binary_with_index(graph, out, bar)),
            FileFormat::Graph(format) => unwrap_io_error(write_graph(format, graph, out, bar)),
            #[cfg(feature = "tables")]
            FileFormat::Table(format) => Ok(table_io(write_edge_table(format, graph, out, bar))?),
        });
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
        if !self.format.has_roles() && self.nodes.is_none() && graph.csr.node_data.iter().any(|&word| word != 0) {
            notes.push(format!("format `{name}` has no roles of nodes; write them with --nodes-out"));
        }
        if !self.format.has_weights() && graph.weights.is_some() {
            notes.push(format!("format `{name}` has no weights of edges; they are left out"));
        }
        match self.format.named_nodes() {
            NamedNodes::None if graph.names.is_some() => {
                notes.push(format!("format `{name}` has no names of nodes; they are left out"));
            }
            NamedNodes::WithEdges => {
                let omitted = omitted_nodes(graph);
                if omitted > 0 {
                    let nodes = counted(omitted, "node");
                    notes.push(format!("format `{name}` has no names of nodes without edges: {nodes} left out"));
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
fn format(args: &WriteArgs) -> anyhow::Result<FileFormat> {
    let is_compressed = |path: &PathBuf| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    if [&args.output, &args.nodes_out].into_iter().flatten().any(is_compressed) {
        bail!("files are written without compression; write to standard output, and from there through gzip");
    }
    match (args.to, &args.output) {
        (Some(format), _) => Ok(format),
        (None, Some(path)) if path.as_os_str() != "-" => match FileFormat::from_path(path) {
            Some(format) => Ok(format),
            None => {
                let name = visible(&path.to_string_lossy()).into_owned();
                let extensions = FileFormat::all().into_iter().filter_map(|format| format.extensions().first());
                let extensions: Vec<String> = extensions.map(|extension| format!(".{extension}")).collect();
                match &*extensions {
                    [first @ .., last] => bail!(
                        "the name {name} tells no format; use {} or {last}, or say it with --to",
                        first.join(", ")
                    ),
                    [] => bail!("the name {name} tells no format; say it with --to"),
                }
            }
        },
        _ => Ok(FileFormat::Graph(Format::EDGE_LIST)),
    }
}
