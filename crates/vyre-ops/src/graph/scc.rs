//! `graph.scc`: strongly connected components by trimming and forward-backward colouring, after the divide-and-conquer algorithm
//! of Fleischer, Hendrickson and Pinar (2000) and the colouring of Orzan (2004).
//!
//! 1. Trimming: a node without a cycle before it or without a cycle after it is a component of its own. Two topological sorts, one
//!    of them on the transposed graph, find these nodes.
//! 2. Forward: each other node gets a pseudo-random colour, and the smallest colour propagates along edges. A node that keeps its
//!    colour is a root.
//! 3. Backward: the nodes of the colour of a root that reach the root are its component.
//! 4. Steps 2 and 3 repeat on the nodes that are left. Nodes of different colours are in different components, so colours
//!    propagate only within a region, which is a colour of the previous iteration.
//!
//! Since colours are pseudo-random, the expected number of iterations is logarithmic in the number of nodes.

use vyre_graph::CsrView;
use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, invocation_id};
use vyre_ir::{AtomicOp, DataType, Expr, Program};
use vyre_runtime::{Bindings, Command, CommandList, Error};

use super::checkpoint::Checkpoint;
use super::device::{GraphOnDevice, grid_for};
use super::error::GraphError;
use super::frontier::{self, Frontier, FrontierQueue};
use super::rounds::{self, Width};
use super::toposort::{NO_LEVEL, device_levels};
use crate::op::BUFFER_OP;
use crate::{Op, ProgramVariant};

pub(crate) const OP: Op = Op {
    id: "graph.scc",
    summary: "For each node the smallest node of its strongly connected component.",
    canonical: spread_narrow,
    stages: &[
        ProgramVariant { name: "trim", build: trim },
        ProgramVariant { name: "colour", build: colour },
        ProgramVariant { name: "spread_narrow", build: spread_narrow },
        ProgramVariant { name: "spread_wide", build: spread_wide },
        ProgramVariant { name: "roots", build: roots },
        ProgramVariant { name: "collect_narrow", build: collect_narrow },
        ProgramVariant { name: "collect_wide", build: collect_wide },
        ProgramVariant { name: "smallest", build: smallest },
        ProgramVariant { name: "label", build: label },
    ],
    ..BUFFER_OP
};

const WORKGROUP: u32 = 256;

/// Root of nodes whose component is unknown.
const NO_ROOT: u32 = u32::MAX;

/// Makes nodes with a topological level in one of the directions components of their own.
fn trim() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let forward = p.read("forward_levels", DataType::U32);
    let backward = p.read("backward_levels", DataType::U32);
    let roots = p.read_write("roots", DataType::U32);
    p.entry(|b| {
        let node = b.let_("node", invocation_id(0));
        let is_trivial = forward.load(&node).ne(NO_LEVEL).or(backward.load(&node).ne(NO_LEVEL));
        b.store(&roots, &node, is_trivial.select(&node, NO_ROOT));
    })
}

/// Pseudo-random colour of a node, by a bijective hash of the node and the seed of the iteration.
fn colour_of(b: &mut Body<'_>, params: &Handle, node: &Var) -> Var {
    let mixed = b.let_("mixed", node + params.load(0u32));
    b.assign(&mixed, (&mixed ^ (&mixed >> 16u32)) * 0x7feb_352du32);
    b.assign(&mixed, (&mixed ^ (&mixed >> 15u32)) * 0x846c_a68bu32);
    b.let_("own_colour", &mixed ^ (&mixed >> 16u32))
}

/// Makes the colours of the previous iteration regions, and gives every node that is left a new colour.
fn colour() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let params = p.uniform("params", DataType::U32);
    let roots = p.read("roots", DataType::U32);
    let regions = p.read_write("regions", DataType::U32);
    let colours = p.read_write("colours", DataType::U32);
    let queue = FrontierQueue::declare(&mut p);
    p.entry(|b| {
        let node = b.let_("node", invocation_id(0));
        b.if_(node.lt(roots.len()).and(roots.load(&node).eq(NO_ROOT)), |b| {
            b.store(&regions, &node, colours.load(&node));
            let own_colour = colour_of(b, &params, &node);
            b.store(&colours, &node, own_colour);
            queue.add(b, &node);
        });
    })
}

fn spread_narrow() -> Program {
    spread(Width::Narrow)
}

fn spread_wide() -> Program {
    spread(Width::Wide)
}

