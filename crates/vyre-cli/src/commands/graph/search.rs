//! Multi-source searches, shared by `vyre graph bfs` and `vyre graph reach`.

use std::path::Path;

use vyre::engine::dataflow::cost::{AlgorithmWorkload, Workload};
use vyre::ops::graph::{Finding, FindingStream, TraversalOptions};

use crate::args::DeviceArgs;
use crate::args::graph::{ReadArgs, ResultArgs, ResultFormat, SearchArgs};
use crate::graph::{Bar, LoadedGraph, Plan, Runner, WeightUse, check_output, check_sinks, check_stdin, open, sources};
use crate::output::{print_note, quantity};

/// Arguments of a search.
pub(super) struct Search<'a> {
    pub(super) file: &'a Path,
    pub(super) search: &'a SearchArgs,
    pub(super) results: &'a ResultArgs,
    pub(super) device: &'a DeviceArgs,
    pub(super) read: &'a ReadArgs,
    pub(super) explain: bool,
}

/// A search that can begin.
pub(super) struct OpenSearch {
    pub(super) graph: LoadedGraph,
    pub(super) runner: Runner,
    pub(super) sources: Vec<u32>,
    pub(super) options: TraversalOptions,
}

impl Search<'_> {
    /// Reads the graph and opens the device.
    pub(super) fn open(&self, only_sinks: bool) -> anyhow::Result<OpenSearch> {
        let Search { file, search, results, device, read, explain } = *self;
        let list = search.sources.as_deref().filter(|text| *text == "-").map(Path::new);
        check_stdin([Some(file), read.nodes.as_deref(), list])?;
        check_output(results, file, read)?;
        let limit = Runner::start(device);
        let plan = Plan::new(explain);
        let bar = Bar::new(results.quiet);
        let (choice, graph) = open(file, read, WeightUse::None, device, &bar)?;
        let graph = graph.reversed(search.reverse);
        let sources = sources(&graph, search.sources.as_deref(), &bar)?;
        let view = graph.view().csr;
        if only_sinks {
            check_sinks(&graph)?;
        }
        // A sample of the searches costs time, so only a choice or an explanation takes one.
        let is_sampled = choice.is_open() || plan.is_explained();
        let workload = is_sampled.then(|| AlgorithmWorkload::search(&Workload::new(view, &sources, search.max_depth)));
        let runner = Runner::new(choice, workload.as_ref(), plan, device, limit, results.quiet, &bar)?;
        Ok(OpenSearch { graph, runner, sources, options: traversal(search) })
    }
}

/// Prints the number of results.
pub(super) fn print_count(results: &ResultArgs, count: u64, noun: &str, sources: usize) {
    if !results.quiet {
        print_note(&format!("{} of {}", quantity(count as usize, noun), quantity(sources, "source")));
    }
}

/// The number that a table has before its rows: only that of JSON. Other formats do not wait for it.
pub(super) fn count_for_rows(
    runner: &Runner,
    results: &ResultArgs,
    found: &mut FindingStream<'_>,
) -> anyhow::Result<u64> {
    match results.format() {
        ResultFormat::Json => runner.or_explain(found.count()),
        _ => Ok(0),
    }
}

/// Calls `take` with each finding. Stops at the first failure.
pub(super) fn for_each(
    runner: &Runner,
    found: &mut FindingStream<'_>,
    mut take: impl FnMut(&[Finding]),
) -> anyhow::Result<()> {
    while let Some(chunk) = found.next_chunk().map_err(|error| runner.explain(&error))? {
        take(chunk);
    }
    Ok(())
}

/// Findings one by one.
pub(super) fn rows<'f, 'h: 'f, R: 'f>(
    runner: &'f Runner,
    found: &'f mut FindingStream<'h>,
    row: impl Fn(&Finding) -> R + 'f,
) -> impl Iterator<Item = anyhow::Result<R>> + 'f {
    let mut chunk = Vec::new().into_iter();
    std::iter::from_fn(move || {
        if chunk.as_slice().is_empty() {
            match found.next_chunk() {
                Ok(next) => chunk = next?.iter().map(&row).collect::<Vec<R>>().into_iter(),
                Err(error) => return Some(Err(runner.explain(&error))),
            }
        }
        chunk.next().map(Ok)
    })
}

fn traversal(args: &SearchArgs) -> TraversalOptions {
    let mut traversal = TraversalOptions::default();
    traversal.max_depth = args.max_depth;
    traversal.max_findings = args.max_findings;
    traversal.queue_capacity = args.queue;
    traversal.memory = args.memory;
    traversal
}
