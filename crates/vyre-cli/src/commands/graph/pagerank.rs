//! `vyre graph pagerank`: ranks nodes by the stationary distribution of a random surfer.

use vyre::ops::graph::{PageRank, PageRankOptions};

use crate::args::graph::PageRankArgs;
use crate::exit::Outcome;
use crate::graph::{Bar, Cell, Column, LoadedGraph, Runner, Shown, Table, check_stdin, keep_inputs};
use crate::output::{counted, say};
use crate::select::select_device;

pub(crate) fn run(args: &PageRankArgs) -> anyhow::Result<Outcome> {
    let PageRankArgs { file, results, device, read, .. } = args;
    check_stdin([Some(&**file), read.nodes.as_deref()])?;
    keep_inputs(results, file, read)?;
    let selected = select_device(&device.request())?;
    let bar = Bar::new(results.quiet);
    let graph = LoadedGraph::read(file, read, &bar)?;
    let options = PageRankOptions::default()
        .with_damping(args.damping)
        .with_max_iterations(args.iterations)
        .with_tolerance(args.tolerance);
    let runner = Runner::new(selected, device, results.quiet, &bar);
    let ranked = runner.ops.load(graph.view().csr).and_then(|there| there.pagerank(&options));
    let PageRank { ranks, iterations, change } = runner.finish(ranked)?;
    if !results.quiet {
        let so_far = if change > options.tolerance { "; ranks still change, see --iterations" } else { "" };
        say(&format!("{}{so_far}", counted(iterations as usize, "iteration")));
    }
    let table = Table {
        graph: &graph,
        runner: &runner,
        count: u64::from(iterations),
        fields: vec![("change_units", change.to_string().into())],
        columns: [Column::node("node", "node_name"), Column::number("rank"), Column::exact("rank_units")],
    };
    let highest = highest(&ranks, args.top.unwrap_or(usize::MAX));
    let rows = highest.into_iter().map(|(node, rank)| [Cell::Node(node), Cell::Fraction(rank), Cell::Long(rank)]);
    table.write(results, Shown::rows_or_count(args.count, table.count, rows))?;
    Ok(Outcome::Clean)
}

/// So many nodes with the highest ranks, by rank and then by number.
fn highest(ranks: &[u64], count: usize) -> Vec<(u32, u64)> {
    let place = |&(node, rank): &(u32, u64)| (std::cmp::Reverse(rank), node);
    let mut nodes: Vec<(u32, u64)> = (0..).zip(ranks.iter().copied()).collect();
    if count < nodes.len() {
        nodes.select_nth_unstable_by_key(count, place);
        nodes.truncate(count);
    }
    nodes.sort_unstable_by_key(place);
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_come_first_and_equal_ones_by_number() {
        let ranks = [5, 9, 5, 1, 9];
        assert_eq!(highest(&ranks, 9), [(1, 9), (4, 9), (0, 5), (2, 5), (3, 1)]);
        assert_eq!(highest(&ranks, 3), [(1, 9), (4, 9), (0, 5)]);
        assert!(highest(&ranks, 0).is_empty() && highest(&[], 3).is_empty());
    }
}
