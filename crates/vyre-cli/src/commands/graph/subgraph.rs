//! `vyre graph subgraph`: a part of a graph, as a graph.

use std::path::Path;

use anyhow::bail;
use vyre::graph::analysis::{Direction, between, induced, neighbourhood};
use vyre::graph::{GraphView, role_of};

use crate::args::graph::{DirectionArg, SubgraphArgs};
use crate::exit::Outcome;
use crate::graph::{Bar, GraphOutput, LoadedGraph, WeightUse, check_stdin, names_of, selected, set_sinks, sources};
use crate::output::{print_note, quantity};

pub(crate) fn run(args: &SubgraphArgs) -> anyhow::Result<Outcome> {
    let SubgraphArgs { file, written, read, .. } = args;
    let inputs = [Some(&**file), read.nodes.as_deref()];
    let selected = args.around.iter().chain(&args.sources).chain(&args.sinks).map(|text| Some(Path::new(text)));
    check_stdin(inputs.into_iter().chain(selected))?;
    let output = GraphOutput::new(written, &inputs.into_iter().flatten().collect::<Vec<_>>())?;
    let bar = Bar::new(written.quiet);
    let mut graph = LoadedGraph::read(file, read, WeightUse::IfValid, &bar)?;
    let is_kept = kept(args, &mut graph, &bar)?;
    let view = graph.view();
    bar.working("selecting");
    let part = induced(view.csr, view.weights, &is_kept);
    let names = names_of(view, &part.nodes)?;
    let result = GraphView { csr: part.csr.view(), weights: part.weights.as_deref(), names: Some(names.view()) };
    output.write(result, written.quiet, &bar)?;
    if !written.quiet {
        let (nodes, edges) = (quantity(part.nodes.len(), "node"), quantity(part.csr.edge_count(), "edge"));
        print_note(&format!("{nodes} and {edges}"));
    }
    Ok(if part.nodes.is_empty() { Outcome::Findings } else { Outcome::Clean })
}

/// Marks the nodes of the part.
fn kept(args: &SubgraphArgs, graph: &mut LoadedGraph, bar: &Bar) -> anyhow::Result<Vec<bool>> {
    if let Some(around) = &args.around {
        let starts = selected(graph, "--around", around, bar)?;
        let direction = match args.direction {
            DirectionArg::Out => Direction::Forward,
            DirectionArg::In => Direction::Backward,
            DirectionArg::Both => Direction::Both,
        };
        return Ok(neighbourhood(graph.view().csr, &starts, args.depth.unwrap_or(u32::MAX), direction));
    }
    set_sinks(graph, &args.sinks, &[], bar)?;
    let view = graph.view().csr;
    let sinks: Vec<u32> =
        (0..).zip(view.node_data).filter(|(_, word)| role_of(**word).is_sink()).map(|(node, _)| node).collect();
    if sinks.is_empty() {
        bail!("no node has the role sink; name sinks with `--sinks`, or nodes in the middle with `--around`");
    }
    let sources = sources(graph, args.sources.as_deref(), bar)?;
    let [begins, ends] = if args.reverse { [&sinks, &sources] } else { [&sources, &sinks] };
    Ok(between(view, begins, ends))
}
