//! `vyre graph simplify`: a graph without self-loops and parallel edges.

use vyre::graph::GraphView;
use vyre::graph::analysis::simplified;

use crate::args::graph::SimplifyArgs;
use crate::exit::Outcome;
use crate::graph::{Bar, GraphOutput, LoadedGraph, WeightUse, check_stdin};
use crate::output::{print_note, quantity};

pub(crate) fn run(args: &SimplifyArgs) -> anyhow::Result<Outcome> {
    let SimplifyArgs { file, written, read } = args;
    let inputs = [Some(&**file), read.nodes.as_deref()];
    check_stdin(inputs)?;
    let output = GraphOutput::new(written, &inputs.into_iter().flatten().collect::<Vec<_>>())?;
    let bar = Bar::new(written.quiet);
    let graph = LoadedGraph::read(file, read, WeightUse::IfValid, &bar)?;
    let view = graph.view();
    bar.working("simplifying");
    let simple = simplified(view.csr, view.weights);
    let result = GraphView { csr: simple.csr.view(), weights: simple.weights.as_deref(), names: view.names };
    output.write(result, written.quiet, &bar)?;
    if !written.quiet {
        let (loops, parallel) =
            (quantity(simple.self_loops, "self-loop"), quantity(simple.parallel_edges, "parallel edge"));
        print_note(&format!("{loops} and {parallel} omitted"));
    }
    Ok(Outcome::Clean)
}
