//! `graph.toposort`: topological order by Kahn's algorithm (1962), level by level, or a cycle as a proof that there is none.
//!
//! A node is ready when all its predecessors are done. Its level is the length of a longest path to it, so levels do not depend on
//! the order in which nodes become ready.

use vyre_graph::CsrView;
use vyre_ir::build::{ProgramBuilder, invocation_id};
use vyre_ir::{AtomicOp, DataType, Expr, Program};
use vyre_runtime::{Bindings, Buffer, Command, CommandList, Error};

use super::checkpoint::Checkpoint;
use super::device::{Edges, GraphOnDevice, GraphOps, grid_for};
use super::error::GraphError;
use super::frontier::{self, Frontier, FrontierQueue};
use super::rounds::{self, Width};
use crate::op::BUFFER_OP;
use crate::{Op, ProgramVariant};

pub(crate) const OP: Op = Op {
    id: "graph.toposort",
    summary: "For each node the length of a longest path to it, which defines a topological order; or a cycle.",
    canonical: narrow,
    stages: &[
        ProgramVariant { name: "degrees", build: degrees },
        ProgramVariant { name: "roots", build: roots },
        ProgramVariant { name: "narrow", build: narrow },
        ProgramVariant { name: "wide", build: wide },
    ],
    ..BUFFER_OP
};

const WORKGROUP: u32 = 256;

/// Level of nodes on a cycle and of nodes that a cycle reaches.
pub(crate) const NO_LEVEL: u32 = u32::MAX;

/// Computes the in-degree of each node.
fn degrees() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let targets = p.read("targets", DataType::U32);
    let pending = p.read_write("pending", DataType::U32);
    p.entry(|b| {
        let edge = b.let_("edge", invocation_id(0));
        b.if_(edge.lt(targets.len()), |b| {
            b.discard(Expr::atomic(AtomicOp::Add, pending.name(), targets.load(&edge), 1u32));
        });
    })
}

/// Starts with the nodes of in-degree 0, which are level 0.
fn roots() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let pending = p.read("pending", DataType::U32);
    let levels = p.read_write("levels", DataType::U32);
    let queue = FrontierQueue::declare(&mut p);
    p.entry(|b| {
        let node = b.let_("node", invocation_id(0));
        b.if_(node.lt(levels.len()).and(pending.load(&node).eq(0u32)), |b| {
            b.store(&levels, &node, 0u32);
            queue.add(b, &node);
        });
    })
}

fn narrow() -> Program {
    peel(Width::Narrow)
}

fn wide() -> Program {
    peel(Width::Wide)
}

/// Removes the edges of the nodes of a level. A node that loses its last incoming edge is ready.
fn peel(width: Width) -> Program {
    let mut p = rounds::builder();
    let offsets = p.read("offsets", DataType::U32);
    let targets = p.read("targets", DataType::U32);
    let pending = p.read_write("pending", DataType::U32);
    let levels = p.read_write("levels", DataType::U32);
    frontier::program(width, p, |b, queue, node, level| {
        b.for_("edge", offsets.load(node), offsets.load(node + 1u32), |b, edge| {
            let target = b.let_("target", targets.load(edge));
            let left = b.atomic("left", AtomicOp::Add, &pending, &target, u32::MAX);
            b.if_(left.eq(1u32), |b| {
                b.store(&levels, &target, level + 1u32);
                queue.add(b, &target);
            });
        });
    })
}

/// Computes the levels of all nodes as a buffer on the device.
pub(crate) fn device_levels(ops: &GraphOps, nodes: usize, edges: usize, graph: &Edges) -> Result<Buffer, GraphError> {
    let pending = ops.zeroed(nodes as u64)?;
    let levels = ops.zeroed(nodes as u64)?;
    let mut frontier = Frontier::new(ops, nodes)?;
    let mut commands = CommandList::new();
    commands.push(Command::fill_all(&levels, 0xff));
    let bindings = Bindings::in_order([&graph.targets, &pending]);
    commands.dispatch(&ops.pipeline("toposort.degrees", degrees)?, &bindings, grid_for(edges, WORKGROUP));
    let bindings = Bindings::in_order([&pending, &levels, &frontier.queue, &frontier.state]);
    commands.dispatch(&ops.pipeline("toposort.roots", roots)?, &bindings, grid_for(nodes, WORKGROUP));
    let bindings =
        Bindings::in_order([&graph.offsets, &graph.targets, &pending, &levels, &frontier.queue, &frontier.state]);
    let (narrow, wide) = (ops.pipeline("toposort.narrow", narrow)?, ops.pipeline("toposort.wide", wide)?);
    frontier.run(commands, [&narrow, &wide], &bindings)?;
    Ok(levels)
}