/// Propagates the smallest colour along edges. A node whose colour decreases enters the next level.
fn spread(width: Width) -> Program {
    let mut p = rounds::builder();
    let offsets = p.read("offsets", DataType::U32);
    let targets = p.read("targets", DataType::U32);
    let roots = p.read("roots", DataType::U32);
    let regions = p.read("regions", DataType::U32);
    let colours = p.read_write("colours", DataType::U32);
    let marks = p.read_write("marks", DataType::U32);
    frontier::program(width, p, |b, queue, node, level| {
        let colour = b.let_("colour", Expr::atomic_load(colours.name(), node));
        let region = b.let_("region", regions.load(node));
        b.for_("edge", offsets.load(node), offsets.load(node + 1u32), |b, edge| {
            let target = b.let_("target", targets.load(edge));
            let is_open = roots.load(&target).eq(NO_ROOT).and(regions.load(&target).eq(&region));
            // The load is cheaper than an update. Colours only decrease, so a stale one is safe.
            b.if_(is_open.and(colour.lt(Expr::atomic_load(colours.name(), &target))), |b| {
                let before = b.atomic("before", AtomicOp::Min, &colours, &target, &colour);
                b.if_(colour.lt(&before), |b| {
                    // A node enters a level once.
                    let mark = b.atomic("mark", AtomicOp::Exchange, &marks, &target, level + 1u32);
                    b.if_(mark.ne(level + 1u32), |b| queue.add(b, &target));
                });
            });
        });
    })
}

/// Makes nodes that have kept their colour roots.
fn roots() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let params = p.uniform("params", DataType::U32);
    let colours = p.read("colours", DataType::U32);
    let roots = p.read_write("roots", DataType::U32);
    let queue = FrontierQueue::declare(&mut p);
    p.entry(|b| {
        let node = b.let_("node", invocation_id(0));
        b.if_(node.lt(roots.len()).and(roots.load(&node).eq(NO_ROOT)), |b| {
            let own_colour = colour_of(b, &params, &node);
            b.if_(colours.load(&node).eq(&own_colour), |b| {
                b.store(&roots, &node, &node);
                queue.add(b, &node);
            });
        });
    })
}

fn collect_narrow() -> Program {
    collect(Width::Narrow)
}

fn collect_wide() -> Program {
    collect(Width::Wide)
}

/// Collects the nodes of a colour that reach its root. Runs on the transposed graph.
fn collect(width: Width) -> Program {
    let mut p = rounds::builder();
    let offsets = p.read("offsets", DataType::U32);
    let targets = p.read("targets", DataType::U32);
    let colours = p.read("colours", DataType::U32);
    let roots = p.read_write("roots", DataType::U32);
    frontier::program(width, p, |b, queue, node, _| {
        let root = b.let_("root", Expr::atomic_load(roots.name(), node));
        let colour = b.let_("colour", colours.load(node));
        b.for_("edge", offsets.load(node), offsets.load(node + 1u32), |b, edge| {
            let target = b.let_("target", targets.load(edge));
            b.if_(colours.load(&target).eq(&colour), |b| {
                let exchange = Expr::atomic_compare_exchange(roots.name(), &target, NO_ROOT, &root);
                let before = b.let_("before", exchange);
                b.if_(before.eq(NO_ROOT), |b| queue.add(b, &target));
            });
        });
    })
}

/// Computes the smallest node of each component.
fn smallest() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let roots = p.read("roots", DataType::U32);
    let smallest = p.read_write("smallest", DataType::U32);
    p.entry(|b| {
        let node = b.let_("node", invocation_id(0));
        b.if_(node.lt(roots.len()), |b| {
            b.discard(Expr::atomic(AtomicOp::Min, smallest.name(), roots.load(&node), &node));
        });
    })
}

/// Labels every node with the smallest node of its component.
fn label() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let roots = p.read("roots", DataType::U32);
    let smallest = p.read("smallest", DataType::U32);
    let labels = p.read_write("labels", DataType::U32);
    p.entry(|b| {
        let node = b.let_("node", invocation_id(0));
        b.store(&labels, &node, smallest.load(roots.load(&node)));
    })
}

