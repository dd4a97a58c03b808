//! `vyre graph bfs`: which sinks each source reaches.

use serde_json::Value;
use vyre::ops::graph::Finding;

use super::search::{Search, Searched};
use crate::args::graph::BfsArgs;
use crate::exit::Outcome;
use crate::graph::{Cell, Column, Fingerprint, Shown, Table};

pub(crate) fn run(args: &BfsArgs) -> anyhow::Result<Outcome> {
    let BfsArgs { file, search, results, device, read, .. } = args;
    let search = Search { file, search, results, device, read };
    let Searched { graph, runner, sources, findings } =
        search.run(|graph, sources, options| graph.bfs(sources, options), true)?;
    let words = |finding: &Finding| [finding.source, finding.node, finding.depth];
    let fingerprint = args.fingerprint.then(|| Fingerprint::of(findings.iter().map(words)).to_string());
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
    let mut only = Vec::new();
    if args.count {
        only.push(("count", findings.len().to_string()));
    }
    only.extend(fingerprint.map(|fingerprint| ("fingerprint", fingerprint)));
    let row = |finding: &Finding| {
        let Finding { source, node, depth, source_index } = *finding;
        [Cell::Node(source), Cell::Node(node), Cell::Number(depth), Cell::Number(source_index)]
    };
    let shown = if only.is_empty() { Shown::Rows(findings.iter().map(row)) } else { Shown::Only(only) };
    table.write(results, shown)?;
    Ok(Outcome::Clean)
}
