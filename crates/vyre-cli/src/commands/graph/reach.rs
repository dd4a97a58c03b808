//! `vyre graph reach`: which nodes each source reaches.

use vyre::ops::graph::Finding;

use super::search::{Search, Searched};
use crate::args::graph::ReachArgs;
use crate::exit::Outcome;
use crate::graph::{Cell, Column, Shown, Table};

pub(crate) fn run(args: &ReachArgs) -> anyhow::Result<Outcome> {
    let ReachArgs { file, search, results, device, read, .. } = args;
    let search = Search { file, search, results, device, read };
    let searched = search.run(|graph, sources, options| graph.reachability(sources, options), false)?;
    let Searched { graph, runner, sources, findings } = searched;
    let table = Table {
        graph: &graph,
        runner: &runner,
        count: findings.len() as u64,
        fields: vec![("sources", sources.into())],
        columns: [Column::node("source", "source_name"), Column::node("node", "node_name"), Column::number("depth")],
    };
    let row = |finding: &Finding| [Cell::Node(finding.source), Cell::Node(finding.node), Cell::Number(finding.depth)];
    table.write(results, Shown::rows_or_count(args.count, table.count, findings.iter().map(row)))?;
    Ok(Outcome::Clean)
}
