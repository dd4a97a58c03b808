//! `vyre graph toposort`: a topological order, or a cycle.

use std::io::{self, Write};

use serde_json::Value;
use vyre::engine::dataflow::cost::{Algorithm, AlgorithmWorkload};
use vyre::ops::graph::{GraphError, TopologicalOrder};

use crate::args::graph::{ResultFormat, ToposortArgs};
use crate::exit::Outcome;
use crate::graph::{
    Bar, Cell, Column, LoadedGraph, Plan, Runner, Table, TableBody, WeightUse, check_output, check_stdin, open,
    to_destination, write_path,
};
use crate::output::{print_note, quantity};
use crate::termination::{Phase, enter};

pub(crate) fn run(args: &ToposortArgs) -> anyhow::Result<Outcome> {
    let ToposortArgs { file, results, device, read, .. } = args;
    check_stdin([Some(&**file), read.nodes.as_deref()])?;
    check_output(results, file, read)?;
    let limit = Runner::start(device);
    let plan = Plan::new(args.explain.explain);
    let bar = Bar::new(results.quiet);
    let (choice, graph) = open(file, read, WeightUse::None, device, &bar)?;
    let graph = graph.reversed(args.reverse);
    let workload = AlgorithmWorkload::new(Algorithm::Toposort, graph.view().csr, 1);
    let runner = Runner::new(choice, Some(&workload), plan, device, limit, results.quiet, &bar)?;
    let outcome = match runner.algorithms(graph.view().csr).and_then(|algorithms| algorithms.toposort()) {
        Err(GraphError::Cycle { mut nodes }) => {
            if args.reverse {
                // A cycle is printed in the direction of its edges, from its smallest node.
                nodes.reverse();
                nodes.rotate_right(1);
            }
            runner.begin_writing();
            enter(Phase::Writing);
            write_cycle(args, &graph, &runner, &nodes)?;
            Outcome::Findings
        }
        result => {
            write_order(args, &graph, &runner, &runner.finish(result)?)?;
            Outcome::Clean
        }
    };
    runner.end();
    Ok(outcome)
}

fn write_order(
    args: &ToposortArgs,
    graph: &LoadedGraph,
    runner: &Runner,
    sorted: &TopologicalOrder,
) -> anyhow::Result<()> {
    let TopologicalOrder { levels, order } = sorted;
    let level = |node: u32| levels.get(node as usize).copied().unwrap_or_default();
    let count = order.last().map_or(0, |&last| u64::from(level(last)) + 1);
    if !args.results.quiet {
        print_note(&format!("{} in {}", quantity(order.len(), "node"), quantity(count as usize, "level")));
    }
    let columns = [Column::node("node", "node_name"), Column::number("level")];
    let table = Table { graph, runner: Some(runner), count, fields: vec![("cycle", Value::Null)], columns };
    let rows = order.iter().map(|&node| [Cell::Node(node), Cell::Number(level(node))]);
    table.write(&args.results, TableBody::rows_or_count(args.count, count, rows))
}

fn write_cycle(args: &ToposortArgs, graph: &LoadedGraph, runner: &Runner, nodes: &[u32]) -> anyhow::Result<()> {
    if !args.results.quiet {
        print_note(&format!("there is no order: the graph has a cycle of {}", quantity(nodes.len(), "node")));
    }
    let mut fields = vec![("cycle", nodes.into())];
    if let Some(names) = graph.view().names {
        fields.push(("cycle_names", nodes.iter().map(|&node| names.name(node)).collect()));
    }
    let table = Table { graph, runner: Some(runner), count: 0, fields, columns: [Column::node("cycle", "cycle_name")] };
    match args.results.format() {
        ResultFormat::Json if args.count => {
            table.write(&args.results, TableBody::<std::iter::Empty<_>>::Totals(Vec::new()))
        }
        _ if args.count => {
            if !args.results.quiet {
                let mut line = Vec::new();
                cycle_line(&mut line, graph, None, nodes)?;
                print_note(String::from_utf8_lossy(&line).trim_end());
            }
            table.write(&args.results, TableBody::rows_or_count(true, 0, std::iter::empty()))
        }
        ResultFormat::Table | ResultFormat::Text => {
            to_destination(&args.results, |out| cycle_line(out, graph, args.results.width(), nodes))
        }
        ResultFormat::Json => table.write(&args.results, TableBody::Rows(std::iter::empty())),
        _ => table.write(&args.results, TableBody::Rows(nodes.iter().map(|&node| [Cell::Node(node)]))),
    }
}

fn cycle_line(out: &mut dyn Write, graph: &LoadedGraph, width: Option<usize>, nodes: &[u32]) -> io::Result<()> {
    write_path(out, "cycle: ", graph, width, nodes.iter().chain(nodes.first()).copied())
}
