//! Multi-source searches, shared by `vyre graph bfs` and `vyre graph reach`.

use std::path::Path;

use vyre::ops::graph::{Finding, GraphError, GraphOnDevice, TraversalOptions};

use crate::args::DeviceArgs;
use crate::args::graph::{ReadArgs, ResultArgs, SearchArgs};
use crate::graph::{Bar, LoadedGraph, Runner, check_output, check_sinks, check_stdin, open, sources};
use crate::output::{print_note, quantity};

/// Arguments of a search.
pub(super) struct Search<'a> {
    pub(super) file: &'a Path,
    pub(super) search: &'a SearchArgs,
    pub(super) results: &'a ResultArgs,
    pub(super) device: &'a DeviceArgs,
    pub(super) read: &'a ReadArgs,
}

/// Result of a search.
pub(super) struct SearchResult {
    pub(super) graph: LoadedGraph,
    pub(super) runner: Runner,
    pub(super) sources: usize,
    pub(super) findings: Vec<Finding>,
}

/// A search op on a device.
pub(super) type SearchOp = fn(&GraphOnDevice<'_>, &[u32], &TraversalOptions) -> Result<Vec<Finding>, GraphError>;

impl Search<'_> {
    /// Reads the graph, runs the search and prints the number of results.
    pub(super) fn run(&self, op: SearchOp, only_sinks: bool) -> anyhow::Result<SearchResult> {
        let Search { file, search, results, device, read } = self;
        let list = search.sources.as_deref().filter(|text| *text == "-").map(Path::new);
        check_stdin([Some(*file), read.nodes.as_deref(), list])?;
        check_output(results, file, read)?;
        let limit = Runner::start(device);
        let bar = Bar::new(results.quiet);
        let (selected, graph) = open(file, read, device, &bar)?;
        let graph = graph.reversed(search.reverse);
        let starts = sources(&graph, search.sources.as_deref(), &bar)?;
        if only_sinks {
            check_sinks(&graph)?;
        }
        let view = graph.view().csr;
        let runner = Runner::new(selected, device, limit, results.quiet, &bar);
        let result = runner.ops.load(view).and_then(|on_device| op(&on_device, &starts, &traversal(search)));
        let findings = runner.finish(result)?;
        if !results.quiet {
            let noun = if only_sinks { "finding" } else { "row" };
            print_note(&format!("{} of {}", quantity(findings.len(), noun), quantity(starts.len(), "source")));
        }
        Ok(SearchResult { graph, runner, sources: starts.len(), findings })
    }
}

fn traversal(args: &SearchArgs) -> TraversalOptions {
    let mut traversal = TraversalOptions::default();
    traversal.max_depth = args.max_depth;
    traversal.max_findings = args.max_findings;
    traversal.queue_capacity = args.queue;
    traversal.memory = args.memory;
    traversal
}
