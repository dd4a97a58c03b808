//! `graph.components`: which nodes hang together when the direction of edges does not count.
//!
//! A forest in which every node points to a smaller one of its component, or to itself: links hang the root of one tree below
//! that of the other, by an atomic that fails if somebody was faster. Which links succeed depends on the order; that the last
//! root of a component is its smallest node does not.

use vyre_graph::CsrView;
use vyre_ir::build::{Body, Buffer, ProgramBuilder, Var, invocation_id};
use vyre_ir::{AtomicOp, DataType, Expr, Program};
use vyre_runtime::{Bindings, CommandList};

use super::error::GraphError;
use super::resident::{GraphOnDevice, groups};
use super::slices;
use crate::op::OVER_BUFFERS;
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
    ..OVER_BUFFERS
};

const WORKGROUP: u32 = 256;

/// Every node is a tree of its own.
fn start() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let parents = p.read_write("parents", DataType::U32);
    p.entry(|b| b.store(&parents, invocation_id(0), invocation_id(0)))
}

/// Every edge makes one tree of the trees of its ends.
fn link() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let offsets = p.read("offsets", DataType::U32);
    let targets = p.read("targets", DataType::U32);
    let parents = p.read_write("parents", DataType::U32);
    p.entry(|b| {
        slices::for_each_edge(b, &offsets, &targets, |b, node, edge| {
            let one = b.let_("one", node);
            let other = b.let_("other", targets.load(edge));
            b.for_("attempt", 0u32, u32::MAX, |b, _| {
                to_root(b, &parents, &one);
                to_root(b, &parents, &other);
                let low = b.let_("low", one.min(&other));
                let high = b.let_("high", one.max(&other));
                b.if_(low.eq(&high), |b| b.break_());
                let exchange = Expr::atomic_compare_exchange(parents.name(), &high, &high, &low);
                let before = b.let_("before", exchange);
                b.if_(before.eq(&high), |b| b.break_());
                // Somebody else has hung it elsewhere.
                b.assign(&one, &before);
                b.assign(&other, &low);
            });
        });
    })
}

/// Every node gets the root of its tree.
fn label() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let parents = p.read_write("parents", DataType::U32);
    let labels = p.read_write("labels", DataType::U32);
    p.entry(|b| {
        let node = b.let_("node", invocation_id(0));
        b.if_(node.lt(labels.len()), |b| {
            let root = b.let_("root", &node);
            to_root(b, &parents, &root);
            b.store(&labels, &node, &root);
        });
    })
}

/// Moves a variable from a node to the root of its tree. Nodes on the way are hung higher up, which shortens the ways of all;
/// a parent that is out of date is an ancestor too, so no order is needed.
fn to_root(b: &mut Body<'_>, parents: &Buffer, node: &Var) {
    let parent = b.let_("parent", Expr::atomic_load(parents.name(), node));
    b.for_("hop", 0u32, u32::MAX, |b, _| {
        b.if_(parent.eq(node), |b| b.break_());
        let above = b.let_("above", Expr::atomic_load(parents.name(), &parent));
        b.if_(above.ne(&parent), |b| {
            b.discard(Expr::atomic(AtomicOp::Store, parents.name(), node, &above));
        });
        b.assign(node, &parent);
        b.assign(&parent, &above);
    });
}

impl GraphOnDevice<'_> {
    /// `graph.components`: for each node the smallest node that it is connected with, whatever the direction of edges.
    ///
    /// # Errors
    ///
    /// A failure of the device.
    pub fn components(&self) -> Result<Vec<u32>, GraphError> {
        let (ops, nodes) = (self.ops, self.host.node_count());
        let parents = ops.zeros(nodes as u64)?;
        let labels = ops.zeros(nodes as u64)?;
        let slices = self.host.edge_count().div_ceil(slices::EDGES as usize);
        let mut commands = CommandList::new();
        commands.dispatch(
            &ops.pipeline("components.start", start)?,
            &Bindings::in_order([&parents]),
            groups(nodes, WORKGROUP),
        );
        let bindings = Bindings::in_order([&self.edges.offsets, &self.edges.targets, &parents]);
        commands.dispatch(&ops.pipeline("components.link", link)?, &bindings, groups(slices, WORKGROUP));
        let bindings = Bindings::in_order([&parents, &labels]);
        commands.dispatch(&ops.pipeline("components.label", label)?, &bindings, groups(nodes, WORKGROUP));
        ops.run(&commands)?;
        ops.read(&labels)
    }
}

/// `graph.components` in plain Rust, written without the programs: searches in both directions, from the smallest node on.
#[must_use]
pub fn components_on_host(graph: CsrView<'_>) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let turned = graph.transposed();
    let mut labels = vec![NONE; graph.node_count()];
    let mut waiting = Vec::new();
    for start in 0..graph.node_count() as u32 {
        if labels[start as usize] != NONE {
            continue;
        }
        labels[start as usize] = start;
        waiting.push(start);
        while let Some(node) = waiting.pop() {
            for &next in graph.neighbours(node).iter().chain(turned.view().neighbours(node)) {
                if labels[next as usize] == NONE {
                    labels[next as usize] = start;
                    waiting.push(next);
                }
            }
        }
    }
    labels
}
