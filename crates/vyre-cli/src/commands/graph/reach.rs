//! `vyre graph reach`: the nodes that each source reaches.

use vyre::ops::graph::Finding;

use super::search::{Search, SearchResult};
use crate::args::graph::ReachArgs;
use crate::exit::Outcome;
use crate::graph::{Cell, Column, Table, TableBody};

pub(crate) fn run(args: &ReachArgs) -> anyhow::Result<Outcome> {
    let ReachArgs { file, search, results, device, read, .. } = args;
    let search = Search { file, search, results, device, read };
    let result = search.run(|graph, sources, options| graph.reachability(sources, options), false)?;
    let SearchResult { graph, runner, sources, findings } = result;
    let table = Table {
        graph: &graph,
        runner: &runner,
        count: findings.len() as u64,
        fields: vec![("sources", sources.into())],
        columns: [Column::node("source", "source_name"), Column::node("node", "node_name"), Column::number("depth")],
    };
    let row = |finding: &Finding| [Cell::Node(finding.source), Cell::Node(finding.node), Cell::Number(finding.depth)];
    table.write(results, TableBody::rows_or_count(args.count, table.count, findings.iter().map(row)))?;
    Ok(Outcome::Clean)
}
