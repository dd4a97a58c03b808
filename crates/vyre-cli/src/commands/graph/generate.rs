//! `vyre graph generate`: graphs for tests and measurements.

use vyre::graph::GraphView;
use vyre::graph::generate::{self, calls, rmat};

use crate::args::graph::{CallsArgs, GenerateArgs, GenerateCommand, RmatArgs};
use crate::exit::Outcome;
use crate::graph::{Bar, GraphOutput};
use crate::output::quantity;

pub(crate) fn run(args: &GenerateArgs) -> anyhow::Result<Outcome> {
    let (GenerateCommand::Rmat(RmatArgs { seeds, written, .. })
    | GenerateCommand::Calls(CallsArgs { seeds, written, .. })) = &args.command;
    let output = GraphOutput::new(written, &[])?;
    let bar = Bar::new(written.quiet);
    bar.working("generating");
    let mut graph = match &args.command {
        GenerateCommand::Rmat(args) => rmat(args.scale, args.edge_factor, seeds.seed)?,
        GenerateCommand::Calls(args) => calls(args.nodes, args.program, seeds.seed)?,
    };
    if let Some(seed) = seeds.roles {
        generate::roles(&mut graph, seed);
    }
    bar.note(&format!("{}, {}", quantity(graph.node_count(), "node"), quantity(graph.edge_count(), "edge")));
    output.write(GraphView::from(graph.view()), written.quiet, &bar)?;
    Ok(Outcome::Clean)
}
