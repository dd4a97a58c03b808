//! `vyre graph convert`: converts a graph to another format.

use vyre::graph::{CsrGraph, GraphView};

use crate::args::graph::ConvertArgs;
use crate::exit::Outcome;
use crate::graph::{Bar, GraphOutput, LoadedGraph, WeightUse, check_stdin};

pub(crate) fn run(args: &ConvertArgs) -> anyhow::Result<Outcome> {
    let ConvertArgs { file, written, transpose, read } = args;
    check_stdin([Some(&**file), read.nodes.as_deref()])?;
    let inputs: Vec<_> = [Some(&**file), read.nodes.as_deref()].into_iter().flatten().collect();
    let output = GraphOutput::new(written, &inputs)?;
    let bar = Bar::new(written.quiet);
    let graph = LoadedGraph::read(file, read, WeightUse::IfValid, &bar)?;
    if *transpose {
        bar.working("transposing");
        let Transposed { csr, weights } = Transposed::new(graph.view());
        let transposed = GraphView { csr: csr.view(), weights: weights.as_deref(), names: graph.view().names };
        output.write(transposed, written.quiet, &bar)?;
    } else {
        output.write(graph.view(), written.quiet, &bar)?;
    }
    Ok(Outcome::Clean)
}

/// The transposed graph, with its weights.
struct Transposed {
    csr: CsrGraph,
    weights: Option<Vec<u32>>,
}

impl Transposed {
    fn new(graph: GraphView<'_>) -> Transposed {
        match graph.weights {
            Some(weights) => {
                let (csr, weights) = graph.csr.transposed_with_weights(weights);
                Transposed { csr, weights: Some(weights) }
            }
            None => Transposed { csr: graph.csr.transposed(), weights: None },
        }
    }
}
