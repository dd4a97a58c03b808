//! `vyre graph info`: size, degrees, roles and weights of a graph.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;
use vyre::graph::{GraphView, Role, in_degrees, role_of};

use crate::args::graph::{InfoArgs, ResultFormat};
use crate::exit::Outcome;
#[cfg(feature = "tables")]
use crate::graph::write_row;
use crate::graph::{Bar, LoadedGraph, WeightUse, check_output, check_stdin, csv_field, to_destination};
use crate::output::{number, size, visible};

/// Properties of a graph. Fields are permanent: append, never rename.
#[derive(Serialize)]
struct Info<'g> {
    file: &'g str,
    format: &'static str,
    bytes: Option<u64>,
    nodes: usize,
    edges: usize,
    self_loops: usize,
    parallel_edges: usize,
    isolated_nodes: usize,
    max_out_degree: usize,
    max_in_degree: u32,
    average_degree: f64,
    normal: usize,
    source: usize,
    sink: usize,
    source_and_sink: usize,
    sanitizer: usize,
    names: bool,
    weights: bool,
    min_weight: Option<u32>,
    max_weight: Option<u32>,
    format_version: Option<u32>,
    index: bool,
}

pub(crate) fn run(args: &InfoArgs) -> anyhow::Result<Outcome> {
    check_stdin([Some(&*args.file), args.read.nodes.as_deref()])?;
    check_output(&args.results, &args.file, &args.read)?;
    let bar = Bar::new(args.results.quiet);
    let graph = LoadedGraph::read(&args.file, &args.read, WeightUse::IfValid, &bar)?;
    bar.working("counting");
    let info = Info::new(&graph);
    bar.clear();
    to_destination(&args.results, |out| match args.results.format() {
        ResultFormat::Table | ResultFormat::Text => info.write_text(out),
        ResultFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &info)?;
            writeln!(out)
        }
        ResultFormat::Csv => info.write_csv(out),
        #[cfg(feature = "tables")]
        ResultFormat::Parquet => info.write_parquet(out),
    })?;
    Ok(Outcome::Clean)
}

impl<'g> Info<'g> {
    fn new(graph: &'g LoadedGraph) -> Info<'g> {
        let view = graph.view();
        let (nodes, edges) = (view.csr.node_count(), view.csr.edge_count());
        let in_degrees = in_degrees(view.csr);
        let rows = || (0..nodes as u32).map(|node| (node, view.csr.neighbours(node)));
        let with_role = |role| view.csr.node_data.iter().filter(|&&word| role_of(word) == role).count();
        Info {
            file: &graph.name,
            format: graph.format(),
            bytes: graph.bytes,
            nodes,
            edges,
            self_loops: rows().map(|(node, targets)| targets.iter().filter(|&&target| target == node).count()).sum(),
            parallel_edges: parallel_edges(view),
            isolated_nodes: view.csr.isolated_nodes(),
            max_out_degree: rows().map(|(_, targets)| targets.len()).max().unwrap_or_default(),
            max_in_degree: in_degrees.iter().copied().max().unwrap_or_default(),
            average_degree: if nodes == 0 { 0.0 } else { edges as f64 / nodes as f64 },
            normal: with_role(Role::Normal),
            source: with_role(Role::Source),
            sink: with_role(Role::Sink),
            source_and_sink: with_role(Role::SourceAndSink),
            sanitizer: with_role(Role::Sanitizer),
            names: view.names.is_some(),
            weights: view.weights.is_some(),
            min_weight: view.weights.and_then(|weights| weights.iter().copied().min()),
            max_weight: view.weights.and_then(|weights| weights.iter().copied().max()),
            format_version: graph.format_version(),
            index: graph.has_index(),
        }
    }

    /// Format, with the version and the index of a binary graph file.
    fn format_text(&self) -> String {
        let version = self.format_version.map_or(String::new(), |version| format!(", version {version}"));
        let index = if self.index { ", with an index" } else { "" };
        format!("{}{version}{index}", self.format)
    }

    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let yes = |flag: bool| if flag { "yes" } else { "no" }.to_owned();
        let weights = match (self.weights, self.min_weight, self.max_weight) {
            (true, Some(min), Some(max)) => format!("yes, {} to {}", number(min), number(max)),
            (flag, _, _) => yes(flag),
        };
        for (what, value) in [
            ("file", visible(self.file).into_owned()),
            ("format", self.format_text()),
            ("size", self.bytes.map_or("unknown".to_owned(), size)),
            ("nodes", number(self.nodes)),
            ("edges", number(self.edges)),
            ("self-loops", number(self.self_loops)),
            ("parallel edges", number(self.parallel_edges)),
            ("nodes without edges", number(self.isolated_nodes)),
            ("most edges from a node", number(self.max_out_degree)),
            ("most edges to a node", number(self.max_in_degree)),
            ("edges for each node", format!("{:.2}", self.average_degree)),
            ("role normal", number(self.normal)),
            ("role source", number(self.source)),
            ("role sink", number(self.sink)),
            ("role source+sink", number(self.source_and_sink)),
            ("role sanitizer", number(self.sanitizer)),
            ("names", yes(self.names)),
            ("weights", weights),
        ] {
            writeln!(out, "{what:23} {value}")?;
        }
        Ok(())
    }

