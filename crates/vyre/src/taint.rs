//! Taint analysis of a graph in one call.

use std::fmt;

use crate::engine::dataflow::{Dataflow, Finding, Options, Summary};
use crate::error::Error;
use crate::graph::{GraphView, role_of};
use crate::session::Session;

/// Findings of an analysis, with names and witnesses.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TaintReport {
    /// Sinks that sources reach, ordered by source and sink.
    pub findings: Vec<TaintFinding>,
    /// Number of sources, from which the analysis began.
    pub sources: usize,
    /// Number of sinks. Without sinks there are no findings.
    pub sinks: usize,
    /// Decisions of the engine and their reasons.
    pub summary: Summary,
}

/// A sink that a source reaches, and a shortest path between them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaintFinding {
    /// Source, sink, depth and facts.
    pub finding: Finding,
    /// Nodes of the witness: a shortest path from the source to the sink, both included.
    pub path: Vec<u32>,
    /// Name of each node of the path; its number, if the graph has no names.
    pub names: Vec<String>,
}

impl TaintFinding {
    /// Name of the source.
    #[must_use]
    pub fn source(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }

    /// Name of the sink.
    #[must_use]
    pub fn sink(&self) -> &str {
        self.names.last().map_or("", String::as_str)
    }
}

/// Prints the names of the witness: `read_request -> parse -> exec_sql`.
impl fmt::Display for TaintFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names.join(" -> "))
    }
}

/// Finds the sinks that the sources of a graph reach, with a witness path for each finding.
///
/// The roles of nodes are in the graph ([`Role`](crate::graph::Role)): a search begins at every source, and does not leave
/// sanitizers. Rules set roles from names, by `graph.csr.node_data = rules.label(..)?.node_data`
/// ([`Rules`](crate::engine::dataflow::rules::Rules)). [`Options::default`] finds everything; options limit the depth or set a transfer function. The analysis runs
/// on the CPU; [`Session::taint`] runs it on the device of a session.
///
/// All findings are in memory, each with its path. For graphs with millions of findings use
/// [`Loaded::stream`](crate::engine::dataflow::Loaded::stream).
///
/// ```
/// use vyre::engine::dataflow::Options;
/// use vyre::graph::{Format, NodeIds, ReadOptions, Separators, read_graph};
///
/// let calls = "read_request,parse\nparse,validate\nparse,render\nvalidate,exec_sql\nrender,write_file\n";
/// let roles = "read_request source\nvalidate sanitizer\nexec_sql sink\nwrite_file sink\n";
/// let options = ReadOptions::default().with_format(Format::CSV).with_nodes(NodeIds::Names);
/// let mut graph = read_graph(calls.as_bytes().into(), &options, &())?.into_graph();
/// graph.read_roles(roles.as_bytes(), Separators::Any)?;
///
/// let report = vyre::taint(&graph, &Options::default())?;
/// assert_eq!(report.findings.len(), 1);
/// assert_eq!(report.findings[0].to_string(), "read_request -> parse -> render -> write_file");
/// # Ok::<(), vyre::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::NoSources`] for a graph without sources; [`Error::Dataflow`] for a graph that is not valid, options that do not
/// fit it, and failures of the device.
pub fn taint<'g>(graph: impl Into<GraphView<'g>>, options: &Options) -> Result<TaintReport, Error> {
    Session::new()?.taint(graph, options)
}

impl Session {
    /// Finds the sinks that the sources of a graph reach, as [`taint`] does, on the device of the session and with its run
    /// options.
    ///
    /// # Errors
    ///
    /// As [`taint`].
    pub fn taint<'g>(&self, graph: impl Into<GraphView<'g>>, options: &Options) -> Result<TaintReport, Error> {
        let graph = graph.into();
        let valid = graph.validated()?;
        let nodes_with = |is: fn(crate::graph::Role) -> bool| {
            (0..).zip(graph.csr.node_data).filter(move |(_, word)| is(role_of(**word))).map(|(node, _)| node)
        };
        let sources: Vec<u32> = nodes_with(crate::graph::Role::is_source).collect();
        if sources.is_empty() {
            return Err(Error::NoSources);
        }
        let engine = Dataflow::new(self.device().clone()).with_run_options(self.limited_run_options());
        let loaded = engine.load_valid(valid);
        let (findings, summary) = loaded.taint(&sources, options)?;
        let paths = loaded.witnesses(&findings, options)?;
        let name = |node: &u32| match graph.names.and_then(|names| names.name(*node)) {
            Some(name) => name.to_owned(),
            None => node.to_string(),
        };
        let findings = findings.into_iter().zip(paths).map(|(finding, path)| {
            let names = path.iter().map(name).collect();
            TaintFinding { finding, path, names }
        });
        let sinks = nodes_with(crate::graph::Role::is_sink).count();
        Ok(TaintReport { findings: findings.collect(), sources: sources.len(), sinks, summary })
    }
}
