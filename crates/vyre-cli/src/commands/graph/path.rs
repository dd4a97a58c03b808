//! `vyre graph path`: shortest paths.

use serde_json::Value;
use vyre::ops::graph::{UNREACHED, shortest_path};

use crate::args::graph::{PathArgs, ResultFormat};
use crate::exit::Outcome;
use crate::graph::{
    Bar, Cell, Column, LoadedGraph, Runner, Table, TableBody, check_output, check_stdin, node, open, to_destination,
    write_path,
};
use crate::output::{number, print_note, quantity, visible};

const COLUMNS: [Column; 2] = [Column::node("node", "node_name"), Column::number("distance")];

pub(crate) fn run(args: &PathArgs) -> anyhow::Result<Outcome> {
    let PathArgs { file, results, device, read, .. } = args;
    check_stdin([Some(&**file), read.nodes.as_deref()])?;
    check_output(results, file, read)?;
    let limit = Runner::start(device);
    let bar = Bar::new(results.quiet);
    let (selected, graph) = open(file, read, device, &bar)?;
    let graph = graph.reversed(args.reverse);
    let view = graph.view();
    let starts: Vec<u32> = args.from.iter().map(|text| node(&graph, "--from", text)).collect::<anyhow::Result<_>>()?;
    let end = args.to.as_deref().map(|text| node(&graph, "--to", text)).transpose()?;
    let weights = if args.unweighted { None } else { view.weights };
    let runner = Runner::new(selected, device, limit, results.quiet, &bar);
    let on_device = runner.algorithms(view.csr);
    let distances = runner.finish(on_device.and_then(|on_device| on_device.shortest_paths(weights, &starts)))?;
    match end {
        None => write_distances(args, &graph, &runner, &distances),
        Some(end) => match shortest_path(view.csr, weights, &distances, &starts, end) {
            Some(path) => write_shortest_path(args, &graph, &runner, &distances, &path),
            None => write_no_path(args, &graph, &runner),
        },
    }
}

fn write_distances(
    args: &PathArgs,
    graph: &LoadedGraph,
    runner: &Runner,
    distances: &[u32],
) -> anyhow::Result<Outcome> {
    let reached = || (0..).zip(distances.iter().copied()).filter(|&(_, distance)| distance != UNREACHED);
    let count = reached().count();
    if !args.results.quiet {
        print_note(&format!("{} of {} reached", number(count), quantity(distances.len(), "node")));
    }
    let fields = vec![("distance", Value::Null)];
    let table = Table { graph, runner, count: count as u64, fields, columns: COLUMNS };
    let rows = reached().map(|(node, distance)| [Cell::Node(node), Cell::Number(distance)]);
    table.write(&args.results, TableBody::rows_or_count(args.count, table.count, rows))?;
    Ok(Outcome::Clean)
}

fn write_shortest_path(
    args: &PathArgs,
    graph: &LoadedGraph,
    runner: &Runner,
    distances: &[u32],
    path: &[u32],
) -> anyhow::Result<Outcome> {
    let distance_of = |node: u32| distances.get(node as usize).copied().unwrap_or(UNREACHED);
    let distance = path.last().map_or(0, |&end| distance_of(end));
    // A reversed path is printed in the direction of its edges.
    let in_order = |position: usize| path[if args.reverse { path.len() - 1 - position } else { position }];
    let path: Vec<u32> = (0..path.len()).map(in_order).collect();
    if matches!(args.results.format(), ResultFormat::Table | ResultFormat::Text) && !args.count {
        to_destination(&args.results, |out| {
            writeln!(out, "distance: {distance}")?;
            write_path(out, "path: ", graph, args.results.width(), path.iter().copied())
        })?;
        return Ok(Outcome::Clean);
    }
    let fields = vec![("distance", distance.into())];
    let table = Table { graph, runner, count: path.len().saturating_sub(1) as u64, fields, columns: COLUMNS };
    let rows = path.iter().map(|&node| [Cell::Node(node), Cell::Number(distance_of(node))]);
    table.write(&args.results, TableBody::rows_or_count(args.count, table.count, rows))?;
    Ok(Outcome::Clean)
}

fn write_no_path(args: &PathArgs, graph: &LoadedGraph, runner: &Runner) -> anyhow::Result<Outcome> {
    let (from, to) = (args.from.join(", "), args.to.as_deref().unwrap_or_default());
    if !args.results.quiet {
        let [begin, end] = if args.reverse { [to, &*from] } else { [&*from, to] };
        print_note(&format!("there is no path from {} to {}", visible(begin), visible(end)));
    }
    let table = Table { graph, runner, count: 0, fields: vec![("distance", Value::Null)], columns: COLUMNS };
    table.write(&args.results, TableBody::rows_or_count(args.count, 0, std::iter::empty()))?;
    Ok(Outcome::Findings)
}
