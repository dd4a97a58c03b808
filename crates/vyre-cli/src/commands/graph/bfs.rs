//! `vyre graph bfs`: the sinks that each source reaches.

use serde_json::Value;
use vyre::engine::dataflow::Fingerprint;
use vyre::ops::graph::Finding;

use super::search::{Search, SearchResult};
use crate::args::graph::BfsArgs;
use crate::exit::Outcome;
use crate::graph::{Cell, Column, Table, TableBody};

pub(crate) fn run(args: &BfsArgs) -> anyhow::Result<Outcome> {
    let BfsArgs { file, search, results, device, read, .. } = args;
    let search = Search { file, search, results, device, read };
    let SearchResult { graph, runner, sources, findings } =
        search.run(|graph, sources, options| graph.bfs(sources, options), true)?;
    let fingerprint = args.fingerprint.then(|| {
        let mut fingerprint = Fingerprint::EMPTY;
        fingerprint.add(&findings.iter().map(|&finding| finding.into()).collect::<Vec<_>>());
        fingerprint.to_string()
    });
    let table = Table {
        graph: &graph,
        runner: &runner,
        count: findings.len() as u64,
        fields: vec![
            ("fingerprint", fingerprint.clone().map_or(Value::Null, Value::from)),
            ("sources", sources.into()),
        ],
        columns: [
            Column::node("source", "source_name"),
            Column::node("sink", "sink_name"),
            Column::number("depth"),
            Column::number("source_index"),
        ],
    };
    let mut totals = Vec::new();
    if args.count {
        totals.push(("count", findings.len().to_string()));
    }
    totals.extend(fingerprint.map(|fingerprint| ("fingerprint", fingerprint)));
    let row = |finding: &Finding| {
        let Finding { source, node, depth, source_index } = *finding;
        [Cell::Node(source), Cell::Node(node), Cell::Number(depth), Cell::Number(source_index)]
    };
    let body = if totals.is_empty() { TableBody::Rows(findings.iter().map(row)) } else { TableBody::Totals(totals) };
    table.write(results, body)?;
    Ok(Outcome::Clean)
}
