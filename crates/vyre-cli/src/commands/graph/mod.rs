//! The commands of `vyre graph`. Each has its own file.

mod bfs;
mod convert;
mod counts;
mod dominators;
mod generate;
mod info;
mod labels;
mod pagerank;
mod path;
mod reach;
mod search;
mod simplify;
mod subgraph;
mod taint;
mod toposort;

use crate::args::graph::{GraphArgs, GraphCommand};
use crate::exit::Outcome;
use crate::graph::{print_clock, start_clock};
use crate::output::print_note;

pub(crate) fn run(args: GraphArgs) -> anyhow::Result<Outcome> {
    let method = args.command.explained_method();
    if args.time || method.is_some() {
        start_clock();
    }
    let outcome = run_command(args.command)?;
    if let Some(method) = method {
        print_note(&format!("method: {method}, on the host"));
    }
    print_clock(if args.time { "time" } else { "stages" }, args.time);
    Ok(outcome)
}

fn run_command(command: GraphCommand) -> anyhow::Result<Outcome> {
    match command {
        GraphCommand::Info(args) => info::run(&args),
        GraphCommand::Convert(args) => convert::run(&args),
        GraphCommand::Generate(args) => generate::run(&args),
        GraphCommand::Bfs(args) => bfs::run(&args),
        GraphCommand::Reach(args) => reach::run(&args),
        GraphCommand::Taint(args) => taint::run(&args),
        GraphCommand::Components(args) => labels::components(&args),
        GraphCommand::Scc(args) => labels::scc(&args),
        GraphCommand::Toposort(args) => toposort::run(&args),
        GraphCommand::Path(args) => path::run(&args),
        GraphCommand::Pagerank(args) => pagerank::run(&args),
        GraphCommand::Dominators(args) => dominators::run(&args),
        GraphCommand::Kcore(args) => counts::kcore(&args),
        GraphCommand::Triangles(args) => counts::count_triangles(&args),
        GraphCommand::Simplify(args) => simplify::run(&args),
        GraphCommand::Subgraph(args) => subgraph::run(&args),
    }
}
