//! Graph ops on random graphs.

use std::sync::Arc;

use vyre_ops::graph::GraphOps;

use crate::graphs::generated::{Sizes, check_case, graph_case};
use crate::suite::context::{Context, Item, Settings};
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

    fn run(&self, context: &Context) {
        let settings = context.settings();
        let ops = GraphOps::new(Arc::clone(context.device()));
        let sizes = if settings.is_interpreter || context.device().is_software() { Sizes::TINY } else { FAST };
        // Items have the order of the ops, whichever thread is first.
        let graph_ops = || vyre_ops::ops().iter().filter(|op| op.id.starts_with("graph."));
        graph_ops().for_each(|op| context.passed(&Item::of_op(op.id, op.id), 0));
        context.in_parallel(settings.amounts.graphs, |number| {
            let seed = settings.seed.wrapping_add(number);
            let case = graph_case(seed, sizes);
            match check_case(&ops, &case) {
                Ok(()) => {
                    for op in graph_ops() {
                        context.passed(&Item::of_op(op.id, op.id), 1);
                    }
                }
                Err(disagreement) => {
                    let message = format!("{}, depth {}: {}", case.name, case.max_depth, disagreement.message);
                    let op = vyre_ops::find(disagreement.op);
                    let item = op.map_or(Item::new(disagreement.op), |op| Item::of_op(op.id, op.id));
                    context.failed(&item, message, Some(seed));
                }
            }
        });
    }
}
