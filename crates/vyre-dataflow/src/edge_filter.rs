//! Evaluation of transfer functions outside a search: edge filtering for all sources, and batches of edges.

use vyre_graph::CsrView;
use vyre_ir::build::{ProgramBuilder, invocation_id, num_workgroups, select};
use vyre_ir::{DataType, Program};
use vyre_runtime::{Bindings, CommandList};

use crate::error::DataflowError;
use crate::executor::Executor;
use crate::transfer::{Edge, Transfer};

const WORKGROUP: u32 = 64;
/// Maximum number of workgroups of the edge filter.
const MAX_WORKGROUPS: u32 = 4096;
/// Words of an edge in the buffer `inputs` of [`evaluate`]: source, current node, target node, metadata, facts.
const INPUT_WORDS: u32 = 5;

/// An edge with the facts of a source at its beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CandidateEdge {
    pub(crate) source: u32,
    pub(crate) current: u32,
    pub(crate) target: u32,
    /// Index of the edge in the graph.
    pub(crate) edge: u32,
    pub(crate) facts: u32,
}

/// Evaluates a transfer function. Returns the facts that arrive at the end of each edge.
pub(crate) fn evaluate(
    executor: &Executor,
    graph: CsrView<'_>,
    transfer: &Transfer,
    edges: &[CandidateEdge],
) -> Result<Vec<u32>, DataflowError> {
    let (metadata, by_edge) = (transfer.metadata.words(graph), transfer.metadata.is_by_edge());
    let word = |edge: &CandidateEdge| metadata[if by_edge { edge.edge } else { edge.target } as usize];
    let words = |edge: &CandidateEdge| [edge.source, edge.current, edge.target, word(edge), edge.facts];
    let inputs: Vec<u32> = edges.iter().flat_map(words).collect();
    let key = format!("evaluate.{}", vyre_ir::text::print(transfer.program()));
    let pipeline = executor.pipeline(key, transfer.table(), || evaluation_program(transfer))?;
    let (inputs, results) = (executor.words(&inputs)?, executor.zeros(edges.len() as u64)?);
    let mut commands = CommandList::new();
    let workgroups = (edges.len() as u32).div_ceil(WORKGROUP);
    commands.dispatch(&pipeline, &Bindings::in_order([&inputs, &results]), [workgroups, 1, 1]);
    executor.run(&commands)?;
    Ok(executor.read(&results)?)
}

fn evaluation_program(transfer: &Transfer) -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let inputs = p.read("inputs", DataType::U32);
    let results = p.read_write("results", DataType::U32);
    p.entry(|b| {
        let index = b.let_("index", invocation_id(0));
        b.if_(index.lt(results.len()), |b| {
            let [source, current, target, metadata, facts] =
                [0u32, 1, 2, 3, 4].map(|at| inputs.load(&index * INPUT_WORDS + at));
            let facts = b.let_("facts", facts);
            let edge = Edge { source, current, target, metadata };
            let result = transfer.call(edge, (&facts).into());
            let result = if transfer.carries_facts() { result } else { select(result.ne(0u32), &facts, 0u32) };
            b.store(&results, &index, result);
        });
    })
}

/// Applies a transfer function that depends on neither source nor facts. Returns a word for each edge: 0 if it is blocked.
pub(crate) fn apply(executor: &Executor, graph: CsrView<'_>, transfer: &Transfer) -> Result<Vec<u32>, DataflowError> {
    let by_edge = transfer.metadata.is_by_edge();
    let key = format!("filter.{by_edge}.{}", vyre_ir::text::print(transfer.program()));
    let pipeline = executor.pipeline(key, transfer.table(), || filter_program(transfer, by_edge))?;
    let results = executor.zeros(graph.edge_count() as u64)?;
    let (offsets, targets) = (executor.words(graph.offsets)?, executor.words(graph.targets)?);
    let metadata = executor.words(transfer.metadata.words(graph))?;
    let workgroups = (graph.node_count() as u32).div_ceil(WORKGROUP).clamp(1, MAX_WORKGROUPS);
    let mut commands = CommandList::new();
    commands.dispatch(&pipeline, &Bindings::in_order([&offsets, &targets, &metadata, &results]), [workgroups, 1, 1]);
    executor.run(&commands)?;
    Ok(executor.read(&results)?)
}

fn filter_program(transfer: &Transfer, by_edge: bool) -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let [offsets, targets, metadata] = ["offsets", "targets", "metadata"].map(|name| p.read(name, DataType::U32));
    let results = p.read_write("results", DataType::U32);
    p.entry(|b| {
        let nodes = b.let_("nodes", offsets.len() - 1u32);
        let stride = b.let_("stride", num_workgroups(0) * WORKGROUP);
        b.for_("iteration", 0u32, &nodes / &stride + 1u32, |b, iteration| {
            let node = b.let_("node", iteration * &stride + invocation_id(0));
            b.if_(node.lt(&nodes), |b| {
                b.for_("edge", offsets.load(&node), offsets.load(&node + 1u32), |b, edge| {
                    let target = b.let_("target", targets.load(edge));
                    let index = if by_edge { edge } else { &target };
                    let metadata = metadata.load(index);
                    // The function does not load the source.
                    let inputs =
                        Edge { source: 0u32.into(), current: (&node).into(), target: (&target).into(), metadata };
                    b.store(&results, edge, transfer.call(inputs, 1u32.into()));
                });
            });
        });
    })
}
