//! `vyre graph reach`: the nodes that each source reaches.

use vyre::ops::graph::Finding;

use super::search::{OpenSearch, Search, count_for_rows, print_count, rows};
use crate::args::graph::ReachArgs;
use crate::exit::Outcome;
use crate::graph::{Cell, Column, Table, TableBody};

pub(crate) fn run(args: &ReachArgs) -> anyhow::Result<Outcome> {
    let ReachArgs { file, search, results, device, read, explain, .. } = args;
    let search = Search { file, search, results, device, read, explain: explain.explain };
    let OpenSearch { graph, runner, sources, options } = search.open(false)?;
    let algorithms = runner.or_explain(runner.algorithms(graph.view().csr))?;
    let table = |count: u64| Table {
        graph: &graph,
        runner: Some(&runner),
        count,
        fields: vec![("sources", sources.len().into())],
        columns: [Column::node("source", "source_name"), Column::node("node", "node_name"), Column::number("depth")],
    };
    if args.count {
        let count = runner.finish(algorithms.count_reachable(&sources, &options))?;
        print_count(results, count, "row", sources.len());
        let body = TableBody::<std::iter::Empty<_>>::Totals(vec![("count", count.to_string())]);
        table(count).write(results, body)?;
    } else {
        let mut found = runner.finish(algorithms.reachability(&sources, &options))?;
        let row =
            |finding: &Finding| [Cell::Node(finding.source), Cell::Node(finding.node), Cell::Number(finding.depth)];
        let table = table(count_for_rows(&runner, results, &mut found)?);
        table.write_stream(results, rows(&runner, &mut found, row))?;
        print_count(results, runner.or_explain(found.count())?, "row", sources.len());
    }
    runner.end();
    Ok(Outcome::Clean)
}
