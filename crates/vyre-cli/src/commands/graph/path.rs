//! `vyre graph path`: shortest paths.

use std::path::Path;

use serde_json::{Value, json};
use vyre::engine::dataflow::cost::{Algorithm, AlgorithmWorkload};
use vyre::ops::graph::{ShortestPath, ShortestPathTree, UNREACHED};

use crate::args::graph::{PathArgs, ResultFormat};
use crate::exit::Outcome;
use crate::graph::{
    Bar, Cell, CellKind, Column, LoadedGraph, PathEnds, Plan, Runner, Table, TableBody, WeightUse, check_output,
    check_stdin, open, path_ends, to_destination, write_path,
};
use crate::output::{number, print_note, quantity, visible};

/// Maximum number of listed ends that are not reached.
const MAX_LISTED: usize = 10;

/// Columns of paths. Distances of scaled weights are real numbers.
fn columns(args: &PathArgs, graph: &LoadedGraph) -> [Column; 2] {
    let kind = match length(args, graph, 0) {
        Cell::Real(_) => CellKind::Real,
        _ => CellKind::Number,
    };
    [Column::node("node", "node_name"), Column::number("distance").of(kind)]
}

pub(crate) fn run(args: &PathArgs) -> anyhow::Result<Outcome> {
    let PathArgs { file, results, device, read, .. } = args;
    let ends = args.from.iter().chain(&args.to).map(|text| Some(Path::new(text)));
    check_stdin([Some(&**file), read.nodes.as_deref()].into_iter().chain(ends))?;
    check_output(results, file, read)?;
    let limit = Runner::start(device);
    let plan = Plan::new(args.explain.explain);
    let bar = Bar::new(results.quiet);
    let weight_use = if args.unweighted { WeightUse::None } else { WeightUse::Needed };
    let (choice, graph) = open(file, read, weight_use, device, &bar)?;
    let graph = graph.reversed(args.reverse);
    let view = graph.view();
    let PathEnds { nodes: starts, .. } = path_ends(&graph, "--from", &args.from, &bar)?;
    let ends = path_ends(&graph, "--to", &args.to, &bar)?;
    let weights = if args.unweighted { None } else { view.weights };
    if let (Some(scale), Some(_)) = (read.weight_scale, weights) {
        bar.note(&format!(
            "weights are rounded to multiples of {}: each is off by at most {}, a distance by that for each edge of its path",
            1.0 / scale.get(),
            scale.max_error()
        ));
    }
    let workload = AlgorithmWorkload::new(Algorithm::ShortestPath, graph.view().csr, 1);
    let runner = Runner::new(choice, Some(&workload), plan, device, limit, results.quiet, &bar)?;
    let algorithms = runner.algorithms(view.csr);
    let outcome = match ends.nodes[..] {
        [] => {
            let found = algorithms.and_then(|algorithms| algorithms.shortest_paths(weights, &starts));
            write_distances(args, &graph, &runner, &runner.finish(found)?)?
        }
        [end] if ends.is_single => {
            let found = algorithms.and_then(|algorithms| algorithms.shortest_path_to(weights, &starts, end));
            match runner.finish(found)? {
                Some(path) => write_shortest_path(args, &graph, &runner, &path)?,
                None => write_no_path(args, &graph, &runner)?,
            }
        }
        ref ends => {
            let found = algorithms.and_then(|algorithms| algorithms.shortest_paths_to(weights, &starts, ends));
            write_paths(args, &graph, &runner, ends, &runner.finish(found)?)?
        }
    };
    runner.end();
    Ok(outcome)
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
    let table = Table { graph, runner: Some(runner), count: count as u64, fields, columns: columns(args, graph) };
    let rows = reached().map(|(node, distance)| [Cell::Node(node), length(args, graph, distance)]);
    table.write(&args.results, TableBody::rows_or_count(args.count, table.count, rows))?;
    Ok(Outcome::Clean)
}

