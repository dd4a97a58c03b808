//! `vyre graph dominators`: what lies on every path to a node.

use std::path::Path;

use vyre::graph::analysis::{NO_DOMINATOR, dominators};

use crate::args::graph::DominatorsArgs;
use crate::exit::Outcome;
use crate::graph::{Bar, Cell, Column, LoadedGraph, Table, TableBody, WeightUse, check_output, check_stdin, sources};
use crate::output::{print_note, quantity};

pub(crate) fn run(args: &DominatorsArgs) -> anyhow::Result<Outcome> {
    let DominatorsArgs { file, results, read, .. } = args;
    check_stdin([Some(&**file), read.nodes.as_deref(), args.from.as_deref().map(Path::new)])?;
    check_output(results, file, read)?;
    let bar = Bar::new(results.quiet);
    let graph = LoadedGraph::read(file, read, WeightUse::None, &bar)?.reversed(args.reverse);
    let roots = sources(&graph, args.from.as_deref(), &bar)?;
    bar.working("searching");
    let found = dominators(graph.view().csr, &roots);
    bar.clear();
    let rows = || (0..).zip(&found).filter(|(_, dominator)| **dominator != NO_DOMINATOR);
    let count = rows().count();
    if !results.quiet {
        print_note(&format!("{} with a dominator", quantity(count, "node")));
    }
    let columns = [Column::node("node", "node_name"), Column::node("dominator", "dominator_name")];
    let table = Table { graph: &graph, runner: None, count: count as u64, fields: Vec::new(), columns };
    let cells = rows().map(|(node, &dominator)| [Cell::Node(node), Cell::Node(dominator)]);
    table.write(results, TableBody::rows_or_count(args.count, table.count, cells))?;
    Ok(Outcome::Clean)
}