/// A topological order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopologicalOrder {
    /// Number of edges of a longest path to each node.
    pub levels: Vec<u32>,
    /// All nodes, by level and then by number.
    pub order: Vec<u32>,
}

impl GraphOnDevice<'_> {
    /// `graph.toposort`: the nodes in topological order.
    ///
    /// # Errors
    ///
    /// [`GraphError::Cycle`] with the nodes of a cycle, or the device fails.
    pub fn toposort(&self) -> Result<TopologicalOrder, GraphError> {
        let levels = device_levels(self.ops, self.host.node_count(), self.host.edge_count(), &self.edges)?;
        ordered(self.host, self.ops.read(&levels)?)
    }
}

/// Order of nodes with these levels, or a cycle among the nodes without a level.
fn ordered(graph: CsrView<'_>, levels: Vec<u32>) -> Result<TopologicalOrder, GraphError> {
    if levels.iter().any(|&level| level != NO_LEVEL && level as usize >= levels.len()) {
        let what = "`graph.toposort` finds a level beyond the number of nodes";
        return Err(GraphError::Device(Error::InconsistentResult { what }));
    }
    if let Some(nodes) = cycle(graph, &levels)? {
        return Err(GraphError::Cycle { nodes });
    }
    // The counting sort is stable, so nodes of a level stay in order.
    let deepest = levels.iter().max().map_or(0, |&level| level as usize + 1);
    let mut starts = vec![0u32; deepest + 1];
    for &level in &levels {
        starts[level as usize + 1] += 1;
    }
    for level in 0..deepest {
        starts[level + 1] += starts[level];
    }
    let mut order = vec![0u32; levels.len()];
    for (node, &level) in (0..).zip(&levels) {
        let position = &mut starts[level as usize];
        order[*position as usize] = node;
        *position += 1;
    }
    Ok(TopologicalOrder { levels, order })
}

/// A cycle among the nodes without a level. Each of them has a predecessor without a level, so a backward path from the smallest
/// of them, always to the smallest predecessor, reaches a node twice.
fn cycle(graph: CsrView<'_>, levels: &[u32]) -> Result<Option<Vec<u32>>, GraphError> {
    let Some(start) = levels.iter().position(|&level| level == NO_LEVEL) else { return Ok(None) };
    let mut predecessor = vec![NO_LEVEL; levels.len()];
    // In descending order, so that the smallest predecessor remains.
    for node in (0..graph.node_count() as u32).rev().filter(|&node| levels[node as usize] == NO_LEVEL) {
        for &target in graph.neighbours(node) {
            predecessor[target as usize] = node;
        }
    }
    let mut is_visited = vec![false; levels.len()];
    let mut node = start as u32;
    while !std::mem::replace(&mut is_visited[node as usize], true) {
        node = predecessor[node as usize];
        if node == NO_LEVEL {
            let what = "`graph.toposort` finds no level for a node whose predecessors have one";
            return Err(GraphError::Device(Error::InconsistentResult { what }));
        }
    }
    let mut cycle = vec![node];
    let mut at = predecessor[node as usize];
    while at != node {
        cycle.push(at);
        at = predecessor[at as usize];
    }
    cycle.reverse();
    let smallest = (0..cycle.len()).min_by_key(|&position| cycle[position]).unwrap_or_default();
    cycle.rotate_left(smallest);
    Ok(Some(cycle))
}

/// Host reference of `graph.toposort`.
///
/// # Errors
///
/// [`GraphError::Cycle`] with the nodes of a cycle.
pub fn toposort_on_host(graph: CsrView<'_>) -> Result<TopologicalOrder, GraphError> {
    kahn(graph, &mut Checkpoint::unlimited())
}

/// Kahn's algorithm, which can be stopped.
pub(crate) fn kahn(graph: CsrView<'_>, checkpoint: &mut Checkpoint<'_>) -> Result<TopologicalOrder, GraphError> {
    let mut pending = vyre_graph::in_degrees(graph);
    let mut levels = vec![NO_LEVEL; graph.node_count()];
    let mut level: Vec<u32> = (0..graph.node_count() as u32).filter(|&node| pending[node as usize] == 0).collect();
    let mut depth = 0;
    while !level.is_empty() {
        let mut next = Vec::new();
        for node in level {
            checkpoint.step()?;
            levels[node as usize] = depth;
            for &target in graph.neighbours(node) {
                pending[target as usize] -= 1;
                if pending[target as usize] == 0 {
                    next.push(target);
                }
            }
        }
        level = next;
        depth += 1;
    }
    ordered(graph, levels)
}
