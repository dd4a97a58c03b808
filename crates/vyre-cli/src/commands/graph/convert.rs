//! `vyre graph convert`: from one format to another.

use vyre::graph::{CsrGraph, GraphView};

use crate::args::graph::ConvertArgs;
use crate::exit::Outcome;
use crate::graph::{Bar, LoadedGraph, Target, check_stdin};

pub(crate) fn run(args: &ConvertArgs) -> anyhow::Result<Outcome> {
    let ConvertArgs { file, written, transpose, read } = args;
    check_stdin([Some(&**file), read.nodes.as_deref()])?;
    let inputs: Vec<_> = [Some(&**file), read.nodes.as_deref()].into_iter().flatten().collect();
    let target = Target::new(written, &inputs)?;
    let bar = Bar::new(written.quiet);
    let graph = LoadedGraph::read(file, read, &bar)?;
    if *transpose {
        let Turned { csr, weights } = Turned::new(graph.view());
        let turned = GraphView { csr: csr.view(), weights: weights.as_deref(), names: graph.view().names };
        target.write(turned, written.quiet, &bar)?;
    } else {
        target.write(graph.view(), written.quiet, &bar)?;
    }
    Ok(Outcome::Clean)
}

/// Transposes a graph.
struct Turned {
    csr: CsrGraph,
    weights: Option<Vec<u32>>,
}

impl Turned {
    fn new(graph: GraphView<'_>) -> Turned {
        match graph.weights {
            Some(weights) => {
                let (csr, weights) = graph.csr.transposed_with_weights(weights);
                Turned { csr, weights: Some(weights) }
            }
            None => Turned { csr: graph.csr.transposed(), weights: None },
        }
    }
}
