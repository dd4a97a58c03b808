//! `graph.components`: weakly connected components by hooking and pointer jumping (Shiloach, Vishkin, 1982), as a concurrent
//! union-find with path halving.
//!
//! The parents form a forest in which the parent of a node is a smaller node of its component or the node itself. An edge hooks
//! the larger of the two roots of its ends to the smaller one, by an atomic compare-exchange that fails if the root was hooked
//! concurrently. The order of hooks varies, but the last root of a component is always its smallest node.

use vyre_graph::CsrView;
use vyre_ir::build::{Body, Buffer, ProgramBuilder, Var, invocation_id};
use vyre_ir::{AtomicOp, DataType, Expr, Program};
use vyre_runtime::{Bindings, CommandList};

use super::device::{GraphOnDevice, grid_for};
use super::edge_partition::{self, EDGES_PER_SLICE};
use super::error::GraphError;
use crate::op::BUFFER_OP;
use crate::{Op, ProgramVariant};

pub(crate) const OP: Op = Op {
    id: "graph.components",
    summary: "For each node the smallest node of its weakly connected component.",
    canonical: link,
    stages: &[
        ProgramVariant { name: "start", build: start },
        ProgramVariant { name: "link", build: link },
        ProgramVariant { name: "label", build: label },
    ],
    ..BUFFER_OP
};

const WORKGROUP: u32 = 256;

/// Initialises every node as a tree of its own.
fn start() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let parents = p.read_write("parents", DataType::U32);
    p.entry(|b| b.store(&parents, invocation_id(0), invocation_id(0)))
}

/// Joins the trees of the two ends of every edge.
fn link() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let offsets = p.read("offsets", DataType::U32);
    let targets = p.read("targets", DataType::U32);
    let parents = p.read_write("parents", DataType::U32);
    p.entry(|b| {
        edge_partition::for_each_edge(b, &offsets, &targets, |b, node, edge| {
            let one = b.let_("one", node);
            let other = b.let_("other", targets.load(edge));
            b.for_("attempt", 0u32, u32::MAX, |b, _| {
                find_root(b, &parents, &one);
                find_root(b, &parents, &other);
                let low = b.let_("low", one.min(&other));
                let high = b.let_("high", one.max(&other));
                b.if_(low.eq(&high), |b| b.break_());
                let exchange = Expr::atomic_compare_exchange(parents.name(), &high, &high, &low);
                let before = b.let_("before", exchange);
                b.if_(before.eq(&high), |b| b.break_());
                // Another invocation has hooked the root: continue from its new parent.
                b.assign(&one, &before);
                b.assign(&other, &low);
            });
        });
    })
}

/// Labels every node with the root of its tree.
fn label() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let parents = p.read_write("parents", DataType::U32);
    let labels = p.read_write("labels", DataType::U32);
    p.entry(|b| {
        let node = b.let_("node", invocation_id(0));
        b.if_(node.lt(labels.len()), |b| {
            let root = b.let_("root", &node);
            find_root(b, &parents, &root);
            b.store(&labels, &node, &root);
        });
    })
}

/// Moves a variable from a node to the root of its tree. Each node on the path gets its grandparent as parent (path halving). A
/// stale parent is an ancestor too, so the atomics need no ordering.
fn find_root(b: &mut Body<'_>, parents: &Buffer, node: &Var) {
    let parent = b.let_("parent", Expr::atomic_load(parents.name(), node));
    b.for_("hop", 0u32, u32::MAX, |b, _| {
        b.if_(parent.eq(node), |b| b.break_());
        let grandparent = b.let_("grandparent", Expr::atomic_load(parents.name(), &parent));
        b.if_(grandparent.ne(&parent), |b| {
            b.discard(Expr::atomic(AtomicOp::Store, parents.name(), node, &grandparent));
        });
        b.assign(node, &parent);
        b.assign(&parent, &grandparent);
    });
}

impl GraphOnDevice<'_> {
    /// `graph.components`: for each node the smallest node of its weakly connected component.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn components(&self) -> Result<Vec<u32>, GraphError> {
        let (ops, nodes) = (self.ops, self.host.node_count());
        let parents = ops.zeroed(nodes as u64)?;
        let labels = ops.zeroed(nodes as u64)?;
        let slices = self.host.edge_count().div_ceil(EDGES_PER_SLICE as usize);
        let mut commands = CommandList::new();
        commands.dispatch(
            &ops.pipeline("components.start", start)?,
            &Bindings::in_order([&parents]),
            grid_for(nodes, WORKGROUP),
        );
        let bindings = Bindings::in_order([&self.edges.offsets, &self.edges.targets, &parents]);
        commands.dispatch(&ops.pipeline("components.link", link)?, &bindings, grid_for(slices, WORKGROUP));
        let bindings = Bindings::in_order([&parents, &labels]);
        commands.dispatch(&ops.pipeline("components.label", label)?, &bindings, grid_for(nodes, WORKGROUP));
        ops.run(&commands)?;
        ops.read(&labels)
    }
}

/// Host reference of `graph.components`: depth-first searches in both directions, from the smallest node on.
#[must_use]
pub fn components_on_host(graph: CsrView<'_>) -> Vec<u32> {
    const UNLABELLED: u32 = u32::MAX;
    let transposed = graph.transposed();
    let mut labels = vec![UNLABELLED; graph.node_count()];
    let mut stack = Vec::new();
    for start in 0..graph.node_count() as u32 {
        if labels[start as usize] != UNLABELLED {
            continue;
        }
        labels[start as usize] = start;
        stack.push(start);
        while let Some(node) = stack.pop() {
            for &next in graph.neighbours(node).iter().chain(transposed.view().neighbours(node)) {
                if labels[next as usize] == UNLABELLED {
                    labels[next as usize] = start;
                    stack.push(next);
                }
            }
        }
    }
    labels
}