    /// Fields in order. Listed one by one, because a `Value` does not preserve the order of fields.
    fn fields(&self) -> [(&'static str, Value); 22] {
        [
            ("file", Value::from(self.file)),
            ("format", self.format.into()),
            ("bytes", self.bytes.into()),
            ("nodes", self.nodes.into()),
            ("edges", self.edges.into()),
            ("self_loops", self.self_loops.into()),
            ("parallel_edges", self.parallel_edges.into()),
            ("isolated_nodes", self.isolated_nodes.into()),
            ("max_out_degree", self.max_out_degree.into()),
            ("max_in_degree", self.max_in_degree.into()),
            ("average_degree", self.average_degree.into()),
            ("normal", self.normal.into()),
            ("source", self.source.into()),
            ("sink", self.sink.into()),
            ("source_and_sink", self.source_and_sink.into()),
            ("sanitizer", self.sanitizer.into()),
            ("names", self.names.into()),
            ("weights", self.weights.into()),
            ("min_weight", self.min_weight.into()),
            ("max_weight", self.max_weight.into()),
            ("format_version", self.format_version.into()),
            ("index", self.index.into()),
        ]
    }

    #[cfg(feature = "tables")]
    fn write_parquet(&self, out: &mut dyn Write) -> io::Result<()> {
        use vyre::tables::{TableColumn, Value as Cell, ValueKind};
        let fields = self.fields();
        let typed = |(name, value): &'_ (&'static str, Value)| match value {
            Value::String(_) => (*name, ValueKind::Text),
            Value::Bool(_) => (*name, ValueKind::Bool),
            Value::Number(number) if number.is_f64() => (*name, ValueKind::F64),
            _ => (*name, ValueKind::U64),
        };
        let columns: Vec<TableColumn> =
            fields.iter().map(typed).map(|(name, kind)| TableColumn { name: name.to_owned(), kind }).collect();
        let cell = |(_, value): &'_ (&'static str, Value)| match value {
            Value::Bool(value) => Cell::Bool(*value),
            Value::Number(number) => {
                number.as_u64().map_or_else(|| number.as_f64().map_or(Cell::Null, Cell::F64), Cell::U64)
            }
            _ => Cell::Null,
        };
        let row: Vec<Cell<'_>> =
            fields.iter().map(|field| field.1.as_str().map_or_else(|| cell(field), Cell::Text)).collect();
        write_row(out, &columns, &row)
    }

    fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let fields = self.fields();
        let field = |(_, value): &(&str, Value)| match value {
            Value::String(text) => csv_field(text).into_owned(),
            Value::Null => String::new(),
            value => value.to_string(),
        };
        let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
        let values: Vec<String> = fields.iter().map(field).collect();
        writeln!(out, "{}\n{}", names.join(","), values.join(","))
    }
}

/// Number of parallel edges: those beyond the first between two nodes.
fn parallel_edges(graph: GraphView<'_>) -> usize {
    let mut sorted = Vec::new();
    let mut parallel = 0;
    for node in 0..graph.csr.node_count() as u32 {
        sorted.clear();
        sorted.extend_from_slice(graph.csr.neighbours(node));
        sorted.sort_unstable();
        parallel += sorted.windows(2).filter(|pair| pair[0] == pair[1]).count();
    }
    parallel
}
