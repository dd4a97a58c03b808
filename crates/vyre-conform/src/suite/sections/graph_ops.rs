//! Graph ops on random graphs.

use std::sync::Arc;

use vyre_ops::Op;
use vyre_ops::graph::GraphOps;

use crate::graphs::case::Disagreement;
use crate::graphs::generated::{Sizes, check_op, graph_case};
use crate::graphs::host::check_host;
use crate::suite::context::{Context, Item, Settings, caught};
use crate::suite::section::Section;

/// Every graph op on graphs of many shapes, against references in plain Rust.
pub(in crate::suite) struct GraphOpsSection;

/// Sizes of graphs of a device.
const FAST: Sizes = Sizes { max_nodes: 1_500, chain: 20_000 };

impl Section for GraphOpsSection {
    fn name(&self) -> &'static str {
        "graph-ops"
    }

    fn about(&self) -> &'static str {
        "Every graph op agrees with its reference in plain Rust, on chains, stars, trees, roads and random graphs."
    }

    fn cost(&self, settings: &Settings) -> u64 {
        settings.amounts.graphs * 40
    }

    fn can_be_divided(&self) -> bool {
        true
    }

    fn run(&self, context: &Context) {
        let settings = context.settings();
        let ops = GraphOps::new(Arc::clone(context.device()));
        let sizes = sizes_of(context, settings.amounts.graphs, Sizes::TINY, FAST);
        let left_out = settings.left_out(|amounts| amounts.graphs);
        // Items have the order of the ops, whichever thread is first.
        for op in graph_ops() {
            let item = Item::of_op(op.id, op.id);
            context.passed(&item, 0);
            if context.is_first_part() {
                context.skipped_by_interpreter(&item, left_out);
            }
        }
        context.in_parallel_by_seed(settings.amounts.graphs, 1, |_, seed| check(context, &ops, seed, sizes));
    }
}

/// The sizes of graphs of the device. If they are the small ones, large graphs count as skipped.
pub(in crate::suite) fn sizes_of(context: &Context, graphs: u64, small: Sizes, large: Sizes) -> Sizes {
    let kind = if context.settings().is_interpreter {
        "interprets programs"
    } else if context.device().is_software() {
        "is software"
    } else {
        return large;
    };
    if context.is_first_part() {
        let reason = format!("the device {kind}, so that graphs have at most {} nodes", small.chain);
        context.skipped(&Item::new("large graphs"), graphs, reason);
    }
    small
}

fn graph_ops() -> impl Iterator<Item = &'static Op> {
    vyre_ops::ops().iter().filter(|op| op.id.starts_with("graph."))
}

/// Checks every op on the graph of a seed: one that differs does not hide the others.
fn check(context: &Context, ops: &GraphOps, seed: u64, sizes: Sizes) {
    let case = graph_case(seed, sizes);
    let failed = |item: &Item, message: &str| {
        context.failed(item, format!("{}, depth {}: {message}", case.name, case.max_depth), Some(seed));
    };
    let graph = match ops.load(case.graph.view()) {
        Ok(graph) => graph,
        Err(error) => return failed(&Item::new("load"), &error.to_string()),
    };
    for op in graph_ops() {
        let item = Item::of_op(op.id, op.id);
        match caught(|| check_op(op.id, &graph, &case)) {
            Ok(Some(Ok(()))) => context.passed(&item, 1),
            Ok(Some(Err(Disagreement { message, .. }))) | Err(message) => failed(&item, &message),
            Ok(None) => context.skipped(&item, 1, "the suite has no reference of this op"),
        }
    }
    if let Err(Disagreement { op, message }) = check_host(&case) {
        failed(&Item::new(op), &message);
    }
}
