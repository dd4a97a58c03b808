//! `vyre graph bfs`: the sinks that each source reaches.

use serde_json::Value;
use vyre::engine::dataflow::Fingerprint;
use vyre::ops::graph::Finding;

use super::search::{OpenSearch, Search, count_for_rows, for_each, print_count, rows};
use crate::args::graph::BfsArgs;
use crate::exit::Outcome;
use crate::graph::{Cell, Column, Table, TableBody};

pub(crate) fn run(args: &BfsArgs) -> anyhow::Result<Outcome> {
    let BfsArgs { file, search, results, device, read, explain, .. } = args;
    let search = Search { file, search, results, device, read, explain: explain.explain };
    let OpenSearch { graph, runner, sources, options } = search.open(true)?;
    let algorithms = runner.or_explain(runner.algorithms(graph.view().csr))?;
    let table = |count: u64, fingerprint: Option<&str>| Table {
        graph: &graph,
        runner: Some(&runner),
        count,
        fields: vec![("fingerprint", fingerprint.map_or(Value::Null, Value::from)), ("sources", sources.len().into())],
        columns: [
            Column::node("source", "source_name"),
            Column::node("sink", "sink_name"),
            Column::number("depth"),
            Column::number("source_index"),
        ],
    };
    if args.count || args.fingerprint {
        let (count, fingerprint) = if args.fingerprint {
            let mut found = runner.finish(algorithms.bfs(&sources, &options))?;
            let mut fingerprint = Fingerprint::EMPTY;
            for_each(&runner, &mut found, |chunk| {
                fingerprint.add(&chunk.iter().map(|&finding| finding.into()).collect::<Vec<_>>());
            })?;
            (runner.or_explain(found.count())?, Some(fingerprint.to_string()))
        } else {
            (runner.finish(algorithms.count_sinks(&sources, &options))?, None)
        };
        print_count(results, count, "finding", sources.len());
        let table = table(count, fingerprint.as_deref());
        let mut totals = Vec::new();
        if args.count {
            totals.push(("count", count.to_string()));
        }
        totals.extend(fingerprint.map(|fingerprint| ("fingerprint", fingerprint)));
        table.write(results, TableBody::<std::iter::Empty<_>>::Totals(totals))?;
    } else {
        let mut found = runner.finish(algorithms.bfs(&sources, &options))?;
        let row = |finding: &Finding| {
            let Finding { source, node, depth, source_index } = *finding;
            [Cell::Node(source), Cell::Node(node), Cell::Number(depth), Cell::Number(source_index)]
        };
        let table = table(count_for_rows(&runner, results, &mut found)?, None);
        table.write_stream(results, rows(&runner, &mut found, row))?;
        print_count(results, runner.or_explain(found.count())?, "finding", sources.len());
    }
    runner.end();
    Ok(Outcome::Clean)
}
