//! `graph.toposort`: an order in which every edge goes forward, or a cycle that shows that there is none.
//!
//! A node is ready when all edges to it come from nodes that are done. Its level is the length of the longest way to it, so it
//! does not depend on the order in which nodes get ready.

use vyre_graph::CsrView;
use vyre_ir::build::{ProgramBuilder, invocation_id};
use vyre_ir::{AtomicOp, DataType, Expr, Program};
use vyre_runtime::{Bindings, Buffer, Command, CommandList};

use super::error::GraphError;
use super::levels::{self, Queue, Waiting, Width};
use super::resident::{Edges, GraphOnDevice, GraphOps, groups};
use crate::op::OVER_BUFFERS;
use crate::{Op, ProgramVariant};

pub(crate) const OP: Op = Op {
    id: "graph.toposort",
    summary: "For each node the length of the longest way to it, which gives a topological order; or a cycle.",
    canonical: narrow,
    stages: &[
        ProgramVariant { name: "degrees", build: degrees },
        ProgramVariant { name: "roots", build: roots },
        ProgramVariant { name: "narrow", build: narrow },
        ProgramVariant { name: "wide", build: wide },
    ],
    ..OVER_BUFFERS
};

const WORKGROUP: u32 = 256;

/// The level of nodes that lie on a cycle or behind one.
pub(crate) const NONE: u32 = u32::MAX;

/// Counts the edges to each node.
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

/// Nodes that no edge goes to are level 0.
fn roots() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let pending = p.read("pending", DataType::U32);
    let levels = p.read_write("levels", DataType::U32);
    let queue = Queue::declare(&mut p);
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

/// A node that is done takes its edges away; whom the last edge is taken from is ready.
fn peel(width: Width) -> Program {
    let mut p = levels::builder();
    let offsets = p.read("offsets", DataType::U32);
    let targets = p.read("targets", DataType::U32);
    let pending = p.read_write("pending", DataType::U32);
    let levels = p.read_write("levels", DataType::U32);
    levels::program(width, p, |b, queue, node, level| {
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

/// The levels of all nodes, as a buffer.
pub(crate) fn levels_on_device(
    ops: &GraphOps,
    nodes: usize,
    edges: usize,
    graph: &Edges,
) -> Result<Buffer, GraphError> {
    let pending = ops.zeros(nodes as u64)?;
    let levels = ops.zeros(nodes as u64)?;
    let mut waiting = Waiting::new(ops, nodes)?;
    let mut commands = CommandList::new();
    commands.push(Command::fill_all(&levels, 0xff));
    let bindings = Bindings::in_order([&graph.targets, &pending]);
    commands.dispatch(&ops.pipeline("toposort.degrees", degrees)?, &bindings, groups(edges, WORKGROUP));
    let bindings = Bindings::in_order([&pending, &levels, &waiting.queue, &waiting.state]);
    commands.dispatch(&ops.pipeline("toposort.roots", roots)?, &bindings, groups(nodes, WORKGROUP));
    let bindings =
        Bindings::in_order([&graph.offsets, &graph.targets, &pending, &levels, &waiting.queue, &waiting.state]);
    let (narrow, wide) = (ops.pipeline("toposort.narrow", narrow)?, ops.pipeline("toposort.wide", wide)?);
    waiting.run(commands, [&narrow, &wide], &bindings)?;
    Ok(levels)
}

/// An order in which every edge goes forward.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopologicalOrder {
    /// For each node the number of edges of the longest way to it.
    pub levels: Vec<u32>,
    /// All nodes, by level and then by number.
    pub order: Vec<u32>,
}

impl GraphOnDevice<'_> {
    /// `graph.toposort`: the nodes in an order in which every edge goes forward.
    ///
    /// # Errors
    ///
    /// [`GraphError::Cycle`] with the nodes of a cycle, or a failure of the device.
    pub fn toposort(&self) -> Result<TopologicalOrder, GraphError> {
        let levels = levels_on_device(self.ops, self.host.node_count(), self.host.edge_count(), &self.edges)?;
        ordered(self.host, self.ops.read(&levels)?)
    }
}

/// The order of these levels, or a cycle among the nodes that have none.
fn ordered(graph: CsrView<'_>, levels: Vec<u32>) -> Result<TopologicalOrder, GraphError> {
    if let Some(nodes) = cycle(graph, &levels) {
        return Err(GraphError::Cycle { nodes });
    }
    // A counting sort keeps nodes of a level in order.
    let deepest = levels.iter().max().map_or(0, |&level| level as usize + 1);
    let mut places = vec![0u32; deepest + 1];
    for &level in &levels {
        places[level as usize + 1] += 1;
    }
    for level in 0..deepest {
        places[level + 1] += places[level];
    }
    let mut order = vec![0u32; levels.len()];
    for (node, &level) in (0..).zip(&levels) {
        let place = &mut places[level as usize];
        order[*place as usize] = node;
        *place += 1;
    }
    Ok(TopologicalOrder { levels, order })
}

/// A cycle among the nodes without a level, if there are any: each of them has an edge from another, so going back from the
/// smallest, always to the smallest, comes to a node for the second time.
fn cycle(graph: CsrView<'_>, levels: &[u32]) -> Option<Vec<u32>> {
    let start = levels.iter().position(|&level| level == NONE)? as u32;
    let mut before = vec![NONE; levels.len()];
    // Descending, so that the smallest is what stays.
    for node in (0..graph.node_count() as u32).rev().filter(|&node| levels[node as usize] == NONE) {
        for &target in graph.neighbours(node) {
            before[target as usize] = node;
        }
    }
    let mut is_passed = vec![false; levels.len()];
    let mut node = start;
    while !std::mem::replace(&mut is_passed[node as usize], true) {
        node = before[node as usize];
    }
    let mut cycle = vec![node];
    let mut at = before[node as usize];
    while at != node {
        cycle.push(at);
        at = before[at as usize];
    }
    cycle.reverse();
    let smallest = (0..cycle.len()).min_by_key(|&position| cycle[position])?;
    cycle.rotate_left(smallest);
    Some(cycle)
}

/// `graph.toposort` in plain Rust, written without the programs.
///
/// # Errors
///
/// [`GraphError::Cycle`] with the nodes of a cycle.
pub fn toposort_on_host(graph: CsrView<'_>) -> Result<TopologicalOrder, GraphError> {
    let mut pending = vyre_graph::in_degrees(graph);
    let mut levels = vec![NONE; graph.node_count()];
    let mut level: Vec<u32> = (0..graph.node_count() as u32).filter(|&node| pending[node as usize] == 0).collect();
    let mut depth = 0;
    while !level.is_empty() {
        let mut next = Vec::new();
        for node in level {
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
