//! `vyre graph kcore` and `vyre graph triangles`: a number for each node.

use anyhow::bail;
use vyre::graph::CsrView;
use vyre::graph::analysis::{core_numbers, triangles};

use crate::args::graph::CountsArgs;
use crate::exit::Outcome;
use crate::graph::{Bar, Cell, CellKind, Column, LoadedGraph, Table, TableBody, WeightUse, check_output, check_stdin};
use crate::output::{number, print_note};

pub(crate) fn kcore(args: &CountsArgs) -> anyhow::Result<Outcome> {
    let count = |graph: CsrView<'_>| {
        let cores: Vec<u64> = core_numbers(graph).into_iter().map(u64::from).collect();
        let largest = cores.iter().copied().max().unwrap_or_default();
        (cores, largest)
    };
    run(args, "core", "the largest core number is", count)
}

pub(crate) fn count_triangles(args: &CountsArgs) -> anyhow::Result<Outcome> {
    let count = |graph: CsrView<'_>| {
        let counts = triangles(graph);
        let total = counts.iter().sum::<u64>() / 3;
        (counts, total)
    };
    run(args, "triangles", "number of triangles:", count)
}

fn run(
    args: &CountsArgs,
    column: &'static str,
    total_is: &str,
    count: fn(CsrView<'_>) -> (Vec<u64>, u64),
) -> anyhow::Result<Outcome> {
    let CountsArgs { file, results, read, .. } = args;
    if args.reverse {
        bail!("cores and triangles do not change if the edges of a graph are reversed; leave --reverse out");
    }
    check_stdin([Some(&**file), read.nodes.as_deref()])?;
    check_output(results, file, read)?;
    let bar = Bar::new(results.quiet);
    let graph = LoadedGraph::read(file, read, WeightUse::None, &bar)?;
    bar.working("counting");
    let (counts, total) = count(graph.view().csr);
    bar.clear();
    if !results.quiet {
        print_note(&format!("{total_is} {}", number(total)));
    }
    let columns = [Column::node("node", "node_name"), Column::number(column).of(CellKind::Long)];
    let table = Table { graph: &graph, runner: None, count: total, fields: Vec::new(), columns };
    let shown = (0..).zip(&counts).filter(|(_, count)| **count >= args.min);
    let cell = |count: u64| u32::try_from(count).map_or(Cell::Long(count), Cell::Number);
    let rows = shown.map(|(node, &count)| [Cell::Node(node), cell(count)]);
    table.write(results, TableBody::rows_or_count(args.count, total, rows))?;
    Ok(Outcome::Clean)
}
