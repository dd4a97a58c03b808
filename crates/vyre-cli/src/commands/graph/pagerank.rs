//! `vyre graph pagerank`: ranks nodes by the stationary distribution of a random surfer.

use std::path::Path;

use anyhow::bail;
use vyre::engine::dataflow::cost::{Algorithm, AlgorithmWorkload};
use vyre::ops::graph::{PageRank, PageRankOptions};
use vyre::select::{AUTO, CPU};

use crate::args::graph::PageRankArgs;
use crate::exit::Outcome;
use crate::graph::{
    Bar, Cell, CellKind, Column, Plan, Runner, Table, TableBody, WeightUse, check_output, check_stdin, open, restart,
};
use crate::output::{print_note, quantity, visible};

pub(crate) fn run(args: &PageRankArgs) -> anyhow::Result<Outcome> {
    let PageRankArgs { file, results, device, read, .. } = args;
    check_stdin([Some(&**file), read.nodes.as_deref(), args.personalise.as_deref().map(Path::new)])?;
    check_output(results, file, read)?;
    let limit = Runner::start(device);
    let plan = Plan::new(args.explain.explain);
    let bar = Bar::new(results.quiet);
    let is_general = args.weighted || args.personalise.is_some();
    if is_general && ![AUTO, CPU].contains(&&*device.backend) {
        bail!("the host computes weighted and personalised ranks; leave --backend {} out", device.backend);
    }
    let weight_use = if args.weighted { WeightUse::Needed } else { WeightUse::None };
    let (choice, graph) = open(file, read, weight_use, device, &bar)?;
    let graph = graph.reversed(args.reverse);
    let weights = graph.view().weights.filter(|_| args.weighted);
    if args.weighted && weights.is_none() {
        bail!("{}: the edges have no weights, which --weighted needs", visible(&graph.name));
    }
    let restart = args.personalise.as_deref().map(|text| restart(&graph, text, &bar)).transpose()?;
    let options = PageRankOptions::default()
        .with_damping(args.damping)
        .with_max_iterations(args.iterations)
        .with_tolerance(args.tolerance);
    let workload = AlgorithmWorkload::new(Algorithm::PageRank, graph.view().csr, args.iterations);
    let workload = Some(&workload).filter(|_| !is_general);
    let runner = Runner::new(choice, workload, plan, device, limit, results.quiet, &bar)?;
    let ranked = runner.algorithms(graph.view().csr).and_then(|algorithms| match is_general {
        true => algorithms.weighted_pagerank(weights, restart.as_deref(), &options),
        false => algorithms.pagerank(&options),
    });
    let PageRank { ranks, iterations, change } = runner.finish(ranked)?;
    if !results.quiet {
        let note = if change > options.tolerance { "; ranks still change, see --iterations" } else { "" };
        print_note(&format!("{}{note}", quantity(iterations as usize, "iteration")));
    }
    let table = Table {
        graph: &graph,
        runner: Some(&runner),
        count: u64::from(iterations),
        fields: vec![("change_units", change.to_string().into())],
        columns: [
            Column::node("node", "node_name"),
            Column::number("rank").of(CellKind::Real),
            Column::exact("rank_units"),
        ],
    };
    let highest = highest(&ranks, args.top.unwrap_or(usize::MAX));
    let rows = highest.into_iter().map(|(node, rank)| [Cell::Node(node), Cell::Fraction(rank), Cell::Long(rank)]);
    table.write(results, TableBody::rows_or_count(args.count, table.count, rows))?;
    runner.end();
    Ok(Outcome::Clean)
}

/// The `count` nodes with the highest ranks, sorted by rank and then by number.
fn highest(ranks: &[u64], count: usize) -> Vec<(u32, u64)> {
    let sort_key = |&(node, rank): &(u32, u64)| (std::cmp::Reverse(rank), node);
    let mut nodes: Vec<(u32, u64)> = (0..).zip(ranks.iter().copied()).collect();
    if count < nodes.len() {
        nodes.select_nth_unstable_by_key(count, sort_key);
        nodes.truncate(count);
    }
    nodes.sort_unstable_by_key(sort_key);
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_sorted_by_rank_and_then_by_number() {
        let ranks = [5, 9, 5, 1, 9];
        assert_eq!(highest(&ranks, 9), [(1, 9), (4, 9), (0, 5), (2, 5), (3, 1)]);
        assert_eq!(highest(&ranks, 3), [(1, 9), (4, 9), (0, 5)]);
        assert!(highest(&ranks, 0).is_empty() && highest(&[], 3).is_empty());
    }
}