impl GraphOnDevice<'_> {
    /// `graph.scc`: for each node the smallest node that it reaches and that reaches it.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn scc(&self) -> Result<Vec<u32>, GraphError> {
        let (ops, nodes, edges) = (self.ops, self.host.node_count(), self.host.edge_count());
        let forward = &self.edges;
        let backward = &ops.upload_edges(self.host.transposed().view())?;
        let by_node = grid_for(nodes, WORKGROUP);
        let [roots_of, regions, colours, marks] = [(); 4].map(|()| ops.zeroed(nodes as u64));
        let (roots_of, regions, colours, marks) = (roots_of?, regions?, colours?, marks?);

        let forward_levels = device_levels(ops, nodes, edges, forward)?;
        let backward_levels = device_levels(ops, nodes, edges, backward)?;
        let mut trimming = CommandList::new();
        let bindings = Bindings::in_order([&forward_levels, &backward_levels, &roots_of]);
        trimming.dispatch(&ops.pipeline("scc.trim", trim)?, &bindings, by_node);
        ops.run(&trimming)?;

        let params = ops.zeroed(1)?;
        let mut frontier = Frontier::new(ops, nodes)?;
        let (queue, state) = (frontier.queue.clone(), frontier.state.clone());
        let mut colouring = CommandList::new();
        let bindings = Bindings::in_order([&params, &roots_of, &regions, &colours, &queue, &state]);
        colouring.dispatch(&ops.pipeline("scc.colour", colour)?, &bindings, by_node);
        let spreading = Bindings::in_order([
            &forward.offsets,
            &forward.targets,
            &roots_of,
            &regions,
            &colours,
            &marks,
            &queue,
            &state,
        ]);
        let spread = [ops.pipeline("scc.spread_narrow", spread_narrow)?, ops.pipeline("scc.spread_wide", spread_wide)?];
        let mut rooting = CommandList::new();
        let bindings = Bindings::in_order([&params, &colours, &roots_of, &queue, &state]);
        rooting.dispatch(&ops.pipeline("scc.roots", roots)?, &bindings, by_node);
        let collecting =
            Bindings::in_order([&backward.offsets, &backward.targets, &colours, &roots_of, &queue, &state]);
        let collect =
            [ops.pipeline("scc.collect_narrow", collect_narrow)?, ops.pipeline("scc.collect_wide", collect_wide)?];
        for iteration in 0u32.. {
            ops.write(&params, &[iteration.wrapping_mul(0x9e37_79b9)])?;
            ops.run(&colouring)?;
            if frontier.is_empty()? {
                break;
            }
            // Each iteration finds a component at least.
            if iteration as usize >= nodes {
                let what = "`graph.scc` finds more components than the graph has nodes";
                return Err(GraphError::Device(Error::InconsistentResult { what }));
            }
            frontier.run(CommandList::new(), [&spread[0], &spread[1]], &spreading)?;
            frontier.run(rooting.clone(), [&collect[0], &collect[1]], &collecting)?;
        }

        let lowest = ops.zeroed(nodes as u64)?;
        let labels = ops.zeroed(nodes as u64)?;
        let mut commands = CommandList::new();
        commands.push(Command::fill_all(&lowest, 0xff));
        commands.dispatch(&ops.pipeline("scc.smallest", smallest)?, &Bindings::in_order([&roots_of, &lowest]), by_node);
        commands.dispatch(
            &ops.pipeline("scc.label", label)?,
            &Bindings::in_order([&roots_of, &lowest, &labels]),
            by_node,
        );
        ops.run(&commands)?;
        ops.read(&labels)
    }
}

/// Host reference of `graph.scc`: Tarjan's algorithm with an explicit stack.
#[must_use]
pub fn scc_on_host(graph: CsrView<'_>) -> Vec<u32> {
    tarjan(graph, &mut Checkpoint::unlimited()).expect("an unlimited checkpoint never fails")
}

/// Tarjan's algorithm, which can be stopped.
pub(crate) fn tarjan(graph: CsrView<'_>, checkpoint: &mut Checkpoint<'_>) -> Result<Vec<u32>, GraphError> {
    let nodes = graph.node_count();
    let mut labels = vec![NO_ROOT; nodes];
    // Discovery time of each node, from 1, and the earliest node on the stack that it reaches (the lowlink).
    let mut seen = vec![0u32; nodes];
    let mut earliest = vec![0u32; nodes];
    let mut clock = 0;
    let mut component = Vec::new();
    let mut path: Vec<(u32, usize)> = Vec::new();
    for start in 0..nodes as u32 {
        if seen[start as usize] == 0 {
            path.push((start, graph.edges_of(start).start));
        }
        while let Some((node, edge)) = path.last_mut() {
            checkpoint.step()?;
            let at = *node as usize;
            if seen[at] == 0 {
                clock += 1;
                (seen[at], earliest[at]) = (clock, clock);
                component.push(*node);
            }
            if *edge < graph.edges_of(*node).end {
                let next = graph.targets[*edge];
                *edge += 1;
                if seen[next as usize] == 0 {
                    path.push((next, graph.edges_of(next).start));
                } else if labels[next as usize] == NO_ROOT {
                    earliest[at] = earliest[at].min(seen[next as usize]);
                }
                continue;
            }
            path.pop();
            if let Some(&(caller, _)) = path.last() {
                earliest[caller as usize] = earliest[caller as usize].min(earliest[at]);
            }
            if earliest[at] == seen[at] {
                let first = component.iter().rposition(|&member| member as usize == at).unwrap_or_default();
                let smallest = component[first..].iter().copied().min().unwrap_or_default();
                component.drain(first..).for_each(|member| labels[member as usize] = smallest);
            }
        }
    }
    Ok(labels)
}
