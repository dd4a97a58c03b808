//! Transfer functions applied to edges apart from a search.

use vyre_graph::CsrView;
use vyre_ir::build::{ProgramBuilder, invocation_id, num_workgroups, select};
use vyre_ir::{DataType, Program};
use vyre_runtime::{Bindings, CommandList};

use super::error::DataflowError;
use super::runner::Runner;
use super::transfer::{Edge, Metadata, Transfer};

const WORKGROUP: u32 = 64;

/// An edge that facts may go along.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) current: u32,
    pub(crate) target: u32,
    pub(crate) edge: u32,
    pub(crate) facts: u32,
}

/// Which facts arrive at the end of each edge.
pub(crate) fn ask(
    bench: &Runner,
    transfer: &Transfer,
    source: u32,
    edges: &[Candidate],
    (metadata, by_edge): (&[u32], bool),
) -> Result<Vec<u32>, DataflowError> {
    let word = |edge: &Candidate| metadata[if by_edge { edge.edge } else { edge.target } as usize];
    let inputs: Vec<u32> = edges.iter().flat_map(|edge| [edge.current, edge.target, word(edge), edge.facts]).collect();
    let key = format!("ask.{}", vyre_ir::text::print(transfer.program()));
    let pipeline = bench.pipeline(key, transfer.table(), || asking(transfer))?;
    let (source, inputs, results) = (bench.words(&[source])?, bench.words(&inputs)?, bench.zeros(edges.len() as u64)?);
    let mut commands = CommandList::new();
    let workgroups = (edges.len() as u32).div_ceil(WORKGROUP);
    commands.dispatch(&pipeline, &Bindings::in_order([&source, &inputs, &results]), [workgroups, 1, 1]);
    bench.run(&commands)?;
    Ok(bench.read(&results)?)
}

fn asking(transfer: &Transfer) -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let [source, inputs] = ["source", "inputs"].map(|name| p.read(name, DataType::U32));
    let results = p.read_write("results", DataType::U32);
    p.entry(|b| {
        let place = b.let_("place", invocation_id(0));
        b.if_(place.lt(results.len()), |b| {
            let [current, target, metadata, facts] = [0u32, 1, 2, 3].map(|at| inputs.load(&place * 4u32 + at));
            let facts = b.let_("facts", facts);
            let edge = Edge { source: source.load(0u32), current, target, metadata };
            let result = transfer.call(edge, (&facts).into());
            let result = if transfer.carries_facts() { result } else { select(result.ne(0u32), &facts, 0u32) };
            b.store(&results, &place, result);
        });
    })
}

/// A word for each edge: 0 where the function blocks it.
pub(crate) fn apply(bench: &Runner, graph: CsrView<'_>, transfer: &Transfer) -> Result<Vec<u32>, DataflowError> {
    let by_edge = matches!(transfer.metadata, Metadata::Edges(_));
    let metadata = match &transfer.metadata {
        Metadata::NodeData => graph.node_data,
        Metadata::Nodes(words) | Metadata::Edges(words) => words,
    };
    let key = format!("filter.{by_edge}.{}", vyre_ir::text::print(transfer.program()));
    let pipeline = bench.pipeline(key, transfer.table(), || program(transfer, by_edge))?;
    let results = bench.zeros(graph.edge_count() as u64)?;
    let (offsets, targets, metadata) =
        (bench.words(graph.offsets)?, bench.words(graph.targets)?, bench.words(metadata)?);
    let workgroups = (graph.node_count() as u32).div_ceil(WORKGROUP).clamp(1, 4096);
    let mut commands = CommandList::new();
    commands.dispatch(&pipeline, &Bindings::in_order([&offsets, &targets, &metadata, &results]), [workgroups, 1, 1]);
    bench.run(&commands)?;
    Ok(bench.read(&results)?)
}

fn program(transfer: &Transfer, by_edge: bool) -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let [offsets, targets, metadata] = ["offsets", "targets", "metadata"].map(|name| p.read(name, DataType::U32));
    let results = p.read_write("results", DataType::U32);
    p.entry(|b| {
        let nodes = b.let_("nodes", offsets.len() - 1u32);
        let stride = b.let_("stride", num_workgroups(0) * WORKGROUP);
        b.for_("round", 0u32, &nodes / &stride + 1u32, |b, round| {
            let node = b.let_("node", round * &stride + invocation_id(0));
            b.if_(node.lt(&nodes), |b| {
                b.for_("edge", offsets.load(&node), offsets.load(&node + 1u32), |b, edge| {
                    let target = b.let_("target", targets.load(edge));
                    let place = if by_edge { edge } else { &target };
                    let metadata = metadata.load(place);
                    // The function does not look at the source.
                    let inputs =
                        Edge { source: 0u32.into(), current: (&node).into(), target: (&target).into(), metadata };
                    b.store(&results, edge, transfer.call(inputs, 1u32.into()));
                });
            });
        });
    })
}