fn write_shortest_path(
    args: &PathArgs,
    graph: &LoadedGraph,
    runner: &Runner,
    path: &ShortestPath,
) -> anyhow::Result<Outcome> {
    let ShortestPath { nodes, distances, .. } = path;
    let distance = distances.last().copied().unwrap_or_default();
    // A reversed path is printed in the direction of its edges.
    let at = |position: usize| if args.reverse { nodes.len() - 1 - position } else { position };
    let nodes: Vec<u32> = (0..nodes.len()).map(|position| nodes[at(position)]).collect();
    let distances: Vec<u32> = (0..nodes.len()).map(|position| distances[at(position)]).collect();
    if matches!(args.results.format(), ResultFormat::Table | ResultFormat::Text) && !args.count {
        to_destination(&args.results, |out| {
            writeln!(out, "distance: {}", json_length(args, graph, distance))?;
            write_path(out, "path: ", graph, args.results.width(), nodes.iter().copied())
        })?;
        return Ok(Outcome::Clean);
    }
    let fields = vec![("distance", json_length(args, graph, distance))];
    let table = Table {
        graph,
        runner: Some(runner),
        count: nodes.len().saturating_sub(1) as u64,
        fields,
        columns: columns(args, graph),
    };
    let rows = nodes.iter().zip(&distances).map(|(&node, &distance)| [Cell::Node(node), length(args, graph, distance)]);
    table.write(&args.results, TableBody::rows_or_count(args.count, table.count, rows))?;
    Ok(Outcome::Clean)
}

/// Writes a row for each end that is reached, and reports the others.
fn write_paths(
    args: &PathArgs,
    graph: &LoadedGraph,
    runner: &Runner,
    ends: &[u32],
    tree: &ShortestPathTree,
) -> anyhow::Result<Outcome> {
    let (reached, unreached): (Vec<u32>, Vec<u32>) = ends.iter().partition(|&&end| tree.distance(end).is_some());
    let names = graph.view().names;
    if !args.results.quiet {
        print_note(&format!("{} of {} reached", number(reached.len()), quantity(ends.len(), "end")));
        for &end in unreached.iter().take(MAX_LISTED) {
            let name = names.and_then(|names| names.name(end)).map_or_else(|| end.to_string(), str::to_owned);
            print_note(&no_path(args, &name));
        }
        if let Some(more @ 1..) = unreached.len().checked_sub(MAX_LISTED) {
            print_note(&format!("there is no path to {} either", quantity(more, "other end")));
        }
    }
    let mut fields = vec![("distance", Value::Null), ("unreached", json!(unreached))];
    if let Some(names) = names {
        let unreached: Vec<&str> = unreached.iter().filter_map(|&end| names.name(end)).collect();
        fields.push(("unreached_names", json!(unreached)));
    }
    let [node, distance] = columns(args, graph);
    let columns = [node, distance, Column::path("path", "path_names")];
    let table = Table { graph, runner: Some(runner), count: reached.len() as u64, fields, columns };
    let rows = reached.iter().filter_map(|&end| {
        let ShortestPath { mut nodes, distances, .. } = tree.path_to(end)?;
        if args.reverse {
            nodes.reverse();
        }
        Some([Cell::Node(end), length(args, graph, distances.last().copied()?), Cell::Path(nodes)])
    });
    table.write(&args.results, TableBody::rows_or_count(args.count, table.count, rows))?;
    Ok(if unreached.is_empty() { Outcome::Clean } else { Outcome::Findings })
}

/// Note about an end without a path.
fn no_path(args: &PathArgs, end: &str) -> String {
    let from = args.from.join(", ");
    let [begin, end] = if args.reverse { [end, &*from] } else { [&*from, end] };
    format!("there is no path from {} to {}", visible(begin), visible(end))
}

/// A distance. With a scale it is the real number that the sum of scaled weights stands for.
fn length(args: &PathArgs, graph: &LoadedGraph, distance: u32) -> Cell {
    match args.read.weight_scale {
        Some(scale) if graph.view().weights.is_some() => Cell::Real(scale.real(distance)),
        _ => Cell::Number(distance),
    }
}

/// A distance as JSON.
fn json_length(args: &PathArgs, graph: &LoadedGraph, distance: u32) -> Value {
    match length(args, graph, distance) {
        Cell::Real(distance) => distance.into(),
        _ => distance.into(),
    }
}

fn write_no_path(args: &PathArgs, graph: &LoadedGraph, runner: &Runner) -> anyhow::Result<Outcome> {
    if !args.results.quiet {
        print_note(&no_path(args, &args.to.join(", ")));
    }
    let table = Table {
        graph,
        runner: Some(runner),
        count: 0,
        fields: vec![("distance", Value::Null)],
        columns: columns(args, graph),
    };
    table.write(&args.results, TableBody::rows_or_count(args.count, 0, std::iter::empty()))?;
    Ok(Outcome::Findings)
}
